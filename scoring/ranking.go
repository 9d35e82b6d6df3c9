package scoring

import (
	"cmp"
	"fmt"
	"slices"

	"gavel/internal/phrases"
	"gavel/scoring/stats"
)

// Ranking compares several runs on the same items by one headline metric. Runs that share a letter do not differ
// significantly.
type Ranking struct {
	Metric     string        `json:"metric"`         // key of the headline metric
	Mode       string        `json:"mode,omitempty"` // the mode in which the judges were asked, for protocols with several
	Unit       string        `json:"unit,omitempty"` // unit of the values, if not percent
	Test       string        `json:"test"`           // name of the test of every two runs
	Runs       []RankedRun   `json:"runs"`           // the runs with their values, in the order of the arguments
	Pairs      []PairTest    `json:"pairs"`          // one test for every two runs
	Alpha      float64       `json:"alpha"`          // significance level of the tests, after correction
	FamilyText string        `json:"family"`         // the tests that Holm's correction covers, in words
	Boot       BootstrapInfo `json:"bootstrap"`      // settings of the resampled intervals
	Groups     [][]string    `json:"groups"`         // folders of the runs that share a letter, one list for each letter
}

// RankedRun holds one run's value in a ranking.
type RankedRun struct {
	Run       string `json:"run"`       // the run's folder
	Model     string `json:"model"`     // the judge's model
	Simulated bool   `json:"simulated"` // the judge is simulated: no model was called
	Result
	// only with repetitions: largest difference of the metric between two of them, as in the output of `gavel score`
	NoiseFloor *float64 `json:"noise_floor,omitempty"`
	// only with repetitions: percent of the prompts with the same verdict in all of them
	SelfAgreement *Result `json:"self_agreement,omitempty"`
	Report        *Report `json:"-"` // all results of the run
	// Letters holds one letter for each group of tied runs that the run belongs to; "" without a value or without
	// another run to compare with.
	Letters string `json:"letters"`
}

// PairTest holds the test of the difference between two runs of a ranking, on their common units.
type PairTest struct {
	RunA int `json:"a"` // index of the first run in [Ranking.Runs]
	RunB int `json:"b"` // index of the second run in [Ranking.Runs]
	N    int `json:"n"` // units that the test compares
	// before the end of a run: e-value against the hypothesis that both runs are equally good; P is 1/E
	E    *float64 `json:"e,omitempty"`
	P    *float64 `json:"p"`      // p-value of the difference; null without a test, and then not significant
	Holm *float64 `json:"p_holm"` // p, corrected by Holm's method over all tests of the rankings
	// not significant: p_holm is not below alpha, or the difference does not exceed the noise floor
	NotSignificant bool `json:"same"`
	// noise floor of the two runs, as in the JSON output of `gavel compare`; left out if neither repeats its prompts
	NoiseFloor *float64 `json:"noise_floor,omitempty"`

	withinNoiseFloor bool // the difference does not exceed the noise floor
}

// Rank compares runs on the same items by each headline metric of their protocol: correct in both orders for pairs,
// generation accuracy for answers, F1 in each mode for self-reference, the Grade score for several options. Holm's
// correction covers every two runs by all of these; [ApplyHolmToRankings] extends it to several rankings.
func Rank(runs []*Run, b stats.Bootstrap) ([]Ranking, error) {
	reports := make([]Report, len(runs))
	for i, run := range runs {
		reports[i] = run.Score(b)
	}
	return RankScored(runs, reports, b)
}

// RankScored is [Rank] for runs that are scored already; the reports are in the order of the runs.
func RankScored(runs []*Run, reports []Report, b stats.Bootstrap) ([]Ranking, error) {
	if len(runs) == 0 {
		return nil, nil
	}
	for _, run := range runs {
		if a, b := runs[0].Manifest.Spec.Protocol, run.Manifest.Spec.Protocol; a != b {
			return nil, fmt.Errorf("%s (%s) and %s (%s) have different protocols and cannot be ranked together",
				runs[0].Dir, a, run.Dir, b)
		}
	}
	var out []Ranking
	sheets := runsWithSheets(runs, b.Seed)
	for _, m := range sheets[0].Metrics {
		if !m.Headline {
			continue
		}
		s := Ranking{Metric: m.Name, Mode: m.Mode, Alpha: alpha, Boot: reports[0].Bootstrap, Pairs: []PairTest{}}
		for i, run := range runs {
			p := RankedRun{
				Run:       run.Dir,
				Model:     run.Manifest.Spec.Model.Name,
				Simulated: run.Manifest.Simulated,
				Result:    reports[i].headline(m),
				Report:    &reports[i],
			}
			if r := reports[i].Repetitions; r != nil {
				p.SelfAgreement, p.NoiseFloor = &r.SelfAgreement, repetitionValues(r.Values).find(m.Name, Overall, m.Mode)
			}
			s.Runs, s.Unit = append(s.Runs, p), cmp.Or(s.Unit, p.Unit)
		}
		s.test(sheets, m, b)
		out = append(out, s)
	}
	ApplyHolmToRankings(out)
	return out, nil
}

// test adds a test of metric m for every two runs.
func (s *Ranking) test(runs []scoredRun, m Metric, b stats.Bootstrap) {
	s.Test = permutationTest
	if m.hasKind(KindShare) {
		s.Test = mcNemar
	}
	early := false
	for i, a := range runs {
		for j, other := range runs[i+1:] {
			shared := sharedUnits(a.Units, other.Units)
			x := a.sharedUnitRows(a.resamplingNoun(), section{Overall, -1}, shared, a.sharedOrder(other, shared), []Metric{m})
			d := x.difference(m.runDifference(a.ColumnCount), bounds{}, b)
			early = early || x.early != nil
			floor := sharedRepetitionValues(shared, &m, a, other).find(m.Name, Overall, m.Mode)
			s.Pairs = append(s.Pairs, PairTest{
				RunA:             i,
				RunB:             i + 1 + j,
				N:                d.testedRowCount,
				E:                d.E,
				P:                d.P,
				NotSignificant:   true,
				NoiseFloor:       floor,
				withinNoiseFloor: withinFloor(d.BMinusA, floor),
			})
		}
	}
	if early {
		s.Test += " or, where one is not at its end, " + eValueTest
	}
}

// ApplyHolmToRankings applies Holm's correction to the tests of all rankings together, such as those of one page, and
// then assigns letters to the runs of each ranking.
func ApplyHolmToRankings(tables ...[]Ranking) {
	var all []*Ranking
	var tests []*PairTest
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
		tests[i].Holm, tests[i].NotSignificant = RoundToTwelveDigits(adjusted), adjusted >= alpha || tests[i].withinNoiseFloor
	}
	for _, s := range all {
		s.FamilyText = phrases.Sentence("ranking.family", phrases.CountWithNoun(len(p), "test"))
		s.assignLetters()
	}
}

// assignLetters gives every group of runs that do not differ significantly a letter; the group with the highest value
// gets the first one.
func (s *Ranking) assignLetters() {
	var ranked []int // runs with a value, the highest first
	for i, r := range s.Runs {
		if r.Value != nil {
			ranked = append(ranked, i)
		}
	}
	s.Groups = [][]string{}
	for i := range s.Runs {
		s.Runs[i].Letters = ""
	}
	if len(ranked) < 2 {
		return
	}
	slices.SortStableFunc(ranked, func(i, j int) int { return cmp.Compare(*s.Runs[j].Value, *s.Runs[i].Value) })
	place := make([]int, len(s.Runs))
	for rank, i := range ranked {
		place[i] = rank
	}
	var different [][2]int
	for _, v := range s.Pairs {
		if !v.NotSignificant && s.Runs[v.RunA].Value != nil && s.Runs[v.RunB].Value != nil {
			different = append(different, [2]int{place[v.RunA], place[v.RunB]})
		}
	}
	for n, group := range stats.TieGroups(len(ranked), different) {
		var names []string
		for _, rank := range group {
			r := &s.Runs[ranked[rank]]
			r.Letters += LetterOf(n)
			names = append(names, r.Run)
		}
		s.Groups = append(s.Groups, names)
	}
}
