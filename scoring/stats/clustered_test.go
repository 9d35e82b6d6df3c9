package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"gotest.tools/v3/assert"

	"gavel/internal/trials"
	"gavel/scoring/stats"
)

// TestClusteredAlone is a weighted share worked by hand: 3 of 4 where the one that is not weighs as much as two.
func TestClusteredAlone(t *testing.T) {
	units := []stats.PopulationUnit{{Cluster: 0, Truth: 1, Weight: 1}, {Cluster: 1, Truth: 1, Weight: 1}, {Cluster: 2, Truth: 1, Weight: 1}, {Cluster: 3, Weight: 2}}
	p := stats.PredictionPoweredClusters(units, 0, 0.95)
	assert.Equal(t, p.Mean, 0.6)
	assert.Equal(t, p.PredictionWeight, 0.0)
	one := stats.PredictionPoweredClusters([]stats.PopulationUnit{{Truth: 1, Weight: 1}, {Truth: 1, Weight: 1}}, 0, 0.95)
	assert.Equal(t, one.Interval, stats.Interval{Low: 0, High: 1}) // one cluster tells nothing of others
}

// TestClusteredCovers: the interval holds the truth where units hang together, and where those were labelled more often
// on which judges disagree; to leave the weights out is far from it.
func TestClusteredCovers(t *testing.T) {
	trials.SkipUnlessSlowTests(t)
	const runs, population = 1000, 2000
	for _, world := range []struct {
		name                string
		cluster, labels     int
		byDisagreement      bool
		truth, easy, biased float64
	}{
		{"clusters of 4", 4, 200, false, 0.5, 0.9, 0.3},
		{"clusters of 10, few", 10, 100, false, 0.8, 0.9, 0.2},
		{"by disagreement", 1, 200, true, 0.6, 0.95, 0.3},
		{"by disagreement, few", 1, 60, true, 0.8, 0.95, 0.5},
		{"by disagreement, clusters of 4", 4, 200, true, 0.6, 0.9, 0.3},
	} {
		rng := rand.New(rand.NewPCG(1, uint64(world.cluster*world.labels)))
		powered, alone, plain := 0, 0, 0
		for range runs {
			units := make([]stats.PopulationUnit, population)
			sizes := make([]float64, population)
			hard, often := false, 0.0
			for i := range units {
				if i%world.cluster == 0 {
					if hard, often = rng.Float64() < 0.3, world.truth+0.12; hard { // what is better hangs together too
						often = world.truth - 0.28
					}
				}
				u := stats.PopulationUnit{Cluster: i / world.cluster}
				if rng.Float64() < often {
					u.Truth = 1
				}
				u.Predicted, sizes[i] = u.Truth, 0.1
				if hard && rng.Float64() < world.biased || rng.Float64() > world.easy {
					u.Predicted = 1
				}
				if hard {
					sizes[i] = 0.6
				}
				units[i] = u
			}
			if !world.byDisagreement {
				for i := range sizes {
					sizes[i] = 1
				}
			}
			chances := inclusion(sizes, world.labels)
			draws := make([]float64, population)
			for i := range draws {
				draws[i] = rng.Float64()
			}
			for _, i := range paretoSample(chances, draws, world.labels) {
				units[i].Weight = 1 / chances[i]
			}
			holds := func(p stats.PredictionPoweredEstimate) int {
				if p.Low <= world.truth && world.truth <= p.High {
					return 1
				}
				return 0
			}
			powered += holds(stats.PredictionPoweredClusters(units, 1, 0.95))
			alone += holds(stats.PredictionPoweredClusters(units, 0, 0.95))
			for i := range units {
				units[i].Weight = min(1, units[i].Weight)
			}
			plain += holds(stats.PredictionPoweredClusters(units, 0, 0.95))
		}
		t.Logf("%s: powered %.1f %%, labels alone %.1f %%, without weights %.1f %%", world.name, 100*float64(powered)/runs, 100*float64(alone)/runs, 100*float64(plain)/runs)
		assert.Assert(t, !world.byDisagreement || plain < 0.5*runs || world.labels < 100, "%s: to leave the weights out does no harm", world.name)
		assert.Assert(t, powered >= 0.93*runs && alone >= 0.93*runs, "%s: %d and %d of %d hold the truth", world.name, powered, alone, runs)
	}
}

// TestClusteredByWeights: 10 clusters of 4 units with 3 right, 20 of 2 with 1, by the formula itself: 50 of 80 right,
// 240/80 = 3 units in a unit's cluster, so that what is let in weighs 1 + 2·0.3, and 80²/240 clusters of one size.
func TestClusteredByWeights(t *testing.T) {
	var units []stats.PopulationUnit
	for c := range 30 {
		size, right := 2, 1
		if c < 10 {
			size, right = 4, 3
		}
		for i := range size {
			u := stats.PopulationUnit{Cluster: c, Weight: 1}
			if i < right {
				u.Truth = 1
			}
			units = append(units, u)
		}
	}
	const in = 1.6
	center := (50 + in) / (80 + 2*in)
	off4, off2 := (3-4*center)/80/(1-4.0/80), (1-2*center)/80/(1-2.0/80)
	variance := 29.0/30*(10*off4*off4+20*off2*off2) + in*in/(80*80)*(center*center+(1-center)*(1-center))
	half := distuv.StudentsT{Sigma: 1, Nu: 80.0*80/240 - 1}.Quantile(0.975) * math.Sqrt(variance)
	if p := stats.PredictionPoweredClusters(units, 0, 0.95); math.Abs(p.Mean-0.625) > 1e-9 || math.Abs(p.Low-(center-half)) > 1e-6 ||
		math.Abs(p.High-(center+half)) > 1e-6 {
		t.Errorf("%v, want 0.625 [%g, %g]", p, center-half, center+half)
	}
}
