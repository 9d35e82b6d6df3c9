package scoring

func init() {
	Register("pairwise", newPairs)
	Register("reversed", newPairs)
	Register("answer", newAnswers)
	Register("self-reference", newSelfReference)
	Register("multi-option", newMultiOption)
}
