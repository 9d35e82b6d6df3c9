package labels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/scoring/stats"
)

// TestCoefficientsCover: intervals of κ, AC1 and α hold what two raters have in truth, in worlds of 2 and 3 categories, even
// and skewed, with raters that are seldom and often right, of few items and many. GAVEL_WORLDS says how many worlds of each
// kind are drawn; docs/labels.md has the shares of 400.
func TestCoefficientsCover(t *testing.T) {
	worlds := 20
	if n, err := strconv.Atoi(os.Getenv("GAVEL_WORLDS")); err == nil {
		worlds = n
	}
	b := stats.Default
	b.Rounds = 1000
	total, held := 0, 0
	for _, skew := range [][]float64{{0.5, 0.5}, {0.8, 0.2}, {0.4, 0.3, 0.3}, {0.7, 0.2, 0.1}} {
		for _, right := range []float64{0.4, 0.7, 0.9, 0.98} {
			for _, n := range []int{20, 50, 350} {
				rng := rand.New(rand.NewPCG(uint64(1000*right), uint64(n*len(skew))))
				truth := coefficients(joint(skew, right), len(skew))
				var holds [3]int
				for range worlds {
					pair := drawnPair(rng, skew, right, n, b)
					for i, x := range []Number{pair.Kappa, pair.AC1, pair.Alpha} {
						if x.Low == nil || *x.Low-1e-9 <= truth[i] && truth[i] <= *x.High+1e-9 {
							holds[i]++
						}
					}
				}
				for i, name := range []string{"κ", "AC1", "α"} {
					t.Logf("%v, right on %.0f %%, n = %d: %s %.1f %%", skew, 100*right, n, name, 100*float64(holds[i])/float64(worlds))
					total, held = total+worlds, held+holds[i]
				}
			}
		}
	}
	share := float64(held) / float64(total)
	t.Logf("all: %.1f %% of %d", 100*share, total)
	assert.Assert(t, share > 0.93, "intervals of 95 %% hold the truth in %.1f %% of %d worlds", 100*share, total)
}

// joint is how often two raters give two categories, of items whose truth is drawn by skew, where each is right by itself on a
// share of items, and else says another category.
func joint(skew []float64, right float64) []float64 {
	k := len(skew)
	cells := make([]float64, k*k)
	for truth, p := range skew {
		for x := range k {
			for y := range k {
				cells[x*k+y] += p * says(truth, x, k, right) * says(truth, y, k, right)
			}
		}
	}
	return cells
}

func says(truth, said, k int, right float64) float64 {
	if truth == said {
		return right
	}
	return (1 - right) / float64(k-1)
}

func coefficients(cells []float64, k int) [3]float64 {
	both := make([]float64, k*k)
	for i := range k {
		for j := range k {
			both[i*k+j] += 1e6 * cells[i*k+j] // many items: α corrects for few
			both[j*k+i] += 1e6 * cells[i*k+j]
		}
	}
	return [3]float64{stats.Kappa(cells, k), stats.AC1(cells, k), stats.Alpha(both, k, stats.Nominal)}
}

// drawnPair is two raters on n items of such a world.
func drawnPair(rng *rand.Rand, skew []float64, right float64, n int, b stats.Bootstrap) Pair {
	p := &panel{judges: []*Judge{{}}, index: map[string]int{}, b: b}
	for i := range skew {
		p.categories = append(p.categories, fmt.Sprint(i))
		p.index[fmt.Sprint(i)] = i
	}
	raters := []rater{{"x", false, map[string]string{}}, {"y", false, map[string]string{}}}
	for item := range n {
		truth, u := 0, rng.Float64()
		for u -= skew[0]; u > 0 && truth < len(skew)-1; u -= skew[truth] {
			truth++
		}
		for _, r := range raters {
			said := truth
			if rng.Float64() >= right {
				said = (truth + 1 + rng.IntN(len(skew)-1)) % len(skew)
			}
			r.of[fmt.Sprintf("%04d", item)] = p.categories[said]
		}
	}
	pair := p.pair(raters[0], raters[1])
	if pair.Kappa.Value != nil && math.IsNaN(*pair.Kappa.Value) {
		panic("undefined")
	}
	return pair
}

// TestApartByCluster: judges of items that hang together are told apart by the clusters, and equal ones are not.
func TestApartByCluster(t *testing.T) {
	p := &panel{judges: []*Judge{{cluster: func(item string) string { return item[:2] }}}, b: stats.Default}
	all, few, other := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for i := range 80 {
		item := fmt.Sprintf("%02d-%d", i/4, i%4)
		all[item], few[item], other[item] = true, i%4 == 0, i/4%2 == 0
	}
	assert.Assert(t, p.apart(all, few) < 1e-3, "p is %v", p.apart(all, few))
	assert.Equal(t, p.apart(all, all), 1.0)
	same := map[string]bool{}
	for item, is := range other {
		same[item] = !is // in other clusters, as many
	}
	assert.Assert(t, p.apart(other, same) > 0.5, "p is %v", p.apart(other, same))
}
