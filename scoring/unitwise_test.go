package scoring

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"gavel/internal/trials"
	"gavel/judging"
	"gavel/scoring/stats"
)

// ratedUnit is an answer with the grade that people gave it and the judge's, which is NaN where the judge gave none.
type ratedUnit struct {
	id, cluster   string
	people, judge float64
}

// ratedTable has the words of one more metric, and ratedMetrics its function, of the units one by one.
const ratedTable = `
- key: pearson
  label: grades as people do
  definition: how closely the judge's grades go with those of people
  unit: correlation
  best: higher is better
  missing: answer left out
  undefined: the judge gave all answers one grade
`

var ratedMetrics = []SumMetric[ratedUnit]{{
	Metric: Metric{
		Name:           "pearson",
		ValueFromUnits: pearson,
		Headline:       true,
	},
	Contribution: func(r ratedUnit) (x, y float64) { return r.people, r.judge },
}}

func pearson(rows [][]float64) float64 {
	var x, y []float64
	for _, row := range rows {
		x, y = append(x, row[0]), append(y, row[1])
	}
	return stat.Correlation(x, y, nil)
}

// correlation of all grades.
func correlation(all []ratedUnit) float64 {
	var rows [][]float64
	for _, r := range all {
		rows = append(rows, []float64{r.people, r.judge})
	}
	return pearson(rows)
}

// gradesScorer has them as its units.
type gradesScorer struct{ all []ratedUnit }

func (g gradesScorer) Terms() ScorerTerms { return ScorerTerms{Unit: "answer", Record: "grade"} }

func (g gradesScorer) Add(*judging.Record, judging.Verdict) (bool, error) { return true, nil }

func (g gradesScorer) Finish() (complete int) { return len(g.all) }

func (g gradesScorer) Sheet(MissingPolicy, uint64) *Sheet {
	s := &Sheet{Metrics: AssignColumns(ratedMetrics), ColumnCount: 2}
	for _, r := range g.all {
		row := make([]float64, 2)
		FillRow(ratedMetrics, r, row)
		s.Units = append(s.Units, Unit{ID: r.id, Cluster: r.cluster, Row: row})
	}
	return s
}

func ratedRun(all []ratedUnit) *Run {
	m := judging.NewManifest("test", judging.Spec{Protocol: "rated", Dataset: judging.DatasetSpec{Items: len(all)}})
	Register("rated", nil, ratedTable)
	return &Run{Manifest: m, Items: len(all), Outcomes: map[judging.Outcome]int{}, scorer: gradesScorer{all}}
}

// ratings are by a judge who sees the grades of people through noise.
func ratings(seed uint64, n int, noise float64) []ratedUnit {
	people := rand.New(rand.NewPCG(1, 1))
	judge := rand.New(rand.NewPCG(seed, 2))
	all := make([]ratedUnit, n)
	for i := range all {
		quality := people.NormFloat64()
		all[i] = ratedUnit{id: fmt.Sprintf("answer-%04d", i), people: quality, judge: quality + noise*judge.NormFloat64()}
	}
	return all
}

var few = stats.Bootstrap{Rounds: 2000, Level: 0.95, Seed: 1}

func TestAMetricMayLookAtUnitsOneByOne(t *testing.T) {
	rho := correlation(ratings(7, 300, 0.8))
	without := append(ratings(7, 300, 0.8), ratedUnit{id: "no-grade", people: 5, judge: math.NaN()})
	r := ratedRun(without).Score(few).Results[0]
	if r.N != 300 || math.Abs(*r.Value-rho) > 1e-6 || r.Unit != UnitCorrelation || r.IntervalMethod != IntervalByJackknife {
		t.Errorf("%+v, the correlation is %v", r, rho)
	}
	half := 1.96 / math.Sqrt(297) // Fisher's z
	low, high := math.Tanh(math.Atanh(rho)-half), math.Tanh(math.Atanh(rho)+half)
	if math.Abs(*r.Low-low) > 0.02 || math.Abs(*r.High-high) > 0.02 {
		t.Errorf("[%v, %v], by Fisher's z [%v, %v]", *r.Low, *r.High, low, high)
	}
	if term, _ := MetricOf("rated", "pearson"); term.Label != "grades as people do" || term.Direction != Higher {
		t.Errorf("its words are %+v", term)
	}
}

func TestUnitsOfAClusterAreResampledTogether(t *testing.T) {
	single := ratings(3, 100, 0.8)
	var fourfold []ratedUnit
	for _, r := range single {
		r.cluster = r.id
		for k := range 4 {
			r.id = fmt.Sprint(r.cluster, k)
			fourfold = append(fourfold, r)
		}
	}
	one := ratedRun(single).Score(few).Results[0]
	four := ratedRun(fourfold).Score(few).Results[0]
	if four.Clusters != 100 || four.N != 400 || math.Abs(*four.Value-*one.Value) > 1e-6 ||
		math.Abs(*four.Low-*one.Low) > 0.01 || math.Abs(*four.High-*one.High) > 0.01 {
		t.Errorf("of 100 answers %+v, of each four times %+v", one, four)
	}
}

func TestUnitwiseMetricsAreCompared(t *testing.T) {
	trials.SkipUnlessSlowTests(t)
	good := ratedRun(ratings(7, 200, 0.5))
	bad := ratedRun(ratings(8, 200, 2))
	all, err := Compare([]*Run{good, bad, ratedRun(ratings(9, 200, 0.5))}, few)
	if err != nil {
		t.Fatal(err)
	}
	differ := all.Comparisons[0].Differences[0]
	want := correlation(ratings(8, 200, 2)) - correlation(ratings(7, 200, 0.5))
	if *differ.High >= 0 || *differ.Holm > 0.01 || differ.NotSignificant || differ.Test != permutationTest || differ.Table != nil ||
		math.Abs(*differ.BMinusA-want) > 1e-5 {
		t.Errorf("a worse judge: %+v", differ)
	}
	if alike := all.Comparisons[1].Differences[0]; !alike.NotSignificant || *alike.Low > 0 || *alike.High < 0 {
		t.Errorf("one as good: %+v", alike)
	}
	ranked, err := Rank([]*Run{good, bad}, few)
	if err != nil || ranked[0].Test != permutationTest || ranked[0].Runs[0].Letters == ranked[0].Runs[1].Letters {
		t.Errorf("%+v, %v", ranked, err)
	}
}

func TestUnitwiseMetricsWithoutAnInterval(t *testing.T) {
	same := ratings(1, 30, 0.5)
	for i := range same {
		same[i].judge = 3
	}
	for _, c := range []struct {
		all  []ratedUnit
		note string
	}{
		{all: same, note: "undefined: the judge gave all answers one grade"},
		{all: ratings(1, 9, 0.5), note: "it needs 10 independent"},
	} {
		r := ratedRun(c.all).Score(few).Results[0]
		want := correlation(c.all)
		if (r.Value == nil) != math.IsNaN(want) || r.Value != nil && math.Abs(*r.Value-want) > 1e-6 || r.Low != nil ||
			!strings.Contains(r.Note, c.note) {
			t.Errorf("%+v, want %v and %q", r, want, c.note)
		}
	}
}

func TestTheIntervalOfUnitsCovers(t *testing.T) {
	trials.SkipUnlessSlowTests(t)
	const truth, n, trials = 0.6, 60, 300
	rng := rand.New(rand.NewPCG(5, 5))
	covered := 0
	for trial := range trials {
		all := make([]ratedUnit, n)
		for i := range all {
			x := rng.NormFloat64()
			all[i] = ratedUnit{id: fmt.Sprint(i), people: x, judge: truth*x + math.Sqrt(1-truth*truth)*rng.NormFloat64()}
		}
		s := ratedRun(all).Score(stats.Bootstrap{Rounds: 400, Level: 0.95, Seed: uint64(trial)}).Results[0]
		covered += int(Indicator(*s.Low <= truth && truth <= *s.High))
	}
	if share := float64(covered) / trials; share < 0.9 || share > 0.985 {
		t.Errorf("%.3f of the intervals hold %.1f", share, truth)
	}
}
