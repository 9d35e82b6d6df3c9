package reading

import (
	"slices"
	"strconv"
	"strings"
)

// Letter reads the letter that a reply answers a choice of n options with.
func Letter(reply string, n int) Found {
	return grammar{
		labels: func(v *view) []label { return v.choices() },
		praise: func(p place) (string, rank) {
			s, _ := p.said()
			isPraise := s.judgment == better || s.judgment == good || s.judgment == chosen
			if s.rank == called && isPraise && p.subject(p.left) {
				return p.value, called
			}
			return "", nothing
		},
		rule:    ruleAnswer,
		offered: letters[:n],
	}.read(reply)
}

// letters are those of a choice.
var letters = strings.Split("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "")

var (
	letterNouns = strings.Fields(`option choice letter statement alternative alternativa opción opzione lettera letra
		lettre opção 选项 選択肢 보기`)
)

// choices are the letters of a choice. Where there is a II, an I is a number.
func (v *view) choices() []label {
	all := v.letters(letterNouns, 'M', false)
	return slices.DeleteFunc(all, func(l label) bool {
		from, to := v.statement(l.start)
		return l.value == "I" && matches(v.text[max(from, l.start-before):min(to, l.end+before)], "roman")
	})
}

// subject tells whether a label begins a clause: the B of "Vitamin B is the best source" does not.
func (l label) subject(left string) bool {
	return l.form > bare || matches(left, "clause-begins")
}

// Option reads which of n options a reply selects; the worst, where that is what it was asked for.
func Option(reply string, n int, worst bool) Found {
	var offered []string
	for k := range n {
		offered = append(offered, strconv.Itoa(k+1))
	}
	asked := better
	if worst {
		asked = worse
	}
	return choiceOf(asked, options, offered).read(reply)
}

// Output reads which of two outputs, called Output (a) and Output (b), a reply says is the better: the value is "a" or
// "b".
func Output(reply string) Found {
	labels := func(v *view) []label { return v.letters(outputNouns, 'B', false) }
	f := choiceOf(better, labels, letters[:2]).read(reply)
	f.Value = strings.ToLower(f.Value)
	return f
}

var outputNouns = strings.Fields("output outputs")

// choiceOf is a grammar of things of which one is selected.
func choiceOf(asked judgment, labels func(*view) []label, offered []string) grammar {
	return grammar{
		labels: labels,
		praise: func(p place) (string, rank) {
			switch s, _ := p.said(); {
			case p.form == bare, s.rank < called, len(offered) > 2 && p.after("than-option"):
			case s.judgment == asked, s.judgment == chosen:
				return p.value, called
			case asked == better && (s.judgment == good || s.judgment == partly):
				return p.value, praised
			}
			return "", nothing
		},
		isWeak:  func(word string) bool { return word == "answer" },
		rule:    ruleAnswer,
		offered: offered,
		asked:   asked,
		more:    "more-options",
	}
}

// optionMarks may stand between a noun and the number of an option. bareBefore may stand before one without a noun.
const (
	optionMarks = " \t\n:#[(\"'{_"
	bareBefore  = " \t\n\"'([{#:>|=–—-"
)

var (
	// optionNouns go before the number of an option. A number without one is that of an option where it is announced.
	optionNouns = strings.Fields(`option options choice choices output outputs response responses opción opcion opção
		opzione вариант варианта варианте вариантом варианту
		选项 選項 選択肢 オプション 옵션 선택지`)
	numberSigns = strings.Fields("no. nr. number n° nº")
	numberWords = strings.Fields("zero one two three four five six seven eight nine ten")
)

// options are those that are named by their numbers.
func options(v *view) []label {
	var all []label
	for i, end := range v.runs() {
		k := slices.Index(numberWords, v.lower[i:end])
		if isDigit(v.lower, i) && end-i < 10 {
			k, _ = strconv.Atoi(v.lower[i:end])
		} else if k < 0 {
			continue
		}
		if strings.HasSuffix(v.lower[:i], " -") {
			k = -k
		}
		l := label{value: strconv.Itoa(k), start: i, end: end, in: i, out: end}
		lead := strings.TrimRight(strings.TrimSuffix(v.lower[:i], "-"), optionMarks)
		if sign := lastWord(lead, numberSigns); sign >= 0 {
			lead = strings.TrimRight(lead[:sign], optionMarks)
		}
		noun := lastWord(lead, optionNouns)
		switch {
		case noun >= 0 && !wordAfter(v.lower, end):
			l.start = noun
			l.form = named
		case !isDigit(v.lower, i) || end-i > 2:
			continue
		case i > 0 && !strings.ContainsRune(bareBefore, lastRune(v.lower, i)) || !matches(v.lower[end:], "bare-after"):
			continue
		}
		all = append(all, l)
	}
	return all
}
