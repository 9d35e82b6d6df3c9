package scoring

import (
	"cmp"
	"fmt"
	"slices"

	"gavel/judging"
	"gavel/scoring/stats"
)

// Side is one run of a comparison.
type Side struct {
	Run      string `json:"run"`      // the folder
	ID       string `json:"id"`       // of the run
	Protocol string `json:"protocol"` // as in the manifest
	Question
	Items int `json:"items"` // scored

	Ledger *Ledger `json:"ledger,omitempty"` // what all of the run cost

	silent   bool // no judgment has a verdict
	manifest *judging.Manifest
}

// Difference is one metric on one group: B minus A, in percentage points.
type Difference struct {
	Metric   string    `json:"metric"`             // as in `results`
	Group    string    `json:"group"`              // as in `results`
	Mode     string    `json:"mode,omitempty"`     // as in `results`
	Unit     string    `json:"unit,omitempty"`     // of the values, where they are not percent
	A        *float64  `json:"a"`                  // of the first run
	B        *float64  `json:"b"`                  // of the second
	Diff     *float64  `json:"difference"`         // `b` − `a`
	Low      *float64  `json:"low"`                // of the paired interval
	High     *float64  `json:"high"`               // of the paired interval
	Interval string    `json:"interval,omitempty"` // how it was made
	N        int       `json:"n"`                  // units that both judged
	Table    *Table2x2 `json:"table,omitempty"`    // of metrics that are right or wrong unit by unit
	// where a run is not at its end: evidence against that they are alike; `p` is 1/`e`
	E    *float64 `json:"e,omitempty"`
	P    *float64 `json:"p,omitempty"`      // two-sided: exact McNemar, or what `test` says; all its digits
	Test string   `json:"test,omitempty"`   // what `p` is of where it is not exact McNemar
	Holm *float64 `json:"p_holm,omitempty"` // corrected by Holm's method over the `family`
	// printed as `n.s.`: the interval holds 0, `p_holm` is not below 0.05, or the difference is not larger than
	// `noise_floor`
	Noise bool `json:"may_be_noise"`
	// in points, or in `unit`: the larger of the two runs'; null where neither asked more than once
	Floor *float64 `json:"noise_floor"`
	Note  string   `json:"note,omitempty"` // where there is something to say

	tested      int     // rows that were compared by the test
	atEveryLook *bounds // of the headline, at 90 %, where a run is not at its end
}

// Result is the difference as a result.
func (d Difference) Result() Result {
	return Result{
		Metric: d.Metric,
		Group:  d.Group,
		Mode:   ModeDifference,
		Unit:   d.Unit,
		Value:  d.Diff,
		Low:    d.Low,
		High:   d.High,
		N:      d.N,
	}
}

// Table2x2 counts units by who was right.
type Table2x2 struct {
	Both    int `json:"both"`    // right in both
	OnlyA   int `json:"only_a"`  // right in A alone
	OnlyB   int `json:"only_b"`  // right in B alone
	Neither int `json:"neither"` // right in neither
}

// N returns the number of units in the table.
func (t *Table2x2) N() int { return t.Both + t.OnlyA + t.OnlyB + t.Neither }

// Count adds so many units that are right in A or not, and in B or not.
func (t *Table2x2) Count(a, b bool, often int) {
	switch {
	case a && b:
		t.Both += often
	case a:
		t.OnlyA += often
	case b:
		t.OnlyB += often
	default:
		t.Neither += often
	}
}

// Ensemble is two goals of one model taken as one judge: it answers where both name the same
// response in all four judgments.
type Ensemble struct {
	Coverage Result `json:"coverage"` // share of pairs that it answers
	Strict   Result `json:"strict"`   // among those
}

// Comparison is two runs on the same units.
type Comparison struct {
	A, B  Side    `json:"-"`
	Sides [2]Side `json:"runs"` // A and B
	Says  string  `json:"says"` // the answer in a sentence or two
	N     int     `json:"n"`    // units that both judged
	// what `n` counts, where it is not pairs: `answer`, `judgment`, `item`
	Unit        string       `json:"unit,omitempty"`
	OnlyA       int          `json:"only_in_a"`   // left out, since B has not judged them
	OnlyB       int          `json:"only_in_b"`   // left out, since A has not judged them
	Differences []Difference `json:"differences"` // a row per metric, group and mode
	Matched
	// units whose verdict changed with the order, where they are asked in several
	Turned *[2]int `json:"-"`
	// what became in A and in B of the units that both judged
	Became [2]Breakdown `json:"-"`
	// printed after `!`
	Warnings []string `json:"warnings"`

	stands Metric // the metric that stands for the comparison; without a name: the first
}

// Matched has the results of a comparison other than differences of metrics.
type Matched struct {
	// of pairs: who is right on those where each of the two gives the same verdict in both orders; left out where
	// several belong together, or a run is not at its end
	Alike *Difference `json:"where_both_agree,omitempty"`
	// the same by category; `p_holm` is over these
	AlikeByGroup []Difference `json:"where_both_agree_by_group,omitempty"`
	// two goals of one model on pairs taken as one judge, which answers where both name one response in all four
	// judgments
	Ensemble *Ensemble `json:"ensemble,omitempty"`
	// only for best and worst among several options, in percent
	Together []Result `json:"together,omitempty"`
	// with `--margin`
	Within *Within `json:"within,omitempty"`
}

// Comparisons is `gavel compare --json`.
type Comparisons struct {
	Comparisons []*Comparison   `json:"comparisons"`       // of every two runs
	Family      string          `json:"family"`            // what Holm's correction is over
	Reading     judging.Readers `json:"reading,omitempty"` // left out for as published
	Policy      judging.Policy  `json:"policy"`            // of several verdicts in a reply; empty: none
	Bootstrap   Bootstrap       `json:"bootstrap"`         // as in `gavel score --json`
}

// alpha is the level at which a difference is called more than noise.
const alpha = 0.05

// scoredRun is a run with its sheet.
type scoredRun struct {
	*Run
	*Sheet
	sheets []*Sheet // of each time, where it was asked more than once
}

func sheetsOf(runs []*Run, seed uint64) []scoredRun {
	out := make([]scoredRun, len(runs))
	for i, run := range runs {
		out[i] = scoredRun{Run: run, Sheet: run.sheet(seed), sheets: run.sheetsAgain(seed)}
	}
	return out
}

// Compare compares every two of the runs, on the units that both have judged, and tells watch how many of these
// comparisons are made. Holm's correction runs over all differences.
func Compare(runs []*Run, b stats.Bootstrap, watch ...func(done, all int)) (*Comparisons, error) {
	out := &Comparisons{
		Comparisons: []*Comparison{},
		Reading:     runs[0].reading(),
		Policy:      runs[0].policy(),
		Bootstrap:   bootstrapOf(b, runs[0].resampled()),
	}
	sheets := sheetsOf(runs, b.Seed)
	for i, a := range sheets {
		for _, other := range sheets[i+1:] {
			c, err := a.with(other, b)
			if err != nil {
				return nil, err
			}
			out.Comparisons = append(out.Comparisons, c)
			for _, tell := range watch {
				tell(len(out.Comparisons), len(runs)*(len(runs)-1)/2)
			}
		}
	}
	out.correct()
	return out, nil
}

// correct applies Holm's correction to all there is, and says what may be noise.
func (c *Comparisons) correct() {
	var all []*Difference
	for _, one := range c.Comparisons {
		for i := range one.Differences {
			d := &one.Differences[i]
			d.Noise = d.P == nil
			if d.P != nil {
				d.Noise = d.holdsZero() || withinFloor(d.Diff, d.Floor)
				all = append(all, d)
			}
		}
	}
	Holm(all)
	for _, one := range c.Comparisons {
		one.say()
	}
	n := len(c.Comparisons)
	c.Family = fmt.Sprintf("all %d differences of %d comparison%s", len(all), n, plural(n))
}

func (r scoredRun) side() Side {
	m := r.Manifest
	return Side{
		Run:      r.Dir,
		ID:       m.ID,
		Protocol: m.Spec.Protocol,
		Question: questionOf(m),
		Items:    r.Items,
		Ledger:   r.ledger(r.Sheet),
		silent:   r.Outcomes[judging.Decided]+r.Outcomes[judging.Tie] == 0,
		manifest: m,
	}
}

// with compares two runs.
func (a scoredRun) with(b scoredRun, boot stats.Bootstrap) (*Comparison, error) {
	words := a.words()
	if words.Unit != b.words().Unit || words.Common != b.words().Common {
		return nil, fmt.Errorf("%s (%s) and %s (%s) are not scored alike: compare runs of one protocol",
			a.Dir, a.Manifest.Spec.Protocol, b.Dir, b.Manifest.Spec.Protocol)
	}
	joined, unit := join(a.Units, b.Units), cmp.Or(words.Common, words.Unit)
	for _, x := range []scoredRun{a, b} {
		if len(x.Units) == 0 {
			return nil, fmt.Errorf("%s has no %s with all of its judgments yet: make the run, or compare others", x.Dir, unit)
		}
	}
	if len(joined) == 0 {
		return nil,
			fmt.Errorf("%s and %s have no %s in common (datasets %s and %s): compare runs on the same dataset",
				a.Dir, b.Dir, unit, a.Manifest.Dataset.Name, b.Manifest.Dataset.Name)
	}
	if err := a.disagree(b, joined); err != nil {
		return nil, err
	}
	c := &Comparison{
		A:     a.side(),
		B:     b.side(),
		N:     len(joined),
		OnlyA: len(a.Units) - len(joined),
		OnlyB: len(b.Units) - len(joined),
		Unit:  words.Common,
	}
	c.Sides = [2]Side{c.A, c.B}
	if i := slices.IndexFunc(a.Metrics, func(m Metric) bool { return m.Headline }); i >= 0 {
		c.stands = a.Metrics[i]
	}
	ahead := a.ahead(b, joined)
	c.Differences = a.differences(b.Sheet, words.Unit, joined, ahead, boot)
	noise := floors(joined, nil, a, b)
	for i := range c.Differences {
		d := &c.Differences[i]
		d.Floor = noise.of(d.Metric, d.Group, d.Mode)
	}
	if f, ok := a.scorer.(Matcher); ok {
		f.Match(c, b.scorer, joined, boot)
	}
	if f, ok := a.scorer.(Parter); ok {
		var sides [2][]Unit
		for _, j := range joined {
			sides[0] = append(sides[0], j.A)
			sides[1] = append(sides[1], j.B)
		}
		for side, units := range sides {
			c.Became[side] = breakdownOf(Overall, units, f)
		}
	}
	c.warn(a.Run, b.Run, unit)
	if ahead != nil {
		c.Alike, c.AlikeByGroup = nil, nil // their tests are not valid at every look
		c.Warnings = append(c.Warnings, ahead.String())
	}
	return c, nil
}

// disagree returns an error if what is right of a unit is not the same for two runs that were asked the same.
func (a scoredRun) disagree(b scoredRun, joined []Joined) error {
	for _, p := range joined {
		if p.A.Asked == p.B.Asked && p.A.Gold != p.B.Gold {
			return fmt.Errorf("%s and %s disagree on what is right of %s: they are of different datasets", a.Dir, b.Dir, p.A.ID)
		}
	}
	return nil
}

// warn notes what a reader of the comparison has to know.
func (c *Comparison) warn(a, b *Run, unit string) {
	w := cautions{}
	if c.OnlyA+c.OnlyB > 0 {
		w.say("%d %ss are only in A and %d only in B: left out", c.OnlyA, unit, c.OnlyB)
	}
	if a.Manifest.ID == b.Manifest.ID {
		w.say("both are the same run")
	}
	if a.Manifest.Simulated || b.Manifest.Simulated {
		w.say(simulatedWarning)
	}
	if c.N < FewItems {
		w.say("few items: n = %d", c.N)
	}
	c.Warnings = w
}

// holdsZero tells whether the interval does, by its ends as they are reported: sums of fractions come out a hair
// beside 0 where they are 0.
func (d Difference) holdsZero() bool {
	return d.Low != nil && d.High != nil && *d.Low <= 0 && *d.High >= 0
}
