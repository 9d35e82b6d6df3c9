package scoring

import (
	"cmp"
	"fmt"
	"slices"

	"gavel/scoring/stats"
)

// Ranking is the headline of several runs of one condition: the same items, asked about in the same way, by different
// judges. It is no ranking: there is no significant difference between runs that share a letter.
type Ranking struct {
	Metric string     `json:"metric"`
	Mode   string     `json:"mode,omitempty"` // see [Result]
	Unit   string     `json:"unit,omitempty"`
	Test   string     `json:"test"`  // of two runs
	Runs   []Placed   `json:"runs"`  // as given
	Pairs  []Versus   `json:"pairs"` // every two of them
	Alpha  float64    `json:"alpha"`
	Family string     `json:"family"`    // what Holm's correction is over
	Boot   Bootstrap  `json:"bootstrap"` // of the intervals
	Among  [][]string `json:"groups"`    // runs that share a letter, by letter
}

// Placed is one run's value.
type Placed struct {
	Run       string `json:"run"`
	Model     string `json:"model"`
	Simulated bool   `json:"simulated"`
	Result
	// of a run that asked more than once: as in `gavel score --format json`
	NoiseFloor *float64 `json:"noise_floor,omitempty"`
	// likewise
	SelfAgreement *Result `json:"self_agreement,omitempty"`
	Report        *Report `json:"-"` // of the run
	// Letters name the groups that the run is in; none where there is nothing to compare it with, or no value.
	Letters string `json:"letters"`
}

// Versus is the test of two runs on the units that both have.
type Versus struct {
	A    int      `json:"a"` // their places in Runs
	B    int      `json:"b"`
	N    int      `json:"n"`           // units compared
	E    *float64 `json:"e,omitempty"` // where one of them is not at its end: P is its inverse
	P    *float64 `json:"p"`           // null where there is no test: none is significant
	Holm *float64 `json:"p_holm"`      // over all pairs here
	Same bool     `json:"same"`        // p_holm is not below alpha, or the difference is not larger than the noise floor
	// as in `gavel compare --format json`; left out where neither asked more than once
	Floor *float64 `json:"noise_floor,omitempty"`

	within bool // the noise floor
}

// Rank holds runs of one condition against each other, by each of their protocol's headline metrics: strict of pairs,
// generation accuracy of answers, F1 of self-reference in each mode, the Grade score of several options. Holm's
// correction is over every two of the runs by all of these; [Correct] makes it one over several conditions.
func Rank(runs []*Run, b stats.Bootstrap) ([]Ranking, error) {
	reports := make([]Report, len(runs))
	for i, run := range runs {
		reports[i] = run.Score(b)
	}
	return RankScored(runs, reports, b)
}

// RankScored does what [Rank] does, for runs whose reports are at hand, in the order of the runs.
func RankScored(runs []*Run, reports []Report, b stats.Bootstrap) ([]Ranking, error) {
	if len(runs) == 0 {
		return nil, nil
	}
	for _, run := range runs {
		if a, b := runs[0].Manifest.Spec.Protocol, run.Manifest.Spec.Protocol; a != b {
			return nil, fmt.Errorf("%s (%s) and %s (%s) are not of one condition", runs[0].Dir, a, run.Dir, b)
		}
	}
	var out []Ranking
	sheets := sheetsOf(runs, b.Seed)
	for _, m := range sheets[0].Metrics {
		if !m.Headline {
			continue
		}
		s := Ranking{Metric: m.Name, Mode: m.Mode, Alpha: alpha, Boot: reports[0].Bootstrap, Pairs: []Versus{}}
		for i, run := range runs {
			p := Placed{
				Run:       run.Dir,
				Model:     run.Manifest.Spec.Model.Name,
				Simulated: run.Manifest.Simulated,
				Result:    reports[i].headline(m),
				Report:    &reports[i],
			}
			if r := reports[i].Repetitions; r != nil {
				p.SelfAgreement, p.NoiseFloor = &r.SelfAgreement, floorValues(r.Values).of(m.Name, Overall, m.Mode)
			}
			s.Runs, s.Unit = append(s.Runs, p), cmp.Or(s.Unit, p.Unit)
		}
		s.test(sheets, m, b)
		out = append(out, s)
	}
	Correct(out)
	return out, nil
}

// test compares every two runs.
func (s *Ranking) test(runs []scoredRun, m Metric, b stats.Bootstrap) {
	s.Test = exchange
	if m.is(Share) {
		s.Test = mcNemar
	}
	early := false
	for i, a := range runs {
		for j, other := range runs[i+1:] {
			joined := join(a.Units, other.Units)
			x := a.pairedSample(a.resampled(), section{Overall, -1}, joined, a.ahead(other, joined), []Metric{m})
			d := x.difference(&m, a.Width, bounds{}, b)
			early = early || x.early != nil
			floor := floors(joined, &m, a, other).of(m.Name, Overall, m.Mode)
			s.Pairs = append(s.Pairs, Versus{
				A:      i,
				B:      i + 1 + j,
				N:      d.tested,
				E:      d.E,
				P:      d.P,
				Same:   true,
				Floor:  floor,
				within: withinFloor(d.Diff, floor),
			})
		}
	}
	if early {
		s.Test += " or, where one is not at its end, " + byE
	}
}

// Correct applies Holm's correction to all tests of several rankings, as where they are the rows of one table, and
// gives their runs letters by it.
func Correct(tables ...[]Ranking) {
	var all []*Ranking
	var tests []*Versus
	var p []float64
	for _, table := range tables {
		for i := range table {
			all = append(all, &table[i])
			for k := range table[i].Pairs {
				if v := &table[i].Pairs[k]; v.P != nil {
					tests, p = append(tests, v), append(p, *v.P)
				}
			}
		}
	}
	for i, adjusted := range stats.Holm(p) {
		tests[i].Holm, tests[i].Same = Precise(adjusted), adjusted >= alpha || tests[i].within
	}
	for _, s := range all {
		s.Family = fmt.Sprintf("every two runs by every headline: %d test%s", len(p), plural(len(p)))
		s.letter()
	}
}

// letter gives the runs that have a value their letters, the first to the group with the highest value.
func (s *Ranking) letter() {
	var placed []int // runs with a value, the highest first, else as given
	for i, r := range s.Runs {
		if r.Value != nil {
			placed = append(placed, i)
		}
	}
	s.Among = [][]string{}
	for i := range s.Runs {
		s.Runs[i].Letters = ""
	}
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
	for n, group := range stats.Tied(len(placed), apart) {
		var names []string
		for _, at := range group {
			r := &s.Runs[placed[at]]
			r.Letters += LetterOf(n)
			names = append(names, r.Run)
		}
		s.Among = append(s.Among, names)
	}
}
