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

// swayedPairs are pairs of a judge that knows, leans to what is shown first, and to what has more of a feature.
func swayedPairs(rng *rand.Rand, n int, knows, place, leans float64, to int) (rows []swayed) {
	for i := range n {
		u := swayed{cluster: i}
		u.gold = int8(rng.IntN(2))
		for range features {
			u.more = append(u.more, rng.NormFloat64())
		}
		own := rng.NormFloat64() // what the judge sees in the pair besides, both times
		for k := range u.judgments {
			first := int8(k)
			eta := knows*(1-2*float64(u.gold)) + place*(1-2*float64(first)) + leans*u.more[to] + own
			choice := int8(1)
			if rng.Float64() < 1/(1+math.Exp(-eta)) {
				choice = 0
			}
			u.judgments[k] = judgment{seen: true, outcome: judging.Decided, choice: choice, first: first}
		}
		rows = append(rows, u)
	}
	return rows
}

// swayOf is what the pairs come to.
func swayOf(rows []swayed) *scoring.Sway {
	out := &scoring.Sway{Pairs: len(rows)}
	b := stats.Bootstrap{Rounds: 2, Level: 0.95, Seed: 1}
	for k, f := range features {
		out.Causes = append(out.Causes, f.cause(k, rows, b))
	}
	regress(out, rows, b)
	return out
}

// TestSwayFindsWhatWasPlanted: of judges that nothing sways but the place, at most one in twenty is said to be swayed by
// any of the features, two verdicts of a pair depending on each other; a lean that shifts the share of verdicts by ten
// points is found in 95 of 100.
func TestSwayFindsWhatWasPlanted(t *testing.T) {
	trials.Long(t)
	rng := rand.New(rand.NewPCG(7, 11))
	const times, n = 300, 350
	falseAlarms := 0
	for range times {
		for _, c := range swayOf(swayedPairs(rng, n, 1, 0.5, 0, 0)).Causes[1:] {
			if c.Sways() {
				falseAlarms++
				break
			}
		}
	}
	// Binomial(300, 0.05) is at most 25 in 99.9 % of cases.
	if falseAlarms > 25 {
		t.Errorf("%d of %d judges that no feature sways are said to be swayed", falseAlarms, times)
	}
	found := 0
	shift := 0.0
	for range times {
		for _, c := range swayOf(swayedPairs(rng, n, 1, 0.5, 0.8, 0)).Causes[1:] {
			if c.Name == scoring.Length {
				found += int(scoring.One(c.Sways() && c.Odds.Ratio > 1))
				shift += *c.Named.Value - 50
			}
		}
	}
	shift /= times
	if shift < 8 || shift > 11 {
		t.Errorf("the lean shifts %.1f points", shift)
	}
	if found < times*95/100 {
		t.Errorf("found in %d of %d", found, times)
	}
	t.Logf("false alarms in %d of %d, found in %d", falseAlarms, times, found)
}

// TestSwayOfOnePlace: where the place decides all, nothing else can be told; of few verdicts neither.
func TestSwayOfOnePlace(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	if s := swayOf(swayedPairs(rng, 100, 0, 1000, 0, 0)); !strings.Contains(s.Answer(), "100 % name the response shown first") {
		t.Errorf("%s", s.Answer())
	}
	if s := swayOf(swayedPairs(rng, 20, 1, 0, 0, 0)); !strings.Contains(s.Answer(), "Too few verdicts (40)") {
		t.Errorf("%s", s.Answer())
	}
	rows := swayedPairs(rng, 100, 1, 0, 0, 0)
	for i := range rows {
		clear(rows[i].more)
	}
	if s := swayOf(rows); !strings.Contains(s.Answer(), "texts of the responses are not") {
		t.Errorf("%s", s.Answer())
	}
	if s := swayOf(nil); !strings.Contains(s.Answer(), "No pair has") {
		t.Errorf("%s", s.Answer())
	}
}

// TestFeatures: what is counted, by hand.
func TestFeatures(t *testing.T) {
	text := "# Title\n\n- **one** I may\n2. two `x` 3,5\n\n```go\ncode\n```\nPerhaps we might."
	want := map[string]int{
		scoring.Length: len(text), "Markdown": 2, "lists": 2, "code": 3, "numbers": 2, "hedging": 3, "first person": 2,
	}
	for _, f := range features {
		if n := math.Exp(f.of(text)) - 1; math.Abs(n-float64(want[f.name])) > 1e-9 {
			t.Errorf("%s: %.3f, want %d", f.name, n, want[f.name])
		}
	}
}

// TestSwayShares: pairs that belong together are worth fewer than as many that stand alone, and one without a verdict is
// wrong.
func TestSwayShares(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	alone := swayedPairs(rng, 60, 1, 0, 0, 0)
	together := slices.Clone(alone)
	for i := range together {
		together[i].cluster = i / 6
	}
	b := stats.Bootstrap{Rounds: 2000, Level: 0.95, Seed: 1}
	x := shareOf(alone, b, swayed.bothRight)
	y := shareOf(together, b, swayed.bothRight)
	exact := stats.Blaker(int(math.Round(*x.Value*60/100)), 60, 0.95)
	if *x.Value != *y.Value || math.Abs(*x.Low-100*exact.Low) > 1e-3 || *y.Low == *x.Low {
		t.Errorf("alone %v [%v, %v], together %v [%v, %v]", *x.Value, *x.Low, *x.High, *y.Value, *y.Low, *y.High)
	}
	silent := swayed{pair: pair{gold: 0}, cluster: 60}
	silent.judgments = [2]judgment{{seen: true, outcome: judging.NoVerdict}, {seen: true, outcome: judging.NoVerdict}}
	if z := shareOf(append(alone, silent), b, swayed.bothRight); z.N != 61 || *z.Value >= *x.Value {
		t.Errorf("with a silent pair %v of %d", *z.Value, z.N)
	}
}

// Lines without a mark of Markdown are passed over, and the count is that over the whole text.
func TestMarkdownIsCountedByLines(t *testing.T) {
	whole := regexp.MustCompile(`(?m)^#{1,6} |\*\*[^*\n]+\*\*|__[^_\n]+__`)
	markdown := features[1]
	for text, want := range map[string]int{
		"# One\n\ntext # no\n###### six\n####### seven": 2,
		"**a** and **b\nc** __d__ _e_ ** **\r\n# x":     3,
		"":             0,
		"nothing here": 0,
	} {
		assert.Equal(t, math.Round(math.Exp(markdown.of(text)))-1, float64(want), text)
		assert.Equal(t, len(whole.FindAllString(text, -1)), want, text)
	}
}
