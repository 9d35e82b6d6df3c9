package pairwise

import (
	"math/rand/v2"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/internal/trials"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// byLength returns pairs on which the rule "the shorter" is right on all but some; the judge is correct in both orders
// on the first correct pairs.
func byLength(n, ruleWrong, judgeRight int) (rows []responseDifferences) {
	for i := range n {
		u := responseDifferences{pair: pair{gold: 0}, differences: []float64{-1, 0}, cluster: i}
		if i >= n-ruleWrong {
			u.differences[0] = 1
		}
		choice := int8(1)
		if i < judgeRight {
			choice = 0
		}
		for k := range u.judgments {
			u.judgments[k] = judgment{present: true, outcome: judging.Decided, choice: choice, firstCandidate: int8(k)}
		}
		rows = append(rows, u)
	}
	return rows
}

func ruleNamed(t *testing.T, rules []scoring.Baseline, name string) scoring.Baseline {
	t.Helper()
	for _, r := range rules {
		if r.Name == name {
			return r
		}
	}
	t.Fatalf("no rule %q", name)
	return scoring.Baseline{}
}

// Computed by hand: of 100 pairs the shorter is better in 70, and the judge is right on the first 75.
func TestRulesByHand(t *testing.T) {
	b := stats.Bootstrap{Rounds: 200, Level: 0.95, Seed: 1}
	list := baselines(byLength(100, 30, 75), b)
	shorter := ruleNamed(t, list, "the shorter")
	assert.Equal(t, shorter.Value, 70.0)
	assert.DeepEqual(t, [2]int{shorter.OnlyJudgeCorrect, shorter.OnlyRuleCorrect}, [2]int{5, 0})
	assert.Equal(t, *shorter.P, 0.0625)
	longer := ruleNamed(t, list, "the longer")
	assert.Equal(t, longer.Value, 30.0)
	assert.DeepEqual(t, [2]int{longer.OnlyJudgeCorrect, longer.OnlyRuleCorrect}, [2]int{70, 25})
	assert.Equal(t, ruleNamed(t, list, "more Markdown").Value, 0.0) // on neither side more: wrong

	together := byLength(100, 30, 75)
	for i := range together { // ten clusters; in one of them the judge is right more often
		together[i].cluster = i / 10
	}
	shorter = ruleNamed(t, baselines(together, b), "the shorter")
	assert.DeepEqual(t, [2]int{shorter.OnlyJudgeCorrect, shorter.OnlyRuleCorrect}, [2]int{1, 0})
}

// A judge that is usable by its own scores is compared with the best rule without reading: it is weak if it is not
// ahead of it, or not by much. Too few pairs are no evidence that it is no better.
func TestNoBetterThanWithoutReading(t *testing.T) {
	b := stats.Bootstrap{Rounds: 200, Level: 0.95, Seed: 1}
	often := byLength(100, 45, 56) // names the shorter in 80 of 100, and in 20 of the 45 in which the longer is the better not
	for i := range 20 {
		for k := range often[60+i].judgments {
			often[60+i].judgments[k].choice = 0
		}
	}
	goes := "The judge picks the shorter response in 99 % of verdicts. " +
		"When the longer one is correct, its accuracy is 2 %."
	for name, c := range map[string]struct {
		rows   []responseDifferences
		strict [2]float64 // the value, and the end of its interval
		level  scoring.UsabilityLevel
		want   scoring.UsabilityLevel
		code   string
		text   string
	}{
		"ahead, p 0.065": {rows: byIssue(), strict: [2]float64{97, 99.5}, level: scoring.LevelStrong, want: scoring.LevelUsable,
			code: codeNotAboveRule, text: "Not significantly better than a baseline: always picking the longer response is correct on 85 %, the judge on 97 % of 60 pairs (p = 0.065)."},
		"ahead, too few": {rows: byLength(30, 9, 24), strict: [2]float64{80, 91}, level: scoring.LevelUsable, want: scoring.LevelUnknown,
			code: codeNotAboveRule, text: "Too few pairs to separate it from a baseline: always picking the shorter response is correct on 70 %, the judge on 80 % of 30 pairs (p = 0.25)."},
		"ahead, not far": {rows: byLength(300, 90, 213), strict: [2]float64{71, 76}, level: scoring.LevelUsable, want: scoring.LevelWeak,
			code: codeNotAboveRule, text: "Not significantly better than a baseline: always picking the shorter response is correct on 70 %, the judge on 71 % of 300 pairs (p = 0.25)."},
		"not ahead": {rows: byLength(100, 30, 68), strict: [2]float64{68, 76}, level: scoring.LevelUsable, want: scoring.LevelWeak,
			code: codeNotAboveRule, text: "No better than a baseline: always picking the shorter response is correct on 70 %, the judge on 68 % of 100 pairs (p = 0.5)."},
		"better":                  {rows: byLength(100, 30, 90), strict: [2]float64{90, 95}, level: scoring.LevelStrong, want: scoring.LevelStrong},
		"the rule may be a coin":  {rows: often, strict: [2]float64{76, 83}, level: scoring.LevelUsable, want: scoring.LevelUsable},
		"it goes by the rule":     {rows: byLength(100, 45, 56), strict: [2]float64{56, 66}, level: scoring.LevelUsable, want: scoring.LevelWeak, code: codeFollowsRule, text: goes},
		"without texts":           {level: scoring.LevelUsable, want: scoring.LevelUsable},
		"it was unusable already": {rows: byLength(100, 30, 75), level: scoring.LevelUnusable, want: scoring.LevelUnusable},
	} {
		r := &scoring.Report{Results: []scoring.Result{{
			Metric: "strict", Group: scoring.Overall, Value: &c.strict[0], Low: &c.strict[0], High: &c.strict[1], N: len(c.rows),
		}}}
		if c.rows != nil {
			r.Baselines = baselines(c.rows, b)
		}
		d := diagnoseAgainstRules(r, scoring.Diagnosis{Level: c.level})
		assert.Equal(t, d.Level, c.want, name)
		assert.Equal(t, d.Code, c.code, name)
		assert.Equal(t, d.Text, c.text, name)
		for _, metric := range []string{AccuracyWhenConsistent, "consistency", Coverage} {
			r.Results = append(r.Results, scoring.Result{Metric: metric, Group: scoring.Overall, Value: new(70.0)})
		}
		r.Items = 100
		r.Outcomes = map[string]int{"decided": 200}
		first := new(pairScorer).Diagnose(r).Text // whatever the level
		decided := scoring.FollowedBaseline(r.Baselines, r.Overall("strict").Low) != nil
		assert.Assert(t, decided || c.code != codeFollowsRule, name)
		assert.Equal(t, strings.HasPrefix(first, "The judge picks the shorter response in 9"), decided, name+": "+first)
	}
}

// byIssue returns 60 pairs: the longer is better in 51, and the judge is right on 58 and wrong on 2 of these 51.
func byIssue() []responseDifferences {
	rows := byLength(60, 51, 58)
	for i := range rows {
		rows[i].differences[0] = 1
		if i < 9 {
			rows[i].differences[0] = -1
		}
	}
	return rows
}

// Of judges that are right as often as a rule without reading by chance, at most 5 % are called usable or strong; much
// better ones are hardly ever called weak.
func TestBesideARuleByChance(t *testing.T) {
	trials.SkipUnlessSlowTests(t)
	b := stats.Bootstrap{Rounds: 200, Level: 0.95, Seed: 1}
	rng := rand.New(rand.NewPCG(3, 5))
	const judges = 1000
	for _, c := range []struct {
		n                   int
		rule, judge, echoes float64 // right in; the share of pairs on which the judge says what the rule says
	}{
		{60, 0.85, 0.85, 0}, {60, 0.85, 0.85, 0.5}, {150, 0.73, 0.73, 0}, {350, 0.73, 0.73, 0.8},
		{60, 0.85, 0.97, 0}, {150, 0.73, 0.85, 0}, {350, 0.73, 0.85, 0},
	} {
		levels := map[scoring.UsabilityLevel]float64{}
		for range judges {
			rows := byLength(c.n, 0, 0)
			right := 0
			for i := range rows {
				same := rng.Float64() < c.echoes
				wrong := rng.Float64() >= c.rule
				correct := rng.Float64() < c.judge
				if same {
					correct = !wrong
				}
				if wrong {
					rows[i].differences[0] = 1
				}
				if correct {
					right++
					rows[i].judgments[0].choice = 0
					rows[i].judgments[1].choice = 0
				}
			}
			in := stats.Blaker(right, c.n, 0.95)
			r := &scoring.Report{OptionalResults: scoring.OptionalResults{Baselines: baselines(rows, b)}, Results: []scoring.Result{{Metric: "strict", Group: scoring.Overall,
				Value: new(100 * float64(right) / float64(c.n)), High: new(100 * in.High), N: c.n}}}
			levels[diagnoseAgainstRules(r, scoring.Diagnosis{Level: scoring.LevelStrong}).Level] += 100.0 / judges
		}
		t.Logf("%d pairs, rule %.2f, judge %.2f, echoes %.1f: %v", c.n, c.rule, c.judge, c.echoes, levels)
		if c.judge == c.rule && levels[scoring.LevelUsable]+levels[scoring.LevelStrong] > 5+1.4 {
			t.Errorf("called usable: %v", levels)
		}
		if c.judge > c.rule && levels[scoring.LevelWeak] > 2.5 {
			t.Errorf("called weak: %v", levels)
		}
	}
}
