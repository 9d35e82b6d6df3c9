package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gavel/internal/trials"
)

func scoredOf(pos, neg []float64) (units []Scored) {
	for i, x := range pos {
		units = append(units, Scored{x, true, fmt.Sprint("p", i)})
	}
	for i, x := range neg {
		units = append(units, Scored{x, false, fmt.Sprint("n", i)})
	}
	return units
}

// TestAUROCByHand: of six pairs (3, 2) (3, 5) (2, 2) (2, 5) (9, 2) (9, 5) three and a half are ranked rightly.
func TestAUROCByHand(t *testing.T) {
	area, iv := AUROC(scoredOf([]float64{3, 2, 9}, []float64{2, 5}), .95)
	if math.Abs(area-3.5/6) > 1e-12 || iv.Low >= area || iv.High <= area || iv.Low < 0 || iv.High > 1 {
		t.Errorf("%v %v", area, iv)
	}
	for want, units := range map[float64][]Scored{
		1:  scoredOf([]float64{3, 4, 5, 6}, []float64{0, 1, 2}),
		0:  scoredOf([]float64{0, 1, 2}, []float64{3, 4}),
		.5: scoredOf([]float64{1, 1}, []float64{1, 1}),
	} {
		if area, iv := AUROC(units, .95); area != want || iv.High-iv.Low < .3 || iv.Low > area || iv.High < area {
			t.Errorf("%v %v, want %v and no width of 0", area, iv, want)
		}
	}
	if area, iv := AUROC(scoredOf([]float64{1}, nil), .95); !math.IsNaN(area) || !math.IsNaN(iv.Low) {
		t.Errorf("without a negative unit: %v %v", area, iv)
	}
}

// TestAUROCCovers: intervals hold the truth, of units by themselves and of four that hang together.
func TestAUROCCovers(t *testing.T) {
	trials.SkipUnlessSlowTests(t)
	const worlds = 1000
	for _, c := range []struct {
		n, each int
		shift   float64
		least   float64
	}{{40, 1, 0, .93}, {40, 1, 1, .93}, {100, 1, 1.5, .93}, {30, 1, 2.5, .93}, {200, 4, 1, .92}} {
		rng := rand.New(rand.NewPCG(3, uint64(c.n*c.each)+uint64(100*c.shift)))
		truth, held := .5*math.Erfc(-c.shift/2), 0
		draw := func(n int) (units []Scored) {
			for i := 0; i < n; i += c.each {
				shared := rng.NormFloat64() // half of what a cluster's units vary by
				for range c.each {
					u := Scored{Score: rng.NormFloat64(), Positive: rng.IntN(2) == 0, Cluster: fmt.Sprint(i)}
					if c.each > 1 {
						u.Score = (shared + u.Score) / math.Sqrt2
					}
					if u.Positive {
						u.Score += c.shift
					}
					units = append(units, u)
				}
			}
			return units
		}
		if c.each > 1 {
			truth, _ = AUROC(draw(400_000), .95)
		}
		for range worlds {
			if _, iv := AUROC(draw(c.n), .95); iv.Low <= truth && truth <= iv.High {
				held++
			}
		}
		if share := float64(held) / worlds; share < c.least {
			t.Errorf("%+v: %.3f of the intervals hold %.4f", c, share, truth)
		} else {
			t.Logf("%+v: %.3f", c, share)
		}
	}
}

// TestAUROCOfAPerfectJudge: sums of fractions that come to more than 1 take no interval away.
func TestAUROCOfAPerfectJudge(t *testing.T) {
	for n := 2; n < 120; n++ {
		var units []Scored
		for i := range 2 * n {
			units = append(units, Scored{Score: float64(i % 2), Positive: i%2 == 1, Cluster: fmt.Sprint(i)})
		}
		if area, iv := AUROC(units, .95); area != 1 || !(iv.Low > 0 && iv.Low < 1) || iv.High != 1 {
			t.Errorf("%d of each: %g %v", n, area, iv)
		}
	}
}

// TestAUROCOfFewPositives: with one positive in ten, too.
func TestAUROCOfFewPositives(t *testing.T) {
	trials.SkipUnlessSlowTests(t)
	for _, n := range []int{50, 100, 350} {
		for _, shift := range []float64{0, 0.742, 1.812} { // areas of 0.5, 0.7 and 0.9
			rng := rand.New(rand.NewPCG(uint64(n), uint64(100*shift)))
			truth, held := .5*math.Erfc(-shift/2), 0
			for range 500 {
				var units []Scored
				for i := range n {
					u := Scored{Score: rng.NormFloat64(), Positive: i%10 == 0, Cluster: fmt.Sprint(i)}
					if u.Positive {
						u.Score += shift
					}
					units = append(units, u)
				}
				if _, iv := AUROC(units, .95); iv.Low <= truth && truth <= iv.High {
					held++
				}
			}
			if held < 465 {
				t.Errorf("n = %d: %d of 500 intervals hold %.2f", n, held, truth)
			}
		}
	}
}
