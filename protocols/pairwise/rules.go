package pairwise

import (
	"fmt"
	"slices"
	"strings"

	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// ruled are the first of the features, which rules that do not read go by, with the names of these rules.
var ruled = [][2]string{{"the longer", "the shorter"}, {"more Markdown", "less Markdown"}}

// Rules are what rules that do not read get right on the pairs; see [scoring.Ruler].
func (f *pairs) Rules(
	responses scoring.Responses, clusterOf func(id string) string, b stats.Bootstrap,
) ([]scoring.Rule, error) {
	if f.manifest.Spec.Goal != Protocol.Goal {
		return nil, nil
	}
	rows, err := f.counted(responses, clusterOf, func(of []judging.Response) (more []float64) {
		for k := range ruled {
			more = append(more, features[k].more(of))
		}
		return more
	})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rules(rows, b), nil
}

// rules are what rules that do not read get correct in both orders: pairs with as much of it on both sides are wrong.
func rules(rows []swayed, b stats.Bootstrap) []scoring.Rule {
	all := []scoring.Rule{{Name: "always the first", Value: 0}, {Name: "one coin for both orders", Value: 50}}
	if len(rows) == 0 {
		return all
	}
	for k, names := range ruled {
		for side, name := range names {
			right := func(u swayed) bool { return u.more[k] != 0 && (u.has(k)+2-u.gold)%2 == int8(side) }
			rule := ruleOf(name, rows, right, b)
			apart := slices.DeleteFunc(slices.Clone(rows), func(u swayed) bool { return u.more[k] == 0 })
			rule.Named = new(named(apart, b, func(u swayed, g judgment) bool { return (g.choice == u.has(k)) == (side == 0) }))
			rule.Against = new(shareOf(slices.DeleteFunc(apart, right), b, swayed.bothRight))
			all = append(all, rule)
		}
	}
	return all
}

// ruleOf holds the judge against a rule. What belongs together counts once: for whichever is right more often there.
func ruleOf(name string, rows []swayed, right func(swayed) bool, b stats.Bootstrap) scoring.Rule {
	share := shareOf(rows, b, func(u swayed) (with, of int) { return int(scoring.One(right(u))), 1 })
	lead := map[int]int{} // of the judge, in pairs of a cluster
	for _, u := range rows {
		lead[u.cluster] += int(scoring.One(u.strict()) - scoring.One(right(u)))
	}
	rule := scoring.Rule{Name: name, Value: *share.Value, Low: share.Low, High: share.High}
	for _, n := range lead {
		rule.OnlyJudge += int(scoring.One(n > 0))
		rule.OnlyRule += int(scoring.One(n < 0))
	}
	rule.P = scoring.Precise(stats.McNemar(rule.OnlyJudge, rule.OnlyRule))
	return rule
}

// codeRule is of a judge whose verdicts go by a rule that does not read.
const codeRule = "rule"

// coins are correct in both orders on so many percent of pairs, where one is tossed for each.
const coins = 25

// codeUnread is the code of a judge that is not significantly better than a rule that does not read.
const codeUnread = "unread"

// unread returns the best rule that does not read, where it is surely better than a coin and the judge is not
// significantly better than it: then the score may come without any reading.
func unread(r *scoring.Report) (best scoring.Rule, found bool) {
	for _, x := range r.Rules {
		if x.Low == nil || *x.Low <= 50 || x.OnlyJudge > x.OnlyRule && *x.P < scoring.Apart {
			continue
		}
		if !found || x.Value > best.Value {
			best = x
			found = true
		}
	}
	return best, found
}

// besideRule returns the level of a judge that is not significantly better than a rule, and the sentence. Too few pairs
// to tell are no evidence against the judge: it is weak only where its interval ends less than a third of the way from
// the rule to perfect, as far as [scoring.ReliableFrom] is from chance.
func besideRule(rule scoring.Rule, strict scoring.Result) (level scoring.Level, text string) {
	always := rule.Name
	if !strings.HasPrefix(always, "the ") {
		always = "the response with " + always
	}
	picking := fmt.Sprintf("always picking %s (%s, judge %s, p = %.2g, %d pairs).", always, scoring.Percentage(rule.Value),
		scoring.Percentage(*strict.Value), *rule.P, strict.N)
	ahead := rule.OnlyJudge > rule.OnlyRule
	switch {
	case ahead && *rule.P < 2*scoring.Apart: // better, by a one-sided test
		return scoring.Usable, "Not significantly better than " + picking
	case strict.High != nil && *strict.High > rule.Value+(100-rule.Value)/3:
		return scoring.Unknown, "Too few pairs to tell it from " + picking
	case ahead:
		return scoring.Weak, "Not significantly better than " + picking
	}
	return scoring.Weak, "No better than " + picking
}

// heldAgainst is the diagnosis of a judge that is usable by its own numbers, held against the rules.
func heldAgainst(r *scoring.Report, d scoring.Diagnosis) scoring.Diagnosis {
	if d.Level != scoring.Usable && d.Level != scoring.Strong {
		return d
	}
	if rule, found := unread(r); found {
		d.Code = codeUnread
		d.Level, d.Text = besideRule(rule, r.Overall("strict"))
	}
	rule := scoring.Decider(r.Rules, r.Overall("strict").Low)
	if rule != nil && *rule.Against.High < coins && d.Level != scoring.Weak {
		d.Level = scoring.Weak
		d.Code = codeRule
		d.Text = rule.Decides()
	}
	return d
}
