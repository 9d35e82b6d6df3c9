package reading

import (
	"iter"
	"maps"
	"slices"
	"strings"
)

// PairLabel reads which of two responses a reply prefers: [[A>B]] in all its forms, or words that call a response
// better. offered lists the labels that the prompt allows: "A>B", "B>A" and "A=B".
func PairLabel(reply string, offered []string) Match {
	return readPairLabel(reply, offered, polarityBetter, "A>B", "B>A")
}

// PairLabelForWorseGoal reads a reply as PairLabel does where the prompt asked for the worse response. A single name
// has no value here, because it may mean the better or the worse response.
func PairLabelForWorseGoal(reply string, offered []string) Match {
	return readPairLabel(reply, offered, polarityWorse, "", "")
}

// readPairLabel reads the order of two responses; a and b are the values of the single names A and B. target is the
// response that the prompt asked for.
func readPairLabel(reply string, offered []string, target polarity, a, b string) Match {
	return comparison{
		parseBrackets:  parsePairLabel,
		labelA:         "A>B",
		labelB:         "B>A",
		labelTie:       "A=B",
		valueByName:    map[string]string{"A": a, "B": b},
		targetPolarity: target,
	}.grammar(offered).read(reply)
}

// Preference reads which response a reply prefers: [[A]], [[B]] or, if offered has it, [[C]] for a tie.
func Preference(reply string, offered []string) Match {
	return comparison{
		parseBrackets:  parsePreference,
		labelA:         "A",
		labelB:         "B",
		labelTie:       "C",
		valueByName:    map[string]string{"A": "A", "B": "B", "C": "C"},
		targetPolarity: polarityBetter,
	}.grammar(offered).read(reply)
}

// comparison describes the labels of replies that compare two responses, A and B.
type comparison struct {
	parseBrackets            func(inside string) string // parses the content of brackets; "" if it is no label
	labelA, labelB, labelTie string                     // labels that prefer A, prefer B, and for a tie
	valueByName              map[string]string          // values of names: "A", "B", "C"; "" if one decides nothing
	targetPolarity           polarity                   // the response that the prompt asks for: better or worse
}

// Labels with which a judge says whether an answer is right.
const (
	LabelCorrect   = "Correct"
	LabelIncorrect = "Incorrect"
)

// Correctness reads whether a reply judges an answer as right: [[Correct]] or [[Incorrect]], or words for either.
func Correctness(reply string) Match {
	return readWord(reply, []string{LabelCorrect, LabelIncorrect}, func(v *normalizedReply) []label {
		return mergeLabels(v.brackets(parseCorrectness),
			mergeLabels(v.lexiconLabels(incorrectWords, LabelIncorrect), v.lexiconLabels(correctWords, LabelCorrect)))
	})
}

// readWord reads a verdict that is one of the offered words, whose mentions labels finds.
func readWord(reply string, offered []string, labels func(*normalizedReply) []label) Match {
	return grammar{
		labels:             labels,
		predicateValue:     func(labelContext) (string, rank) { return "", noClaim },
		needsColon:         func(word string) bool { return !matchesRule(word, "judging") }, // "the choice is correct"
		announcedLabelRule: ruleVerdict,
		offered:            offered,
	}.read(reply)
}

var (
	// Words for a right and for a wrong answer, in several languages.
	correctWords = newLexicon(strings.Fields(`correct right true richtig korrekt
		correcte exacte correcta corretta correta верен верный правильный
		正确 正確 正しい 맞습니다`))
	incorrectWords = newLexicon(splitPhrases(`not_correct incorrect wrong false falsch inkorrekt
		incorrecte fausse inexacte incorrecta errónea incorretta errata sbagliata incorreta errada
		неверен неверный неправильный
		不正确 不正確 错误 错误的 正しくない 正しくありません 間違い 誤り 틀렸습니다`))
	// assistantNouns may precede the letter of a response: "Assistant A".
	assistantNouns = cuesOf("assistant")
)

// wordLabels maps words to labels: names by position such as "former", and words for a tie such as "draw".
var (
	wordLabels       = loadWordLabels()
	wordLabelLexicon = newLexicon(slices.Collect(maps.Keys(wordLabels)))
)

// loadWordLabels makes wordLabels from the kinds "first", "second", "tie" and "equal" of cues.txt.
func loadWordLabels() map[string]label {
	table := map[string]label{}
	for kind, l := range map[string]label{
		"first":  {namedResponse: "A"},
		"second": {namedResponse: "B"},
		"tie":    {},
		"equal":  {firmness: weakClaim},
	} {
		for _, word := range cuesOf(kind) {
			table[word] = l
		}
	}
	return table
}

// parsePairLabel parses the content of brackets as an order of two responses; "" if it is none. It
// reads >> as >, and A<B as B>A.
func parsePairLabel(inside string) string {
	if matchesRule(inside, "tie-form") {
		return "A=B"
	}
	m := matchRule(inside, "pair-form")
	if m == nil {
		return ""
	}
	first, second := strings.ToUpper(m[1]), strings.ToUpper(m[3])
	switch {
	case first == second:
		return ""
	case m[2][0] != '>' && m[2][0] != '<':
		return "A=B"
	case m[2][0] == '<':
		first, second = second, first
	}
	return first + ">" + second
}

// parsePreference parses the content of brackets as the letter of a response, or C for a tie; "" if it is neither.
func parsePreference(inside string) string {
	if matchesRule(inside, "tie-form") {
		return "C"
	}
	m := matchRule(inside, "preference-form")
	if m == nil || matchesRule(inside, "worse-form") {
		return ""
	}
	return strings.ToUpper(m[1])
}

// parseCorrectness parses the content of brackets as Correct or Incorrect; "" if it is neither.
func parseCorrectness(inside string) string {
	m := matchRule(inside, "correctness-form")
	switch {
	case m == nil:
		return ""
	case m[1] == "correct":
		return LabelCorrect
	}
	return LabelIncorrect
}

// valueFor returns the label that follows if the response named by l is called better, or worse; "" if l names none.
func (c comparison) valueFor(l label, side polarity) string {
	switch {
	case l.namedResponse != "A" && l.namedResponse != "B" || side != polarityBetter && side != polarityWorse:
		return ""
	case (l.namedResponse == "A") == (side == polarityBetter):
		return c.labelA
	}
	return c.labelB
}

// grammar returns the grammar with which replies to the comparison are read.
func (c comparison) grammar(offered []string) grammar {
	return grammar{
		labels: c.labels,
		predicateValue: func(p labelContext) (string, rank) {
			if p.namedResponse == "" {
				return p.praiseTie()
			}
			s, _ := p.predicate()
			if s.polarity == polarityPick && p.value == c.valueByName[p.namedResponse] {
				return p.value, s.rank
			}
			value := c.valueFor(p.label, s.polarity)
			if value == "" {
				return "", noClaim
			}
			return value, s.rank
		},
		announcedLabelRule: ruleVerdict,
		offered:            offered,
		goalPolarity:       c.targetPolarity,
		valueFor:           c.valueFor,
		claimByScores:      c.claimByScores,
	}
}

// praiseTie returns the value of p, a word for a tie or a ranking of both responses, and its
// firmness by the words around it.
func (p labelContext) praiseTie() (value string, firm rank) {
	switch {
	case p.suffixMatches("partial"):
		return "", noClaim
	case p.prefixMatches("tie-verb"), p.prefixMatches("tie-lead") && p.suffixMatches("tie-ends"):
		return p.value, strongClaim
	}
	return p.value, p.firmness
}

// labels returns all labels of the comparison in a view: labels in brackets, the names A and B, and words for a tie. If
// no label has the requested format, [[A]] counts as an order too.
func (c comparison) labels(v *normalizedReply) []label {
	all := v.brackets(c.parseBrackets)
	isPair := c.labelTie == "A=B"
	if isPair {
		all = mergeLabels(all, v.orderLabels())
		if !slices.ContainsFunc(all, func(l label) bool { return l.form == formFormatted }) {
			all = mergeLabels(all, c.labelsOfLetters(v.brackets(parsePreference)))
		}
	}
	all = mergeLabels(all, c.labelsOfLetters(v.letterLabels(assistantNouns, 'C', true)))
	return c.mergeRankedNames(v, mergeLabels(all, c.findWordLabels(v)))
}

// findWordLabels returns the labels that stand in a view as words: by position ("the second response") or as a tie.
// "first" without a noun counts only in "the first is".
func (c comparison) findWordLabels(v *normalizedReply) (all []label) {
	for _, m := range wordLabelLexicon.findAll(v.lower) {
		word := v.lower[m[0]:m[1]]
		isName := strings.HasSuffix(v.lower[:m[0]], "the ") &&
			matchesRule(textAfter(v.lower, m[1], 8), "also-ordinal")
		if !isName && (word == "first" || word == "second") {
			continue
		}
		l := newLabel(c.labelTie, m[0], m[1])
		l.namedResponse, l.firmness = wordLabels[word].namedResponse, wordLabels[word].firmness
		if l.namedResponse != "" {
			l.value = c.valueByName[l.namedResponse]
		}
		all = append(all, l)
	}
	return all
}

// labelsOfLetters returns those of the letters that name a response or a tie, with their values.
func (c comparison) labelsOfLetters(letters []label) []label {
	var all []label
	for _, l := range letters {
		value, ok := c.valueByName[l.value]
		if ok {
			l.namedResponse = l.value
			l.value = value
			all = append(all, l)
		}
	}
	return all
}

// brackets returns the labels in brackets; parse returns the label of a text in brackets. Double brackets, as in [[A]],
// are the requested format; single ones only mark a name.
func (v *normalizedReply) brackets(parse func(inside string) string) []label {
	var all []label
	end := 0
	for start := range v.lower {
		if v.lower[start] != '[' || start < end {
			continue
		}
		text := textAfter(v.lower, start, rightWindow)
		m := findRuleMatch(text, "bracketed")
		if m == nil {
			continue
		}
		end = start + m[1]
		value := parse(strings.Trim(strings.ReplaceAll(text[m[4]:m[5]], "$", ""), " \t*\"'`_.{}()"))
		l := newLabel(value, start, end)
		l.form = formMarked
		if m[3]-m[2] > 1 || m[7]-m[6] > 1 {
			l.form = formFormatted
		}
		if l.value != "" || matchesRule(text[m[4]:m[5]], "muddled") {
			all = append(all, l)
		}
	}
	return all
}

// lexiconLabels returns the places of words as labels with the same value.
func (v *normalizedReply) lexiconLabels(words *lexicon, value string) (all []label) {
	for _, m := range words.findAll(v.lower) {
		all = append(all, newLabel(value, m[0], m[1]))
	}
	return all
}

// orderLabels returns the places where two responses are ordered without brackets: "A > B".
func (v *normalizedReply) orderLabels() []label {
	var all []label
	last := 0 // end of the previous order
	for sign := range v.lower {
		if v.lower[sign] < '<' || v.lower[sign] > '>' {
			continue
		}
		start := len(strings.TrimRight(v.lower[:sign], " \t\n")) - 1
		if start < last || hasWordBefore(v.lower, start) {
			continue
		}
		m := findRuleMatch(v.lower[start:min(len(v.lower), sign+1+leftWindow/8)], "bare-pair")
		if m == nil {
			continue
		}
		end := start + m[1]
		noun := lastWordStart(strings.TrimSuffix(v.lower[:start], " "), assistantNouns)
		if noun >= 0 {
			start = noun
		}
		value := parsePairLabel(v.lower[start:end])
		if value == "" {
			continue
		}
		last = end
		next := strings.TrimLeft(v.lower[end:], " ")
		if strings.IndexAny(next, "<=>") != 0 { // A>B>A is not an order of two
			all = append(all, newLabel(value, start, end))
		}
	}
	return all
}

// mergeLabels adds labels to a sorted list, except those that overlap a label of the list.
func mergeLabels(all, more []label) []label {
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

// byteClasses maps bytes to classes: 1 letter, 2 digit, 0 other.
var byteClasses = func() (table [256]byte) {
	for b := range table {
		switch c := byte(b); {
		case IsLetter(c):
			table[b] = 1
		case c >= '0' && c <= '9':
			table[b] = 2
		}
	}
	return table
}()

// alphanumericRuns iterates over the runs of letters and of digits in the view, with their beginnings and ends.
func (v *normalizedReply) alphanumericRuns() iter.Seq2[int, int] {
	return func(yield func(i, end int) bool) {
		for i, end := 0, 0; i < len(v.text); i = end {
			end = i + 1
			class := byteClasses[v.text[i]]
			if class == 0 {
				continue
			}
			for end < len(v.text) && byteClasses[v.text[end]] == class {
				end++
			}
			if !yield(i, end) {
				return
			}
		}
	}
}

// letterLabels returns the letters from A to last that are labels: in brackets, after one of the nouns, or, with
// areNames, as a name about which the reply states something.
func (v *normalizedReply) letterLabels(nouns []string, last byte, areNames bool) []label {
	var all []label
	for i, end := range v.alphanumericRuns() {
		letter := v.lower[i] &^ 0x20
		if end > i+1 || letter < 'A' || letter > last || hasWordBefore(v.text, i) || isWordCharAt(v.text, end) {
			continue
		}
		l, ok := v.letterLabelAt(nouns, i)
		if areNames && l.form == formBare && matchesRule(textBefore(v.lower, i, leftWindow/8), "numbered") {
			continue
		}
		if ok || areNames && v.isName(i, l.form) {
			l.value = string(letter)
			all = append(all, l)
		}
	}
	return all
}

// isName reports whether the letter at byte i names a response, by the words around it. The A of
// "A good answer" does not.
func (v *normalizedReply) isName(i int, style form) bool {
	prefix, suffix := textBefore(v.text, i, leftWindow/8), textAfter(v.text, i+1, leftWindow/4-1)
	isArticle := style == formBare && v.text[i] == 'A' && matchesRule(prefix, "begun") &&
		!matchesRule(suffix, "acts") && predicateWords.matchEnd(v.lower, i+2) == 0
	return v.text[i] <= 'B' && matchesRule(suffix, "goes-on-name") && !isArticle
}

// letterLabelAt returns the label of the letter at byte i, with the noun before it; ok is false if the letter is not a
// label.
func (v *normalizedReply) letterLabelAt(nouns []string, i int) (l label, ok bool) {
	l = newLabel("", i, i+1)
	hasSides := i > 0 && i+1 < len(v.text)
	if hasSides && strings.Contains("() [] {}", v.text[i-1:i]+v.text[i+1:i+2]) && !hasWordBefore(v.text, i-1) {
		l.start = i - 1
		l.end = i + 2
		l.form = formMarked
	}
	if noun := lastWordStart(strings.TrimRight(v.lower[:l.start], " \t\n\"'([{$_"), nouns); noun >= 0 {
		l.start = noun
		l.form = formMarked
	}
	rest := textAfter(v.text, l.end, rightWindow)
	switch {
	case l.form == formBare && i > 0 && v.text[i-1] == '[':
		return l, false
	case l.end == i+2, l.form == formMarked && strings.HasPrefix(rest, "'s"):
		return l, true
	case v.text[i] >= 'a' && l.form == formBare:
		return l, matchesRule(rest, "small-ends")
	case v.text[i] == 'I':
		return l, matchesRule(rest, "letter-ends") && !matchesRule(rest, "pronoun")
	}
	return l, matchesRule(rest, "letter-ends")
}
