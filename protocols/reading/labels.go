package reading

import (
	"regexp"
	"slices"
	"strings"
)

// labels reads one of a few labels, which the reply was asked to put in double brackets.
type labels struct {
	parse   func(inside string) string // the label in its plain form, or ""
	bare    *regexp.Regexp             // one without brackets: its first group is the label
	words   []string                   // go before one without brackets
	offered []string
}

// PairLabel reads a label that orders two: [[A>B]] in all its forms. offered are those on offer in their plain form:
// "A>B", "B>A" and "A=B".
func PairLabel(reply string, offered []string) Found {
	return labels{pairLabel, barePair, verdictWords, offered}.read(reply)
}

// Preference reads [[A]], [[B]] or, where it is on offer, [[C]] for a tie.
func Preference(reply string, offered []string) Found {
	return labels{preference, barePreference, verdictWords, offered}.read(reply)
}

// The labels of a judgment.
const (
	Correct   = "Correct"
	Incorrect = "Incorrect"
)

// Correctness reads [[Correct]] or [[Incorrect]].
func Correctness(reply string) Found {
	return labels{correctness, bareCorrectness, judgmentWords, []string{Correct, Incorrect}}.read(reply)
}

var (
	pairForm        = regexp.MustCompile(`^(?i:(?:assistant|response|answer|model)\s*)?([ABab])\s*(?:is\s+)?(>{1,3}|<{1,3}|={1,2}|≈)\s*(?i:(?:assistant|response|answer|model)\s*)?([ABab])$`)
	tieForm         = regexp.MustCompile(`^(?i:(?:it(?:'?s| is) (?:an? )?|a )?(?:tie|tied|draw))$`)
	barePair        = regexp.MustCompile(`^((?i:(?:assistant|response)\s)?[ABab]\s*(?:>{1,3}|<{1,3}|={1,2})\s*(?i:(?:assistant|response)\s)?[ABab]|(?i:tie))(?:[^\w>=<]|$)`)
	preferenceForm  = regexp.MustCompile(`^(?i:(?:assistant|response|answer|option|model|verdict)[\s:]*)?([A-Za-z])(?:\s*[:(\-–].{0,30})?$`)
	barePreference  = regexp.MustCompile(`^((?i:(?:assistant|response|model)\s*)?[A-Z]|(?i:(?:it's |it is )?(?:a )?tie))(?:\s*(?:[.,;:!)\]}"(\n]|$)|\s*[/>–—]|\s+-\s|\s+(?:or\s|and\s|because|since|wins|clearly|over\s|is\s+(?:clearly |significantly |slightly |much )?(?:the )?(?:better|best|winner|superior|preferred)))`)
	correctnessForm = regexp.MustCompile(`^(?i:(?:verdict|judge?ment|answer)\s*[:=]\s*)?((?i:in[- ]?correct|not correct|wrong|correct))\.?$`)
	bareCorrectness = regexp.MustCompile(`^((?i:incorrect|not correct|wrong|correct))(?:[^\w]|$)`)
)

// pairLabel reads >> as >, and A<B as B>A.
func pairLabel(inside string) string {
	if tieForm.MatchString(inside) {
		return "A=B"
	}
	m := pairForm.FindStringSubmatch(inside)
	if m == nil {
		return ""
	}
	left, right := strings.ToUpper(m[1]), strings.ToUpper(m[3])
	switch {
	case left == right:
		return ""
	case m[2][0] != '>' && m[2][0] != '<':
		return "A=B"
	case m[2][0] == '<':
		left, right = right, left
	}
	return left + ">" + right
}

func preference(inside string) string {
	if tieForm.MatchString(inside) {
		return "C"
	}
	m := preferenceForm.FindStringSubmatch(inside)
	if m == nil {
		return ""
	}
	return strings.ToUpper(m[1])
}

func correctness(inside string) string {
	m := correctnessForm.FindStringSubmatch(inside)
	switch {
	case m == nil:
		return ""
	case !strings.EqualFold(m[1], Correct):
		return Incorrect
	}
	return Correct
}

// bracketed is a label in brackets.
type bracketed struct {
	value      string
	start, end int // of the brackets
	in, out    int // of what they hold
	double     bool
}

// longestLabel is the most that brackets of a label hold.
const longestLabel = 48

// brackets lists the labels in brackets.
func (l labels) brackets(v *view) []bracketed {
	var out []bracketed
	for i := 0; i < len(v.text); i++ {
		if v.text[i] != '[' {
			continue
		}
		b := bracketed{start: i, in: i + 1}
		for b.in < len(v.text) && (v.text[b.in] == '[' || v.text[b.in] == ' ') && b.in-i < 4 {
			b.double = b.double || v.text[b.in] == '['
			b.in++
		}
		window := v.text[b.in:min(len(v.text), b.in+longestLabel)]
		n := strings.IndexAny(window, "]\n[")
		if n < 0 || window[n] != ']' {
			continue
		}
		b.out, b.end = b.in+n, b.in+n+1
		for b.end < len(v.text) && b.end-b.out < 4 && (v.text[b.end] == ']' || v.text[b.end] == ' ' && b.end+1 < len(v.text) && v.text[b.end+1] == ']') {
			b.double = true
			b.end++
		}
		if b.value = l.parse(strings.Trim(strings.ReplaceAll(window[:n], "$", ""), " \t*\"'`_.{}()")); b.value != "" {
			out = append(out, b)
			i = b.end - 1
		}
	}
	return out
}

func (l labels) read(reply string) Found {
	v := undress(reply)
	all := l.brackets(v)
	double := slices.DeleteFunc(slices.Clone(all), func(b bracketed) bool { return !b.double })
	for _, read := range []func() (Found, bool){
		func() (Found, bool) { return l.last(v, double) },
		func() (Found, bool) { return l.concluded(v) },
		func() (Found, bool) { return l.sole(v, double) },
	} {
		if f, ok := read(); ok {
			return f
		}
	}
	return Found{Outcome: None}
}

// last is the last label that is a statement of its own.
func (l labels) last(v *view, all []bracketed) (Found, bool) {
	for i := len(all) - 1; i >= 0 && len(all)-i <= lookBack; i-- {
		b := all[i]
		if !v.claims(b.start) || conditional(v.upTo(b.start)) || offering(v, all, i) || listed(v, all, i) {
			continue
		}
		if i > 0 && all[i-1].value != b.value && v.claims(all[i-1].start) {
			if joint := v.lower[all[i-1].end:b.start]; oneOf(joint) {
				return v.several(ruleLabel, all[i-1].start, b.end), true
			} else if beside.MatchString(joint) && !(strings.Contains(joint, "to") && revised.MatchString(v.upTo(all[i-1].start))) {
				i, b = i-1, all[i-1]
			}
		}
		b = declared(v, all[:i], b)
		return l.stated(v, ruleLabel, b.value, b.start, b.end), true
	}
	return Found{}, false
}

var (
	// beside stands between a verdict and the label that it is held against.
	beside  = regexp.MustCompile(`^[\s"')]*(?:over|to|than|from|instead of|rather than|and not)[\s"'(]*$`)
	revised = regexp.MustCompile(`\bfrom\b|\b(?:chang|revis|mov|switch|updat|correct)(?:e|es|ed|ing)?\b`)
	// verdictIs goes before a verdict that is declared, mentions before a label of which only something is said, and
	// ofLabel after it.
	verdictIs = regexp.MustCompile(`\b(?:verdict|judge?ment|decision|conclusion|final answer|final label|winner)\b|\b[ab]'?s? (?:\w+ )?(?:is|was) (?:\w+ )?(?:better|worse|correct|incorrect)\W*$`)
	mentions  = regexp.MustCompile(`\b(?:would|could|might|may|had|otherwise|consider(?:ed|ing)?|rule[ds]? out|lean(?:ed|ing)?|close to|contain(?:s|ed)?|includ(?:es?|ed|ing)|note|others|some|although|while|deserves?|to be|it'd|case)\b|i'd|\([^)]*$`)
	ofLabel   = regexp.MustCompile(`^["'\])]*,?\s*(?:(?:would|could|might|may|cannot|can't|isn't|was|is not|is for|is used|seems|looks)\b|[:=–—-]\s*(?:assistant |response )?(?:[abc]|correct|wrong|a tie|tie)\b)`)
	// reviews goes before a verdict in the place of the last.
	reviews = regexp.MustCompile(`\b(?:wait|actually|correction|correct(?:ed|ing)|reconsider\w*|re-?evaluat\w*|re-?check\w*|on reflection|revis\w*|chang\w*|updat\w*|sorry|mistake|oops|hmm|instead|finally)\b`)
)

// declared is the label b, or the verdict that goes before it where b is no more than mentioned: "[[B>A]] would be unfair".
func declared(v *view, all []bracketed, b bracketed) bracketed {
	up := v.upTo(b.start)
	up = up[strings.LastIndex(up, "]]")+1:]
	noted := ofLabel.MatchString(v.lower[b.end:min(len(v.lower), b.end+40)])
	if !noted && (verdictIs.MatchString(up) && !inside.MatchString(up) || !mentions.MatchString(up) || alone(v, b)) {
		return b
	}
	for i := len(all) - 1; i >= 0 && len(all)-i <= 8; i-- {
		a := all[i]
		if from := v.lower[a.end:b.start]; reviews.MatchString(from) || !noted && turns.MatchString(from) {
			return b
		}
		if is := v.upTo(a.start); a.value != b.value && v.claims(a.start) && !conditional(is) && !offering(v, all, i) && (noted || verdictIs.MatchString(is) && !mentions.MatchString(is) || alone(v, a)) {
			return a
		}
	}
	return b
}

// inside quotes somebody else's verdict.
var inside = regexp.MustCompile(`\b(?:contain(?:s|ed)?|includ(?:es?|ed|ing)|says|said|wrote|claim(?:s|ed)?)\b[^"\n]{0,24}"`)

// alone tells whether a label begins a line, or is all that a line holds.
func alone(v *view, b bracketed) bool {
	line := v.lower[strings.LastIndexByte(v.lower[:b.start], '\n')+1 : b.start]
	return strings.Trim(line, " \t\"'*-•|(") == "" && len(line) < 8 && !ofLabel.MatchString(v.lower[b.end:min(len(v.lower), b.end+40)])
}

// sole is the only label that a reply has, unless it is denied, asked or repeated from the rules: where no statement is
// plain, what else it may be does not count.
func (l labels) sole(v *view, all []bracketed) (Found, bool) {
	all = slices.DeleteFunc(slices.Clone(all), func(b bracketed) bool { return !slices.Contains(l.offered, b.value) })
	if slices.ContainsFunc(all, func(b bracketed) bool { return b.value != all[0].value }) {
		return Found{}, false
	}
	for i := len(all) - 1; i >= 0 && len(all)-i <= lookBack; i-- {
		up := v.upTo(all[i].start)
		if !denied.MatchString(up) && !supposed.MatchString(up) && !quoted.MatchString(up) && !repeated.MatchString(up) && !offering(v, all, i) {
			return l.stated(v, ruleLabel, all[i].value, all[i].start, all[i].end), true
		}
	}
	return Found{}, false
}

func (l labels) stated(v *view, rule, value string, i, j int) Found {
	if !slices.Contains(l.offered, value) {
		return v.unoffered(rule, value, i, j)
	}
	return v.found(rule, value, i, j)
}

// verdictWords are followed by a verdict: "Final verdict: A>B".
var verdictWords = []string{"verdict", "answer:", "pick:", "choice:", "judgment", "judgement", "conclusion", "final answer", "final decision", "final label", "decision is", "decision\"", "label:", "label is", "label\"", "winner", "answer is", "final:", "\\boxed{"}

// judgmentWords leave out what is said of the answer that is judged.
var judgmentWords = []string{"verdict", "judgment:", "judgement:", "judgment is", "judgement is", "judgment\"", "judgement\"", "conclusion:", "final decision", "decision:", "decision\"", "label:", "label is", "label\"", "final answer:", "final:", "\\boxed{"}

// inWords says in words what a label then says again.
var inWords = regexp.MustCompile(`^(?:the\s+)?(?:assistant|response)?\s*[ab](?:'s\s+\w+)?\s+(?:is|was)\s+(?:\w+\s+)?(?:better|worse)\s*[:,–—-]?\s*["'(\[{$]*`)

// leads stands between such a word and the verdict.
var leads = regexp.MustCompile(`^["']?(?:\s*\([^)\n]{0,30}\))?\s*(?:label|decision)?\s*(?:is|would be|must be|=|:|-|–|—|→|->)?\s*(?::\s*)?(?:that\s+)?(?:the\s+(?:assistant'?s?\s+|response'?s?\s+)?(?:final\s+)?(?:answer|response|solution|result)\s+is\s+)?[✅✔❌✗☑️\s]*(?:\\boxed\s*\{\s*)?["'(\[{$\s]*`)

// concluded is a verdict without double brackets, where the reply says that it is one: after such a word, in a box, or
// alone on the last line.
func (l labels) concluded(v *view) (f Found, ok bool) {
	if line, start := v.lastLine(); len(line) <= longestLabel {
		if from, to, value := l.alone(line); value != "" {
			return l.stated(v, ruleAlone, value, start+from, start+to), true
		}
	}
	v.cues(l.words, func(word string, start, end int) bool {
		lead := leads.FindStringIndex(v.lower[end:min(len(v.lower), end+after)])
		at := end + lead[1]
		if word != "\\boxed{" && lead[1] == 0 || !v.claims(start) || word == "answer:" && !v.startsLine(start) {
			return false
		}
		m := l.bare.FindStringSubmatchIndex(v.text[at:min(len(v.text), at+longestLabel)])
		if m == nil { // "Assistant A is better: A>B"
			at += len(inWords.FindString(v.lower[at:min(len(v.lower), at+longestLabel)]))
			m = l.bare.FindStringSubmatchIndex(v.text[at:min(len(v.text), at+longestLabel)])
		}
		if m == nil || v.asked(at+m[3]) {
			return false
		}
		value := l.parse(strings.TrimSpace(v.text[at+m[2] : at+m[3]]))
		if value == "" {
			return false
		}
		rule := ruleVerdict
		if word == "\\boxed{" {
			rule = ruleBoxed
		}
		if f, ok = l.stated(v, rule, value, at+m[2], at+m[3]), true; more.MatchString(v.lower[at+m[3] : min(len(v.lower), at+m[3]+24)]) {
			f = v.several(rule, at+m[2], at+m[3])
		}
		return true
	})
	return f, ok
}

// more follows a label that is one of several.
var more = regexp.MustCompile(`^["')\]}.]*\s*(?:or|and|/|,\s*or)\s*(?:\[|"|'|\()*(?:assistant |response |in)?(?:[a-j]|correct|tie)\b`)

// alone reads a line that holds nothing but a label.
func (l labels) alone(line string) (from, to int, value string) {
	const marks = " \t[](){}$\"'.:;!,"
	trimmed := strings.TrimSpace(line)
	if lead := loneLead.FindString(trimmed); lead != "" {
		trimmed = trimmed[len(lead):]
	}
	trimmed = strings.Trim(trimmed, marks)
	from = strings.LastIndex(line, trimmed)
	if trimmed == "" || from < 0 {
		return 0, 0, ""
	}
	m := l.bare.FindStringSubmatchIndex(trimmed)
	if m == nil || m[3] != len(trimmed) {
		return 0, 0, ""
	}
	return from, from + len(trimmed), l.parse(trimmed)
}

var loneLead = regexp.MustCompile(`^(?:\\boxed\{|(?i:so|therefore|thus|hence|verdict|label)[,:]?\s)\s*`)
