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

	"gonum.org/v1/gonum/floats/scalar"

	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/pairwise"
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
	// ScoreCountPrefix, BetterCountPrefix and OtherCountPrefix start the names of metrics that count the responses with a
	// score: all, the labelled ones, and the others of items with a label.
	ScoreCountPrefix  = "score:"
	BetterCountPrefix = "better-score:"
	OtherCountPrefix  = "other-score:"
)

// MetricsYAML is the table of metrics of pointwise.
//
//go:embed metrics.yaml
var MetricsYAML string

// responses holds an item with the scores of its responses. It is the unit of scores and of resampling.
type responses struct {
	item, group    string
	ids            []string  // of the responses, sorted; the other fields refer to them by index
	gold           int       // the better response; −1 without a label
	scores         []float64 // by response; NaN without a score
	expectedScores []float64 // mean of the levels by their probabilities, by response; NaN without probabilities
	hasRecord      []bool    // by presentation

	people   *datasets.PeopleScores // of a single response; empty without
	question string                 // digest of the question, with people
}

func (u *responses) complete() bool { return !slices.Contains(u.hasRecord, false) }

// countPairs counts the pairs of the better response and another one: in which the better scores higher, both score the
// same, or the better scores lower. Pairs without two scores are in none of these; all counts them too.
func (u responses) countPairs() (higher, equal, lower, all float64) {
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

// scorePreference returns the share of these pairs in which the better response scores higher, and 1; 0, 0 without a
// label. As in pairwise, a pair with equal scores or without two scores counts as half.
func (u responses) scorePreference() (num, den float64) {
	higher, _, lower, all := u.countPairs()
	return (all + higher - lower) / 2 / max(1, all), scoring.Indicator(all > 0)
}

// pointwiseScorer scores runs that score responses one at a time.
type pointwiseScorer struct {
	manifest  *judging.Manifest
	items     scoring.Collector[responses]
	hasPeople bool         // people have scored the responses
	rows      []*responses // complete items by id, set by Finish
}

// NewScorer scores runs that score responses one at a time.
func NewScorer(m *judging.Manifest) scoring.Scorer {
	return &pointwiseScorer{manifest: m, items: scoring.Collector[responses]{Complete: (*responses).complete}}
}

func (f *pointwiseScorer) Terms() scoring.ScorerTerms {
	terms := scoring.ScorerTerms{Unit: "pair", Record: "judgment", IncompleteItemsPhrase: "items lack a score"}
	if f.hasPeople {
		terms.Unit = "item"
	}
	return terms
}

func (f *pointwiseScorer) Add(r *judging.Record, v judging.Verdict) (bool, error) {
	people := r.People
	if len(r.Order) != 1 || people == nil {
		people = new(datasets.PeopleScores)
	}
	f.hasPeople = len(people.Scores) > 0
	if len(r.Order) == 0 {
		return false, fmt.Errorf("%s scores responses: this record has none", name)
	}
	u := f.items.Get(r.Item, func(item string) responses {
		u := responses{item: item, group: strings.Clone(r.Group), gold: -1, hasRecord: make([]bool, r.Presentations)}
		u.people, u.question = people, strings.Clone(r.QuestionID)
		for k := range r.Order {
			u.ids = append(u.ids, strings.Clone(r.CandidateID(k)))
		}
		u.scores, u.expectedScores = make([]float64, len(u.ids)), make([]float64, len(u.ids))
		u.gold = slices.Index(u.ids, r.Gold)
		return u
	})
	k := slices.Index(u.ids, r.Order[0])
	if k < 0 || u.hasRecord[r.Presentation] {
		return false, nil
	}
	u.hasRecord[r.Presentation] = true
	prompt := f.manifest.Spec.Prompt
	score := math.NaN()
	if v.Outcome == judging.Decided {
		score = prompt.ScaleValue(v.Answer)
	}
	weight := prompt.CriterionWeight(r.Mode)
	u.scores[k] += weight * score
	u.expectedScores[k] += weight * expectedScore(prompt, r.Probabilities)
	return true, nil
}

// expectedScore returns the mean of a prompt's levels, weighted by their probabilities (G-Eval, arXiv 2303.16634); NaN
// without probabilities.
func expectedScore(prompt judging.Template, levels []judging.Probability) float64 {
	sum, total := 0.0, 0.0
	for _, l := range levels {
		sum += l.P * prompt.ScaleValue(strings.Trim(l.Label, "[]"))
		total += l.P
	}
	return sum / total
}

func (f *pointwiseScorer) Finish() (complete int) {
	f.rows = f.items.CompleteUnits()
	total := 0.0
	for _, key := range criterionNames(f.manifest.Spec.Prompt) {
		total += f.manifest.Spec.Prompt.CriterionWeight(key)
	}
	for _, u := range f.rows {
		for k := range u.scores {
			u.scores[k] = scalar.Round(u.scores[k]/total, 9) // so that equal scores are equal numbers
			u.expectedScores[k] = scalar.Round(u.expectedScores[k]/total, 9)
		}
	}
	return len(f.rows)
}

// Unlabelled returns the number of items without a label.
func (f *pointwiseScorer) Unlabelled() (n int) {
	for _, u := range f.rows {
		n += int(scoring.Indicator(u.gold < 0 && len(u.ids) > 1))
	}
	return n
}

// metrics returns the metrics that compare the better response's score with the others'. kind is that of shares of
// pairs, halves that of the mean over items.
func metrics(kind, halves scoring.MetricKind) []scoring.SumMetric[responses] {
	return []scoring.SumMetric[responses]{
		{
			Metric:       scoring.Metric{Name: halfTie, Kind: halves, Headline: true},
			Contribution: responses.scorePreference,
		},
		{
			Metric:       scoring.Metric{Name: equalScores, Kind: kind},
			Contribution: func(u responses) (float64, float64) { _, equal, _, all := u.countPairs(); return equal, all },
		},
		{
			Metric: scoring.Metric{Name: scoring.AccuracyWhenConsistent, Kind: kind},
			Contribution: func(u responses) (float64, float64) {
				higher, _, lower, _ := u.countPairs()
				return higher, higher + lower
			},
		},
		{
			Metric: scoring.Metric{Name: scoring.Coverage, Kind: kind},
			Contribution: func(u responses) (float64, float64) {
				higher, _, lower, all := u.countPairs()
				return higher + lower, all
			},
		},
	}
}

func (f *pointwiseScorer) Sheet(scoring.MissingPolicy, uint64) *scoring.Sheet {
	list := metrics(scoring.KindShare, scoring.KindHalfPoints)
	if slices.ContainsFunc(f.rows, func(u *responses) bool { return len(u.ids) > 2 }) {
		list = metrics(scoring.KindTrials, scoring.KindMean)
	}
	if slices.ContainsFunc(f.rows, func(u *responses) bool { return !slices.ContainsFunc(u.expectedScores, math.IsNaN) }) {
		list = append(list, scoring.SumMetric[responses]{
			Metric:       scoring.Metric{Name: "expected-half-tie", Kind: list[0].Kind},
			Contribution: func(u responses) (float64, float64) { u.scores = u.expectedScores; return u.scorePreference() },
		})
	}
	s := &scoring.Sheet{
		Metrics:     scoring.AssignColumns(list),
		ColumnCount: 2 * len(list),
		Divisions:   []func(a, b string) int{judging.CompareGroups},
		Units:       make([]scoring.Unit, len(f.rows)),
	}
	for i, u := range f.rows {
		s.Units[i] = scoring.Unit{ID: u.item, Groups: []string{u.group}, Row: make([]float64, s.ColumnCount), Data: *u}
		scoring.FillRow(list, *u, s.Units[i].Row)
		if u.gold >= 0 {
			s.Units[i].Gold = u.ids[u.gold]
		}
	}
	if len(f.rows) > 0 && (f.hasPeople || f.manifest.Spec.Prompt.Labels[0] == levelNo) {
		f.addAgreement(s)
	}
	return s
}

// ExtendReport adds how the scale is used, and the AUROC of the scores of all responses.
func (f *pointwiseScorer) ExtendReport(rep *scoring.Report, s *scoring.Sheet, b stats.Bootstrap) {
	var scored []stats.Scored
	use := map[string]map[float64]int{ScoreCountPrefix: {}, BetterCountPrefix: {}, OtherCountPrefix: {}}
	counts := use[ScoreCountPrefix]
	sums := map[string]int{}
	for _, unit := range s.Units {
		u := unit.Data.(responses)
		for k, x := range u.scores {
			if math.IsNaN(x) {
				continue
			}
			kinds := []string{ScoreCountPrefix}
			if u.gold >= 0 {
				kinds = append(kinds, OtherCountPrefix)
				if k == u.gold {
					kinds[1] = BetterCountPrefix
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
	n := sums[ScoreCountPrefix]
	if n == 0 {
		return
	}
	add := func(metric, unit string, n int, value float64) *scoring.Result {
		rep.Results = append(rep.Results, scoring.Result{
			Metric: metric, Group: scoring.Overall, Unit: unit, N: n, Value: scoring.RoundFraction(value),
			MissingRule: "response left out",
		})
		return &rep.Results[len(rep.Results)-1]
	}
	area, iv := stats.AUROC(scored, b.Level)
	if !math.IsNaN(area) {
		x := add(scoreAUROC, scoring.UnitScore, len(scored), area)
		x.Low, x.High = scoring.RoundFraction(iv.Low), scoring.RoundFraction(iv.High)
		x.IntervalMethod = scoring.IntervalByDeLong
	}
	each := slices.Collect(maps.Values(counts))
	levels := f.manifest.Spec.Prompt.Labels
	add(mostUsed, "", n, 100*float64(slices.Max(each))/float64(n))
	add(levelsUsed, scoring.UnitCount, n, float64(len(each)))
	add(entropy, scoring.UnitScore, n, min(1, stats.Entropy(each)/math.Log2(float64(len(levels)))))
	for _, kind := range []string{ScoreCountPrefix, BetterCountPrefix, OtherCountPrefix} {
		if sums[kind] == 0 {
			continue
		}
		bin := math.NaN()
		for _, x := range slices.Sorted(maps.Keys(counts)) {
			count := float64(use[kind][x])
			if len(levels) <= maxBars || len(each) <= maxBars {
				add(kind+levelText(levels, x), scoring.UnitCount, sums[kind], count)
			} else if tens := math.Floor(x / 10); tens != bin {
				bin = tens
				add(fmt.Sprintf("%s%g-%g", kind, 10*bin, min(10*bin+9, 100)), scoring.UnitCount, sums[kind], count)
			} else {
				*rep.Results[len(rep.Results)-1].Value += count
			}
		}
	}
}

// maxBars is the largest number of different scores with a bar each. If there are more, each bar counts ten scores.
const maxBars = 16

// levelText writes a score as one of the levels of a prompt, if it is one.
func levelText(levels []string, x float64) string {
	if levels[0] == levelNo && (x == 0 || x == 1) {
		return levels[int(x)]
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// AnalyzeBias returns which features of the responses, such as their length, go with a higher score.
func (f *pointwiseScorer) AnalyzeBias(
	texts scoring.ResponseIterator, clusterOf func(id string) string, b stats.Bootstrap,
) (*scoring.BiasAnalysis, error) {
	m := *f.manifest
	m.Spec.Protocol, m.Spec.Goal = pairwise.Protocol.Name, pairwise.Protocol.Goal
	pairs := pairwise.NewScorer(&m)
	for _, u := range f.rows {
		if len(u.ids) != 2 || u.gold < 0 {
			continue
		}
		v := judging.EmptyVerdict(judging.NoVerdict)
		switch a, b := u.scores[0], u.scores[1]; {
		case a == b:
			v.Outcome = judging.Tie
		case a > b:
			v.Outcome, v.Choice = judging.Decided, 0
		case a < b:
			v.Outcome, v.Choice = judging.Decided, 1
		}
		for i, order := range [][]string{u.ids, {u.ids[1], u.ids[0]}} {
			r := &judging.Record{
				Item: u.item, Group: u.group, Gold: u.ids[u.gold], Order: order, Presentation: i, Presentations: 2,
			}
			if _, err := pairs.Add(r, v); err != nil {
				return nil, err
			}
		}
	}
	pairs.Finish()
	out, err := pairs.(scoring.BiasFinder).AnalyzeBias(texts, clusterOf, b)
	if out != nil {
		out.IsPointwise = true
		out.Causes = slices.Delete(out.Causes, 0, 1) // responses are scored alone: there is no position
	}
	return out, err
}
