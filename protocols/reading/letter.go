package reading

import (
	"regexp"
	"slices"
	"strings"
)

// Letter reads the letter that a reply answers a choice of n options with.
func Letter(reply string, n int) Found {
	v := undress(reply)
	if f, ok := v.statedLetter(n); ok {
		return f
	}
	if f, ok := v.praisedLetter(n); ok {
		return f
	}
	return v.aloneLetter(n)
}

// letterWords are those that a final statement has.
var letterWords = []string{"answer", "boxed{", "option", "choice", "choose", "select", "pick", "go with", "going with", "opt for", "settle on", "guess", "corresponds to", "conclusion", "letter", "ans:", "ans.", "it is", "it's", "it should be", "it must be", "答案", "选", "选项是", "选项为"}

const (
	filler = `(?:(?:clearly|most likely|likely|probably|definitely|therefore|thus|hence|then|simply|indeed|actually|obviously|surely|certainly|still|also|only|just|now|as follows|given by|in fact|best|closest to|close to|approximately|indeed|again|that of|the|option|choice|letter|answer|statement|alternative|number|correct|response|following|case|part)(?:[\s:,\-–—]|$)[\s:,\-–—]*)*`
	open   = `[\s"'(\[{<$]*`
)

var (
	// afterAnswer stands between the word and what it is said to be. Between them is no other sentence.
	afterAnswer  = regexp.MustCompile(`^s?["']?(?:\s*\([^)\n]{0,40}\))?(?:\s+(?:choice|option|key|letter|here|to|for|of|in|that|which|should|would|must|will|can|could|has|seems|appears|then|therefore|thus|from|among|based|given|provided|listed|closest|best|most|the|this|these|question|options?|choices?|problem|we|i|and|correct|right|final|above|below|only|with|matches|fits|\(?[a-j]?\)?)){0,10}(?:(?:\s*(?:\b(?:is|be|are|was)\b|:|=|→|->|—|–)){1,3}| - )`)
	afterChinese = regexp.MustCompile(`^(?:应该|应当|应|就|选择|选项|择|选|为|是|\s|:)*[("'\[$\\A-Ja-j]`)
	// adjective goes before "option" and "choice" where they are the answer.
	adjective = regexp.MustCompile(`\b(?:correct|best|right|appropriate|final|closest|suitable|accurate|likely|only|valid|true|nearest|choosing|intended|my|our)\s+(?:answer\s+|multiple[- ]choice\s+)?$`)
	mine      = regexp.MustCompile(`\b(?:i|we|i'll|we'll|i'd|we'd|i've|i'm|i am|i have|let me|let's|would|will|should|must|therefore|thus|so|to|can|hence|,)\s+(?:therefore |thus |have to |have |also |then |now |be )?$`)
	myself    = regexp.MustCompile(`\bi(?:'d| would|'ll| will)?\s+$`)
	afterPick = regexp.MustCompile(`^(?:s|ed|ing)?[\s:]+`)

	leading    = regexp.MustCompile(`^(?i:` + open + filler + open + `)`)
	joint      = regexp.MustCompile(`^(?i:` + open + filler + open + `(both|either|neither|none|between|not)\b)`)
	otherToo   = regexp.MustCompile(`^[)\]}>"'.\s$]*(?:,|/|;|&|\+|,?\s*\b(?:or|and|and/or|nor|as well as)\b)\s*(?:also |even |maybe |possibly |perhaps |the |option |choice |answer )*[("'\[$]*([A-J])(?:[)\]"$.,;]|\s*$|\s*\n|\s+(?:is|are|or|and|as|both|would|could|might)\b)`)
	contradict = regexp.MustCompile(`^(?i:[)\]}"'.\s$]*(?:is|would be|cannot|can't|isn't|was)\s+(?:also\s+|clearly\s+|therefore\s+)?(?:not|n't|in-?correct|wrong|false|be\b|eliminated|ruled|invalid|excluded))`)
	inBrackets = regexp.MustCompile(`(?:\(([A-J])\)|\b[Oo]ption ([A-J])\b|\b[Cc]hoice ([A-J])\b|\banswer ([A-J])\b)`)
	butThen    = regexp.MustCompile(`(?i:\bbut(?: rather)?\s+)(?:` + open + filler + open + `)`)
)

// statedLetter is the letter of the last statement of the kind asked for.
func (v *view) statedLetter(n int) (Found, bool) {
	return v.statement(letterWords, func(word string, start, end int) (Found, bool) {
		if word != "boxed{" && isLetterBefore(v.text, start) {
			return Found{}, false
		}
		at, rule := v.letterStatement(word, start, end)
		if at < 0 || !v.claims(start) || notLast.MatchString(v.upTo(start)) {
			return Found{}, false
		}
		return v.letterIn(rule, at, n)
	})
}

func isLetterBefore(s string, i int) bool { return i > 0 && isLetter(s[i-1]) }

// letterStatement tells where what a word announces begins, or −1.
func (v *view) letterStatement(word string, start, end int) (at int, rule string) {
	window := v.lower[end:min(len(v.lower), end+after)]
	switch word {
	case "boxed{":
		return end, ruleBoxed
	case "ans:", "ans.":
		return end, ruleAnswer
	case "it is", "it's", "it should be", "it must be":
		if m := itIs.FindStringIndex(v.text[end:min(len(v.text), end+before)]); m != nil {
			return end, ruleAnswer
		}
		return -1, ""
	case "answer", "guess", "conclusion":
		if at := v.underHeading(start, end); at > 0 {
			return at, ruleAnswer
		}
		if m := afterAnswer.FindStringIndex(window); m != nil {
			return end + m[1], ruleAnswer
		}
		if m := atLength.FindStringSubmatchIndex(window); word == "answer" && m != nil {
			return end + m[2], ruleAnswer
		}
		if window != "" && window[0] == ' ' && myself.MatchString(v.upTo(start)) {
			return end + 1, ruleAnswer
		}
	case "答案", "选", "选项是", "选项为":
		if m := afterChinese.FindStringIndex(v.text[end:min(len(v.text), end+before)]); m != nil && (m[1] > 1 || word != "答案") {
			return end + m[1] - 1, ruleAnswer
		}
	case "option", "choice", "letter":
		if m := afterAnswer.FindStringIndex(window); m != nil && adjective.MatchString(v.upTo(start)) {
			return end + m[1], ruleAnswer
		}
		if m := atLength.FindStringSubmatchIndex(window); m != nil && (adjective.MatchString(v.upTo(start)) || strings.HasPrefix(window, " that")) {
			return end + m[2], ruleAnswer
		}
	case "corresponds to":
		return end, ruleAnswer
	default:
		up := v.upTo(start)
		if m := afterPick.FindStringIndex(window); m != nil && (mine.MatchString(up) || strings.TrimSpace(up) == "") {
			return end + m[1], ruleAnswer
		}
	}
	return -1, ""
}

// underHeading is where the line after the heading "Answer" begins that has something; 0 where it is no heading.
func (v *view) underHeading(start, end int) int {
	m := lineEnds.FindStringIndex(v.text[end:min(len(v.text), end+before)])
	if m == nil || !v.startsLine(start) {
		return 0
	}
	return end + m[1]
}

var (
	lineEnds = regexp.MustCompile(`^["']?[ \t]*\n\s*`)
	// atLength stands between the word and a letter in brackets, where more is said of what the answer is to.
	atLength = regexp.MustCompile(`^(?:\s+(?:that|which|to|for|among|of|from|closest|based|given|with|matching|consistent|supported|according|in|choice)\b|,)(?:[^.;:\n?]|\.\d){0,80}?\b(?:is|would be|must be)\s+(?:(?:therefore|thus|clearly|indeed|most likely|then),?\s+)?((?:option\s+|choice\s+|answer\s+)?\([a-j]\)|(?:option|choice)\s+[a-j]\b)`)
	itIs     = regexp.MustCompile(`^\s+(?:(?:actually|in fact|therefore|thus|clearly|indeed)\s+)?(?:[Oo]ption\s+|[Cc]hoice\s+)?(?:\([A-J]\)(?:[.,;!\s]|$)|[A-J][.!]?(?:\s*\n|\s*$))`)
)

// letterIn reads the letter that a statement names, whose complement begins at i.
func (v *view) letterIn(rule string, i, n int) (Found, bool) {
	if v.heads(i) {
		return Found{Outcome: None}, false
	}
	s := v.complement(rule, i)
	if m := joint.FindStringSubmatchIndex(s); m != nil {
		return v.jointLetter(rule, strings.ToLower(s[m[2]:m[3]]), s[m[1]:], i+m[1], n)
	}
	lead := leading.FindStringIndex(s)
	at := lead[1]
	if at < len(s) && letterAt(s, at) {
		return v.letterOrSeveral(rule, s, i, at, n)
	}
	if rule == ruleBoxed {
		return Found{Outcome: None}, false
	}
	return v.bracketedLetter(rule, s, i, n)
}

// heads tells whether a statement that ends at i is the heading of a list of the options.
func (v *view) heads(i int) bool {
	return listBegins.MatchString(v.text[i:min(len(v.text), i+after)]) || strings.HasSuffix(v.lower[:i], "answers:")
}

var listBegins = regexp.MustCompile(`^[\s:]*\n[\s\-•|]*\(?A[).:][^\n]*\n[\s\-•|]*\(?B[).:]`)

// complement is what a statement says: the rest of its sentence, or the next line that has something where it ends
// with a colon.
func (v *view) complement(rule string, i int) string {
	if rule == ruleBoxed {
		s, _ := v.box(i)
		return s
	}
	j := i
	for j < len(v.text) && j-i < 40 && strings.IndexByte(" \t\n:\"'([{$|-=", v.text[j]) >= 0 {
		j++
	}
	return v.text[i:j] + v.rest(j)
}

// letterAt tells whether a letter stands alone at i. A small one does in brackets, or where the line ends.
func letterAt(s string, i int) bool {
	c := s[i]
	if !isLetter(c) || wordBefore(s, i) || wordAfter(s, i+1) {
		return false
	}
	rest := s[i+1:]
	if strings.HasPrefix(rest, "'s") || strings.HasPrefix(rest, "-") && wordAfter(rest, 1) {
		return false
	}
	if c >= 'a' {
		ends := strings.Trim(rest, ").]}\"'$ \n\t|!") == ""
		return c <= 'j' && (i > 0 && s[i-1] == '(' && strings.HasPrefix(rest, ")") || ends)
	}
	closed := i > 0 && strings.IndexByte("([{$\"'", s[i-1]) >= 0
	return closed || c != 'I' && c != 'A' || !article.MatchString(rest)
}

// article follows the words "A" and "I", which are no letters.
var article = regexp.MustCompile(`^\s+(?:think|believe|would|am|have|was|'m|'d|do|cannot|can|could|will|[a-z]+ [a-z]+ (?:of|is|in|that|who|with|to)\b)`)

// letterOrSeveral: another letter that is joined to the first makes it one of several.
func (v *view) letterOrSeveral(rule, s string, i, at, n int) (Found, bool) {
	rest := s[at+1:]
	if m := otherToo.FindStringSubmatchIndex(rest); m != nil && !setAside.MatchString(rest[m[3]:]) && rest[m[2]:m[3]] != strings.ToUpper(s[at:at+1]) && !namesItself(rest, m) {
		return v.several(rule, i+at, i+at+1+m[3]), true
	}
	if m := corrected.FindStringIndex(v.text[i+at+1 : min(len(v.text), i+at+1+before)]); m != nil {
		if next := i + at + m[1]; letterAt(v.text, next) && !contradict.MatchString(v.text[next+1:min(len(v.text), next+before)]) && ends.MatchString(v.text[next+1:]) {
			return v.letter(rule, next, n)
		}
	}
	if contradict.MatchString(rest) || v.asked(i+at+1) {
		return Found{Outcome: None}, false
	}
	return v.letter(rule, i+at, n)
}

// setAside follows other letters of which it is said that they are wrong: "C; B and D are wrong".
var setAside = regexp.MustCompile(`^[)\]}"']*(?:,?\s*(?:,|and|or)\s*\(?[A-J]\)?)*\s+(?:is|are)\s+(?:clearly |also |both |all )?(?:wrong|incorrect|not|false|a distractor|distractors|eliminated|ruled)\b`)

// ends follows a letter of which no more is said.
var ends = regexp.MustCompile(`^[)\]}"']*\s*(?:[.,;:!\n]|$)`)

// corrected follows a letter that the next one takes the place of: "(B)... no wait, (C)".
var corrected = regexp.MustCompile(`^[)\]}>"'$]*[\s.,;:!…—–-]+(?i:(?:oh|oops|hmm|no),?\s+)?(?i:no[,:!.…—–-]|wait\b|sorry\b|actually\b|correction\b|scratch that\b|or rather\b|i meant?\b|make that\b)(?i:[\s.,:;!…—–-]+(?:no|wait|actually|sorry|rather|i meant?|it'?s|it is|that'?s|it should be|make that|option|the (?:correct )?answer (?:is|should be)|is)\b)*[\s.,:;!…—–-]*` + open + `[A-J]`)

// namesItself tells whether the second letter begins the text of the option: "(C), A and B".
func namesItself(rest string, m []int) bool {
	return strings.HasPrefix(strings.TrimLeft(rest, ")]}\"' "), ",") && rest[max(0, m[2]-1)] != '(' && wordAfter(strings.TrimLeft(rest[m[3]:], " "), 0)
}

// letter is the one that stands at i.
func (v *view) letter(rule string, i, n int) (Found, bool) {
	value := strings.ToUpper(v.text[i : i+1])
	switch position := int(value[0] - 'A'); {
	case position < n:
		return v.found(rule, value, i, i+1), true
	case value >= "N": // the X of "The answer is (X)"
		return Found{Outcome: None}, false
	}
	return v.unoffered(rule, value, i, i+1), true
}

// jointLetter reads "not (A) but (B)" from what follows the word; of "both" and "either" nothing is one verdict.
func (v *view) jointLetter(rule, word, s string, i, n int) (Found, bool) {
	if word == "both" || word == "either" || word == "between" {
		return v.several(rule, i, i+len(s)), namesLetter.MatchString(s)
	}
	if m := butThen.FindStringIndex(s); m != nil && m[1] < len(s) && letterAt(s, m[1]) {
		return v.letterOrSeveral(rule, s, i, m[1], n)
	}
	if m := closest.FindStringIndex(s); m != nil {
		return v.bracketedLetter(rule, s[m[0]:], i+m[0], n)
	}
	return Found{Outcome: None}, false
}

var (
	namesLetter = regexp.MustCompile(`^[\s"'(\[]*(?:option |choice )?[("'\[]*[A-J](?:\W|$)`)
	closest     = regexp.MustCompile(`(?i)\b(?:closest|nearest|best|choose|so|or answer|approximat\w*|round\w*)\b`)
)

// bracketedLetter reads a letter in brackets further on in the statement, where it has one alone: "2.5 m/s, which is
// (C)".
func (v *view) bracketedLetter(rule, s string, i, n int) (Found, bool) {
	var positions []int
	for _, m := range inBrackets.FindAllStringSubmatchIndex(s, 8) {
		at := m[2]
		for k := 4; at < 0; k += 2 {
			at = m[k]
		}
		if contradict.MatchString(s[m[1]:]) || denied.MatchString(strings.ToLower(s[:m[0]])) {
			return Found{Outcome: None}, false
		}
		positions = append(positions, at)
	}
	if len(positions) == 0 || slices.ContainsFunc(positions, func(p int) bool { return s[p] != s[positions[0]] }) {
		return Found{Outcome: None}, false
	}
	return v.letter(rule, i+positions[0], n)
}

// praise is "(C) is the correct answer".
var praise = regexp.MustCompile(`(?:^|[\s"'*(])(?:(?:[Oo]ption|[Cc]hoice|[Aa]nswer|[Ss]tatement|[Ll]etter)\s+)?\(?([A-J])\)?[)."']*(?:\s*:[^.\n:,]{0,60})?\s+(?:is|must be|would be|seems|appears to be)\s+(?:therefore |thus |clearly |indeed |also |then |likely |probably |definitely |obviously )?(?:the\s+)?(?:most\s+|only\s+|single\s+|one\s+)?(?:correct|right|best|accurate|appropriate|answer|suitable|likely|true|closest)\b`)

// praisedLetter is the only letter that is called right; of several the one that a conclusion calls so.
func (v *view) praisedLetter(n int) (Found, bool) {
	all := praise.FindAllStringSubmatchIndex(v.text, -1)
	all = slices.DeleteFunc(all, func(m []int) bool { return !v.claims(m[2]) || v.asked(m[1]) })
	if len(all) == 0 {
		return Found{Outcome: None}, false
	}
	last := all[len(all)-1]
	for _, m := range all {
		if v.text[m[2]] != v.text[last[2]] && !concluding.MatchString(v.upTo(last[2])) {
			return v.several(rulePredicate, last[2], last[3]), true
		}
	}
	return v.letter(rulePredicate, last[2], n)
}

var concluding = regexp.MustCompile(`^\s*(?:therefore|thus|so|hence|overall|in conclusion|in summary|finally|consequently)\b`)

var (
	lone = regexp.MustCompile(`^(?i:(?:so|therefore|thus|hence|clearly|final|finally|the|my|definitely|obviously|it is|it's|it must be|that is|this is|answer|option|choice|letter)[\s,:]+)*[\s"'(\[{$|]*([A-Ja-j])[\s"')\]}$|.!]*$`)
	// loneSeveral holds nothing but several letters, "(C) or (D)".
	loneSeveral = regexp.MustCompile(`^\s*(?:[Oo]ptions? |[Bb]oth |[Ee]ither )?(?:\([A-J]\)|\b[A-J]\b)(?:(?:\s*[,/&]\s*|,?\s+(?:or|and)\s+)(?:[Oo]ption )?(?:\([A-J]\)|\b[A-J]\b))+[\s.!]*$`)
	oneLine     = regexp.MustCompile(`^\s*[("'\[]*([A-J])[)\]"']*[.):,]\s*\S`)
)

// said follows a letter of which something is said.
var said = regexp.MustCompile(`^[)\]"'.:,]*\s*(?:is|are|was|cannot|can't|does|has|seems|would|fails|and|or)\b`)

// aloneLetter is one that stands alone on the last line, or begins a reply of one line.
func (v *view) aloneLetter(n int) Found {
	line, start := v.lastLine()
	if m := loneSeveral.FindStringIndex(line); m != nil {
		return v.several(ruleAlone, start, start+len(line))
	}
	if m := lone.FindStringSubmatchIndex(line); m != nil && letterAt(line, m[2]) && !v.asked(start+m[3]) {
		f, _ := v.letter(ruleAlone, start+m[2], n)
		return f
	}
	if whole := strings.TrimSpace(v.text); len(whole) <= 200 && !strings.Contains(whole, "\n") {
		if m := oneLine.FindStringSubmatchIndex(v.text); m != nil && otherToo.FindString(v.text[m[3]:]) == "" && !said.MatchString(v.text[m[3]:]) && !strings.HasSuffix(whole, "?") {
			f, _ := v.letter(ruleAlone, m[2], n)
			return f
		}
	}
	return Found{Outcome: None}
}
