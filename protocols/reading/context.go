package reading

import (
	"regexp"
	"slices"
	"strings"
)

// How much of a sentence is looked at before and after a place.
const (
	before = 120
	after  = 300
)

// upTo is what stands before i in its sentence, in small letters.
func (v *view) upTo(i int) string {
	from := max(0, i-before)
	s := v.lower[from:i]
	for at := len(s) - 1; at >= 0; at-- {
		if s[at] == '\n' || at+1 < len(s) && s[at+1] == ' ' && (s[at] == '.' || s[at] == '!' || s[at] == '?' || s[at] == ';') && !abbreviated(s[:at]) {
			return s[at+1:]
		}
	}
	return s
}

// abbreviations end with a full stop that ends no sentence.
var abbreviations = []string{"approx", " rs", "e.g", "i.e", " no", " vs", " mr", " mrs", " dr", " eq", " fig", " st", "(e.g", "(i.e"}

func abbreviated(s string) bool {
	for _, a := range abbreviations {
		if strings.HasSuffix(s, a) {
			return true
		}
	}
	return false
}

// rest is what stands from i on in its sentence, which a new line ends as well.
func (v *view) rest(i int) string {
	s := v.text[i:min(len(v.text), i+after)]
	for at := 0; at < len(s); at++ {
		switch s[at] {
		case '\n':
			return s[:at]
		case '.', '!', '?':
			if at+1 < len(s) && (s[at+1] == ' ' || s[at+1] == '\n') && !abbreviated(strings.ToLower(s[:at])) {
				return s[:at+1]
			}
		}
	}
	return s
}

// hinted is a slow expression, and words of which every text that it matches holds one.
type hinted struct {
	words []string
	*regexp.Regexp
}

func (h hinted) MatchString(s string) bool {
	for _, w := range h.words {
		if strings.Contains(s, w) {
			return h.Regexp.MatchString(s)
		}
	}
	return false
}

var (
	// denied ends with what turns the next word into its opposite, or sets it beside what is meant.
	denied = hinted{strings.Fields("not never nor n't neither without rather instead opposed other"), regexp.MustCompile(`(?:\b(?:not|never|cannot|neither|nor|without|isn't|wasn't|rather than|instead of|as opposed to|other than)|n't)(?:\s+(?:be|been|a|an|the|to|just|simply|really|necessarily|label|answer|option|choice|choose|select|say|pick|with|it|that|is|it's|correct|right|best))*[\s:"'(\[{$]*$`)}
	// doubted begins with what is no claim of the one who says it.
	doubted = hinted{strings.Fields("if suppos whether assum unless imagin why had might could would may can student someone people one n't not never doubt unlikely impossible unclear wrong incorrect tempting"), regexp.MustCompile(`(?:\b(?:if|suppose|supposing|whether|assuming|assume|unless|imagine|why|had)\s+(?:that\s+|(?:i|we|one|you)\s[^,;:]{0,30})?(?:the\s+|this\s+|our\s+|my\s+|your\s+)?(?:final\s+|correct\s+|right\s+|best\s+|only\s+|true\s+)?|\b(?:might|could|would|may|can|student|someone|people|one)\s+(?:\w+\s+)?(?:think|thinks|seem|believe|argue|guess|expect|say|says|conclude)\b[^.,;:]{0,24}|(?:n't|\bnot|\bcannot|\bnever)\s+(?:think|believe|say|sure|mean|imply|conclude|certain|agree|know)\b[^.,;:]{0,24}|\b(?:doubt|unlikely|impossible|unclear|wrong to say|incorrect to say|tempting)\b[^.,;:]{0,24})$`)}
	// quoted ends with what announces a form instead of a verdict.
	quoted = hinted{strings.Fields("e.g. form example instance such template placeholder syntax instruct asked required supposed told need have must"), regexp.MustCompile(`(?:e\.g\.|\b(?:formats?|formatted|form|for example|for instance|example|such as|template|placeholder|syntax|instructions?|instructed|(?:asked|required|supposed|told|needs?|have|must) (?:to )?(?:output|answer|write|say|respond|reply|end|finish|conclude|provide|give|state|use|choose|return|print|put))\b)[^.;\n\]]{0,60}$`)}
)

// claims tells whether what stands at i is said by the reply itself, and not denied, doubted or quoted.
func (v *view) claims(i int) bool {
	s := v.upTo(i)
	return !denied.MatchString(s) && !doubted.MatchString(s) && !quoted.MatchString(s)
}

var asking = regexp.MustCompile(`^[)\]}"'\s.$]*\?`)

// asked tells whether a question mark ends what ends at i.
func (v *view) asked(i int) bool { return asking.MatchString(v.text[i:min(len(v.text), i+12)]) }

// cues finds the places of words in small letters, the last first, and calls f with where each word ends until f is
// done.
func (v *view) cues(words []string, f func(word string, start, end int) bool) {
	type cue struct{ word, start int }
	left := lookBack
	for end := len(v.lower); end > 0; end -= cueWindow { // from the end on: what is looked for mostly stands there
		from := max(0, end-cueWindow)
		var cues []cue
		for i, word := range words {
			s := v.lower[:min(len(v.lower), end+len(word)-1)]
			for at := from; ; at += len(word) {
				n := strings.Index(s[min(at, len(s)):], word)
				if n < 0 {
					break
				}
				at += n
				cues = append(cues, cue{i, at})
			}
		}
		slices.SortStableFunc(cues, func(a, b cue) int { return b.start - a.start })
		for _, c := range cues {
			if left--; left < 0 || f(words[c.word], c.start, c.start+len(words[c.word])) {
				return
			}
		}
	}
}

// cueWindow is how much of a reply is searched for words at once.
const cueWindow = 1 << 10

// lastLine is the last line that holds more than marks, and where it begins.
func (v *view) lastLine() (line string, start int) {
	end := len(strings.TrimRight(v.text, " \t\n-=\"'`|"))
	for end < len(v.text) && v.text[end] != '\n' {
		end++
	}
	start = strings.LastIndexByte(v.text[:end], '\n') + 1
	return v.text[start:end], start
}

// box is what the brace that is open at i holds, where that is short.
func (v *view) box(i int) (inside string, ok bool) {
	depth := 1
	for at := i; at < len(v.text) && at < i+after; at++ {
		switch v.text[at] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return v.text[i:at], true
			}
		}
	}
	return "", false
}
