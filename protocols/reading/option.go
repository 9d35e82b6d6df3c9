package reading

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Option reads which of n options a reply selects: the one under its last heading "Selection", else the one that it
// says to select, else the one that it calls the best (the worst, where that is what it was asked for), else one that
// stands alone.
func Option(reply string, n int, worst bool) Found {
	v := undress(reply)
	for _, read := range []func(int, bool) (Found, bool){v.selected, v.chosen, v.ranked, v.aloneOption} {
		if f, ok := read(n, worst); ok {
			return f
		}
	}
	return Found{Outcome: None}
}

const optionNumber = `(?i:(?:the\s+)?option|choice|output|response)s?\s*(?i:no\.|nr\.|number)?\s*[\s:#\[("'{_]{0,4}(-?\d{1,9}\b|(?i:one|two|three|four|five|six|seven|eight|nine|ten)\b|[A-Z]\b)`

var (
	// named is an option by its number.
	named = regexp.MustCompile(`\b(?:` + optionNumber + `)`)
	// numberAlone is the number of an option without the word, right after "Selection:".
	numberAlone = regexp.MustCompile(`^[\s"'(\[{#]*(\d{1,9})[\s"')\]}.]*(?:[,:;–—-].*)?$`)
	// selection is the heading, or the word in a sentence; not "Selection Criteria" or "Selections".
	selectionAs = regexp.MustCompile(`^["'\]]*\s*(?:\([^)\n]{0,30}\)\s*)?(?:is|would be|=|:|–|—|-|>|\||\n)+[\s:"'|>]*`)
	toSelect    = regexp.MustCompile(`^(?:ing|ed|s)?\s+(?:to\s+\w+\s+)?(?:is\s+)?`)
	words       = map[string]int{"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
)

// selected is the option under the last heading "Selection" that names one.
func (v *view) selected(n int, _ bool) (f Found, ok bool) {
	v.cues([]string{"selection", "\\boxed{"}, func(word string, start, end int) bool {
		if word != "selection" {
			inside, _ := v.box(end)
			f, ok = v.option(ruleBoxed, inside, end, n, true)
			return ok
		}
		m := selectionAs.FindStringIndex(v.lower[end:min(len(v.lower), end+after)])
		if m == nil || isLetterBefore(v.text, start) || !v.claims(start) {
			return false
		}
		f, ok = v.option(ruleSelection, v.restOfOption(end+m[1]), end+m[1], n, true)
		return ok
	})
	return f, ok
}

// restOfOption is the rest of the sentence; the number may be on the next line.
func (v *view) restOfOption(i int) string {
	s := v.rest(i)
	if !strings.HasSuffix(strings.TrimRight(strings.ToLower(s), " "), "option") {
		return s
	}
	next, _, _ := strings.Cut(v.text[min(len(v.text), i+len(s)+1):min(len(v.text), i+after)], "\n")
	return s + "\n" + next
}

// chosenWords say that an option is selected.
var chosenWords = []string{"select", "choose", "choice is", "pick", "pick is", "prefer", "go with", "verdict is", "verdict:", "answer is", "answer:", "answer\":", "verdict\":", "winner is", "winner:", "conclusion:", "best option is", "best output is", "best response is"}

// bareAfter are those after which the number may stand by itself.
var bareAfter = []string{"choice is", "pick is", "verdict is", "verdict:", "winner is", "winner:", "best option is", "best output is", "best response is"}

// startsLine tells whether nothing but "Final" and "My" goes before i in its line.
func (v *view) startsLine(i int) bool {
	line := v.lower[strings.LastIndexByte(v.lower[:i], '\n')+1 : i]
	return len(line) < 16 && strings.Trim(strings.NewReplacer("final", "", "my", "", "the", "").Replace(line), " -•\"{'") == ""
}

func (v *view) chosen(n int, worst bool) (f Found, ok bool) {
	v.cues(chosenWords, func(word string, start, end int) bool {
		if isLetterBefore(v.text, start) || worst && strings.HasPrefix(word, "best") || !v.claims(start) {
			return false
		}
		if !strings.HasSuffix(word, "is") && !strings.HasSuffix(word, ":") {
			m := toSelect.FindStringIndex(v.lower[end:min(len(v.lower), end+60)])
			if m == nil || !mine.MatchString(v.upTo(start)) && strings.TrimSpace(v.upTo(start)) != "" {
				return false
			}
			end += m[1]
		}
		f, ok = v.option(ruleAnswer, v.rest(end), end, n, slices.Contains(bareAfter, word) || word == "answer:" && v.startsLine(start))
		return ok
	})
	return f, ok
}

// atFirst is what may stand before the option that a sentence selects.
var atFirst = regexp.MustCompile(`^[^.;,\n]{0,60}$`)

// option reads the option that s, at i of the view, names first. Where bare is set, the number may stand by itself.
func (v *view) option(rule, s string, i, n int, bare bool) (Found, bool) {
	if m := numberAlone.FindStringSubmatchIndex(s); bare && m != nil {
		return v.optionAt(rule, s, i, m[2], m[3], n)
	}
	m := named.FindStringSubmatchIndex(s)
	if m == nil || !bare && !atFirst.MatchString(s[:m[0]]) {
		return Found{}, false
	}
	lead := strings.ToLower(s[:m[0]])
	if denied.MatchString(lead) {
		if next := butNamed.FindStringSubmatchIndex(s[m[1]:]); next != nil {
			return v.optionAt(rule, s, i, m[1]+next[2], m[1]+next[3], n)
		}
	}
	if denied.MatchString(lead) || noneOfThem.MatchString(lead) || v.asked(i+m[1]) {
		return Found{}, false
	}
	if isLetter(s[m[2]]) && m[3]-m[2] == 1 {
		return Found{}, false // "Option B" is no option by number
	}
	return v.optionAt(rule, s, i, m[2], m[3], n)
}

var (
	// butNamed goes on after an option that is denied.
	butNamed    = regexp.MustCompile(`^[^.;\n]{0,40}?\bbut\s+(?:rather\s+)?(?:` + optionNumber + `)`)
	noneOfThem  = regexp.MustCompile(`\bnone\b|\bneither\b|\bno option\b`)
	otherOption = regexp.MustCompile(`(?i)^[\s"')\]}.*]*(?:,|/|&|\+|-|–|,?\s*\b(?:or|and|to|nor)\b)\s*(?:also |maybe |perhaps |possibly )?(?:option|choice|output)?s?\s*[#\["'(]*\d+`)
	// ofAnother follows a comma and another option, of which something is said.
	ofAnother  = regexp.MustCompile(`(?i)^["')\]}*]*\s+(?:is|was|has|does|did|lacks|fails|misses|seems|would|could|can|only|also|being|not|[a-z]{2,}s)\b`)
	fractional = regexp.MustCompile(`^\.\d`)
)

// optionAt is the option whose number is bytes from to to of s.
func (v *view) optionAt(rule, s string, i, from, to, n int) (Found, bool) {
	other := otherOption.FindString(s[to:])
	if strings.Contains(other, ",") && ofAnother.MatchString(s[to+len(other):]) {
		other = ""
	}
	if other != "" || fractional.MatchString(s[to:]) {
		return v.several(rule, i+from, i+to), true
	}
	k, err := strconv.Atoi(s[from:to])
	if err != nil {
		k = words[strings.ToLower(s[from:to])]
	}
	value := strconv.Itoa(k)
	if k < 1 || k > n {
		return v.unoffered(rule, value, i+from, i+to), true
	}
	return v.found(rule, value, i+from, i+to), true
}

var (
	bestOption  = regexp.MustCompile(`^[)\]"'.:]*\s+(?:wins\b|(?:is|would be|seems|appears to be|remains)\s+(?:clearly |therefore |thus |overall |by far |definitely |also |then )?(?:the\s+)?(?:single\s+|overall\s+)?(?:best|better|most|strongest|winner|superior|correct|right|preferred|top)\b)`)
	worstOption = regexp.MustCompile(`^[)\]"'.:]*\s+(?:is|would be|seems|appears to be|remains)\s+(?:clearly |therefore |thus |overall |by far |definitely |also |then )?(?:the\s+)?(?:single\s+|overall\s+)?(?:worst|least|weakest|poorest|worse)\b`)
)

// ranked is the only option that is called the best; of several the one that a conclusion calls so.
func (v *view) ranked(n int, worst bool) (f Found, ok bool) {
	called := bestOption
	if worst {
		called = worstOption
	}
	for _, m := range named.FindAllStringSubmatchIndex(v.text, -1) {
		if !called.MatchString(v.text[m[1]:min(len(v.text), m[1]+before)]) || !v.claims(m[0]) {
			continue
		}
		next, _ := v.optionAt(rulePredicate, v.text[:min(len(v.text), m[1]+before)], 0, m[2], m[3], n)
		if ok && next.Value != f.Value && !concluding.MatchString(v.upTo(m[0])) {
			next = v.several(rulePredicate, m[0], m[1])
		}
		f, ok = next, true
	}
	return f, ok
}

// numberOnly is a reply that is a number.
var numberOnly = regexp.MustCompile(`^[\s"'(\[]*(\d{1,2})[\s"')\].]*$`)

var loneOption = regexp.MustCompile(`^(?i:(?:so|therefore|thus|hence|final|my|the|answer|verdict|best)[\s,:]+)*[\s"'(\[{|]*` + optionNumber + `["')\]}]*(?:,?\s+(?:not|rather than|instead of|over)\s+` + optionNumber + `)?[\s"')\]}|.!]*$`)

// aloneOption is one that stands alone on the last line, or on the first.
func (v *view) aloneOption(n int, _ bool) (Found, bool) {
	line, start := v.lastLine()
	if m := numberOnly.FindStringSubmatchIndex(line); m != nil && strings.TrimSpace(v.text) == strings.TrimSpace(line) {
		return v.optionAt(ruleAlone, line, start, m[2], m[3], n)
	}
	for range 2 {
		if m := loneOption.FindStringSubmatchIndex(line); m != nil && !(isLetter(line[m[2]]) && m[3]-m[2] == 1) {
			return v.optionAt(ruleAlone, line, start, m[2], m[3], n)
		}
		first := strings.TrimLeft(v.text, " \t\n")
		line, _, _ = strings.Cut(first, "\n")
		start = len(v.text) - len(first)
	}
	return Found{}, false
}
