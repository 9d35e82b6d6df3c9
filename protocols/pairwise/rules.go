package pairwise

import (
	"slices"
	"strings"

	"gavel/internal/phrases"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// ruleNames names the baselines, rules that choose without reading: for each of the first features, the response with
// more of it and the one with less of it.
var ruleNames = [][2]string{{"the longer", "the shorter"}, {"more Markdown", "less Markdown"}}

// Baselines returns the scores of simple rules without reading on the pairs; see [scoring.BaselineScorer].
func (f *pairScorer) Baselines(
	responses scoring.ResponseIterator, clusterOf func(id string) string, b stats.Bootstrap,
) ([]scoring.Baseline, error) {
	if f.manifest.Spec.Goal != Protocol.Goal {
		return nil, nil
	}
	rows, err := f.featureDifferences(responses, clusterOf, func(responses []judging.Candidate) (differences []float64) {
		for k := range ruleNames {
			differences = append(differences, features[k].difference(responses))
		}
		return differences
	})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return baselines(rows, b), nil
}

// baselines returns the scores of the baselines (rules that choose without reading), in both orders. A rule is wrong on
// pairs whose responses do not differ in its feature.
func baselines(rows []responseDifferences, b stats.Bootstrap) []scoring.Baseline {
	all := []scoring.Baseline{{Name: "always the first", Value: 0}, {Name: "one coin for both orders", Value: 50}}
	if len(rows) == 0 {
		return all
	}
	for k, names := range ruleNames {
		for side, name := range names {
			right := func(u responseDifferences) bool {
				return u.differences[k] != 0 && (u.sideWithMore(k)+2-u.gold)%2 == int8(side)
			}
			rule := compareJudgeWithBaseline(name, rows, right, b)
			contrasts := slices.DeleteFunc(slices.Clone(rows), func(u responseDifferences) bool { return u.differences[k] == 0 })
			rule.Followed = new(verdictShare(contrasts, b, func(u responseDifferences, g judgment) bool {
				return (g.choice == u.sideWithMore(k)) == (side == 0)
			}))
			contrasts = slices.DeleteFunc(contrasts, right)
			rule.CorrectWhereRuleWrong = new(clusteredShare(contrasts, b, responseDifferences.rightInBothOrders))
			all = append(all, rule)
		}
	}
	return all
}

// compareJudgeWithBaseline compares the judge with a baseline that is right on the pairs for which right returns true.
// A cluster of pairs counts once, for the judge or the rule, whichever is right on more of its pairs.
func compareJudgeWithBaseline(
	name string, rows []responseDifferences, right func(responseDifferences) bool, b stats.Bootstrap,
) scoring.Baseline {
	share := clusteredShare(rows, b, func(u responseDifferences) (hits, total int) {
		return int(scoring.Indicator(right(u))), 1
	})
	lead := map[int]int{} // of the judge over the rule, in pairs by cluster
	for _, u := range rows {
		lead[u.cluster] += int(scoring.Indicator(u.strict()) - scoring.Indicator(right(u)))
	}
	rule := scoring.Baseline{Name: name, Value: *share.Value, Low: share.Low, High: share.High}
	for _, n := range lead {
		rule.OnlyJudgeCorrect += int(scoring.Indicator(n > 0))
		rule.OnlyRuleCorrect += int(scoring.Indicator(n < 0))
	}
	rule.P = scoring.RoundToTwelveDigits(stats.McNemar(rule.OnlyJudgeCorrect, rule.OnlyRuleCorrect))
	return rule
}

// codeFollowsRule is the diagnosis of a judge whose verdicts follow a rule that needs no reading, such as "the longer".
const codeFollowsRule = "rule"

// coinTossPercent is the percentage of pairs on which a coin tossed for each order is correct in both orders.
const coinTossPercent = 25

// codeNotAboveRule is the diagnosis of a judge that is not significantly better than a rule that needs no reading.
const codeNotAboveRule = "unread"

// ruleJudgeDoesNotBeat returns the best rule without reading that is significantly better than a coin and not
// significantly worse than the judge; ok is false if there is none. With such a rule, the judge's score may come
// without any reading.
func ruleJudgeDoesNotBeat(r *scoring.Report) (best scoring.Baseline, ok bool) {
	for _, x := range r.Baselines {
		if x.Low == nil || *x.Low <= 50 || x.OnlyJudgeCorrect > x.OnlyRuleCorrect && *x.P < scoring.SignificanceLevel {
			continue
		}
		if !ok || x.Value > best.Value {
			best = x
			ok = true
		}
	}
	return best, ok
}

// levelAgainstRule returns the level of a judge that is not significantly better than a rule, with a sentence. Too few
// pairs are no evidence against the judge: it is weak only if its interval ends less than a third of the way from the
// rule to perfect, as far as [scoring.LeastConsistentAccuracy] is from chance.
func levelAgainstRule(rule scoring.Baseline, strict scoring.Result) (level scoring.UsabilityLevel, text string) {
	always := rule.Name + " response"
	if !strings.HasPrefix(always, "the ") {
		always = "the response with " + rule.Name
	}
	sentence := func(code string) string {
		return phrases.Sentence(
			code, always, scoring.Percentage(rule.Value), scoring.Percentage(*strict.Value), strict.N, *rule.P,
		)
	}
	ahead := rule.OnlyJudgeCorrect > rule.OnlyRuleCorrect
	switch {
	case ahead && *rule.P < 2*scoring.SignificanceLevel: // better, by a one-sided test
		return scoring.LevelUsable, sentence("pairs.rule-ahead")
	case strict.High != nil && *strict.High > rule.Value+(100-rule.Value)/3:
		return scoring.LevelUnknown, sentence("pairs.rule-few")
	case ahead:
		return scoring.LevelWeak, sentence("pairs.rule-ahead")
	}
	return scoring.LevelWeak, sentence("pairs.rule-behind")
}

// diagnoseAgainstRules lowers the level of a judge that is usable or strong by its own score but does not beat
// the rules without reading.
func diagnoseAgainstRules(r *scoring.Report, d scoring.Diagnosis) scoring.Diagnosis {
	if d.Level != scoring.LevelUsable && d.Level != scoring.LevelStrong {
		return d
	}
	if rule, ok := ruleJudgeDoesNotBeat(r); ok {
		d.Code = codeNotAboveRule
		d.Level, d.Text = levelAgainstRule(rule, r.Overall("strict"))
	}
	rule := scoring.FollowedBaseline(r.Baselines, r.Overall("strict").Low)
	if rule != nil && *rule.CorrectWhereRuleWrong.High < coinTossPercent && d.Level != scoring.LevelWeak {
		d.Level = scoring.LevelWeak
		d.Code = codeFollowsRule
		d.Text = rule.FollowsSentence()
	}
	return d
}
