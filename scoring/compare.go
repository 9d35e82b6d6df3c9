package scoring

import (
	"fmt"
	"math"
	"strings"

	"gavel/judging"
	"gavel/scoring/stats"
)

// Side is one run of a comparison.
type Side struct {
	Run       string `json:"run"`
	ID        string `json:"id"`
	Protocol  string `json:"protocol"`
	Prompt    string `json:"prompt"`
	Settings  string `json:"settings,omitempty"`
	Model     string `json:"model"`
	Dataset   string `json:"dataset"`
	Simulated bool   `json:"simulated"`
	Items     int    `json:"items"`
}

// Difference is one metric on one group: B minus A, in percentage points.
type Difference struct {
	Metric string   `json:"metric"`
	Group  string   `json:"group"`
	Mode   string   `json:"mode,omitempty"` // see [Result]
	Unit   string   `json:"unit,omitempty"` // of the values, where they are not percent
	A      *float64 `json:"a"`
	B      *float64 `json:"b"`
	Diff   *float64 `json:"difference"`
	Low    *float64 `json:"low"`
	High   *float64 `json:"high"`
	N      int      `json:"n"` // pairs judged by both
	// Of metrics that are right or wrong pair by pair.
	Table *Table2x2 `json:"table,omitempty"`
	P     *float64  `json:"p,omitempty"`      // two-sided: exact McNemar, or what Test says
	Test  string    `json:"test,omitempty"`   // of P, where it is of sums and not of right or wrong, one by one
	Holm  *float64  `json:"p_holm,omitempty"` // over the family named in the comparison
	Noise bool      `json:"may_be_noise"`     // the interval holds 0, p is not below 0.05, or Floor is not exceeded
	// Floor is the larger noise floor of the two runs (see [RepeatedValue]), in
	// percentage points; null where neither asked more than once.
	Floor *float64 `json:"noise_floor"`
	Note  string   `json:"note,omitempty"`
}

// Table2x2 counts pairs by who was right.
type Table2x2 struct {
	Both    int `json:"both"`
	OnlyA   int `json:"only_a"`
	OnlyB   int `json:"only_b"`
	Neither int `json:"neither"`
}

// Ensemble is two goals of one model taken as one judge: it answers where both
// name the same response in all four games.
type Ensemble struct {
	Coverage Result `json:"coverage"` // share of pairs it answers
	Strict   Result `json:"strict"`   // among those
}

// Comparison is two runs on the same pairs.
type Comparison struct {
	A, B        Side         `json:"-"`
	Sides       [2]Side      `json:"runs"`
	N           int          `json:"n"`
	Unit        string       `json:"unit,omitempty"` // what n counts, where it is not pairs
	OnlyA       int          `json:"only_in_a"`      // pairs the other has not judged
	OnlyB       int          `json:"only_in_b"`
	Differences []Difference `json:"differences"`
	Ensemble    *Ensemble    `json:"ensemble,omitempty"`
	Together    []Result     `json:"together,omitempty"` // of runs that were asked different things: what they say of each other
	Warnings    []string     `json:"warnings"`
}

// Comparisons is `gavel compare --json`.
type Comparisons struct {
	Comparisons []*Comparison   `json:"comparisons"`
	Family      string          `json:"family"`            // what Holm's correction is over
	Reading     judging.Readers `json:"reading,omitempty"` // "": as published
	Policy      judging.Policy  `json:"policy"`
	Bootstrap   Bootstrap       `json:"bootstrap"`
}

// alpha is the level at which a difference is called more than noise.
const alpha = 0.05

// Compare compares every two of the runs, on the pairs that both have judged.
// Holm's correction runs over the differences of the headline: overall over all
// comparisons, and by group over all groups of all comparisons.
func Compare(runs []*Run, b stats.Bootstrap) (*Comparisons, error) {
	out := &Comparisons{
		Comparisons: []*Comparison{},
		Reading:     runs[0].reading(),
		Policy:      runs[0].Reading.Policy,
		Bootstrap:   Bootstrap{b.Rounds, b.Level, b.Seed, runs[0].scorer.unit()},
	}
	for i, a := range runs {
		for _, other := range runs[i+1:] {
			c, err := comparePair(a, other, b)
			if err != nil {
				return nil, err
			}
			out.Comparisons = append(out.Comparisons, c)
		}
	}
	out.correctAll(runs[0])
	return out, nil
}

// correctAll corrects each headline for itself: overall, and over its groups.
func (c *Comparisons) correctAll(run *Run) {
	head := run.headline()
	overall := c.correct(func(d Difference) bool { return d.Metric == head && d.Group == Overall })
	groups := c.correct(func(d Difference) bool { return d.Metric == head && d.Group != Overall })
	var families []string
	if overall+groups > 0 {
		families = append(families, fmt.Sprintf("%s, overall: %d comparison%s; %s, by group: %d", head, overall, plural(overall), head, groups))
	}
	for _, h := range run.headings() {
		if h.metric == head {
			continue
		}
		if n := c.correct(func(d Difference) bool { return d.Metric == h.metric && d.Mode == h.mode && d.Group == Overall }); n > 0 {
			families = append(families, fmt.Sprintf("%s, overall: %d comparison%s", strings.TrimSpace(h.metric+" "+h.mode), n, plural(n)))
		}
	}
	if c.Family = strings.Join(families, "; "); c.Family == "" {
		c.Family = "nothing: differences of " + head + " have no p, only intervals"
	}
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// correct applies Holm to the family that in picks, and decides what may be
// noise by it.
func (c *Comparisons) correct(in func(Difference) bool) int {
	var family []*Difference
	var p []float64
	for _, cmp := range c.Comparisons {
		for i := range cmp.Differences {
			if d := &cmp.Differences[i]; in(*d) && d.P != nil {
				family = append(family, d)
				p = append(p, *d.P)
			}
		}
	}
	for i, adjusted := range stats.Holm(p) {
		adjusted = math.Round(adjusted*1e6) / 1e6
		family[i].Holm = &adjusted
		family[i].Noise = family[i].Noise || adjusted >= alpha
	}
	return len(family)
}

func side(r *Run) Side {
	m := r.Manifest
	return Side{r.Dir, m.ID, m.Spec.Protocol, m.Spec.Prompt.Name, settings(m.Spec), m.Spec.Model.Name, m.Dataset.Name, m.Simulated, r.Items}
}

func comparePair(a, b *Run, boot stats.Bootstrap) (*Comparison, error) {
	if a.scorer.unit() != b.scorer.unit() {
		return nil, fmt.Errorf("%s (%s) and %s (%s) are not scored alike: compare runs of one protocol", a.Dir, a.Manifest.Spec.Protocol, b.Dir, b.Manifest.Spec.Protocol)
	}
	diffs, n, onlyA, onlyB, err := a.scorer.compare(b.scorer, boot)
	if err != nil {
		return nil, fmt.Errorf("%s and %s: %w", a.Dir, b.Dir, err)
	}
	unit := a.scorer.unit()
	if f, ok := a.scorer.(nouned); ok {
		unit = f.noun()
	}
	c := &Comparison{A: side(a), B: side(b), N: n, OnlyA: onlyA, OnlyB: onlyB, Differences: diffs, Unit: unit, Warnings: []string{}}
	if _, ok := a.scorer.(*pairs); ok { // Unit says what n counts where it is not pairs
		unit, c.Unit = "pair", ""
	}
	if n == 0 {
		return nil, fmt.Errorf("%s and %s have no %s in common (datasets %s and %s): compare runs on the same dataset", a.Dir, b.Dir, unit, a.Manifest.Dataset.Name, b.Manifest.Dataset.Name)
	}
	c.Sides = [2]Side{c.A, c.B}
	c.exchange(a.scorer, b.scorer, boot)
	if f, ok := a.scorer.(paired); ok {
		f.together(c, b.scorer, boot)
	}
	c.warn(a, b, unit)
	return c, nil
}

// warn notes what a reader of the comparison has to know.
func (c *Comparison) warn(a, b *Run, unit string) {
	if c.OnlyA+c.OnlyB > 0 {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%d %ss are only in A and %d only in B: left out", c.OnlyA, unit, c.OnlyB))
	}
	if a.Manifest.ID == b.Manifest.ID {
		c.Warnings = append(c.Warnings, "both are the same run")
	}
	if a.Manifest.Simulated || b.Manifest.Simulated {
		c.Warnings = append(c.Warnings, "simulated judge: these numbers are of a coin with known sides, not of a model")
	}
	if c.N < fewItems {
		c.Warnings = append(c.Warnings, fmt.Sprintf("few items: n = %d", c.N))
	}
}

// holdsZero tells whether the interval does, by its ends as they are reported:
// sums of fractions come out a hair beside 0 where they are 0.
func (d Difference) holdsZero() bool {
	return d.Low == nil || d.High == nil || *d.Low <= 0 && *d.High >= 0
}
