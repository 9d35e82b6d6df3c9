package reading

import (
	"slices"
	"strings"
)

var (
	// denials turn the next word into its opposite, or set it beside what is meant.
	denials = phrases(`not never cannot neither nor without isn't wasn't n't rather_than instead_of as_opposed_to
		other_than from over than comparing ahead_of beats unlike compared_to compared_with followed_by
		versus vs vs. against out_of considered considering
		eliminate eliminates eliminated eliminating eliminations exclude excludes excluded excluding
		reject rejects rejected rejecting discard discarded discarding
		rule_out rules_out ruled_out ruling_out cross_out crossed_out
		nicht kein keine keinen weder noch statt anstatt gegen als keinesfalls keineswegs gegenüber niemals
		contre pas non ni jamais plutôt_que au_lieu_de
		no en_vez_de en_lugar_de de_ninguna_manera en_absoluto
		contro invece_di piuttosto_che nem em_vez_de né não
		не вместо против
		ليس ليست لا لم nie niet geen
		不 没 没有 未 不会 不是 并非 並非 而非 绝非 不选 比`)
	// betweenDenials may stand between such a word and what it is said of.
	betweenDenials = phrases(`recommend choosing selecting picking between either both be been a an the to just simply
		really necessarily label answer option choice choose select say pick call find deem judge rate rank tie
		with it that is it's correct right best es est ist è é la le el il der die das den opción opção`)
	// formWords are parts of what quoted matches: a text without one has none.
	formWords = strings.Fields("e.g. such instance example form template placeholder syntax")
)

const (
	openMarks = " \t\n\r\"'«„([{<$"
)

// claims tells whether what stands at i is said by the reply itself, and not denied, doubted, quoted or what it was
// told to say.
func (v *view) claims(i int) bool { return claimed(v.upTo(i)) }

func claimed(left string) bool {
	clause := left[strings.LastIndexAny(left, ",;:")+1:]
	isSupposed := matches(clause, "supposed") && !matches(clause, "forced")
	return !denied(clause) && !isSupposed && !doubts(clause) && !cited(left)
}

// denied tells whether what comes next is turned into its opposite: "not", "rather than the".
func denied(left string) bool {
	for left = strings.TrimRight(left, openMarks); lastWord(left, denials) < 0; {
		at := lastWord(left, betweenDenials)
		if at <= 0 {
			return false
		}
		left = strings.TrimRight(left[:at], openMarks)
	}
	return true
}

// cited tells whether what comes next is a form or an example.
func cited(left string) bool {
	mayHave := func(word string) bool { return strings.Contains(left, word) }
	return slices.ContainsFunc(formWords, mayHave) && matches(left, "quoted") ||
		strings.Count(left, `"`)%2 == 1 && matches(left, "quoted-in")
}

func doubts(s string) bool {
	if !matches(s, "doubted") {
		return false
	}
	if all := pattern("turns").FindAllStringIndex(s, -1); len(all) > 0 {
		s = s[all[len(all)-1][1]:]
	}
	return matches(s, "doubted") && !matches(s, "ours", "certain")
}

// conditional tells whether what stands before a label is a condition of it, and no circumstance of a statement: "When
// it comes to accuracy, A wins", "If I had to choose".
func conditional(left string) bool {
	return matches(left, "if-before") && !matches(left, "turns", "circumstance", "of-oneself")
}

// inQuestion tells whether bytes i to j are part of a question.
func (v *view) inQuestion(i, j int) bool {
	isQuestion := strings.HasSuffix(strings.TrimRight(v.rest(j), " \n\"')"), "?")
	return matches(v.text[j:min(len(v.text), j+12)], "asking") || isQuestion && matches(v.upTo(i), "question-word")
}
