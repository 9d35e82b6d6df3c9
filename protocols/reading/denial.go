package reading

import "strings"

var (
	// denials negate the words after them, or contrast these with what the reply means: "not", "rather than".
	denials = splitPhrases(`not never cannot neither nor without isn't wasn't n't rather_than instead_of as_opposed_to
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
	betweenDenials = splitPhrases(`recommend choosing selecting picking between either both be been a an the to just simply
		really necessarily label answer option choice choose select say pick call find deem judge rate rank tie
		with it that is it's correct right best es est ist è é la le el il der die das den opción opção`)
	// quotationHintWords speeds up introducesExample: every match of the rule "quoted" contains one of these.
	quotationHintWords = strings.Fields("e.g. such instance example form template placeholder syntax")
)

// openMarks lists the characters that may stand between a denial and the denied word, or before a label.
const openMarks = " \t\n\r\"'«„([{<$"

// isClaimedAt reports whether the reply itself claims what stands at byte i of the view, rather than
// denying, doubting or quoting it.
func (v *normalizedReply) isClaimedAt(i int) bool { return isClaimed(v.statementBefore(i)) }

// isClaimed reports whether a statement that begins with prefix claims the words after it, rather than denying,
// supposing, doubting or quoting them.
func isClaimed(prefix string) bool {
	clause := prefix[strings.LastIndexAny(prefix, ",;:")+1:]
	isSupposed := matchesRule(clause, "supposed") && !matchesRule(clause, "forced")
	return !isDenied(clause) && !isSupposed && !isDoubted(clause) && !introducesExample(prefix)
}

// isDenied reports whether the words after prefix are negated: prefix ends with "not" or "rather than the".
func isDenied(prefix string) bool {
	for prefix = strings.TrimRight(prefix, openMarks); lastWordStart(prefix, denials) < 0; {
		start := lastWordStart(prefix, betweenDenials)
		if start <= 0 {
			return false
		}
		prefix = strings.TrimRight(prefix[:start], openMarks)
	}
	return true
}

// introducesExample reports whether the words after prefix are a form or an example: "a label such as [[A]]".
func introducesExample(prefix string) bool {
	return containsAny(prefix, quotationHintWords) && matchesRule(prefix, "quoted") ||
		strings.Count(prefix, `"`)%2 == 1 && matchesRule(prefix, "quoted-in")
}

// isDoubted reports whether the clause s doubts what it says ("might be"), unless a later word
// such as "but" ends the doubt.
func isDoubted(s string) bool {
	if !matchesRule(s, "doubted") {
		return false
	}
	if all := rulePattern("turns").FindAllStringIndex(s, -1); len(all) > 0 {
		s = s[all[len(all)-1][1]:]
	}
	return matchesRule(s, "doubted") && !matchesRule(s, "ours", "certain")
}

// isConditional reports whether prefix, the text before a label, makes it depend on a condition: "If speed matters
// most, A". Circumstances of the statement are none: "When it comes to accuracy", "If I had to choose".
func isConditional(prefix string) bool {
	return matchesRule(prefix, "if-before") && !matchesRule(prefix, "turns", "circumstance", "of-oneself")
}

// inQuestion reports whether bytes i to j of the view are part of a question.
func (v *normalizedReply) inQuestion(i, j int) bool {
	isQuestion := strings.HasSuffix(strings.TrimRight(v.statementAfter(j), " \n\"')"), "?")
	return matchesRule(textAfter(v.text, j, 12), "asking") ||
		isQuestion && matchesRule(v.statementBefore(i), "question-word")
}
