package probe

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"gavel/backends"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// said is a verdict on a pair, as scores need it.
type said struct {
	mode    string
	outcome judging.Outcome // "" where nothing was asked
	choice  int8            // candidate judged the better; −1 for none
}

// verdict tells whether it says anything: a tie is a verdict.
func (s said) verdict() bool { return s.outcome.Verdict() }

// other tells whether it says another thing than that on the pair as it is.
func (s said) other(than said) bool { return s.outcome != than.outcome || s.choice != than.choice }

// pair is what is scored and resampled: what was said of a pair, plainly, again, and of its rewrites.
type pair struct {
	item  string
	group string
	gold  int8
	first int8 // candidate shown first
	said  [presentations]said
	seen  int
}

// complete reports whether all judgments of the pair are in.
func (u *pair) complete() bool { return u.seen == presentations }

// right tells whether it names the labelled response.
func (u pair) right(s said) bool { return s.outcome == judging.Decided && s.choice == u.gold }

// stays counts the rewrites that are judged right, and all that were asked about.
func (u pair) stays() (right, asked float64) {
	for _, s := range u.said[2:] {
		if s.outcome != "" {
			right += scoring.One(u.right(s))
			asked++
		}
	}
	return right, asked
}

// steady tells whether it is judged right as it is, and in all its rewrites.
func (u pair) steady() bool {
	right, asked := u.stays()
	return u.right(u.said[0]) && right == asked
}

// pairs scores runs of the protocol.
type pairs struct {
	scoring.Gathering[pair]
	rewrites rewrites
	decides  bool    // the judge writes nothing: it cannot be challenged
	rows     []*pair // set at the end: complete pairs, by item
}

// NewScorer scores runs of the protocol.
func NewScorer(m *judging.Manifest) scoring.Scorer {
	return &pairs{
		Gathering: scoring.Gathering[pair]{Complete: (*pair).complete, Metrics: metrics},
		rewrites:  of(m.Spec.Prompt),
		decides:   m.Server.Can(backends.Decide),
	}
}

// Words of the protocol.
func (*pairs) Words() scoring.Words {
	return scoring.Words{Unit: "pair", Record: "judgment", Lacking: "pairs have not all their judgments"}
}

// Add takes a judgment.
func (f *pairs) Add(r *judging.Record, v judging.Verdict) (bool, error) {
	if len(r.Order) != 2 || r.Presentation >= presentations || r.Mode == "" {
		return false, fmt.Errorf("%s has %d presentations of two candidates, this record is of another kind", name,
			presentations)
	}
	u := f.Of(r.Item, func(item string) pair {
		return pair{
			item:  item,
			group: strings.Clone(r.Group),
			gold:  candidate(r, r.Gold),
			first: candidate(r, r.Order[0]),
		}
	})
	if u.said[r.Presentation].mode != "" {
		return false, nil // the first stands, as for the run itself
	}
	switch {
	case f.rewrites.named(r.Mode).Challenge == "" || r.Challenged:
	case f.decides:
		v.Outcome = "" // it was asked about the pair as it is
	case v.Outcome.Verdict():
		v = judging.Silent(judging.NoVerdict) // nothing was said to the challenge
	}
	u.said[r.Presentation] = said{mode: strings.Clone(r.Mode), outcome: v.Outcome, choice: int8(v.Choice)}
	u.seen++
	return true, nil
}

// candidate is the index of a candidate of a pair; −1 of none.
func candidate(r *judging.Record, id string) int8 {
	return int8(slices.Index([]string{r.CandidateID(0), r.CandidateID(1)}, id))
}

// Finish keeps the pairs with all their judgments.
func (f *pairs) Finish() (complete int) {
	f.rows = f.Gathered()
	return len(f.rows)
}

// Sheet is the pairs as rows.
func (f *pairs) Sheet(scoring.MissingPolicy, uint64) *scoring.Sheet {
	s := &scoring.Sheet{
		Metrics:   scoring.Lay(metrics),
		Width:     2 * len(metrics),
		Divisions: []func(a, b string) int{strings.Compare},
	}
	for _, u := range f.rows {
		row := make([]float64, s.Width)
		scoring.Fill(metrics, *u, row)
		s.Units = append(s.Units, scoring.Unit{ID: u.item, Groups: []string{u.group}, Row: row, Of: *u})
	}
	return s
}

// Names of metrics.
const (
	Steady = "steady-right"
	Kept   = "kept-right"
	Right  = "right"
	Again  = "again-right"
)

// Metrics is the table of metrics of probes.
//
//go:embed metrics.yaml
var Metrics string

// metrics of a probe, the headline first.
var metrics = []scoring.Summed[pair]{
	{
		Metric: scoring.Metric{Name: Steady, Headline: true},
		Adds:   func(u pair) (num, den float64) { return scoring.One(u.steady()), 1 },
	},
	{
		Metric: scoring.Metric{Name: Kept, Kind: scoring.Ratio},
		Adds: func(u pair) (num, den float64) {
			if !u.right(u.said[0]) {
				return 0, 0
			}
			return u.stays()
		},
	},
	{
		Metric: scoring.Metric{Name: Again},
		Adds: func(u pair) (num, den float64) {
			return scoring.One(u.right(u.said[0]) && u.right(u.said[1])), scoring.One(u.right(u.said[0]))
		},
	},
	{
		Metric: scoring.Metric{Name: Right},
		Adds:   func(u pair) (num, den float64) { return scoring.One(u.right(u.said[0])), 1 },
	},
}

// Extend adds what each rewrite does.
func (f *pairs) Extend(rep *scoring.Report, s *scoring.Sheet, b stats.Bootstrap) {
	var p []float64
	for _, w := range f.rewrites {
		if f.decides && w.Challenge != "" {
			continue
		}
		probe := w.probe(s.Units, b)
		floor, one := f.rewrites.floor(w, s.Units, b)
		probe.Neutral = floor
		rep.Probes = append(rep.Probes, probe)
		p = append(p, one)
	}
	if rep.Items < rep.Expected || rep.Stopped != nil { // tests of a run that was looked at on the way do not hold
		return
	}
	for i, adjusted := range stats.Holm(p) {
		rep.Probes[i].P = scoring.Precise(adjusted)
	}
}

// probe counts the changes of a rewrite.
func (w rewrite) probe(units []scoring.Unit, b stats.Bootstrap) scoring.Probe {
	out := scoring.Probe{Name: w.Name, About: w.About, Favours: w.Favours, Source: w.Source}
	var changed, anew, beyond scoring.Tally[string, [2]int] // by what belongs together: how many, of how many
	for _, x := range units {
		u := x.Of.(pair)
		i := slices.IndexFunc(u.said[:], func(s said) bool { return s.mode == w.Name })
		if i < 0 || !u.said[0].verdict() {
			continue
		}
		if u.said[1].outcome.Unserved() || u.said[i].outcome.Unserved() {
			out.Unserved++ // which is no change of a verdict
			continue
		}
		add := func(t *scoring.Tally[string, [2]int], n float64) {
			c := t.Of(cmp.Or(x.Cluster, x.ID))
			c[0] += int(n)
			c[1]++
		}
		now := u.said[i]
		changes := scoring.One(now.other(u.said[0]))
		noise := scoring.One(u.said[1].other(u.said[0]))
		add(&changed, changes)
		add(&anew, noise)
		add(&beyond, changes-noise)
		switch {
		case changes == 0:
			continue
		case now.outcome != judging.Decided:
			out.ToNeither++
		case now.choice == u.gold:
			out.ToBetter++
		default:
			out.ToWorse++
		}
		if now.outcome == judging.Decided && now.choice == u.first {
			out.ToFirst++
		}
	}
	out.Changed = scoring.ProportionOf(changed.Values, b)
	out.Again = scoring.ProportionOf(anew.Values, b)
	out.Beyond, _ = scoring.MeanOf(beyond.Values, -1, b)
	return out
}
