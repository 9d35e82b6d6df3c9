package probe

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"gavel/backends"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// judgment holds a verdict on a pair, original or rewritten.
type judgment struct {
	mode    string          // name of the rewrite, modePlain or modeAgain; "" without a record
	outcome judging.Outcome // "" if the judge was not asked
	choice  int8            // candidate judged the better; −1 for none
}

// hasVerdict reports whether the judgment has a verdict. A tie is one.
func (s judgment) hasVerdict() bool { return s.outcome.IsVerdict() }

// pair holds the judgments of a pair: two of the original, then those of its rewrites. It is the unit of scores and of
// resampling.
type pair struct {
	item           string
	group          string
	gold           int8       // candidate labelled the better
	firstCandidate int8       // candidate shown first
	judgments      []judgment // two of the original, then those of rewrites
	recordCount    int        // number of judgments with a record
}

// complete reports whether the pair has records of all its judgments.
func (u *pair) complete() bool { return u.recordCount == len(u.judgments) }

// find returns the judgment in a mode; the zero value if the pair has none.
func (u pair) find(mode string) (j judgment) {
	for _, s := range u.judgments {
		if s.mode == mode {
			j = s
		}
	}
	return j
}

// right reports whether a judgment names the labelled response.
func (u pair) right(s judgment) bool { return s.outcome == judging.Decided && s.choice == u.gold }

// countRightRewrites counts the pair's rewrites on which the judge is right, and all that it judged.
func (u pair) countRightRewrites() (right, total float64) {
	for _, s := range u.judgments[2:] {
		if s.outcome != "" && s.mode != modeIdentical {
			right += scoring.Indicator(u.right(s))
			total++
		}
	}
	return right, total
}

// rightOnAll reports whether the judge is right on the original pair and on all rewrites that it judged.
func (u pair) rightOnAll() bool {
	right, total := u.countRightRewrites()
	return u.right(u.judgments[0]) && right == total
}

// probeScorer scores runs of protocol probe.
type probeScorer struct {
	scoring.Collector[pair]
	rewrites            rewrites
	hasLabelOnlyReplies bool    // the judge writes only a label, so rewrites that challenge it are left out
	rows                []*pair // pairs with all records, by item; set by Finish
}

// NewScorer returns a scorer of runs of protocol probe.
func NewScorer(m *judging.Manifest) scoring.Scorer {
	return &probeScorer{
		Collector:           scoring.Collector[pair]{Complete: (*pair).complete, Metrics: metrics},
		rewrites:            rewritesOf(m.Spec.Prompt),
		hasLabelOnlyReplies: m.Server.Can(backends.HasDecisionModels),
	}
}

// Terms returns the words by which reports call units and records of the protocol.
func (*probeScorer) Terms() scoring.ScorerTerms {
	return scoring.ScorerTerms{Unit: "pair", Record: "judgment", IncompleteItemsPhrase: "pairs lack a judgment"}
}

// Add adds the verdict v of a record to its pair. It returns false for a record whose judgment is there already.
func (f *probeScorer) Add(r *judging.Record, v judging.Verdict) (bool, error) {
	if len(r.Order) != 2 || r.Mode == "" {
		return false, fmt.Errorf("%s shows two candidates in several modes, this record is of another kind", name)
	}
	u := f.Get(r.Item, func(item string) pair {
		return pair{
			item:           item,
			group:          strings.Clone(r.Group),
			gold:           candidateIndex(r, r.Gold),
			firstCandidate: candidateIndex(r, r.Order[0]),

			judgments: make([]judgment, max(2, r.Presentations)),
		}
	})
	if r.Presentation >= len(u.judgments) {
		return false, fmt.Errorf("%s has %d presentations of %s, this record is number %d", name, len(u.judgments), r.Item,
			r.Presentation+1)
	}
	if u.judgments[r.Presentation].mode != "" {
		return false, nil // the first counts, as in the run itself
	}
	switch {
	case f.rewrites.Find(r.Mode).Challenge == "" || r.Challenged:
	case f.hasLabelOnlyReplies:
		v.Outcome = "" // the judge saw only the original pair
	case v.Outcome.IsVerdict():
		v = judging.EmptyVerdict(judging.NoVerdict) // the judge did not reply to the challenge
	}
	u.judgments[r.Presentation] = judgment{mode: strings.Clone(r.Mode), outcome: v.Outcome, choice: int8(v.Choice)}
	u.recordCount++
	return true, nil
}

// candidateIndex returns the index in the dataset of a pair's candidate, by its id; −1 for none.
func candidateIndex(r *judging.Record, id string) int8 {
	return int8(slices.Index([]string{r.CandidateID(0), r.CandidateID(1)}, id))
}

// Finish keeps the pairs that have records of all their judgments, and returns their number.
func (f *probeScorer) Finish() (complete int) {
	f.rows = f.CompleteUnits()
	return len(f.rows)
}

// Sheet returns the sheet from which metrics are computed: a row for each pair.
func (f *probeScorer) Sheet(scoring.MissingPolicy, uint64) *scoring.Sheet {
	s := &scoring.Sheet{
		Metrics:     scoring.AssignColumns(metrics),
		ColumnCount: 2 * len(metrics),
		Divisions:   []func(a, b string) int{strings.Compare},
	}
	for _, u := range f.rows {
		row := make([]float64, s.ColumnCount)
		scoring.FillRow(metrics, *u, row)
		s.Units = append(s.Units, scoring.Unit{ID: u.item, Groups: []string{u.group}, Row: row, Data: *u})
	}
	return s
}

// Names of metrics; metrics.yaml defines them.
const (
	RightOnAll           = "steady-right" // share of pairs right on the original and all its rewrites
	StillRightOnRewrites = "kept-right"   // of pairs right on the original: share of rewrites right too
	RightOnOriginal      = "right"        // share of pairs right on the original
	StillRightOnRepeat   = "again-right"  // of pairs right on the original: share right when asked again

	IdenticalFirst = "identical-first" // of verdicts for one of two identical responses: share for the first
	IdenticalTied  = "identical-tied"  // of verdicts on two identical responses: share of ties
)

// MetricsYAML is the YAML table that labels and defines the metrics of probes.
//
//go:embed metrics.yaml
var MetricsYAML string

// metrics computes the metrics of a probe, the headline first.
var metrics = []scoring.SumMetric[pair]{
	{
		Metric:       scoring.Metric{Name: RightOnAll, Headline: true},
		Contribution: func(u pair) (num, den float64) { return scoring.Indicator(u.rightOnAll()), 1 },
	},
	{
		Metric: scoring.Metric{Name: StillRightOnRewrites, Kind: scoring.KindRatio},
		Contribution: func(u pair) (num, den float64) {
			if !u.right(u.judgments[0]) {
				return 0, 0
			}
			return u.countRightRewrites()
		},
	},
	{
		Metric: scoring.Metric{Name: StillRightOnRepeat},
		Contribution: func(u pair) (num, den float64) {
			first := u.right(u.judgments[0])
			return scoring.Indicator(first && u.right(u.judgments[1])), scoring.Indicator(first)
		},
	},
	{
		Metric:       scoring.Metric{Name: RightOnOriginal},
		Contribution: func(u pair) (num, den float64) { return scoring.Indicator(u.right(u.judgments[0])), 1 },
	},
	{
		Metric: scoring.Metric{Name: IdenticalFirst, OmitsEmptyGroups: true},
		Contribution: func(u pair) (num, den float64) {
			s := u.find(modeIdentical)
			decided := scoring.Indicator(s.outcome == judging.Decided)
			return decided * scoring.Indicator(s.choice == u.firstCandidate), decided
		},
	},
	{
		Metric: scoring.Metric{Name: IdenticalTied, OmitsEmptyGroups: true},
		Contribution: func(u pair) (num, den float64) {
			s := u.find(modeIdentical)
			return scoring.Indicator(s.outcome == judging.Tie), scoring.Indicator(s.hasVerdict())
		},
	},
}

// ExtendReport adds the effect of each rewrite to the report; p-values only if the run ended as planned.
func (f *probeScorer) ExtendReport(rep *scoring.Report, s *scoring.Sheet, b stats.Bootstrap) {
	var p []float64
	for _, w := range f.rewrites {
		if w.Name == modeIdentical || f.hasLabelOnlyReplies && w.Challenge != "" {
			continue
		}
		probe := w.measure(s.Units, b)
		floor, pValue := f.rewrites.noiseFloor(w, s.Units, b)
		probe.Neutral = floor
		rep.Probes = append(rep.Probes, probe)
		p = append(p, pValue)
	}
	if rep.Items < rep.Expected || rep.StopRule != nil { // tests are valid only at the planned end of a run
		return
	}
	for i, adjusted := range stats.Holm(p) {
		rep.Probes[i].P = scoring.RoundToTwelveDigits(adjusted)
	}
}

// changesVerdict reports whether the verdict s on a rewrite of the pair counts as another one than that on the
// original. If the worse response is replaced, a verdict for the better one does not count: it is expected.
func (w rewrite) changesVerdict(u pair, s judgment) bool {
	original := u.judgments[0]
	return (s.outcome != original.outcome || s.choice != original.choice) && !(w.Instead != nil && s.choice == u.gold)
}

// measure counts the verdicts that the rewrite changes, compared with those that change when the judge is asked again.
func (w rewrite) measure(units []scoring.Unit, b stats.Bootstrap) scoring.Probe {
	out := scoring.Probe{Name: w.Name, About: w.About, Favours: w.Favours, Source: w.Source}
	var changed, repeated, beyond scoring.OrderedMap[string, [2]int] // by cluster: hits, and all
	for _, x := range units {
		u := x.Data.(pair)
		verdict := u.find(w.Name)
		if verdict.mode == "" || !u.judgments[0].hasVerdict() {
			continue
		}
		if u.judgments[1].outcome.IsUnserved() || verdict.outcome.IsUnserved() {
			out.Unserved++ // a failure is not a change of the verdict
			continue
		}
		add := func(t *scoring.OrderedMap[string, [2]int], n float64) {
			c := t.Get(x.ResamplingUnit())
			c[0] += int(n)
			c[1]++
		}
		changes := scoring.Indicator(w.changesVerdict(u, verdict))
		noise := scoring.Indicator(w.changesVerdict(u, u.judgments[1]))
		add(&changed, changes)
		add(&repeated, noise)
		add(&beyond, changes-noise)
		switch {
		case changes == 0:
			continue
		case verdict.outcome != judging.Decided:
			out.ChangesToNeither++
		case verdict.choice == u.gold:
			out.ToBetter++
		default:
			out.ToWorse++
		}
		if verdict.outcome == judging.Decided && verdict.choice == u.firstCandidate {
			out.ToFirst++
		}
	}
	out.Changed = scoring.ProportionOf(changed.Values, b)
	out.Repeated = scoring.ProportionOf(repeated.Values, b)
	out.Effect, _ = scoring.MeanOf(beyond.Values, -1, b)
	return out
}
