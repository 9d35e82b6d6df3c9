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
	for _, read := range []func(int, bool) (Found, bool){v.selected, v.chosen, v.firstOption, v.ranked, v.aloneOption, v.opensWith} {
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
	numberAlone = regexp.MustCompile(`^[\s"'(\[{#]*(\d{1,9})[\s"')\]}.]*(?:[,:;–—-].*|\s(?:because|since)\b.*)?$`)
	// selection is the heading, or the word in a sentence; not "Selection Criteria" or "Selections".
	selectionAs = regexp.MustCompile(`^["'\]]*\s*(?:\([^)\n]{0,30}\)\s*)?(?:is|would be|=|:|–|—|-|>|\||\n)+[\s:"'|>]*`)
	toSelect    = regexp.MustCompile(`^(?:ing|ed|s|n)?\s+(?:to\s+\w+\s+)?(?:is\s+)?`)
	words       = map[string]int{"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
)

// selected is the option under the last heading "Selection" that names one; without a heading, the one that a sentence
// says the selection is.
func (v *view) selected(n int, _ bool) (f Found, ok bool) {
	for _, heading := range []bool{true, false} {
		v.cues([]string{"selection", "\\boxed{"}, func(word string, start, end int) bool {
			if word != "selection" {
				inside, _ := v.box(end)
				f, ok = v.option(ruleBoxed, inside, end, n, true)
				return ok
			}
			m := selectionAs.FindStringIndex(v.lower[end:min(len(v.lower), end+after)])
			if m == nil || isLetterBefore(v.text, start) || heading != (v.startsLine(start) || ownSelection.MatchString(v.upTo(start))) || !v.claims(start) {
				return false
			}
			s := v.restOfOption(end + m[1])
			if lead := named.FindStringIndex(s); lead != nil {
				lead := strings.ToLower(s[:lead[0]])
				if against.MatchString(lead) || !(heading && strings.Contains(v.lower[end:end+m[1]], ":")) && (!atFirst.MatchString(lead) || compared.MatchString(lead)) {
					return false
				}
			}
			f, ok = v.option(ruleSelection, s, end+m[1], n, true)
			return ok
		})
		if ok {
			break
		}
	}
	return f, ok
}

var (
	ownSelection = regexp.MustCompile(`^\s*$|\b(?:my|final)\s+$`)
	against      = regexp.MustCompile(`^\W*(?:unlike|compared (?:to|with))\b`)
	// compared goes before an option of which the reason speaks, and which is not the one that is selected.
	compared = regexp.MustCompile(`\b(?:than|to|with|unlike|while|whereas|because|since|as|that|by|on|from)\b`)
)

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
var chosenWords = []string{"select", "choose", "chose", "recommend", "choice is", "choice:", "selected:", "pick:", "decision:", "option\":", "best option:", "worst option:", "selected option is", "correct option is", "better output is", "better option is", "better response is", "better one is", "best one is", "worst option is", "worse output is", "worst output is", "pick", "pick is", "prefer", "go with", "verdict is", "verdict:", "answer is", "answer:", "answer\":", "verdict\":", "winner is", "winner:", "conclusion:", "best option is", "best output is", "best response is"}

// bareAfter are those after which the number may stand by itself.
var bareAfter = []string{"option\":", "selected option is", "correct option is", "better output is", "better option is", "better one is", "best one is", "worst option is", "worst output is", "choice is", "pick is", "verdict is", "verdict:", "winner is", "winner:", "best option is", "best output is", "best response is"}

// startsLine tells whether nothing but "Final" and "My" goes before i in its line.
func (v *view) startsLine(i int) bool {
	line := v.lower[strings.LastIndexByte(v.lower[:i], '\n')+1 : i]
	return len(line) < 16 && strings.Trim(strings.NewReplacer("final", "", "my", "", "the", "", "correct", "").Replace(line), " -•\"{'0123456789.)(#>|*") == ""
}

func (v *view) chosen(n int, worst bool) (f Found, ok bool) {
	v.cues(chosenWords, func(word string, start, end int) bool {
		if isLetterBefore(v.text, start) || worst && strings.HasPrefix(word, "be") || !worst && strings.HasPrefix(word, "wors") || !v.claims(start) {
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
	otherOption = regexp.MustCompile(`(?i)^(?:["')\]}*]*[-–]|[\s"')\]}.*]*(?:,|/|&|\+|,?\s*\b(?:or|and|to|nor)\b))\s*(?:also |maybe |perhaps |possibly )?(?:option|choice|output)?s?\s*[#\["'(]*\d+`)
	// ofAnother follows a comma and another option, of which something is said.
	ofAnother  = regexp.MustCompile(`(?i)^["')\]}*]*\s+(?:is|was|has|does|did|lacks|fails|misses|seems|would|could|can|only|also|being|not|[a-z]{2,}s)\b`)
	fractional = regexp.MustCompile(`^\.\d`)
	// ratherOption follows an option that the next one takes the place of: "Option 1... no, Option 2".
	ratherOption = regexp.MustCompile(`^["')\]}*]*[\s.,;:!…—–-]+(?i:no|wait|actually|sorry|correction|or rather|i mean)[\s.,;:!…—–-]+(?:` + optionNumber + `)["')\]}*]*\s*(?:[.!]|\n|$)`)
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
	if m := ratherOption.FindStringSubmatchIndex(v.text[i+to : min(len(v.text), i+to+before)]); m != nil {
		s, i, from, to = v.text, 0, i+to+m[2], i+to+m[3]
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

const (
	isAdverb = `^[)\]"'.:]*\s+(?:is|was|would be|seems|appears to be|remains)\s+(?:(?:clearly|therefore|thus|overall|by far|definitely|also|then|slightly|much|far|significantly|marginally|actually|still),?\s+)*(?:the\s+|a\s+)?(?:single\s+|overall\s+)?`
	ofOthers = `(?:\s+(?:in|at|written|formatted|structured|organi[sz]ed|if|than nothing)\b)?`
)

var (
	bestOption  = regexp.MustCompile(`^[)\]"'.:]*\s+(?:wins\b|(?:should be|is|was) (?:selected|chosen|my (?:selection|choice))\b)|` + isAdverb + `(?:best|better|strongest|stronger|winner|superior|preferred|preferable|top)\b` + ofOthers)
	worstOption = regexp.MustCompile(isAdverb + `(?:worst|least|weakest|weaker|poorest|worse)\b` + ofOthers)
	// goodOption praises one as others may be praised as well: it counts where none is called the best.
	goodOption = regexp.MustCompile(isAdverb + `(?:correct|right|better (?:in|at|written|formatted|structured|organi[sz]ed)|most (?:accurate|helpful|appropriate|suitable|relevant|complete|comprehensive|precise|faithful|concise|reasonable|logical|useful|effective|detailed|honest|convincing|correct))\b`)
	// partly ends praise that is of one side of it, or hangs on a condition.
	partly = regexp.MustCompile(`(?:in|at|written|formatted|structured|organi[sz]ed|if|than nothing)$`)
	// thanOption goes on with another option: of two it leaves none, of more it does.
	thanOption = regexp.MustCompile(`(?i)^\s+than\s+(?:option|choice|output|response)\b`)
)

// ranked is the only option that is called the best; of several the one that a conclusion calls so.
func (v *view) ranked(n int, worst bool) (f Found, ok bool) {
	all := named.FindAllStringSubmatchIndex(v.text, -1)
	if worst {
		return v.called(all, worstOption, n)
	}
	if f, ok = v.called(all, bestOption, n); !ok {
		f, ok = v.called(all, goodOption, n)
	}
	return f, ok
}

// called is the option of which a predicate is said.
func (v *view) called(all [][]int, predicate *regexp.Regexp, n int) (f Found, ok bool) {
	last := 0
	for _, m := range all {
		next := v.text[m[1]:min(len(v.text), m[1]+before)]
		p := predicate.FindString(next)
		if p == "" || predicate != goodOption && partly.MatchString(p) || !v.claims(m[0]) || n > 2 && thanOption.MatchString(next[len(p):]) {
			continue
		}
		is, _ := v.optionAt(rulePredicate, v.text[:min(len(v.text), m[1]+before)], 0, m[2], m[3], n)
		if ok && is.Value != f.Value && !concluding.MatchString(v.upTo(m[0])) && !turned.MatchString(v.lower[last:m[0]]) {
			is = v.several(rulePredicate, m[0], m[1])
		}
		f, ok, last = is, true, m[1]
	}
	return f, ok
}

// turned is said before the one of two options that is meant in the end.
var turned = regexp.MustCompile(`\b(?:but|however|wait|actually|overall|still|on reflection|in the end)\b`)

// numberOnly is a reply that is a number.
var numberOnly = regexp.MustCompile(`^[\s"'(\[]*(\d{1,2})[\s"')\].]*$`)

var loneOption = regexp.MustCompile(`^(?i:(?:so|therefore|thus|hence|final|my|the|answer|verdict|best)[\s,:]+)*[\s"'(\[{|]*` + optionNumber + `["')\]}]*(?:,?\s+(?:not|rather than|instead of|over)\s+` + optionNumber + `)?[\s"')\]}|.!]*$`)

// lineOption is a line that holds nothing but an option, a heading of what is said of it included.
var lineOption = regexp.MustCompile(`(?m)^[\s"'(\[{|#]*` + optionNumber + `[\s"')\]}|.!:]*$`)

// firstOption is one that stands alone on the first line, unless others head what is said of them.
func (v *view) firstOption(n int, _ bool) (Found, bool) {
	first := strings.TrimLeft(v.text, " \t\n")
	line, rest, more := strings.Cut(first, "\n")
	m := loneOption.FindStringSubmatchIndex(line)
	if m == nil || !more || isLetter(line[m[2]]) && m[3]-m[2] == 1 {
		return Found{}, false
	}
	for _, other := range lineOption.FindAllStringSubmatch(rest, -1) {
		if other[1] != line[m[2]:m[3]] {
			return Found{}, false
		}
	}
	return v.optionAt(ruleAlone, line, len(v.text)-len(first), m[2], m[3], n)
}

// opensWith is the only option that a short reply names, at its beginning: "Option 2, because it is right".
func (v *view) opensWith(n int, _ bool) (Found, bool) {
	s := strings.TrimSpace(v.text)
	m := opening.FindStringSubmatchIndex(s)
	if m == nil || len(s) > 200 || strings.Contains(s, "\n") || strings.HasSuffix(s, "?") || isLetter(s[m[2]]) && m[3]-m[2] == 1 {
		return Found{}, false
	}
	if all := named.FindAllString(s, 2); len(all) != 1 {
		return Found{}, false
	}
	return v.optionAt(ruleAlone, s, strings.Index(v.text, s), m[2], m[3], n)
}

var opening = regexp.MustCompile(`^["'(\[]*` + optionNumber + `["')\]]*\s*(?:[,:(–—-]|(?:because|since)\b)`)

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
