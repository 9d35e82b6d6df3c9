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
	rows, err := f.contrasts(responses, clusterOf, func(responses []judging.Candidate) (differences []float64) {
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
func baselines(rows []pairDifferences, b stats.Bootstrap) []scoring.Baseline {
	all := []scoring.Baseline{{Name: "always the first", Value: 0}, {Name: "one coin for both orders", Value: 50}}
	if len(rows) == 0 {
		return all
	}
	for k, names := range ruleNames {
		for side, name := range names {
			right := func(u pairDifferences) bool {
				return u.differences[k] != 0 && (u.sideWithMore(k)+2-u.gold)%2 == int8(side)
			}
			rule := compareRule(name, rows, right, b)
			contrasts := slices.DeleteFunc(slices.Clone(rows), func(u pairDifferences) bool { return u.differences[k] == 0 })
			rule.Followed = new(verdictShare(contrasts, b, func(u pairDifferences, g judgment) bool {
				return (g.choice == u.sideWithMore(k)) == (side == 0)
			}))
			rule.WhereWrong = new(shareOf(slices.DeleteFunc(contrasts, right), b, pairDifferences.bothRight))
			all = append(all, rule)
		}
	}
	return all
}

// compareRule compares the judge with a baseline that is right on the pairs for which right returns true. A cluster of
// pairs counts once, for the judge or the rule, whichever is right on more of its pairs.
func compareRule(
	name string, rows []pairDifferences, right func(pairDifferences) bool, b stats.Bootstrap,
) scoring.Baseline {
	share := shareOf(rows, b, func(u pairDifferences) (hits, total int) { return int(scoring.Indicator(right(u))), 1 })
	lead := map[int]int{} // of the judge over the rule, in pairs by cluster
	for _, u := range rows {
		lead[u.cluster] += int(scoring.Indicator(u.strict()) - scoring.Indicator(right(u)))
	}
	rule := scoring.Baseline{Name: name, Value: *share.Value, Low: share.Low, High: share.High}
	for _, n := range lead {
		rule.OnlyJudge += int(scoring.Indicator(n > 0))
		rule.OnlyRule += int(scoring.Indicator(n < 0))
	}
	rule.P = scoring.Precise(stats.McNemar(rule.OnlyJudge, rule.OnlyRule))
	return rule
}

// codeRule is the diagnosis of a judge whose verdicts follow a rule that needs no reading, such as "the longer".
const codeRule = "rule"

// coinTossPercent is the percentage of pairs on which a coin tossed for each order is correct in both orders.
const coinTossPercent = 25

// codeNotAboveRule is the diagnosis of a judge that is not significantly better than a rule that needs no reading.
const codeNotAboveRule = "unread"

// unbeatenRule returns the best rule without reading that is significantly better than a coin and not significantly
// worse than the judge; ok is false if there is none. With such a rule, the judge's score may come without any reading.
func unbeatenRule(r *scoring.Report) (best scoring.Baseline, ok bool) {
	for _, x := range r.Baselines {
		if x.Low == nil || *x.Low <= 50 || x.OnlyJudge > x.OnlyRule && *x.P < scoring.SignificanceLevel {
			continue
		}
		if !ok || x.Value > best.Value {
			best = x
			ok = true
		}
	}
	return best, ok
}

// levelAgainst returns the level of a judge that is not significantly better than a rule, with a sentence. Too few
// pairs are no evidence against the judge: it is weak only if its interval ends less than a third of the way from the
// rule to perfect, as far as [scoring.ReliableFrom] is from chance.
func levelAgainst(rule scoring.Baseline, strict scoring.Result) (level scoring.Level, text string) {
	always := rule.Name + " response"
	if !strings.HasPrefix(always, "the ") {
		always = "the response with " + rule.Name
	}
	sentence := func(code string) string {
		return phrases.Sentence(
			code, always, scoring.Percentage(rule.Value), scoring.Percentage(*strict.Value), strict.N, *rule.P,
		)
	}
	ahead := rule.OnlyJudge > rule.OnlyRule
	switch {
	case ahead && *rule.P < 2*scoring.SignificanceLevel: // better, by a one-sided test
		return scoring.Usable, sentence("pairs.rule-ahead")
	case strict.High != nil && *strict.High > rule.Value+(100-rule.Value)/3:
		return scoring.Unknown, sentence("pairs.rule-few")
	case ahead:
		return scoring.Weak, sentence("pairs.rule-ahead")
	}
	return scoring.Weak, sentence("pairs.rule-behind")
}

// diagnoseAgainstRules lowers the level of a judge that is usable or strong by its own score but does not beat
// the rules without reading.
func diagnoseAgainstRules(r *scoring.Report, d scoring.Diagnosis) scoring.Diagnosis {
	if d.Level != scoring.Usable && d.Level != scoring.Strong {
		return d
	}
	if rule, ok := unbeatenRule(r); ok {
		d.Code = codeNotAboveRule
		d.Level, d.Text = levelAgainst(rule, r.Overall("strict"))
	}
	rule := scoring.FollowedBaseline(r.Baselines, r.Overall("strict").Low)
	if rule != nil && *rule.WhereWrong.High < coinTossPercent && d.Level != scoring.Weak {
		d.Level = scoring.Weak
		d.Code = codeRule
		d.Text = rule.FollowsSentence()
	}
	return d
}
