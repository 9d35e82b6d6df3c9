package scoring

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gavel/scoring/stats"
)

// Standing is the headline of several runs of one condition: the same items,
// asked about in the same way, by different judges. It is no ranking: runs that
// share a letter cannot be told apart.
type Standing struct {
	Metric string     `json:"metric"`
	Mode   string     `json:"mode,omitempty"` // see [Result]
	Unit   string     `json:"unit,omitempty"`
	Test   string     `json:"test"`  // of two runs
	Runs   []Placed   `json:"runs"`  // as given
	Pairs  []Versus   `json:"pairs"` // every two of them
	Alpha  float64    `json:"alpha"`
	Boot   Bootstrap  `json:"bootstrap"` // of the intervals
	Among  [][]string `json:"groups"`    // runs that share a letter, by letter
}

// Placed is one run's value.
type Placed struct {
	Run       string `json:"run"`
	Model     string `json:"model"`
	Simulated bool   `json:"simulated"`
	Result
	// Letters name the groups that the run is in; none where there is nothing to
	// compare it with, or no value.
	Letters string `json:"letters"`
}

// Versus is the test of two runs on the units that both have.
type Versus struct {
	A    int      `json:"a"` // their places in Runs
	B    int      `json:"b"`
	N    int      `json:"n"`      // units compared
	P    *float64 `json:"p"`      // null where there is no test: they are not told apart
	Holm *float64 `json:"p_holm"` // over all pairs here
	Same bool     `json:"same"`   // p_holm is not below alpha
}

// heading is a metric that runs of a protocol are held against each other by.
type heading struct{ metric, mode, test string }

const (
	mcNemar  = "exact McNemar"
	exchange = "paired permutation"
)

// placing is what a family needs for standings.
type placing interface {
	headings() []heading
	// versus is the p of another run of the family under h, on the n units that
	// both have; NaN where there is none.
	versus(other Scorer, h heading, p stats.Permutation) (pvalue float64, n int)
}

// Standings holds runs of one condition against each other, by each of their
// protocol's headline metrics: strict of pairs, generation accuracy of answers,
// F1 of self-reference in each mode, the Grade score of several options. Holm's
// correction is over every two of the runs.
func Standings(runs []*Run, b stats.Bootstrap) ([]Standing, error) {
	if len(runs) == 0 {
		return nil, nil
	}
	reports := make([]Report, len(runs))
	for i, run := range runs {
		if err := runs[0].comparable(run); err != nil {
			return nil, err
		}
		reports[i] = run.Score(b)
	}
	var out []Standing
	for _, h := range runs[0].headings() {
		s := Standing{Metric: h.metric, Mode: h.mode, Test: h.test, Alpha: alpha, Boot: reports[0].Bootstrap, Pairs: []Versus{}}
		for i, run := range runs {
			p := Placed{Run: run.Dir, Model: run.Manifest.Spec.Model.Name, Simulated: run.Manifest.Simulated, Result: reports[i].headline(h)}
			s.Runs, s.Unit = append(s.Runs, p), cmp.Or(s.Unit, p.Unit)
		}
		s.test(runs, h, b)
		s.letter()
		out = append(out, s)
	}
	return out, nil
}

// comparable refuses runs that are not of one protocol.
func (run *Run) comparable(other *Run) error {
	if a, b := run.Manifest.Spec.Protocol, other.Manifest.Spec.Protocol; a != b {
		return fmt.Errorf("%s (%s) and %s (%s) are not of one condition", run.Dir, a, other.Dir, b)
	}
	if _, ok := run.scorer.(placing); !ok {
		return fmt.Errorf("%s: runs of %s have no headline to be held against each other by", run.Dir, run.Manifest.Spec.Protocol)
	}
	return nil
}

func (run *Run) headings() []heading {
	if f, ok := run.scorer.(placing); ok {
		return f.headings()
	}
	return nil
}

func (rep Report) headline(h heading) Result {
	i := slices.IndexFunc(rep.Results, func(r Result) bool {
		return r.Metric == h.metric && r.Group == Overall && r.Mode == h.mode
	})
	if i < 0 {
		return Result{Metric: h.metric, Group: Overall, Mode: h.mode, Note: "undefined: nothing is judged"}
	}
	return rep.Results[i]
}

// fewestPerPair is how many exchanges are drawn for each comparison of the
// family, at least: Holm multiplies the smallest p by their number, and a p is no
// smaller than one in so many draws.
const fewestPerPair = 200

// test compares every two runs and corrects for how many that are.
func (s *Standing) test(runs []*Run, h heading, b stats.Bootstrap) {
	pairs := len(runs) * (len(runs) - 1) / 2
	how := stats.Permutation{Rounds: max(b.Rounds, fewestPerPair*pairs), Seed: b.Seed}
	var family []float64
	for i, a := range runs {
		for j, other := range runs[i+1:] {
			p, n := a.scorer.(placing).versus(other.scorer, h, how)
			v := Versus{A: i, B: i + 1 + j, N: n, Same: true}
			if !math.IsNaN(p) {
				p = math.Round(p*1e6) / 1e6
				v.P = &p
				family = append(family, p)
			}
			s.Pairs = append(s.Pairs, v)
		}
	}
	adjusted := stats.Holm(family)
	for i := range s.Pairs {
		if v := &s.Pairs[i]; v.P != nil {
			holm := math.Round(adjusted[0]*1e6) / 1e6
			v.Holm, v.Same, adjusted = &holm, holm >= s.Alpha, adjusted[1:]
		}
	}
}

// letter gives the runs that have a value their letters, the first to the group
// with the highest value.
func (s *Standing) letter() {
	var placed []int // runs with a value, the highest first, else as given
	for i, r := range s.Runs {
		if r.Value != nil {
			placed = append(placed, i)
		}
	}
	s.Among = [][]string{}
	if len(placed) < 2 {
		return
	}
	slices.SortStableFunc(placed, func(i, j int) int { return cmp.Compare(*s.Runs[j].Value, *s.Runs[i].Value) })
	place := make([]int, len(s.Runs))
	for at, i := range placed {
		place[i] = at
	}
	var apart [][2]int
	for _, v := range s.Pairs {
		if !v.Same && s.Runs[v.A].Value != nil && s.Runs[v.B].Value != nil {
			apart = append(apart, [2]int{place[v.A], place[v.B]})
		}
	}
	for n, group := range tied(len(placed), apart) {
		var names []string
		for _, at := range group {
			r := &s.Runs[placed[at]]
			r.Letters += letterOf(n)
			names = append(names, r.Run)
		}
		s.Among = append(s.Among, names)
	}
}

func (t Table2x2) mcNemar() (p float64, n int) {
	if n = t.Both + t.OnlyA + t.OnlyB + t.Neither; n == 0 {
		return math.NaN(), 0
	}
	return stats.McNemar(t.OnlyA, t.OnlyB), n
}

// exchange adds the p of headlines that are not right or wrong, one by one: the
// same as in standings.
func (c *Comparison) exchange(a, b Scorer, boot stats.Bootstrap) {
	f, ok := a.(placing)
	if !ok {
		return
	}
	for _, h := range f.headings() {
		i := slices.IndexFunc(c.Differences, func(d Difference) bool {
			return d.Metric == h.metric && d.Mode == h.mode && d.Group == Overall
		})
		if h.test != exchange || i < 0 || c.Differences[i].Diff == nil {
			continue
		}
		d := &c.Differences[i]
		if p, _ := f.versus(b, h, stats.Permutation{Rounds: boot.Rounds, Seed: boot.Seed}); !math.IsNaN(p) {
			p = math.Round(p*1e6) / 1e6
			d.P, d.Test = &p, h.test // Holm's correction decides on Noise
		}
	}
}

func (f *answers) headings() []heading { return []heading{{GenerationAccuracy, "", mcNemar}} }

func (f *answers) versus(other Scorer, _ heading, _ stats.Permutation) (float64, int) {
	var t Table2x2
	for _, p := range f.join(other.(*answers)) {
		if p.a.gold != "" {
			t.count(p.a.right, p.b.right)
		}
	}
	return t.mcNemar()
}

func (f *selfReference) headings() (list []heading) {
	for m, mode := range modes {
		if f.asked[m] {
			list = append(list, heading{F1, mode, exchange})
		}
	}
	return list
}

// versus exchanges all that two judges said of a question's answers.
func (f *selfReference) versus(other Scorer, h heading, p stats.Permutation) (float64, int) {
	mode, measure := slices.Index(modes[:], h.mode), measureNamed(h.metric)
	whole := section{Overall, func(judgment) bool { return true }}
	joined := f.join(other.(*selfReference))
	questions, _ := f.pair(whole, joined)
	var rows stats.Rows
	n := 0
	for k, sums := range questions.kinds {
		a, b := bothTable(sums, mode, 0), bothTable(sums, mode, 1)
		class := rows.Class(slices.Concat(a, b))
		for range questions.often[k] {
			rows.AddClass(class)
			n++
		}
	}
	if n == 0 {
		return math.NaN(), 0
	}
	return p.Exchange(&rows, func(a, b []float64) float64 { return measure.of(b) - measure.of(a) }), n
}

func (f *multiOption) headings() []heading { return []heading{{GradeScore, "", exchange}} }

func (f *multiOption) versus(other Scorer, h heading, p stats.Permutation) (float64, int) {
	metric := optionMetricNamed(h.metric)
	pairs := pairBallots(f, other.(*multiOption), p.Seed)
	var rows stats.Rows
	for _, t := range pairs {
		an, ad := metric.share(t.a)
		bn, bd := metric.share(t.b)
		rows.Add([]float64{an, ad, bn, bd})
	}
	if len(pairs) == 0 {
		return math.NaN(), 0
	}
	return p.Exchange(&rows, func(a, b []float64) float64 { return b[0]/b[1] - a[0]/a[1] }), len(pairs)
}
