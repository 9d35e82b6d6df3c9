package pointwise

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// Metrics of scores. Those that pairwise has too mean the same there.
const (
	halfTie     = "half-tie"
	equalScores = "equal-scores"
	scoreAUROC  = "score-auroc"
	mostUsed    = "most-used"
	levelsUsed  = "levels"
	entropy     = "scale-entropy"
	// ScoreCount, BetterCount and OtherCount start the names of metrics that count the responses with a score: all, the
	// labelled ones, and the others of items with a label.
	ScoreCount  = "score:"
	BetterCount = "better-score:"
	OtherCount  = "other-score:"
)

// Metrics is the table of metrics of pointwise.
//
//go:embed metrics.yaml
var Metrics string

// responses holds an item with the scores of its responses. It is the unit of scores and of resampling.
type responses struct {
	item, group string
	ids         []string  // of the responses, sorted; the other fields refer to them by index
	gold        int       // the better response; −1 without a label
	scores      []float64 // by response; NaN without a score
	hasRecord   []bool    // by response
}

func (u *responses) complete() bool { return !slices.Contains(u.hasRecord, false) }

// compared counts the pairs of the better response and another one: in which the better scores higher, both score the
// same, or the better scores lower. Pairs without two scores are in none of these; all counts them too.
func (u responses) compared() (higher, equal, lower, all float64) {
	if u.gold < 0 {
		return 0, 0, 0, 0
	}
	for k, score := range u.scores {
		switch better := u.scores[u.gold]; {
		case k == u.gold:
			continue
		case better > score:
			higher++
		case better == score:
			equal++
		case better < score:
			lower++
		}
		all++
	}
	return higher, equal, lower, all
}

// scores scores runs that score responses one at a time.
type scores struct {
	manifest *judging.Manifest
	items    scoring.Collector[responses]
	rows     []*responses // complete items by id, set by Finish
}

// NewScorer scores runs that score responses one at a time.
func NewScorer(m *judging.Manifest) scoring.Scorer {
	return &scores{manifest: m, items: scoring.Collector[responses]{Complete: (*responses).complete}}
}

func (*scores) Words() scoring.ScorerTerms {
	return scoring.ScorerTerms{Unit: "pair", Record: "judgment", Lacking: "items lack a score"}
}

func (f *scores) Add(r *judging.Record, v judging.Verdict) (bool, error) {
	if len(r.Order) < 2 {
		return false, fmt.Errorf("%s scores the responses of pairs and options, this record is of another kind", name)
	}
	u := f.items.Get(r.Item, func(item string) responses {
		u := responses{item: item, group: strings.Clone(r.Group), gold: -1, hasRecord: make([]bool, len(r.Order))}
		for k := range r.Order {
			u.ids = append(u.ids, strings.Clone(r.CandidateID(k)))
			u.scores = append(u.scores, math.NaN())
		}
		u.gold = slices.Index(u.ids, r.Gold)
		return u
	})
	k := slices.Index(u.ids, r.Order[0])
	if k < 0 || u.hasRecord[k] {
		return false, nil
	}
	u.hasRecord[k] = true
	if v.Outcome == judging.Decided {
		u.scores[k] = f.manifest.Spec.Prompt.Level(v.Answer)
	}
	return true, nil
}

func (f *scores) Finish() (complete int) {
	f.rows = f.items.CompleteUnits()
	return len(f.rows)
}

// Unlabelled returns the number of items without a label.
func (f *scores) Unlabelled() (n int) {
	for _, u := range f.rows {
		n += int(scoring.Indicator(u.gold < 0))
	}
	return n
}

// metrics returns the metrics that compare the better response's score with the others'. kind is that of shares of
// pairs, halves that of the mean over items.
func metrics(kind, halves scoring.MetricKind) []scoring.SumMetric[responses] {
	return []scoring.SumMetric[responses]{
		{
			Metric: scoring.Metric{Name: halfTie, Kind: halves, Headline: true},
			Adds: func(u responses) (float64, float64) {
				higher, equal, _, all := u.compared()
				return (higher + equal/2) / max(1, all), scoring.Indicator(all > 0)
			},
		},
		{
			Metric: scoring.Metric{Name: equalScores, Kind: kind},
			Adds:   func(u responses) (float64, float64) { _, equal, _, all := u.compared(); return equal, all },
		},
		{
			Metric: scoring.Metric{Name: scoring.RightWhereAlike, Kind: kind},
			Adds: func(u responses) (float64, float64) {
				higher, _, lower, _ := u.compared()
				return higher, higher + lower
			},
		},
		{
			Metric: scoring.Metric{Name: scoring.Coverage, Kind: kind},
			Adds: func(u responses) (float64, float64) {
				higher, _, lower, all := u.compared()
				return higher + lower, all
			},
		},
	}
}

func (f *scores) Sheet(scoring.MissingPolicy, uint64) *scoring.Sheet {
	list := metrics(scoring.Share, scoring.Halves)
	if slices.ContainsFunc(f.rows, func(u *responses) bool { return len(u.ids) > 2 }) {
		list = metrics(scoring.Several, scoring.Mean)
	}
	s := &scoring.Sheet{
		Metrics:   scoring.AssignColumns(list),
		Width:     2 * len(list),
		Divisions: []func(a, b string) int{judging.GroupOrder},
		Units:     make([]scoring.Unit, len(f.rows)),
	}
	for i, u := range f.rows {
		s.Units[i] = scoring.Unit{ID: u.item, Groups: []string{u.group}, Row: make([]float64, s.Width), Data: *u}
		scoring.FillRow(list, *u, s.Units[i].Row)
		if u.gold >= 0 {
			s.Units[i].Gold = u.ids[u.gold]
		}
	}
	return s
}

// Extend adds how the scale is used, and the AUROC of the scores of all responses.
func (f *scores) Extend(rep *scoring.Report, s *scoring.Sheet, b stats.Bootstrap) {
	var scored []stats.Scored
	use := map[string]map[float64]int{ScoreCount: {}, BetterCount: {}, OtherCount: {}}
	counts := use[ScoreCount]
	sums := map[string]int{}
	for _, unit := range s.Units {
		u := unit.Data.(responses)
		for k, x := range u.scores {
			if math.IsNaN(x) {
				continue
			}
			kinds := []string{ScoreCount}
			if u.gold >= 0 {
				kinds = append(kinds, OtherCount)
				if k == u.gold {
					kinds[1] = BetterCount
				}
				cluster := cmp.Or(unit.Cluster, unit.ID)
				scored = append(scored, stats.Scored{Score: x, Positive: k == u.gold, Cluster: cluster})
			}
			for _, kind := range kinds {
				use[kind][x]++
				sums[kind]++
			}
		}
	}
	n := sums[ScoreCount]
	if n == 0 {
		return
	}
	add := func(metric, unit string, value float64, iv stats.Interval, method string) {
		x := scoring.Result{
			Metric: metric, Group: scoring.Overall, Unit: unit, N: n, Value: scoring.Fraction(value),
			Missing: "response left out", Interval: method,
		}
		if method != "" {
			x.N = len(scored)
			x.Low, x.High = scoring.Fraction(iv.Low), scoring.Fraction(iv.High)
		}
		rep.Results = append(rep.Results, x)
	}
	area, iv := stats.AUROC(scored, b.Level)
	if !math.IsNaN(area) {
		add(scoreAUROC, scoring.UnitScore, area, iv, scoring.ByDeLong)
	}
	each := slices.Collect(maps.Values(counts))
	levels := float64(len(f.manifest.Spec.Prompt.Labels))
	add(mostUsed, "", 100*float64(slices.Max(each))/float64(n), stats.Interval{}, "")
	add(levelsUsed, scoring.UnitCount, float64(len(each)), stats.Interval{}, "")
	add(entropy, scoring.UnitScore, min(1, stats.Entropy(each)/math.Log2(levels)), stats.Interval{}, "")
	for _, kind := range []string{ScoreCount, BetterCount, OtherCount} {
		for _, x := range slices.Sorted(maps.Keys(counts)) {
			if sums[kind] == 0 {
				break
			}
			add(kind+f.levelOf(x), scoring.UnitCount, float64(use[kind][x]), stats.Interval{}, "")
			rep.Results[len(rep.Results)-1].N = sums[kind]
		}
	}
}

// levelOf writes a score as the prompt names it.
func (f *scores) levelOf(x float64) string {
	if f.manifest.Spec.Prompt.Labels[0] == no {
		return []string{no, yes}[int(x)]
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}
