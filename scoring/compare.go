package scoring

import (
	"fmt"
	"math"
	"slices"
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
	Comparisons []*Comparison  `json:"comparisons"`
	Family      string         `json:"family"` // what Holm's correction is over
	Policy      judging.Policy `json:"policy"`
	Bootstrap   Bootstrap      `json:"bootstrap"`
}

// alpha is the level at which a difference is called more than noise.
const alpha = 0.05

// compared are the metrics that a comparison prints; those marked binary are
// right or wrong pair by pair and get McNemar's test.
var compared = []struct {
	name   string
	binary bool
	groups bool // also by group
}{
	{"strict", true, true},
	{"counter", true, false},
	{"half-tie", false, false},
	{"drop", false, false},
	{"consistency", false, false},
	{"first-position", false, false},
}

func metricNamed(name string) Metric {
	i := slices.IndexFunc(Metrics, func(m Metric) bool { return m.Name == name })
	return Metrics[i]
}

// Compare compares every two of the runs, on the pairs that both have judged.
// Holm's correction runs over the differences of the headline: overall over all
// comparisons, and by group over all groups of all comparisons.
func Compare(runs []*Run, b stats.Bootstrap) (*Comparisons, error) {
	out := &Comparisons{
		Comparisons: []*Comparison{},
		Policy:      runs[0].Reading.Policy,
		Bootstrap:   Bootstrap{b.Rounds, b.Level, b.Seed, runs[0].resampled()},
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
	return Side{r.Dir, m.ID, m.Spec.Protocol, m.Spec.Prompt.Name, settings(m.Spec), m.Spec.Model.Name, m.Dataset.Name, m.Simulated, r.items()}
}

// both is a pair judged in two runs.
type both struct{ a, b Unit }

func comparePair(a, b *Run, boot stats.Bootstrap) (*Comparison, error) {
	switch {
	case (a.family == nil) != (b.family == nil), a.family != nil && a.family.unit() != b.family.unit():
		return nil, fmt.Errorf("%s (%s) and %s (%s) are not scored alike: compare runs of one protocol", a.Dir, a.Manifest.Spec.Protocol, b.Dir, b.Manifest.Spec.Protocol)
	case a.family != nil:
		return compareFamilies(a, b, boot)
	}
	pairs := join(a.Units, b.Units)
	if len(pairs) == 0 {
		return nil, fmt.Errorf("%s and %s have no pair in common (datasets %s and %s): compare runs on the same dataset", a.Dir, b.Dir, a.Manifest.Dataset.Name, b.Manifest.Dataset.Name)
	}
	c := &Comparison{A: side(a), B: side(b), N: len(pairs), OnlyA: len(a.Units) - len(pairs), OnlyB: len(b.Units) - len(pairs), Warnings: []string{}}
	c.Sides = [2]Side{c.A, c.B}
	for _, p := range pairs {
		if p.a.Gold != p.b.Gold {
			return nil, fmt.Errorf("%s and %s disagree on the label of %s: they are of different datasets", a.Dir, b.Dir, p.a.Item)
		}
	}
	groups := Groups(unitsOf(pairs))
	for _, m := range compared {
		in := groups[:1]
		if m.groups {
			in = groups
		}
		for _, g := range in {
			metric, in := metricNamed(m.name), pairsIn(pairs, g)
			d := difference(metric, m.binary, g, in, boot)
			if d.Floor = noise(metric, g, in, a, b); d.Floor != nil && d.Diff != nil && math.Abs(*d.Diff) <= *d.Floor {
				d.Noise = true
			}
			c.Differences = append(c.Differences, d)
		}
	}
	if a.Manifest.Spec.Model == b.Manifest.Spec.Model && a.Manifest.Spec.Goal != b.Manifest.Spec.Goal {
		c.Ensemble = ensemble(pairs, boot)
	}
	c.warn(a, b, "pair")
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

// join pairs units by item id; both lists are sorted by it.
func join(a, b []Unit) []both {
	var out []both
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].Item < b[j].Item:
			i++
		case a[i].Item > b[j].Item:
			j++
		default:
			out = append(out, both{a[i], b[j]})
			i, j = i+1, j+1
		}
	}
	return out
}

func unitsOf(pairs []both) []Unit {
	units := make([]Unit, len(pairs))
	for i, p := range pairs {
		units[i] = p.a
	}
	return units
}

func pairsIn(pairs []both, group string) []both {
	if group == Overall {
		return pairs
	}
	return slices.DeleteFunc(slices.Clone(pairs), func(p both) bool { return p.a.Group != group })
}

// difference resamples pairs with both runs' games, so that the difference is
// paired; each run's share is over its own denominator.
func difference(m Metric, binary bool, group string, pairs []both, b stats.Bootstrap) Difference {
	rows := make([][]float64, len(pairs))
	var table Table2x2
	var sum [4]float64
	for i, p := range pairs {
		an, ad := m.share(p.a)
		bn, bd := m.share(p.b)
		rows[i] = []float64{an, ad, bn, bd}
		for k, v := range rows[i] {
			sum[k] += v
		}
		switch {
		case an > 0 && bn > 0:
			table.Both++
		case an > 0:
			table.OnlyA++
		case bn > 0:
			table.OnlyB++
		default:
			table.Neither++
		}
	}
	diff := func(s []float64) float64 { return s[2]/s[3] - s[0]/s[1] }
	iv := b.Sums(rows, 1, func(s, out []float64) { out[0] = diff(s) })[0]
	d := Difference{
		Metric: m.Name, Group: group, N: len(pairs),
		A: percent(sum[0] / sum[1]), B: percent(sum[2] / sum[3]), Diff: percent(diff(sum[:])),
		Low: percent(iv.Low), High: percent(iv.High),
	}
	if d.Diff == nil {
		d.Noise, d.Note = true, "undefined: no "+m.N+" in one of the runs"
		return d
	}
	d.Noise = d.holdsZero()
	if binary {
		p := math.Round(stats.McNemar(table.OnlyA, table.OnlyB)*1e6) / 1e6
		d.Table, d.P = &table, &p
		d.Noise = d.Noise || p >= alpha
	}
	return d
}

// holdsZero tells whether the interval does, by its ends as they are reported:
// sums of fractions come out a hair beside 0 where they are 0.
func (d Difference) holdsZero() bool {
	return d.Low == nil || d.High == nil || *d.Low <= 0 && *d.High >= 0
}

// named is the response that a unit's two games agree on, or −1.
func (u Unit) named() int8 {
	if u.bothDecided() && u.Games[0].Choice == u.Games[1].Choice {
		return u.Games[0].Choice
	}
	return judging.Nobody
}

func ensemble(pairs []both, b stats.Bootstrap) *Ensemble {
	rows := make([][]float64, len(pairs))
	var agree, right float64
	for i, p := range pairs {
		same := p.a.named() != judging.Nobody && p.a.named() == p.b.named()
		rows[i] = []float64{share(same), share(same && p.a.named() == p.a.Gold)}
		agree += rows[i][0]
		right += rows[i][1]
	}
	n := float64(len(pairs))
	iv := b.Sums(rows, 2, func(s, out []float64) { out[0], out[1] = s[0]/n, s[1]/s[0] })
	var notes [2]string
	if agree == 0 || agree == n {
		iv[0], notes[0] = alike(agree > 0, len(pairs), b.Level), allAlike
	}
	if agree > 0 && (right == 0 || right == agree) {
		iv[1], notes[1] = alike(right > 0, int(agree), b.Level), allAlike
	}
	e := &Ensemble{
		Coverage: Result{Metric: "coverage", Group: Overall, N: len(pairs), Value: percent(agree / n), Low: percent(iv[0].Low), High: percent(iv[0].High), Missing: "not covered", Note: notes[0]},
		Strict:   Result{Metric: "strict", Group: Overall, N: int(agree), Missing: "pair left out", Note: notes[1]},
	}
	if agree == 0 {
		e.Strict.Note = "undefined: the goals agree on no pair"
		return e
	}
	e.Strict.Value, e.Strict.Low, e.Strict.High = percent(right/agree), percent(iv[1].Low), percent(iv[1].High)
	return e
}
