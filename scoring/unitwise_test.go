package scoring

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
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

// ratedMetrics is what one more metric takes, where it is a rank correlation: this literal.
var ratedMetrics = []Summed[ratedUnit]{{
	Metric: Metric{
		Name: "spearman",
		Term: Term{
			Label:  "ranks as people do",
			Plain:  "how closely the judge's order of the answers goes with that of people",
			Source: "Spearman's ρ",
			Chance: "0",
			Best:   Higher,
		},
		Unit:     UnitCorrelation,
		Missing:  "answer left out",
		Units:    spearman,
		Why:      Because("the judge gave all answers one grade"),
		Compared: Whole,
		Headline: true,
	},
	Adds: func(r ratedUnit) (x, y float64) { return r.people, r.judge },
}}

// spearman is the rank correlation of two columns: Pearson's of their ranks, where equal values share the mean of theirs.
func spearman(rows [][]float64) float64 {
	var ranks [2][]float64
	for side := range ranks {
		values := make([]float64, len(rows))
		for i, row := range rows {
			values[i] = row[side]
		}
		sorted := slices.Sorted(slices.Values(values))
		for _, v := range values {
			below, _ := slices.BinarySearch(sorted, v)
			above, _ := slices.BinarySearch(sorted, math.Nextafter(v, math.Inf(1)))
			ranks[side] = append(ranks[side], float64(below+1+above)/2)
		}
	}
	return stat.Correlation(ranks[0], ranks[1], nil)
}

func TestSpearmanByHand(t *testing.T) {
	for _, c := range []struct {
		name string
		rows [][]float64
		want float64
	}{
		{"nothing", nil, math.NaN()},
		{"one", [][]float64{{1, 1}}, math.NaN()},
		{"one value", [][]float64{{1, 1}, {1, 2}}, math.NaN()},
		{"a curve", [][]float64{{1, 1}, {2, 10}, {3, 1000}}, 1},
		{"falling", [][]float64{{1, 9}, {2, 5}, {3, 1}}, -1},
		{"1 − 6·6/(4·15)", [][]float64{{1, 2}, {2, 1}, {3, 4}, {4, 3}}, 0.6},
		// Ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4: Σxy = 4.5, Σx² = 4.5, Σy² = 5.
		{"a tie", [][]float64{{1, 1}, {2, 2}, {2, 3}, {3, 4}}, 4.5 / math.Sqrt(4.5*5)},
	} {
		got := spearman(c.rows)
		if math.IsNaN(got) != math.IsNaN(c.want) || math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// gradesScorer has them as its units.
type gradesScorer struct{ all []ratedUnit }

func (g gradesScorer) Words() Words { return Words{Unit: "answer", Record: "grade"} }

func (g gradesScorer) Add(*judging.Record, judging.Verdict) (bool, error) { return true, nil }

func (g gradesScorer) Finish() (complete int) { return len(g.all) }

func (g gradesScorer) Sheet(MissingPolicy, uint64) *Sheet {
	s := &Sheet{Metrics: Lay(ratedMetrics, 0), Width: 2}
	for _, r := range g.all {
		row := make([]float64, 2)
		Fill(ratedMetrics, r, row)
		s.Units = append(s.Units, Unit{ID: r.id, Cluster: r.cluster, Row: row})
	}
	return s
}

func ratedRun(all []ratedUnit) *Run {
	m := judging.NewManifest("test", judging.Spec{Dataset: judging.DatasetSpec{Items: len(all)}})
	return &Run{Manifest: m, Items: len(all), Outcomes: map[judging.Outcome]int{}, scorer: gradesScorer{all}}
}

// ratings are by a judge who sees the grades of people through noise. Both grade in whole numbers, so that many agree.
func ratings(seed uint64, n int, noise float64) []ratedUnit {
	people := rand.New(rand.NewPCG(1, 1))
	judge := rand.New(rand.NewPCG(seed, 2))
	all := make([]ratedUnit, n)
	for i := range all {
		quality := people.NormFloat64()
		all[i] = ratedUnit{
			id:     fmt.Sprintf("answer-%04d", i),
			people: math.Round(5 + 2*quality),
			judge:  math.Round(5 + 2*(quality+noise*judge.NormFloat64())),
		}
	}
	return all
}

// spearmanAgain is ρ by another way: ranks by counting, and Pearson's correlation of them by gonum.
func spearmanAgain(all []ratedUnit) float64 {
	rank := func(of func(ratedUnit) float64, x float64) (r float64) {
		for _, other := range all {
			if of(other) < x {
				r++
			} else if of(other) == x {
				r += 0.5
			}
		}
		return r
	}
	people := func(r ratedUnit) float64 { return r.people }
	judge := func(r ratedUnit) float64 { return r.judge }
	var x, y []float64
	for _, r := range all {
		x = append(x, rank(people, r.people))
		y = append(y, rank(judge, r.judge))
	}
	return stat.Correlation(x, y, nil)
}

var few = stats.Bootstrap{Rounds: 2000, Level: 0.95, Seed: 1}

func TestAMetricMayTakeRanks(t *testing.T) {
	all := ratings(7, 300, 0.8)
	rho := spearmanAgain(all)
	without := append(ratings(7, 300, 0.8), ratedUnit{id: "no-grade", people: 5, judge: math.NaN()})
	r := ratedRun(without).Score(few).Results[0]
	if r.N != 300 || math.Abs(*r.Value-rho) > 1e-6 || r.Unit != UnitCorrelation || r.Interval != ByUnits {
		t.Errorf("%+v, ρ is %v", r, rho)
	}
	// Fisher's z with Bonett and Wright's variance (Psychometrika 65, 2000).
	half := 1.96 * math.Sqrt((1+rho*rho/2)/297)
	low := math.Tanh(math.Atanh(rho) - half)
	high := math.Tanh(math.Atanh(rho) + half)
	if math.Abs(*r.Low-low) > 0.02 || math.Abs(*r.High-high) > 0.02 {
		t.Errorf("[%v, %v], by Fisher's z [%v, %v]", *r.Low, *r.High, low, high)
	}
	if terms := Terms(Lay(ratedMetrics, 0)); len(terms) != 1 || terms[0].Metric != "spearman" || terms[0].Best != Higher {
		t.Errorf("its words are %+v", terms)
	}
}

func TestRanksOfClustersAreResampledTogether(t *testing.T) {
	var single, fourfold []ratedUnit
	for _, r := range ratings(3, 100, 0.8) {
		single = append(single, r)
		for k := range 4 {
			fourfold = append(fourfold, ratedUnit{
				id:      fmt.Sprint(r.id, k),
				cluster: r.id,
				people:  r.people,
				judge:   r.judge,
			})
		}
	}
	one := ratedRun(single).Score(few).Results[0]
	four := ratedRun(fourfold).Score(few).Results[0]
	if four.Clusters != 100 || four.N != 400 || math.Abs(*four.Value-*one.Value) > 1e-6 ||
		math.Abs(*four.Low-*one.Low) > 0.01 || math.Abs(*four.High-*one.High) > 0.01 {
		t.Errorf("of 100 answers %+v, of each four times %+v", one, four)
	}
}

func TestRanksAreCompared(t *testing.T) {
	trials.Long(t)
	good := ratedRun(ratings(7, 200, 0.5))
	bad := ratedRun(ratings(8, 200, 2))
	again := ratedRun(ratings(9, 200, 0.5))
	all, err := Compare([]*Run{good, bad, again}, few)
	if err != nil {
		t.Fatal(err)
	}
	differ := all.Comparisons[0].Differences[0]
	if *differ.High >= 0 || *differ.Holm > 0.01 || differ.Noise || differ.Test != exchange || differ.Table != nil ||
		math.Abs(*differ.Diff-(spearmanAgain(ratings(8, 200, 2))-spearmanAgain(ratings(7, 200, 0.5)))) > 1e-5 {
		t.Errorf("a worse judge: %+v", differ)
	}
	if alike := all.Comparisons[1].Differences[0]; !alike.Noise || *alike.Low > 0 || *alike.High < 0 {
		t.Errorf("one as good: %+v", alike)
	}
	ranked, err := Rank([]*Run{good, bad}, few)
	if err != nil || len(ranked) != 1 || ranked[0].Test != exchange ||
		ranked[0].Runs[0].Letters == ranked[0].Runs[1].Letters {
		t.Errorf("%+v, %v", ranked, err)
	}
}

func TestRanksWithoutAnInterval(t *testing.T) {
	var same, alike []ratedUnit
	for i := range 30 {
		same = append(same, ratedUnit{id: fmt.Sprintf("%02d", i), people: float64(i), judge: 3})
		alike = append(alike, ratedUnit{id: fmt.Sprintf("%02d", i), people: float64(i), judge: 2 * float64(i)})
	}
	for _, c := range []struct {
		name  string
		all   []ratedUnit
		value float64
		note  string
	}{
		{name: "one grade", all: same, value: math.NaN(), note: "undefined: the judge gave all answers one grade"},
		{name: "few", all: ratings(1, 9, 0.5), value: spearmanAgain(ratings(1, 9, 0.5)), note: "it takes 10 independent"},
		{name: "alike", all: alike, value: 1, note: "every resample comes to the same"},
	} {
		r := ratedRun(c.all).Score(few).Results[0]
		undefined := r.Value == nil
		if undefined != math.IsNaN(c.value) || !undefined && math.Abs(*r.Value-c.value) > 1e-6 || r.Low != nil ||
			!strings.Contains(r.Note, c.note) {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}

func TestTheIntervalOfRanksCovers(t *testing.T) {
	trials.Long(t)
	// Of two normal variables with Pearson's correlation r, Spearman's is 6/π·arcsin(r/2).
	const r, n, trials = 0.6, 60, 300
	truth := 6 / math.Pi * math.Asin(r/2)
	rng := rand.New(rand.NewPCG(5, 5))
	covered := 0
	for trial := range trials {
		all := make([]ratedUnit, n)
		for i := range all {
			x := rng.NormFloat64()
			all[i] = ratedUnit{id: fmt.Sprint(i), people: x, judge: r*x + math.Sqrt(1-r*r)*rng.NormFloat64()}
		}
		s := ratedRun(all).Score(stats.Bootstrap{Rounds: 400, Level: 0.95, Seed: uint64(trial)}).Results[0]
		if *s.Low <= truth && truth <= *s.High {
			covered++
		}
	}
	if share := float64(covered) / trials; share < 0.91 || share > 0.985 {
		t.Errorf("%.3f of the intervals hold ρ = %.3f", share, truth)
	}
}
