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

	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/reading"
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
	// ScoreCount starts the names of metrics that count the responses with a score.
	ScoreCount = "score:"
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
	asked       []bool    // by response

	people   *datasets.PeopleScores // of a single response; nil without
	question string                 // digest of the question, with people
}

func (u *responses) complete() bool { return !slices.Contains(u.asked, false) }

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
	return scoring.ScorerTerms{Unit: "item", Record: "judgment", Lacking: "items lack a score"}
}

func (f *scores) Add(r *judging.Record, v judging.Verdict) (bool, error) {
	if len(r.Order) < 2 && r.People == nil {
		return false, fmt.Errorf("%s scores pairs, options and responses with people's scores: this record has none", name)
	}
	u := f.items.Get(r.Item, func(item string) responses {
		u := responses{item: item, group: strings.Clone(r.Group), gold: -1, asked: make([]bool, len(r.Order))}
		u.people, u.question = r.People, strings.Clone(r.Question)
		for k := range r.Order {
			u.ids = append(u.ids, strings.Clone(r.CandidateID(k)))
			u.scores = append(u.scores, math.NaN())
		}
		u.gold = slices.Index(u.ids, r.Gold)
		return u
	})
	k := slices.Index(u.ids, r.Order[0])
	if k < 0 || u.asked[k] {
		return false, nil
	}
	u.asked[k] = true
	if v.Outcome == judging.Decided {
		u.scores[k] = valueOf(v.Answer)
	}
	return true, nil
}

// valueOf returns a score as a number: No is 0 and Yes is 1.
func valueOf(score string) float64 {
	if score == reading.No || score == reading.Yes {
		return scoring.Indicator(score == reading.Yes)
	}
	x, err := strconv.ParseFloat(score, 64)
	if err != nil {
		return math.NaN()
	}
	return x
}

func (f *scores) Finish() (complete int) {
	f.rows = f.items.CompleteUnits()
	return len(f.rows)
}

// Unlabelled returns the number of items without a label.
func (f *scores) Unlabelled() (n int) {
	for _, u := range f.rows {
		n += int(scoring.Indicator(u.gold < 0 && u.people == nil))
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
	if len(f.rows) > 0 && f.rows[0].people != nil {
		f.addPeople(s)
	}
	return s
}

// Extend adds how the scale is used, and the AUROC of the scores of all responses.
func (f *scores) Extend(rep *scoring.Report, s *scoring.Sheet, b stats.Bootstrap) {
	var scored []stats.Scored
	counts := map[float64]int{}
	n := 0
	for _, unit := range s.Units {
		u := unit.Data.(responses)
		for k, x := range u.scores {
			if math.IsNaN(x) {
				continue
			}
			n++
			counts[x]++
			if u.gold >= 0 {
				cluster := cmp.Or(unit.Cluster, unit.ID)
				scored = append(scored, stats.Scored{Score: x, Positive: k == u.gold, Cluster: cluster})
			}
		}
	}
	if n == 0 {
		return
	}
	add := func(metric, unit string, value float64, iv stats.Interval, method string) {
		x := scoring.Result{
			Metric: metric, Group: scoring.Overall, Unit: unit, N: n, Value: scoring.Fraction(value),
			Missing: "response left out", Interval: method,
		}
		if method != "" {
			x.N, x.Low, x.High = len(scored), scoring.Fraction(iv.Low), scoring.Fraction(iv.High)
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
	for _, x := range slices.Sorted(maps.Keys(counts)) {
		add(ScoreCount+f.levelOf(x), scoring.UnitCount, float64(counts[x]), stats.Interval{}, "")
	}
}

// levelOf writes a score as the prompt names it.
func (f *scores) levelOf(x float64) string {
	if f.manifest.Spec.Prompt.Labels[0] == reading.No {
		return []string{reading.No, reading.Yes}[int(x)]
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}
