package stats_test

import (
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/internal/trials"
	"gavel/scoring/stats"
)

// TestPredictionPowered works one small case by hand.
func TestPredictionPowered(t *testing.T) {
	label, prediction := []float64{1, 1, 0, 0}, []float64{1, 1, 1, 0}
	rest := []float64{1, 0, 1, 0, 1, 1, 1, 0}
	p := stats.PredictionPowered(label, prediction, rest, 0.95)
	// The labels' mean is ½ and that of what was predicted for them ¾: covariance
	// (½·¼ + ½·¼ − ½·¼ + ½·¾)/3 = ⅙. All 12 predictions have 8 ones: variance (8·4/12)/11.
	weight := (1.0 / 6) / (1.5 * (8.0 * 4 / 12) / 11)
	is(t, p.PredictionWeight, weight, 1e-12)
	is(t, p.Mean, weight*5/8+0.5-weight*0.75, 1e-12)
	alone := stats.PredictionPowered(label, prediction, nil, 0.95)
	assert.Equal(t, alone.Mean, 0.5)
	assert.Equal(t, alone.PredictionWeight, 0.0)
}

// TestEstimatesCover: the interval of the corrected share holds the truth whatever the judge's bias, and that
// of the judge alone does not.
func TestEstimatesCover(t *testing.T) {
	trials.SkipUnlessSlowTests(t)
	const runs, n, m = 1000, 200, 2000
	for _, world := range []struct{ truth, sensitivity, falseAlarm float64 }{
		{0.5, 0.9, 0.4}, {0.8, 0.95, 0.5}, {0.3, 0.6, 0.3}, {0.9, 0.99, 0.2}, {0.5, 0.5, 0.5},
	} {
		rng := rand.New(rand.NewPCG(1, uint64(1000*world.truth)))
		held, gladen, naive := 0, 0, 0
		for range runs {
			label, prediction, rest := make([]float64, n), make([]float64, n), make([]float64, m)
			var right, wrong [2]int
			said := 0
			draw := func() (y, f float64) {
				says := world.falseAlarm
				if rng.Float64() < world.truth {
					y, says = 1, world.sensitivity
				}
				if rng.Float64() < says {
					f = 1
				}
				return y, f
			}
			for i := range label {
				label[i], prediction[i] = draw()
				on := &wrong
				if label[i] == 1 {
					on = &right
				}
				on[0], on[1] = on[0]+int(prediction[i]), on[1]+1
			}
			for i := range rest {
				_, rest[i] = draw()
				said += int(rest[i])
			}
			holds := func(e stats.Interval) int {
				if e.Low <= world.truth && world.truth <= e.High {
					return 1
				}
				return 0
			}
			held += holds(stats.PredictionPowered(label, prediction, rest, 0.95).Interval)
			gladen += holds(stats.RoganGladen(said, m, right, wrong, 0.95).Interval)
			naive += holds(stats.Blaker(said, m, 0.95))
		}
		t.Logf("%v: powered %.1f %%, Rogan and Gladen %.1f %%, judge alone %.1f %%", world, 100*float64(held)/runs, 100*float64(gladen)/runs, 100*float64(naive)/runs)
		assert.Assert(t, held >= 0.93*runs, "%v: only %d of %d hold the truth", world, held, runs)
	}
}
