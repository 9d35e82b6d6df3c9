package pairwise

import (
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/internal/trials"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// swayedPairs returns pairs of a judge with knowledge, position bias, and a preference for more of a feature.
func swayedPairs(rng *rand.Rand, n int, knows, place, leans float64, to int) (rows []responseDifferences) {
	for i := range n {
		u := responseDifferences{cluster: i}
		u.gold = int8(rng.IntN(2))
		for range features {
			u.differences = append(u.differences, rng.NormFloat64())
		}
		noise := rng.NormFloat64() // what the judge sees in the pair besides, both times
		for k := range u.judgments {
			first := int8(k)
			eta := knows*(1-2*float64(u.gold)) + place*(1-2*float64(first)) + leans*u.differences[to] + noise
			choice := int8(1)
			if rng.Float64() < 1/(1+math.Exp(-eta)) {
				choice = 0
			}
			u.judgments[k] = judgment{present: true, outcome: judging.Decided, choice: choice, firstCandidate: first}
		}
		rows = append(rows, u)
	}
	return rows
}

// swayOf returns the sway of the pairs.
func swayOf(rows []responseDifferences) *scoring.BiasAnalysis {
	out := &scoring.BiasAnalysis{Pairs: len(rows)}
	b := stats.Bootstrap{Rounds: 2, Level: 0.95, Seed: 1}
	for k, f := range features {
		out.Causes = append(out.Causes, f.effectOnVerdicts(k, rows, b))
	}
	regress(out, rows, b)
	return out
}

// TestSwayFindsWhatWasPlanted checks that a preference that shifts ten points of verdicts is found in 95 of 100 judges.
func TestSwayFindsWhatWasPlanted(t *testing.T) {
	trials.SkipUnlessSlowTests(t)
	rng := rand.New(rand.NewPCG(7, 11))
	const times, n = 300, 350
	hits := 0
	shift := 0.0
	for range times {
		for _, c := range swayOf(swayedPairs(rng, n, 1, 0.5, 0.8, 0)).Causes[1:] {
			if c.Name == scoring.CauseLength {
				hits += int(scoring.Indicator(c.IsSignificant() && c.Odds.Ratio > 1))
				shift += *c.PrefersMore.Value - 50
			}
		}
	}
	shift /= times
	if shift < 8 || shift > 11 {
		t.Errorf("the lean shifts %.1f points", shift)
	}
	if hits < times*95/100 {
		t.Errorf("found in %d of %d", hits, times)
	}
	t.Logf("found in %d of %d", hits, times)
}

// crowd simulates judges on pairs of responses with features that none of them sees.
type crowd struct {
	name     string
	pairs    int
	clusters int     // questions whose responses are paired; 0: each pair is of a question of its own
	sparse   float64 // share of responses that have a feature at all; 0: all have
	follows  float64 // share of pairs in which the judge names what it reads first, and else the same twice
}

// draw returns the verdicts of one of the judges.
func (c crowd) draw(rng *rand.Rand) (rows []responseDifferences) {
	response := func() (counts []float64) {
		for range features {
			count := rng.NormFloat64()
			if c.sparse > 0 {
				count = 0
				if rng.Float64() < c.sparse {
					count = math.Log(float64(2 + rng.IntN(12)))
				}
			}
			counts = append(counts, count)
		}
		return append(counts, rng.NormFloat64()/math.Sqrt2) // and what the judge likes
	}
	pair := func(cluster int, a, b []float64) {
		u := responseDifferences{cluster: cluster, pair: pair{gold: int8(rng.IntN(2))}}
		for k := range features {
			u.differences = append(u.differences, a[k]-b[k])
		}
		likes := a[len(features)] - b[len(features)]
		follows := rng.Float64() < c.follows
		reads := rng.Float64()
		for k := range u.judgments {
			g := judgment{present: true, outcome: judging.Decided, firstCandidate: int8(k), choice: 1}
			eta := 1.4 * (1 - 2*float64(u.gold))
			if c.follows == 0 {
				eta += likes + 0.5 - float64(k)
				reads = rng.Float64()
			}
			if reads < 1/(1+math.Exp(-eta)) {
				g.choice = 0
			}
			if follows {
				g.choice = g.firstCandidate
			}
			u.judgments[k] = g
		}
		rows = append(rows, u)
	}
	for cluster := 0; c.clusters == 0 && cluster < c.pairs; cluster++ {
		pair(cluster, response(), response())
	}
	for cluster := range c.clusters {
		var responses [][]float64
		for start := len(rows); len(rows) < start+c.pairs/c.clusters; {
			next := response()
			for _, other := range responses {
				if len(rows) < start+c.pairs/c.clusters {
					pair(cluster, next, other)
				}
			}
			responses = append(responses, next)
		}
	}
	return rows
}

// pull returns the coefficient of the position in the simulation: half of its effect on the log odds.
func (c crowd) pull() float64 {
	right := 1 / (1 + math.Exp(-1.4))
	logit := func(p float64) float64 { return math.Log(p / (1 - p)) }
	return (logit(c.follows+(1-c.follows)*right) - logit((1-c.follows)*right)) / 2
}

// TestSwayRaisesNoFalseAlarms checks that a feature that no judge sees has p below 0.05 in at most one judge of twenty,
// as has the smallest p of all after Holm's correction. The interval of the position contains its coefficient in 93 to
// 97 of 100 judges with a small bias, and in more of them if fewer than ten pairs flip.
func TestSwayRaisesNoFalseAlarms(t *testing.T) {
	crowds := []crowd{
		{name: "alone", pairs: 350},
		{name: "12 questions", pairs: 100, clusters: 12},
		{name: "seldom flips", pairs: 100, follows: 0.03},
	}
	times := float64(trials.TrialCount(250))
	if trials.RunsSlowTests() {
		crowds = append(crowds, crowd{name: "alone", pairs: 100}, crowd{name: "alone", pairs: 200},
			crowd{name: "sparse", pairs: 100, sparse: 0.15}, crowd{name: "sparse", pairs: 350, sparse: 0.1},
			crowd{name: "12 questions", pairs: 350, clusters: 12}, crowd{name: "15 questions", pairs: 200, clusters: 15},
			crowd{name: "20 questions", pairs: 100, clusters: 20}, crowd{name: "20 questions", pairs: 350, clusters: 20},
			crowd{name: "20 questions, sparse", pairs: 200, clusters: 20, sparse: 0.15},
			crowd{name: "seldom flips", pairs: 350, follows: 0.03}, crowd{name: "seldom flips", pairs: 100, follows: 0.05},
			crowd{name: "seldom flips", pairs: 350, follows: 0.05}, crowd{name: "seldom flips", pairs: 100, follows: 0.1},
			crowd{name: "seldom flips, 20 questions", pairs: 240, clusters: 20, follows: 0.05})
	}
	for _, c := range crowds {
		rng := rand.New(rand.NewPCG(7, uint64(c.pairs+c.clusters)))
		var low, tests, judges, covered, positions float64
		for range int(times) {
			rows := c.draw(rng)
			d := newRegressionData(rows, swayOf(rows).Causes[1:])
			fit := stats.FitLogistic(d.x, d.y, d.cluster)
			if fit == nil {
				continue
			}
			var p []float64
			for j := len(fit.Beta) - len(features); j < len(fit.Beta); j++ {
				p = append(p, fit.Test(j))
				low += scoring.Indicator(fit.Test(j) < 0.05)
				tests++
			}
			judges += scoring.Indicator(slices.Min(stats.Holm(append(p, 1))) < 0.05)
			if in := fit.Interval(1, 0.95); in.High-in.Low > 1e-6 { // else none flips
				covered += scoring.Indicator(in.Low <= c.pull() && c.pull() <= in.High)
				positions++
			}
		}
		t.Logf("%s, %d pairs: p below 0.05 in %.1f %% of tests, by Holm in %.1f %% of judges",
			c.name, c.pairs, 100*low/tests, 100*judges/times)
		// three standard errors: the tests of one judge are correlated, as if there were half as many
		far := 3 * math.Sqrt(0.05*0.95/times)
		if low/tests > 0.05+far*math.Sqrt(2.0/float64(len(features))) || judges/times > 0.05+far {
			t.Errorf("%s, %d pairs: p below 0.05 in %.0f of %.0f tests, by Holm in %.0f of %.0f judges",
				c.name, c.pairs, low, tests, judges, times)
		}
		flips := c.follows * float64(c.pairs)
		if flips > 0 && (covered/positions < 0.93-far || covered/positions > 0.97+far && flips >= 10) {
			t.Errorf("%s, %d pairs: the place is held in %.0f of %.0f", c.name, c.pairs, covered, positions)
		} else if flips > 0 {
			t.Logf("the place is held in %.1f %% of %.0f", 100*covered/positions, positions)
		}
	}
}

// byLooks simulates a judge that is consistent and prefers the longer response in all but few pairs.
func byLooks(rng *rand.Rand, n int, share float64) []responseDifferences {
	rows := swayedPairs(rng, n, 1, 0, 0, 0)
	for i := range rows {
		u := &rows[i]
		choice := u.sideWithMore(0)
		if rng.Float64() > share {
			choice = u.gold
		}
		u.judgments[0].choice = choice
		u.judgments[1].choice = choice
	}
	return rows
}

// TestSwayOfAConsistentJudge checks that the position is left out if no verdict changes with the order, and the rest
// stays.
func TestSwayOfAConsistentJudge(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	b := stats.Bootstrap{Rounds: 200, Level: 0.95, Seed: 1}
	for most, want := range map[float64]string{
		0.85: " Position is left out: no verdict changes with it. Biases: length.",
		1:    " The effects of the features cannot be separated: ",
	} {
		rows := byLooks(rng, 350, most)
		s := swayOf(rows)
		s.Baselines = baselines(rows, b)
		s.CorrectInBothOrders = clusteredShare(rows, b, responseDifferences.rightInBothOrders)
		pattern := regexp.MustCompile(`^The judge picks the longer response in (9\d|100) % of verdicts\. ` +
			`When the shorter one is correct, its accuracy is (1\d|0) %\.` + want)
		if !pattern.MatchString(s.Answer()) {
			t.Errorf("%v: %s", most, s.Answer())
		}
		if hasLevel := s.AccuracyAtEqualFeatures != nil; hasLevel != (most < 1) || hasLevel != strings.Contains(s.Answer(), " Position is left out") ||
			s.Causes[0].Odds != nil {
			t.Errorf("%v: %+v", most, s)
		}
	}
}

// TestNoJudgeIsSaidToBeDecided simulates judges that see no texts, with any accuracy, ties and flips, on labels that
// are for the longer response in half of the pairs or in nearly all.
func TestNoJudgeIsSaidToBeDecided(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for range trials.TrialCount(20) {
		for _, c := range []struct{ longer, right, verdict, flips float64 }{
			{0.5, 0.5, 1, 0}, {0.5, 0.9, 1, 0.3}, {0.8, 0.5, 1, 0.5}, {0.9, 0.95, 0.5, 0}, {0.95, 0.9, 1, 0},
			{0.9, 0.8, 0.6, 0.4}, {0.1, 0.05, 1, 0},
		} {
			rows := swayedPairs(rng, 100, 0, 0, 0, 0)
			for i := range rows {
				u := &rows[i]
				u.gold = u.sideWithMore(0)
				if rng.Float64() > c.longer {
					u.gold = 1 - u.gold
				}
				choice := u.gold
				if rng.Float64() > c.right {
					choice = 1 - choice
				}
				for k := range u.judgments {
					u.judgments[k].choice = choice
					if rng.Float64() < c.flips {
						u.judgments[k].choice = u.judgments[k].firstCandidate
					}
					if rng.Float64() > c.verdict {
						u.judgments[k].outcome = judging.Tie
					}
				}
			}
			b := stats.Bootstrap{Rounds: 100, Level: 0.95, Seed: 1}
			if rule := scoring.FollowedBaseline(baselines(rows, b), clusteredShare(rows, b, responseDifferences.rightInBothOrders).Low); rule != nil {
				t.Errorf("%+v: %s", c, rule.FollowsSentence())
			}
		}
	}
}

// TestSwayOfOnePlace checks that there is no other estimate if the position decides everything, or with few verdicts.
func TestSwayOfOnePlace(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	if s := swayOf(swayedPairs(rng, 100, 0, 1000, 0, 0)); !strings.Contains(s.Answer(), "100 % prefer the first response") {
		t.Errorf("%s", s.Answer())
	}
	if s := swayOf(swayedPairs(rng, 20, 1, 0, 0, 0)); !strings.Contains(s.Answer(), "Too few verdicts to measure biases: there are 40") {
		t.Errorf("%s", s.Answer())
	}
	rows := swayedPairs(rng, 100, 1, 0, 0, 0)
	for i := range rows {
		clear(rows[i].differences)
	}
	if s := swayOf(rows); !strings.Contains(s.Answer(), "texts of the responses are not") {
		t.Errorf("%s", s.Answer())
	}
	if s := swayOf(nil); !strings.Contains(s.Answer(), "no pair has a label") {
		t.Errorf("%s", s.Answer())
	}
}

// TestFeatures compares the counts of features with counts by hand.
func TestFeatures(t *testing.T) {
	text := "# Title\n\n- **one** I may\n2. two `x` 3,5\n\n```go\ncode\n```\nPerhaps we might."
	want := map[string]int{
		scoring.CauseLength: len(text), "Markdown": 2, "lists": 2, "code": 3, "numbers": 2, "hedging": 3, "first person": 2,
	}
	for _, f := range features {
		if n := math.Exp(f.logCountIn(text)) - 1; math.Abs(n-float64(want[f.name])) > 1e-9 {
			t.Errorf("%s: %.3f, want %d", f.name, n, want[f.name])
		}
	}
}

// TestSwayShares checks that clustered pairs count for less than independent ones, and that a pair without a verdict is
// wrong.
func TestSwayShares(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	alone := swayedPairs(rng, 60, 1, 0, 0, 0)
	together := slices.Clone(alone)
	for i := range together {
		together[i].cluster = i / 6
	}
	b := stats.Bootstrap{Rounds: 2000, Level: 0.95, Seed: 1}
	x := clusteredShare(alone, b, responseDifferences.rightInBothOrders)
	y := clusteredShare(together, b, responseDifferences.rightInBothOrders)
	exact := stats.Blaker(int(math.Round(*x.Value*60/100)), 60, 0.95)
	if *x.Value != *y.Value || math.Abs(*x.Low-100*exact.Low) > 1e-3 || *y.Low == *x.Low {
		t.Errorf("alone %v [%v, %v], together %v [%v, %v]", *x.Value, *x.Low, *x.High, *y.Value, *y.Low, *y.High)
	}
	silent := responseDifferences{pair: pair{gold: 0}, cluster: 60}
	silent.judgments = [2]judgment{{present: true, outcome: judging.NoVerdict}, {present: true, outcome: judging.NoVerdict}}
	if z := clusteredShare(append(alone, silent), b, responseDifferences.rightInBothOrders); z.N != 61 || *z.Value >= *x.Value {
		t.Errorf("with a silent pair %v of %d", *z.Value, z.N)
	}
}

// Lines without Markdown's marks are skipped without changing the count over the whole text.
func TestMarkdownIsCountedByLines(t *testing.T) {
	whole := regexp.MustCompile(`(?m)^#{1,6} |\*\*[^*\n]+\*\*|__[^_\n]+__`)
	markdown := features[1]
	for text, want := range map[string]int{
		"# One\n\ntext # no\n###### six\n####### seven": 2,
		"**a** and **b\nc** __d__ _e_ ** **\r\n# x":     3,
		"":             0,
		"nothing here": 0,
	} {
		assert.Equal(t, math.Round(math.Exp(markdown.logCountIn(text)))-1, float64(want), text)
		assert.Equal(t, len(whole.FindAllString(text, -1)), want, text)
	}
}
