package labels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/datasets"
	"gavel/internal/trials"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// coverage counts the intervals of some runs, and those that cover the truth and their own value.
type coverage struct{ runs, intervals, covered, selfCovered int }

func (c *coverage) add(x Statistic, truth float64) {
	c.runs++
	if x.Low == nil {
		return
	}
	c.intervals++
	if *x.Low-1e-9 <= truth && truth <= *x.High+1e-9 {
		c.covered++
	}
	if *x.Low <= *x.Value && *x.Value <= *x.High {
		c.selfCovered++
	}
}

// share returns the percentage of the runs with an interval that cover the truth.
func (c *coverage) share() float64 { return 100 * float64(c.covered) / float64(c.intervals) }

func (c *coverage) String() string {
	text := fmt.Sprintf("%.1f", c.share())
	if none := c.runs - c.intervals; none > 0 {
		text += fmt.Sprintf(" (%.1f none)", 100*float64(none)/float64(c.runs))
	}
	return text
}

// ratersWorld describes two raters, each of whom is correct on a share of items, and otherwise gives another category.
// The truth of an item is drawn by skew; one more category, which nobody uses, stands for the tie of pairs. Two items
// of a cluster are equal in every respect with probability alike, which is their correlation.
type ratersWorld struct {
	skew           []float64
	first, second  float64
	clusters, each int
	alike          float64
}

// measured returns the coverage of κ, AC1 and α over some runs.
func (w ratersWorld) measured(runs, rounds int) (coverages [3]coverage) {
	truth := w.truth()
	for i := range runs {
		pair := w.draw(rand.New(rand.NewPCG(uint64(i), uint64(1000*w.first)+uint64(w.clusters))), rounds)
		for k, x := range []Statistic{pair.Kappa, pair.AC1, pair.Alpha} {
			coverages[k].add(x, truth[k])
		}
	}
	return coverages
}

// TestCoefficientsCover: intervals of κ, AC1 and α hold what two raters have in truth, in worlds of 2 and 3
// categories, even and skewed, with raters that are often right, seldom, and of whom one contradicts the other; of few
// items and many, and of clusters. GAVEL_WORLDS says how many runs there are of each; docs/coverage.md has the shares
// of 2,000.
func TestCoefficientsCover(t *testing.T) {
	trials.SkipUnlessSlowTests(t)
	runs := 10
	if n, err := strconv.Atoi(os.Getenv("GAVEL_WORLDS")); err == nil {
		runs = n
	}
	var all coverage
	for _, w := range ratersWorlds() {
		coverages := w.measured(runs, 1000)
		truth := w.truth()
		t.Logf("| %v | %g, %g | %d × %d | %g | %.2f: %v | %.2f: %v | %.2f: %v |", w.skew, w.first, w.second,
			w.clusters, w.each, w.alike, truth[0], &coverages[0], truth[1], &coverages[1], truth[2], &coverages[2])
		for _, x := range coverages {
			all.intervals += x.intervals
			all.covered += x.covered
			all.selfCovered += x.selfCovered
		}
	}
	assert.Assert(t, all.share() > 93, "intervals of 95 %% hold the truth in %v %% of %d runs", all.share(), all.intervals)
	assert.Equal(t, all.selfCovered, all.intervals, "values lie outside of their own intervals")
}

func ratersWorlds() (all []ratersWorld) {
	for _, right := range [][2]float64{{0.98, 0.98}, {0.9, 0.9}, {0.7, 0.7}, {0.8, 0.3}, {0.9, 0.1}, {0.98, 0.02}} {
		for _, skew := range [][]float64{{0.5, 0.5}, {0.8, 0.2}, {0.95, 0.05}, {0.4, 0.3, 0.3}, {0.7, 0.2, 0.1}} {
			for _, n := range []int{20, 50, 350} {
				all = append(all, ratersWorld{skew: skew, first: right[0], second: right[1], clusters: n, each: 1})
			}
		}
		for _, clusters := range []int{20, 80} {
			for _, alike := range []float64{0, 0.1, 0.3, 0.5} {
				all = append(all, ratersWorld{
					skew: []float64{0.8, 0.2}, first: right[0], second: right[1],
					clusters: clusters, each: 20, alike: alike,
				})
			}
		}
	}
	return all
}

// TestKappaFarBelowZeroCovers: where raters contradict each other, and a category that nobody names stands beside
// theirs, the intervals of κ held the truth in 84 to 91 % of runs.
func TestKappaFarBelowZeroCovers(t *testing.T) {
	trials.SkipUnlessSlowTests(t)
	for _, n := range []int{20, 50} {
		w := ratersWorld{skew: []float64{0.5, 0.5}, first: 0.98, second: 0.02, clusters: n, each: 1}
		if agreement := w.measured(400, 400)[0]; agreement.share() < 92 {
			t.Errorf("κ of %.2f, n = %d: %v", w.truth()[0], n, &agreement)
		}
	}
}

// joint returns the probabilities with which two raters give two categories.
func (w ratersWorld) joint() []float64 {
	k := len(w.skew)
	cells := make([]float64, k*k)
	for truth, p := range w.skew {
		for x := range k {
			for y := range k {
				cells[x*k+y] += p * probability(truth, x, k, w.first) * probability(truth, y, k, w.second)
			}
		}
	}
	return cells
}

func probability(truth, label, k int, right float64) float64 {
	if truth == label {
		return right
	}
	return (1 - right) / float64(k-1)
}

func (w ratersWorld) truth() [3]float64 {
	cells, k := w.joint(), len(w.skew)
	both := make([]float64, k*k)
	for i := range k {
		for j := range k {
			both[i*k+j] += 1e6 * cells[i*k+j] // many items: α corrects for few
			both[j*k+i] += 1e6 * cells[i*k+j]
		}
	}
	return [3]float64{stats.Kappa(cells, k), stats.AC1(cells, k), stats.KrippendorffAlpha(both, k, stats.Nominal)}
}

// draw returns the agreement of two raters on items of the world.
func (w ratersWorld) draw(rng *rand.Rand, rounds int) RaterPair {
	b := stats.DefaultBootstrap
	b.Rounds = rounds
	p := &panel{judges: []*RunVerdicts{{}}, bootstrap: b}
	if w.each > 1 {
		p.judges[0].cluster = func(item string) string { return item[:4] }
	}
	k := len(w.skew)
	for i := range k + 1 {
		p.categories = append(p.categories, fmt.Sprint(i))
	}
	joint := w.joint()
	cell := func() int {
		index, u := 0, rng.Float64()
		for u -= joint[0]; u > 0 && index < len(joint)-1; u -= joint[index] {
			index++
		}
		return index
	}
	raters := []rater{{name: "x", labels: map[string]string{}}, {name: "y", labels: map[string]string{}}}
	for cluster := range w.clusters {
		shared := cell()
		for i := range w.each {
			label := shared
			if rng.Float64() >= math.Sqrt(w.alike) {
				label = cell()
			}
			item := fmt.Sprintf("%04d-%d", cluster, i)
			raters[0].labels[item] = p.categories[label/k]
			raters[1].labels[item] = p.categories[label%k]
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
	p := &panel{judges: []*RunVerdicts{{cluster: func(item string) string { return item[:2] }}}, bootstrap: stats.DefaultBootstrap}
	all, common, other := map[string][]float64{}, map[string][]float64{}, map[string][]float64{}
	for i := range 80 {
		item := fmt.Sprintf("%02d-%d", i/4, i%4)
		all[item] = []float64{1, 1}
		common[item] = []float64{scoring.Indicator(i%4 == 0), 1}
		other[item] = []float64{scoring.Indicator(i/4%2 == 0), 1}
	}
	assert.Assert(t, p.pValue(all, common) < 1e-3, "p is %v", p.pValue(all, common))
	assert.Equal(t, p.pValue(all, all), 1.0)
	same := map[string][]float64{}
	for item, is := range other {
		same[item] = []float64{1 - is[0], 1} // in other clusters, as many
	}
	assert.Assert(t, p.pValue(other, same) > 0.5, "p is %v", p.pValue(other, same))
}

// scoredPanel returns a panel of responses with scores by three people, and the scores that two judges give them. A
// person's score is the truth, 1 to 5, up to one level; each judge adds noise of its own.
func scoredPanel(rng *rand.Rand, n int, noise [2]float64) (*panel, [2]map[string]string) {
	p := &panel{judges: []*RunVerdicts{{shape: datasets.ShapeResponse.Info()}}, scored: true, bootstrap: stats.DefaultBootstrap, file: new(LabelFile)}
	scores := [2]map[string]string{{}, {}}
	for i := range n {
		item := fmt.Sprintf("%03d", i)
		truth := 1 + 4*rng.Float64()
		for _, name := range []string{"ann", "bob", "cy"} {
			p.file.Labels = append(p.file.Labels, Label{Item: item, Labeller: name, Label: scoreText(math.Round(truth + rng.Float64() - 0.5))})
		}
		for k := range scores {
			scores[k][item] = scoreText(math.Round(truth + noise[k]*rng.NormFloat64()))
		}
	}
	return p, scores
}

// TestScoresAgree: of scores, two raters' κ is weighted by distance, as package stats has it, and the distance is in
// levels. A score against people is one against their mean, so that nobody is evenly split.
func TestScoresAgree(t *testing.T) {
	p, scores := scoredPanel(rand.New(rand.NewPCG(1, 2)), 40, [2]float64{0.5, 2})
	means := p.meanScores()
	pair := p.pair(rater{labels: scores[0]}, rater{labels: means})
	var x, y []float64
	distance := 0.0
	for item, score := range scores[0] {
		a, _ := strconv.ParseFloat(score, 64)
		b, _ := strconv.ParseFloat(means[item], 64)
		x, y = append(x, a), append(y, b)
		distance += math.Abs(a-b) / 40
	}
	assert.Assert(t, math.Abs(*pair.WeightedKappa.Value-stats.WeightedKappa(x, y)) < 1e-6)
	assert.Assert(t, math.Abs(*pair.Distance.Value-distance) < 1e-6)
	assert.Assert(t, *pair.WeightedKappa.Low < *pair.WeightedKappa.Value && *pair.WeightedKappa.Value < *pair.WeightedKappa.High)
	assert.Assert(t, pair.Kappa.Value == nil && pair.N == 40)
	assert.Equal(t, len(means), 40)
	none := p.pair(rater{}, rater{labels: means}) // a judge without a score
	assert.Assert(t, none.N == 0 && none.WeightedKappa.Value == nil && none.Distance.Value == nil)
	p.file.Labels = []Label{{Item: "1", Labeller: "ann", Label: "2"}, {Item: "1", Labeller: "bob", Label: "4"}, {Item: "1", Labeller: "cy"}}
	assert.DeepEqual(t, p.meanScores(), map[string]string{"1": "3"})
}

// TestJudgesThatScoreAreToldApart: of two judges with the same noise few are called different, of one that guesses and
// one that does not all.
func TestJudgesThatScoreAreToldApart(t *testing.T) {
	for _, c := range []struct {
		noise           [2]float64
		lowest, highest int
	}{{[2]float64{1, 1}, 0, 12}, {[2]float64{0.3, 3}, 95, 100}} {
		rng := rand.New(rand.NewPCG(3, 4))
		apart := 0
		for range 100 {
			p, scores := scoredPanel(rng, 40, c.noise)
			p.bootstrap.Rounds = 500
			var rows [2]map[string][]float64
			for k := range rows {
				rows[k] = map[string][]float64{}
				for item, mean := range p.meanScores() {
					rows[k][item] = p.agreementRow(mean, scores[k][item])
				}
			}
			if p.pValue(rows[0], rows[1]) < 0.05 {
				apart++
			}
		}
		assert.Assert(t, c.lowest <= apart && apart <= c.highest, "%v: %d of 100", c.noise, apart)
	}
}
