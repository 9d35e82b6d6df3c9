package reading

import (
	"slices"
	"strconv"
	"strings"
)

// Letter reads the letter of the option that a reply chooses among n options, A and on.
func Letter(reply string, n int) Match {
	return grammar{
		labels: (*normalizedReply).optionLetters,
		predicateValue: func(p labelContext) (string, rank) {
			s, _ := p.predicate()
			isPraise := s.polarity == polarityBetter || s.polarity == polarityGood || s.polarity == polarityPick
			// The B of "Vitamin B is the best source" is not all of its clause's subject.
			if s.rank == strongClaim && isPraise && (p.form > formBare || p.prefixMatches("clause-begins")) {
				return p.value, strongClaim
			}
			return "", noClaim
		},
		announcedLabelRule: ruleAnswer,
		offered:            letters[:n],
	}.read(reply)
}

// letters lists the letters that may name options, in order.
var letters = strings.Split("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "")

// letterNouns may precede the letter of an option: "option B".
var letterNouns = strings.Fields(`option choice letter statement alternative alternativa opción opzione lettera letra
	lettre opção 选项 選択肢 보기`)

// optionLetters returns the letters in the view that may name an option. An I next to Roman numerals is a numeral.
func (v *normalizedReply) optionLetters() []label {
	all := v.letterLabels(letterNouns, 'M', false)
	return slices.DeleteFunc(all, func(l label) bool {
		from, to := v.statementBounds(l.start)
		return l.value == "I" && matchesRule(v.text[max(from, l.start-leftWindow):min(to, l.end+leftWindow)], "roman")
	})
}

// Option reads which of n numbered options a reply selects. With worst, the prompt asked for the worst option.
func Option(reply string, n int, worst bool) Match {
	var offered []string
	for k := range n {
		offered = append(offered, strconv.Itoa(k+1))
	}
	target := polarityBetter
	if worst {
		target = polarityWorse
	}
	return choiceGrammar(target, optionLabels, offered).read(reply)
}

// Output reads which of two outputs, called Output (a) and Output (b), a reply calls better: the value is "a" or "b".
func Output(reply string) Match {
	labels := func(v *normalizedReply) []label { return v.letterLabels(outputNouns, 'B', false) }
	f := choiceGrammar(polarityBetter, labels, letters[:2]).read(reply)
	f.Value = strings.ToLower(f.Value)
	return f
}

// outputNouns may precede the letter of an output: "Output (a)".
var outputNouns = strings.Fields("output outputs")

// choiceGrammar returns a grammar for replies that select one of the offered things, whose mentions labels finds.
// target is the thing that the prompt asked for: better or worse.
func choiceGrammar(target polarity, labels func(*normalizedReply) []label, offered []string) grammar {
	return grammar{
		labels: labels,
		predicateValue: func(p labelContext) (string, rank) {
			switch s, _ := p.predicate(); {
			case p.form == formBare, s.rank < strongClaim, len(offered) > 2 && p.suffixMatches("than-option"):
			case s.polarity == target, s.polarity == polarityPick:
				return p.value, strongClaim
			case target == polarityBetter && (s.polarity == polarityGood || s.polarity == polarityPartlyBetter):
				return p.value, weakClaim
			}
			return "", noClaim
		},
		needsColon:         func(word string) bool { return word == "answer" },
		announcedLabelRule: ruleAnswer,
		offered:            offered,
		goalPolarity:       target,
		furtherLabelRule:   "more-options",
	}
}

// Characters that may stand between a noun and the number of an option (marksAfterOptionNoun), and before a number
// without a noun (marksBeforeNumber).
const (
	marksAfterOptionNoun = " \t\n:#[(\"'{_"
	marksBeforeNumber    = " \t\n\"'([{#:>|=–—-"
)

var (
	// optionNouns precede the number of an option. A number without a noun counts only if it is announced.
	optionNouns = strings.Fields(`option options choice choices output outputs response responses opción opcion opção
		opzione вариант варианта варианте вариантом варианту
		选项 選項 選択肢 オプション 옵션 선택지`)
	// numberSigns may stand between the noun and the number of an option: "option no. 2".
	numberSigns = strings.Fields("no. nr. number n° nº")
	// numberWords lists the words for the numbers 0 to 10 in order.
	numberWords = strings.Fields("zero one two three four five six seven eight nine ten")
)

// optionLabels returns the places in a view where an option is named by its number: "option 2", or a lone "2".
func optionLabels(v *normalizedReply) []label {
	var all []label
	for i, end := range v.alphanumericRuns() {
		k := slices.Index(numberWords, v.lower[i:end])
		if isDigit(v.lower, i) && end-i < 10 {
			k, _ = strconv.Atoi(v.lower[i:end])
		} else if k < 0 {
			continue
		}
		if strings.HasSuffix(v.lower[:i], " -") {
			k = -k
		}
		l := newLabel(strconv.Itoa(k), i, end)
		lead := strings.TrimRight(strings.TrimSuffix(v.lower[:i], "-"), marksAfterOptionNoun)
		if sign := lastWordStart(lead, numberSigns); sign >= 0 {
			lead = strings.TrimRight(lead[:sign], marksAfterOptionNoun)
		}
		noun := lastWordStart(lead, optionNouns)
		switch {
		case noun >= 0 && !isWordCharAt(v.lower, end):
			l.start = noun
			l.form = formMarked
		case !isDigit(v.lower, i) || end-i > 2:
			continue
		case i > 0 && !strings.ContainsRune(marksBeforeNumber, lastRune(v.lower, i)) ||
			!matchesRule(v.lower[end:], "bare-after"):
			continue
		}
		all = append(all, l)
	}
	return all
}
