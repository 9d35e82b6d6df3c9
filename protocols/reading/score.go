package reading

import (
	"slices"
	"strconv"
	"strings"
)

// Levels of a yes-or-no question.
const (
	Yes = "Yes"
	No  = "No"
)

// Score reads the score that a reply gives, on a scale with these levels, the lowest first: whole numbers, or [No] and
// [Yes]. Scores in double brackets count before a final score ("Overall: 8"), this before other announced scores
// ("Score: 8") and before "8 out of 10", and a number alone last. Two different ones are a conflict; a score outside
// the scale is none.
func Score(reply string, levels []string) Match {
	highest := levels[len(levels)-1]
	if highest == Yes {
		return yesNo(reply)
	}
	v := normalize(reply)
	for _, rule := range []struct{ rule, name string }{
		{"score-brackets", ruleLabel}, {"score-final", ruleVerdict}, {"score-announced", ruleVerdict},
		{"score-out-of", ruleVerdict}, {"score-alone", ruleAlone},
	} {
		var score Match
		for _, m := range rulePattern(rule.rule).FindAllStringSubmatchIndex(v.lower, -1) {
			n, ok := v.nextNumber(v.text[:m[3]], m[2])
			before, after := textBefore(v.lower, m[0], 60), textAfter(v.lower, m[1], 40)
			isReal := matchesRule(after, "score-ends") && !matchesRule(after, "score-unreal") &&
				!matchesRule(before, "score-denied")
			if !ok || n.Start != m[2] || !isReal {
				continue
			}
			if m[4] >= 0 && v.lower[m[4]:m[5]] != highest && v.lower[m[4]:m[5]] != "" {
				continue // of another scale
			}
			f := v.result(rule.name, n.CanonicalText(), n.Start, n.End)
			if score.Outcome == Decided && score.Value != f.Value {
				return f.asConflict()
			}
			score = f
		}
		switch {
		case score.Outcome != Decided:
			continue
		case !OnScale(score.Value, levels):
			score.Outcome = None
		case matchesRule(reply[score.End:], "revised"):
			return score.asConflict()
		}
		return score
	}
	return Match{Outcome: None}
}

// OnScale reports whether a score lies between the lowest and the highest level of a scale.
func OnScale(score string, levels []string) bool {
	lowest, err := strconv.ParseFloat(levels[0], 64)
	if err != nil {
		return slices.Contains(levels, score)
	}
	highest, _ := strconv.ParseFloat(levels[len(levels)-1], 64)
	x, err := strconv.ParseFloat(score, 64)
	return err == nil && x >= lowest && x <= highest
}

// yesNo reads the answer to a yes-or-no question.
func yesNo(reply string) Match {
	return readWord(reply, []string{Yes, No}, func(v *normalizedReply) []label {
		return mergeLabels(v.brackets(parseYesNo), mergeLabels(v.ruleLabels("no-word", No), v.ruleLabels("yes-word", Yes)))
	})
}

// parseYesNo returns the answer inside brackets; "" for another text.
func parseYesNo(inside string) string {
	switch strings.TrimRight(inside, ".") {
	case "yes":
		return Yes
	case "no":
		return No
	}
	return ""
}

// ruleLabels returns the labels of a value where a rule matches its first group.
func (v *normalizedReply) ruleLabels(rule, value string) (all []label) {
	for _, m := range rulePattern(rule).FindAllStringSubmatchIndex(v.lower, -1) {
		all = append(all, newLabel(value, m[2], m[3]))
	}
	return all
}
