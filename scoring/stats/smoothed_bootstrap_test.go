package stats_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"gavel/scoring/stats"
)

// source is of the second implementations.
var source = rand.NewPCG(13, 17)

var many = stats.Bootstrap{Rounds: 40000, Level: 0.95, Seed: 3}

func kept(rows [][]float64) *stats.Rows {
	all := &stats.Rows{}
	for _, r := range rows {
		all.Add(r)
	}
	return all
}

func times(n int, row ...float64) [][]float64 { return slices.Repeat([][]float64{row}, n) }

// shrunk is the shape of a row's weight: with it, the mean of n rows has the variance s²·t²/z²/n, s² over n−1.
func shrunk(n int) float64 {
	t := distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}.Quantile(0.975) / distuv.UnitNormal.Quantile(0.975)
	return (float64(n-1)/(t*t) - 1) / float64(n)
}

// A share's ends are quantiles of two beta distributions.
func TestSmoothedShareIsBeta(t *testing.T) {
	ends := &stats.PriorRows{
		Low:        []stats.SparseRow{{Columns: []int{1}, Values: []float64{1}}},
		High:       []stats.SparseRow{{Columns: []int{0, 1}, Values: []float64{1, 1}}},
		MeanWeight: 0.5,
	}
	for _, c := range [][2]int{{17, 20}, {20, 20}, {0, 30}, {330, 350}} {
		k, n := float64(c[0]), float64(c[1])
		rows := slices.Concat(times(c[0], 1, 1), times(c[1]-c[0], 0, 1))
		got := many.SmoothedIntervals(kept(rows), []stats.Statistic{{Compute: ratio, Prior: ends}})[0]
		a := shrunk(c[1])
		want := stats.Interval{Low: 0, High: 1}
		if k > 0 {
			want.Low = distuv.Beta{Alpha: a * k, Beta: a * (n - k + 0.5)}.Quantile(0.025)
		}
		if k < n {
			want.High = distuv.Beta{Alpha: a * (k + 0.5), Beta: a * (n - k)}.Quantile(0.975)
		}
		if !near(got, want, 0.004) || got.High <= got.Low {
			t.Errorf("%d of %d: %+v, by the beta distributions %+v", c[0], c[1], got, want)
		}
	}
}

// Cells with ½ in each are a Dirichlet distribution: so is the difference of two of them, drawn here from its gammas.
func TestSmoothedCellsAreDirichlet(t *testing.T) {
	counts := []int{30, 0, 8, 2}
	var rows [][]float64
	var cells []stats.SparseRow
	for i, n := range counts {
		row := make([]float64, len(counts))
		row[i] = 1
		rows = append(rows, times(n, row...)...)
		cells = append(cells, stats.SparseRow{Columns: []int{i}, Values: []float64{1}})
	}
	of := func(s []float64) float64 { return s[0]/(s[0]+s[1]) - s[2]/(s[2]+s[3]) }
	got := many.SmoothedIntervals(kept(rows), []stats.Statistic{{Compute: of, Prior: &stats.PriorRows{Low: cells, MeanWeight: 0.5}}})[0]
	var drawn []float64
	a := shrunk(40)
	for range 40000 {
		s := make([]float64, len(counts))
		for i, n := range counts {
			s[i] = distuv.Gamma{Alpha: a * (float64(n) + 0.5), Beta: 1, Src: source}.Rand()
		}
		drawn = append(drawn, of(s))
	}
	slices.Sort(drawn)
	if want := (stats.Interval{Low: drawn[1000], High: drawn[39000]}); !near(got, want, 0.015) {
		t.Errorf("%+v, of Dirichlet draws %+v", got, want)
	}
}

// Without anything beside, the mean of many rows has the width of Student's t.
func TestSmoothedWidthIsStudents(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	rows := make([][]float64, 80)
	for i := range rows {
		rows[i] = []float64{rng.NormFloat64() + 2, 1}
	}
	mean, square := 0.0, 0.0
	for _, r := range rows {
		mean += r[0] / 80
	}
	for _, r := range rows {
		square += (r[0] - mean) * (r[0] - mean) / 79
	}
	got := many.SmoothedIntervals(kept(rows), []stats.Statistic{{Compute: ratio, Prior: &stats.PriorRows{Low: []stats.SparseRow{}}}})[0]
	half := 1.990450 * math.Sqrt(square/80) // t with 79 degrees of freedom
	if math.Abs((got.High-got.Low)/2-half) > 0.03*half {
		t.Errorf("%+v, half its width by t is %g", got, half)
	}
}

func TestSmoothedOfSeveral(t *testing.T) {
	beside := &stats.PriorRows{Low: []stats.SparseRow{{Columns: []int{1}, Values: []float64{1}}}, MeanWeight: 0.5}
	list := []stats.Statistic{
		{Compute: ratio, Prior: beside},
		{Compute: func(s []float64) float64 { return 1 - ratio(s) }, Prior: beside},
		{Compute: func([]float64) float64 { return math.NaN() }, Prior: beside},
		{Compute: ratio},
	}
	rows := kept(times(9, 1, 1))
	got := many.SmoothedIntervals(rows, list)
	if math.Abs(got[0].Low-(1-got[1].High)) > 1e-9 || !math.IsNaN(got[2].Low) || !math.IsNaN(got[3].Low) {
		t.Errorf("%+v", got)
	}
	if again := many.SmoothedIntervals(rows, list[:1]); again[0] != got[0] {
		t.Errorf("%+v, alone %+v", got[0], again[0])
	}
	if none := many.SmoothedIntervals(kept(nil), list[:1]); !math.IsNaN(none[0].Low) {
		t.Errorf("of no rows: %+v", none)
	}
}
