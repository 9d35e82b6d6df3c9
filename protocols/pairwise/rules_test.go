package pairwise

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// byLength are pairs of which the rule "the shorter" is right on all but some; the judge is right in both orders on the
// first so many.
func byLength(n, ruleWrong, judgeRight int) (rows []swayed) {
	for i := range n {
		u := swayed{pair: pair{gold: 0}, more: []float64{-1, 0}, cluster: i}
		if i >= n-ruleWrong {
			u.more[0] = 1
		}
		choice := int8(1)
		if i < judgeRight {
			choice = 0
		}
		for k := range u.judgments {
			u.judgments[k] = judgment{seen: true, outcome: judging.Decided, choice: choice, first: int8(k)}
		}
		rows = append(rows, u)
	}
	return rows
}

func ruleNamed(t *testing.T, rules []scoring.Rule, name string) scoring.Rule {
	t.Helper()
	for _, r := range rules {
		if r.Name == name {
			return r
		}
	}
	t.Fatalf("no rule %q", name)
	return scoring.Rule{}
}

// By hand: of 100 pairs the shorter is the better in 70, and the judge is right on the first 75.
func TestRulesByHand(t *testing.T) {
	b := stats.Bootstrap{Rounds: 200, Level: 0.95, Seed: 1}
	list := rules(byLength(100, 30, 75), b)
	shorter := ruleNamed(t, list, "the shorter")
	assert.Equal(t, shorter.Value, 70.0)
	assert.DeepEqual(t, [2]int{shorter.OnlyJudge, shorter.OnlyRule}, [2]int{5, 0})
	assert.Equal(t, *shorter.P, 0.0625)
	longer := ruleNamed(t, list, "the longer")
	assert.Equal(t, longer.Value, 30.0)
	assert.DeepEqual(t, [2]int{longer.OnlyJudge, longer.OnlyRule}, [2]int{70, 25})
	assert.Equal(t, ruleNamed(t, list, "more Markdown").Value, 0.0) // on neither side more: wrong

	together := byLength(100, 30, 75)
	for i := range together { // ten clusters; in one of them the judge is right more often
		together[i].cluster = i / 10
	}
	shorter = ruleNamed(t, rules(together, b), "the shorter")
	assert.DeepEqual(t, [2]int{shorter.OnlyJudge, shorter.OnlyRule}, [2]int{1, 0})
}

// A judge that is usable by its own numbers is weak where a rule that does not read is surely better than a coin, and
// the judge not surely better than it.
func TestNoBetterThanWithoutReading(t *testing.T) {
	b := stats.Bootstrap{Rounds: 200, Level: 0.95, Seed: 1}
	strict := 75.0
	often := byLength(100, 45, 56) // names the shorter in 80 of 100, and in 20 of the 45 in which the longer is the better not
	for i := range 20 {
		for k := range often[60+i].judgments {
			often[60+i].judgments[k].choice = 0
		}
	}
	for name, c := range map[string]struct {
		rules []scoring.Rule
		of    scoring.Level
		want  scoring.Level
		code  string
	}{
		"no better":               {rules: rules(byLength(100, 30, 75), b), of: scoring.Usable, want: scoring.Weak, code: codeUnread},
		"better":                  {rules: rules(byLength(100, 30, 90), b), of: scoring.Strong, want: scoring.Strong},
		"the rule may be a coin":  {rules: rules(often, b), of: scoring.Usable, want: scoring.Usable},
		"it goes by the rule":     {rules: rules(byLength(100, 45, 56), b), of: scoring.Usable, want: scoring.Weak, code: codeRule},
		"without texts":           {of: scoring.Usable, want: scoring.Usable},
		"it was unusable already": {rules: rules(byLength(100, 30, 75), b), of: scoring.Unusable, want: scoring.Unusable},
	} {
		r := &scoring.Report{Rules: c.rules, Results: []scoring.Result{
			{Metric: "strict", Group: scoring.Overall, Value: &strict, Low: &strict},
		}}
		d := heldAgainst(r, scoring.Diagnosis{Level: c.of})
		assert.Equal(t, d.Level, c.want, name)
		assert.Equal(t, d.Code, c.code, name)
		says := map[string]string{
			codeUnread: "“the shorter” is right on 70 %",
			codeRule: "The judge picks the shorter response in 99 % of verdicts. " +
				"When the longer one is correct, its accuracy is 2 %.",
		}[c.code]
		assert.Assert(t, strings.Contains(d.Text, says), d.Text)
		r.Results = append(r.Results, scoring.Result{Metric: RightWhereAlike, Group: scoring.Overall, Value: &strict},
			scoring.Result{Metric: "consistency", Group: scoring.Overall, Value: &strict},
			scoring.Result{Metric: Coverage, Group: scoring.Overall, Value: &strict})
		r.Items = 100
		r.Outcomes = map[string]int{"decided": 200}
		first := new(pairs).Diagnose(r).Says // whatever the level
		assert.Equal(t, strings.HasPrefix(first, "The judge picks the shorter response in 99 %"), c.code == codeRule, first)
	}
}
