package pairwise

import (
	"fmt"
	"slices"

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

// rules are what rules that do not read get right in both orders: pairs with as much of it on both sides are wrong.
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

// coins are right in both orders on so many percent of pairs, where one is tossed for each.
const coins = 25

// codeUnread is of a judge that is no better than a rule that does not read.
const codeUnread = "unread"

// unread is the best rule that does not read, where it is surely better than a coin and the judge is not surely better
// than it: then the score shows no reading.
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

// heldAgainst is the diagnosis of a judge that is usable by its own numbers, held against the rules.
func heldAgainst(r *scoring.Report, d scoring.Diagnosis) scoring.Diagnosis {
	if d.Level != scoring.Usable && d.Level != scoring.Strong {
		return d
	}
	rule, found := unread(r)
	if !found {
		if rule := scoring.Decider(r.Rules, r.Overall("strict").Low); rule != nil && *rule.Against.High < coins {
			d.Level = scoring.Weak
			d.Code = codeRule
			d.Text = rule.Decides()
		}
		return d
	}
	d.Level = scoring.Weak
	d.Code = codeUnread
	d.Text = fmt.Sprintf("No better than a rule that does not read: “%s” is right on %s of these pairs, the judge in "+
		"both orders on %s.", rule.Name, percent(rule.Value), percent(*r.Overall("strict").Value))
	return d
}
