package reading

import (
	"slices"
	"strings"
)

var (
	// denials negate the next word, or contrast it with the one that is meant.
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
	// betweenDenials may stand between a denial and the denied word.
	betweenDenials = phrases(`recommend choosing selecting picking between either both be been a an the to just simply
		really necessarily label answer option choice choose select say pick call find deem judge rate rank tie
		with it that is it's correct right best es est ist è é la le el il der die das den opción opção`)
	// formWords are parts of the matches of the rule "quoted": a text without any does not match.
	formWords = strings.Fields("e.g. such instance example form template placeholder syntax")
)

const (
	openMarks = " \t\n\r\"'«„([{<$"
)

// isClaimedAt reports whether the reply itself claims what stands at i, rather than denying, doubting or quoting it or
// repeating its instructions.
func (v *view) isClaimedAt(i int) bool { return isClaimed(v.statementBefore(i)) }

func isClaimed(prefix string) bool {
	clause := prefix[strings.LastIndexAny(prefix, ",;:")+1:]
	isSupposed := matches(clause, "supposed") && !matches(clause, "forced")
	return !isDenied(clause) && !isSupposed && !isDoubted(clause) && !isQuoted(prefix)
}

// isDenied reports whether the next word is negated: "not", "rather than the".
func isDenied(prefix string) bool {
	for prefix = strings.TrimRight(prefix, openMarks); lastWord(prefix, denials) < 0; {
		start := lastWord(prefix, betweenDenials)
		if start <= 0 {
			return false
		}
		prefix = strings.TrimRight(prefix[:start], openMarks)
	}
	return true
}

// isQuoted reports whether the next word is a form or an example.
func isQuoted(prefix string) bool {
	contains := func(word string) bool { return strings.Contains(prefix, word) }
	return slices.ContainsFunc(formWords, contains) && matches(prefix, "quoted") ||
		strings.Count(prefix, `"`)%2 == 1 && matches(prefix, "quoted-in")
}

func isDoubted(s string) bool {
	if !matches(s, "doubted") {
		return false
	}
	if all := pattern("turns").FindAllStringIndex(s, -1); len(all) > 0 {
		s = s[all[len(all)-1][1]:]
	}
	return matches(s, "doubted") && !matches(s, "ours", "certain")
}

// isConditional reports whether a condition of the label precedes it, rather than a circumstance of the statement:
// "When it comes to accuracy, A wins", "If I had to choose".
func isConditional(prefix string) bool {
	return matches(prefix, "if-before") && !matches(prefix, "turns", "circumstance", "of-oneself")
}

// inQuestion reports whether bytes i to j are part of a question.
func (v *view) inQuestion(i, j int) bool {
	isQuestion := strings.HasSuffix(strings.TrimRight(v.statementAfter(j), " \n\"')"), "?")
	return matches(v.text[j:min(len(v.text), j+12)], "asking") ||
		isQuestion && matches(v.statementBefore(i), "question-word")
}
