package reading

import (
	"iter"
	"maps"
	"slices"
	"strings"
)

// PairLabel reads a label that orders two: [[A>B]] in all its forms, or the one that is called the better. offered are
// those on offer in their plain form: "A>B", "B>A" and "A=B".
func PairLabel(reply string, offered []string) Found {
	return pairLabels(reply, offered, better, "A>B", "B>A")
}

// WorseLabel reads such a label where the worse was asked for: there the name of one alone may stand for the better or
// the worse.
func WorseLabel(reply string, offered []string) Found {
	return pairLabels(reply, offered, worse, "", "")
}

// pairLabels reads an order of two; a and b are what a name alone stands for.
func pairLabels(reply string, offered []string, asked judgment, a, b string) Found {
	return comparison{
		parse: pairLabel,
		a:     "A>B",
		b:     "B>A",
		tie:   "A=B",
		names: map[string]string{"A": a, "B": b},
		asked: asked,
	}.grammar(offered).read(reply)
}

// Preference reads [[A]], [[B]] or, where it is on offer, [[C]] for a tie.
func Preference(reply string, offered []string) Found {
	return comparison{
		parse: preference,
		a:     "A",
		b:     "B",
		tie:   "C",
		names: map[string]string{"A": "A", "B": "B", "C": "C"},
		asked: better,
	}.grammar(offered).read(reply)
}

// comparison is what labels of two say.
type comparison struct {
	parse     func(inside string) string // reads one in brackets
	a, b, tie string                     // the label that puts A first, that puts B first, and that puts neither
	names     map[string]string          // what a name alone says
	asked     judgment                   // better or worse
}

// The labels of a judgment.
const (
	Correct   = "Correct"
	Incorrect = "Incorrect"
)

// Correctness reads [[Correct]] or [[Incorrect]].
func Correctness(reply string) Found {
	return grammar{
		labels: func(v *view) []label {
			return merge(v.brackets(correctness), merge(v.words(incorrectWords, Incorrect), v.words(correctWords, Correct)))
		},
		praise:  func(place) (string, rank) { return "", nothing },
		isWeak:  func(word string) bool { return !matches(word, "judging") }, // "the choice is correct"
		rule:    ruleVerdict,
		offered: []string{Correct, Incorrect},
	}.read(reply)
}

var (
	correctWords = newLexicon(strings.Fields(`correct right true richtig korrekt
		correcte exacte correcta corretta correta верен верный правильный
		正确 正確 正しい 맞습니다`))
	incorrectWords = newLexicon(phrases(`not_correct incorrect wrong false falsch inkorrekt
		incorrecte fausse inexacte incorrecta errónea incorretta errata sbagliata incorreta errada
		неверен неверный неправильный
		不正确 不正確 错误 错误的 正しくない 正しくありません 間違い 誤り 틀렸습니다`))
	assistantNouns = cuesOf("assistant")
)

// spelled has the labels of words that name one of two by its place, or a tie: "former", "draw".
var (
	spelled      = spelledLabels()
	spelledWords = newLexicon(slices.Collect(maps.Keys(spelled)))
)

func spelledLabels() map[string]label {
	of := map[string]label{}
	kinds := map[string]label{
		"first":  {name: "A"},
		"second": {name: "B"},
		"tie":    {},
		"equal":  {says: praised},
	}
	for kind, l := range kinds {
		for _, word := range cuesOf(kind) {
			of[word] = l
		}
	}
	return of
}

// pairLabel reads >> as >, and A<B as B>A.
func pairLabel(inside string) string {
	if matches(inside, "tie-form") {
		return "A=B"
	}
	m := groups(inside, "pair-form")
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
	if matches(inside, "tie-form") {
		return "C"
	}
	m := groups(inside, "preference-form")
	if m == nil || matches(inside, "worse-form") {
		return ""
	}
	return strings.ToUpper(m[1])
}

func correctness(inside string) string {
	m := groups(inside, "correctness-form")
	switch {
	case m == nil:
		return ""
	case m[1] == "correct":
		return Correct
	}
	return Incorrect
}

// sides returns the label that calls one of two responses the better, or the worse.
func (c comparison) sides(l label, said judgment) string {
	switch {
	case l.name != "A" && l.name != "B" || said != better && said != worse:
		return ""
	case (l.name == "A") == (said == better):
		return c.a
	}
	return c.b
}

// grammar returns the grammar of a comparison.
func (c comparison) grammar(offered []string) grammar {
	return grammar{
		labels: c.labels,
		praise: func(p place) (string, rank) {
			if p.name == "" {
				return c.praiseTie(p)
			}
			s, _ := p.said()
			if s.judgment == chosen && p.value == c.names[p.name] {
				return p.value, s.rank
			}
			value := c.sides(p.label, s.judgment)
			if value == "" {
				return "", nothing
			}
			return value, s.rank
		},
		rule:    ruleVerdict,
		offered: offered,
		asked:   c.asked,
		sides:   c.sides,
		scores:  c.scores,
	}
}

// praiseTie returns the label of a tie, or of an order in a list, and how firmly the words around it claim it.
func (c comparison) praiseTie(p place) (value string, firm rank) {
	switch {
	case p.after("partial"):
		return "", nothing
	case p.before("tie-verb"), p.before("tie-lead") && p.after("tie-ends"):
		return p.value, called
	}
	return p.value, p.says
}

// labels are those in brackets, the names A and B, and words for a tie. Where nothing else is in brackets, [[A]] orders
// a pair as well.
func (c comparison) labels(v *view) []label {
	all := v.brackets(c.parse)
	isPair := c.tie == "A=B"
	if isPair {
		all = merge(all, v.orders())
		if !slices.ContainsFunc(all, func(l label) bool { return l.form == demanded }) {
			all = merge(all, c.named(v.brackets(preference)))
		}
	}
	all = merge(all, c.named(v.letters(assistantNouns, 'C', true)))
	return c.rankings(v, merge(all, c.spelled(v)))
}

// spelled returns the names and words for a tie that are spelled out. "first" alone counts in "the first is".
func (c comparison) spelled(v *view) (all []label) {
	for _, m := range spelledWords.in(v.lower) {
		word := v.lower[m[0]:m[1]]
		l := spelled[word]
		isName := strings.HasSuffix(v.lower[:m[0]], "the ") &&
			matches(v.lower[m[1]:min(len(v.lower), m[1]+8)], "also-ordinal")
		if !isName && (word == "first" || word == "second") {
			continue
		}
		l.start, l.end = m[0], m[1]
		l.in, l.out = m[0], m[1]
		l.value = c.tie
		if l.name != "" {
			l.value = c.names[l.name]
		}
		all = append(all, l)
	}
	return all
}

// named are the letters that name one of two, or a tie, with what this says.
func (c comparison) named(letters []label) []label {
	var all []label
	for _, l := range letters {
		value, ok := c.names[l.value]
		if ok {
			l.name = l.value
			l.value = value
			all = append(all, l)
		}
	}
	return all
}

// brackets lists the labels in brackets: in two, or in one, by which they are named alone.
func (v *view) brackets(parse func(inside string) string) []label {
	var all []label
	end := 0
	for at := range v.lower {
		if v.lower[at] != '[' || at < end {
			continue
		}
		text := v.lower[at:min(len(v.lower), at+after)]
		m := find(text, "bracketed")
		if m == nil {
			continue
		}
		end = at + m[1]
		l := label{start: at, end: end, in: at, out: end, form: named}
		if m[3]-m[2] > 1 || m[7]-m[6] > 1 {
			l.form = demanded
		}
		l.value = parse(strings.Trim(strings.ReplaceAll(text[m[4]:m[5]], "$", ""), " \t*\"'`_.{}()"))
		if l.value != "" || matches(text[m[4]:m[5]], "muddled") {
			all = append(all, l)
		}
	}
	return all
}

// words are the labels that are one of some words, each of which says the value.
func (v *view) words(words *lexicon, value string) (all []label) {
	for _, m := range words.in(v.lower) {
		all = append(all, label{value: value, start: m[0], end: m[1], in: m[0], out: m[1]})
	}
	return all
}

// orders are the orders of two that stand without brackets: "A > B".
func (v *view) orders() []label {
	var all []label
	last := 0 // where the last of them ends
	for sign := range v.lower {
		if v.lower[sign] < '<' || v.lower[sign] > '>' {
			continue
		}
		start := len(strings.TrimRight(v.lower[:sign], " \t\n")) - 1
		if start < last || wordBefore(v.lower, start) {
			continue
		}
		m := find(v.lower[start:min(len(v.lower), sign+1+before/8)], "bare-pair")
		if m == nil {
			continue
		}
		end := start + m[1]
		noun := lastWord(strings.TrimSuffix(v.lower[:start], " "), assistantNouns)
		if noun >= 0 {
			start = noun
		}
		value := pairLabel(v.lower[start:end])
		if value == "" {
			continue
		}
		last = end
		next := strings.TrimLeft(v.lower[end:], " ")
		if strings.IndexAny(next, "<=>") != 0 { // A>B>A is no order of two
			all = append(all, label{value: value, start: start, end: end, in: start, out: end})
		}
	}
	return all
}

// merge puts more labels to those of a view, but for those that have a part of one.
func merge(all, more []label) []label {
	var merged []label
	for _, l := range more {
		for len(all) > 0 && all[0].end <= l.start {
			merged = append(merged, all[0])
			all = all[1:]
		}
		if len(all) == 0 || l.end <= all[0].start {
			merged = append(merged, l)
		}
	}
	return append(merged, all...)
}

// kinds are the kinds of bytes of which a run is: 1 of a letter, 2 of a digit, 0 of others.
var kinds = func() (of [256]byte) {
	for b := range of {
		switch c := byte(b); {
		case isLetter(c):
			of[b] = 1
		case c >= '0' && c <= '9':
			of[b] = 2
		}
	}
	return of
}()

// runs are the runs of letters and of digits, from where to where.
func (v *view) runs() iter.Seq2[int, int] {
	return func(yield func(i, end int) bool) {
		for i, end := 0, 0; i < len(v.text); i = end {
			end = i + 1
			kind := kinds[v.text[i]]
			if kind == 0 {
				continue
			}
			for end < len(v.text) && kinds[v.text[end]] == kind {
				end++
			}
			if !yield(i, end) {
				return
			}
		}
	}
}

// letters lists the letters up to last that stand as labels: in brackets, after a noun, or, with areNames, as a name
// that something is said of.
func (v *view) letters(nouns []string, last byte, areNames bool) []label {
	var all []label
	for i, end := range v.runs() {
		letter := v.lower[i] &^ 0x20
		if end > i+1 || letter < 'A' || letter > last || wordBefore(v.text, i) || wordAfter(v.text, end) {
			continue
		}
		l, ok := v.letter(nouns, i)
		if areNames && l.form == bare && matches(v.lower[max(0, i-before/8):i], "numbered") {
			continue
		}
		if ok || areNames && v.isName(i, l.form) {
			l.value = string(letter)
			all = append(all, l)
		}
	}
	return all
}

// isName reports whether the letter at i names one of two responses, by the words around it. The A of "A good answer"
// does not.
func (v *view) isName(i int, written form) bool {
	left, right := v.text[max(0, i-before/8):i], v.text[i+1:min(len(v.text), i+before/4)]
	isArticle := written == bare && v.text[i] == 'A' && matches(left, "begun") &&
		!matches(right, "acts") && sayingWords.at(v.lower, i+2) == 0
	return v.text[i] <= 'B' && matches(right, "goes-on-name") && !isArticle
}

// letter is the label of the letter at i, if it is one.
func (v *view) letter(nouns []string, i int) (l label, ok bool) {
	l = label{start: i, end: i + 1, in: i, out: i + 1}
	hasSides := i > 0 && i+1 < len(v.text)
	if hasSides && strings.Contains("() [] {}", v.text[i-1:i]+v.text[i+1:i+2]) && !wordBefore(v.text, i-1) {
		l.start = i - 1
		l.end = i + 2
		l.form = named
	}
	if noun := lastWord(strings.TrimRight(v.lower[:l.start], " \t\n\"'([{$_"), nouns); noun >= 0 {
		l.start = noun
		l.form = named
	}
	rest := v.text[l.end:min(len(v.text), l.end+after)]
	switch {
	case l.form == bare && i > 0 && v.text[i-1] == '[':
		return l, false
	case l.end == i+2, l.form == named && strings.HasPrefix(rest, "'s"):
		return l, true
	case v.text[i] >= 'a' && l.form == bare:
		return l, matches(rest, "small-ends")
	case v.text[i] == 'I':
		return l, matches(rest, "letter-ends") && !matches(rest, "pronoun")
	}
	return l, matches(rest, "letter-ends")
}
