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
			if at+1 < len(s) && (s[at+1] == ' ' || s[at+1] == '\n') && !abbreviated(strings.ToLower(s[:at])) && !strings.HasPrefix(s[at:], "! =") {
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
	denied = hinted{strings.Fields("not never nor n't neither without rather instead opposed other"), regexp.MustCompile(`(?:\b(?:not|never|cannot|neither|nor|without|isn't|wasn't|rather than|instead of|as opposed to|other than)|n't)(?:\s+(?:be|been|a|an|the|to|just|simply|really|necessarily|label|answer|option|choice|choose|select|say|pick|tie|with|it|that|is|it's|correct|right|best))*[\s"'(\[{$]*$`)}
	// supposed ends with a condition of the next word.
	supposed = hinted{strings.Fields("if suppos whether assum unless imagin why had"), regexp.MustCompile(`\b(?:if|suppose|supposing|whether|assuming|assume|unless|imagine|why|had)\s+(?:that\s+|(?:i|we|one|you)\s[^,;:]{0,30})?(?:the\s+|this\s+|our\s+|my\s+|your\s+)?(?:final\s+|correct\s+|right\s+|best\s+|only\s+|true\s+)?["'(\[{$\s]*$`)}
	// doubted begins, in the clause of the next word, with what is no claim of the one who says it.
	doubted = hinted{strings.Fields("thought said chose believed assumed guessed students others many might could would may can student someone people one n't not never doubt unlikely impossible unclear wrong incorrect tempting"), regexp.MustCompile(`(?:\b(?:might|could|would|may|can|student|someone|people|one)\s+(?:\w+\s+)?(?:think|thinks|seem|believe|argue|guess|expect|say|says|conclude)\b|\b(?:students|people|others|many|some)\s+(?:\w+\s+)?(?:think|say|choose|pick|believe|argue)\b|\b(?:initially|originally|first|previously|earlier|before)\s+(?:i\s+)?(?:thought|said|chose|believed|assumed|guessed)\b|(?:n't|\bnot|\bcannot|\bnever)\s+(?:think|believe|say|sure|mean|imply|conclude|certain|agree|know)\b|\b(?:doubt|unlikely|impossible|unclear|(?:wrong|incorrect|unfair) to \w+|tempting)\b)[^.,;:]{0,24}$`)}
	// notLast goes before "answer" where another one is the last: "a common wrong answer", "my initial answer".
	notLast = regexp.MustCompile(`\b(?:wrong|incorrect|initial|previous|first|earlier|original|your|students?'?s?|second[- ]best|next[- ]best|tempting|common|trap)\s+(?:\w+\s+)?$`)
	// hypothetical follows it where it hangs on a condition, and settles before that where it does not.
	hypothetical = regexp.MustCompile(`^\s*(?:choice |option )?would (?:be|have been)\b`)
	settles      = regexp.MustCompile(`\b(?:so|thus|therefore|hence|wait|then|finally|conclu\w*|based on)\b`)
	// ours is said for oneself: "I would say", "we can conclude".
	ours = regexp.MustCompile(`\b(?:i|we)\s+(?:(?:can|may)\s+(?:\w+\s+)?(?:say|conclude)|would\s+(?:\w+\s+)?\w+)\b[^.,;:]{0,24}$`)
	// turns begin a clause that does not hang on what goes before.
	turns = regexp.MustCompile(`\b(?:but|so|therefore|thus|hence|yet|however)\b`)
	// quoted ends with what announces a form or an example instead of a verdict: right before it, or before the quotation
	// that it stands in.
	quoted = hinted{strings.Fields("e.g. example instance such form template placeholder syntax"), regexp.MustCompile(
		`(?:\be\.g\.|\bsuch as|\bfor (?:example|instance)|^\W*(?:(?:an?|the)\s+)?examples?(?: \w+)?(?::| is| would be))(?:[\s,:]*[^.;:,\n\]"]{0,40}["'(\[{$\s]*|` + inQuotes + `)$` +
			`|(?:\b(?:in|with|using|use|of|to|has|have) (?:(?:the|this|that|a|an|following|exact|same|output|given) ){1,3}` + forms + `|` + forms + `(?: \w+){0,2} (?:is|are|be|was|of)|\bformatted(?: \w+)? (?:as|like|in)|(?:^|[(\n])\s*(?:(?:the|required|requested|expected|output|answer|response|verdict|specified|final) ){0,3}` + forms + `:` +
			`|\b(?:must|should|shall|please|your?|(?:asked|required|told|instructed) to)\b[^.;,\n]{0,60}\b` + forms + `)(?:(?:\s+(?:of|like|as|is|such as|shown|below|above))*[\s:]*["'(\[{$\s]*|` + inQuotes + `)$`)}
	// told ends with what one was told to say.
	told = hinted{strings.Fields("asked required supposed told instruct you please must should needs has"), regexp.MustCompile(
		`\b(?:(?:asked|required|supposed|told|instructed) to|you (?:must|should|have to|need to)|instructions? \w+(?: (?:me|us|you))?(?: to)?|please|(?:reply|response|output) (?:must|should|needs to|has to)) (?:output|answer|write|say|respond|reply|end|finish|conclude|provide|give|state|use|choose|return|print|put)\b(?:[^.;:,\n\]]{0,40}|` + inQuotes + `)$`)}
)

const (
	forms    = `(?:formats?|form|template|placeholder|syntax)`
	inQuotes = `[^"\n]{0,40}"[^"\n]{0,60}`
)

// claims tells whether what stands at i is said by the reply itself, and not denied, doubted, quoted or what it was
// told to say.
func (v *view) claims(i int) bool {
	s := v.upTo(i)
	return !denied.MatchString(s) && !supposed.MatchString(s) && !doubts(s) && !quoted.MatchString(s) && !told.MatchString(s)
}

func doubts(s string) bool {
	if !doubted.MatchString(s) {
		return false
	}
	if all := turns.FindAllStringIndex(s, -1); len(all) > 0 {
		s = s[all[len(all)-1][1]:]
	}
	return doubted.MatchString(s) && !ours.MatchString(s)
}

var asking = regexp.MustCompile(`^[)\]}"'\s.$]*\?`)

// asked tells whether a question mark ends what ends at i.
func (v *view) asked(i int) bool { return asking.MatchString(v.text[i:min(len(v.text), i+12)]) }

var questionWord = regexp.MustCompile(`^[\s"'(]*(?:(?:or|so|but|and|hmm|wait),?\s+)?(?:is|are|was|should|shall|would|could|do|does|did|can|which|what|why|whether|how)\b`)

// inQuestion tells whether bytes i to j are part of a question.
func (v *view) inQuestion(i, j int) bool {
	return v.asked(j) || strings.HasSuffix(strings.TrimRight(v.rest(j), ` "')`), "?") && questionWord.MatchString(v.upTo(i))
}

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

// statement is what the last of the cues states; what would be so yields to what is.
func (v *view) statement(words []string, read func(word string, start, end int) (Found, bool)) (f Found, ok bool) {
	var would Found
	v.cues(words, func(word string, start, end int) bool {
		if f, ok = read(word, start, end); ok && hypothetical.MatchString(v.lower[end:min(len(v.lower), end+40)]) && !settles.MatchString(v.upTo(start)) {
			if ok = false; would.Outcome == "" {
				would = f
			}
		}
		return ok
	})
	if !ok {
		f = would
	}
	return f, f.Outcome != ""
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
