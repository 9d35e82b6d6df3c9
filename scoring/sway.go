package scoring

import (
	"slices"
	"strings"

	"gavel/internal/phrases"
	"gavel/scoring/stats"
)

// BiasAnalysis holds the biases of a judge on pairs: which features of the responses correlate with its verdicts
// besides the labels, and its accuracy if no feature had an effect.
type BiasAnalysis struct {
	Run       string          `json:"run,omitempty"` // folder of the run, as given
	Says      string          `json:"says"`          // the biases found, in one or two sentences
	Judge     string          `json:"judge"`         // model name of the judge
	Dataset   string          `json:"dataset"`       // name of the dataset
	Pairs     int             `json:"pairs"`         // pairs with a label and both texts, which the analysis uses
	Judgments int             `json:"judgments"`     // judgments of these pairs that name a response
	Causes    []FeatureEffect `json:"causes"`        // features with their effects: the position first, then by strength
	// pairs on which the judge is correct in both orders, for comparison with the baselines
	CorrectInBothOrders Proportion `json:"right_in_both_orders"`
	// accuracy of single verdicts, in percent; null without a fitted regression
	VerdictAccuracy *float64 `json:"right"`
	// accuracy, in percent, that the regression predicts for two responses with equal features, averaged over both
	// positions; null without a fitted regression
	AccuracyAtEqualFeatures *Proportion `json:"right_where_equal"`
	NoRegressionReason      string      `json:"why,omitempty"` // why no regression could be fitted
	// why a preference for the judge's own model family cannot be tested; left out if it is one of the causes
	NoOwnFamilyReason string     `json:"itself,omitempty"`
	Baselines         []Baseline `json:"rules"` // baselines that pick responses without reading them

	IsPointwise bool `json:"-"` // the responses were scored one at a time: a verdict is the higher score
}

// PhraseCode returns the code of a phrase in the words for scores, if the judge gave scores.
func (s BiasAnalysis) PhraseCode(code string) string {
	if s.IsPointwise {
		code = "scored-" + code
	}
	return code
}

// FeatureEffect holds the effect on the verdicts of a feature that one response of a pair has more of than the other.
type FeatureEffect struct {
	Name        string     `json:"name"`  // name of the feature: the position, length, Markdown, …
	Measure     string     `json:"about"` // how the feature is measured
	Pairs       int        `json:"pairs"` // pairs in which one response has more of the feature
	PrefersMore Proportion `json:"named"` // verdicts that name the response with more of the feature
	// pairs correct in both orders, of those whose better response has more of the feature
	CorrectWithMore Proportion `json:"right_where_more"`
	// pairs correct in both orders, of those whose better response has less of the feature
	CorrectWithLess Proportion `json:"right_where_less"`
	// effect of one standard deviation more of the feature on a response's odds of being named, in a logistic regression
	// on the label and all features; null if none could be fitted. For the position: effect of being shown first.
	Odds *Odds `json:"odds"`
}

// ProportionOf returns a share with its interval. counts holds the successes and the trials of each unit or cluster.
func ProportionOf(counts [][2]int, b stats.Bootstrap) Proportion {
	e, n := MeanOf(counts, 0, b)
	return Proportion{Value: e.Value, Low: e.Low, High: e.High, N: n}
}

// MeanOf returns the mean of scores, in percent, and their number n. For each unit or cluster, scores holds the sum of
// its scores and their number. A score is 1, 0 or, if lowest is −1, −1. The interval comes from a formula if each
// unit has one score, or up to two of 0 and 1; otherwise the units are resampled.
func MeanOf(scores [][2]int, lowest float64, b stats.Bootstrap) (e Estimate, n int) {
	var rows stats.Rows
	var parts []stats.ClusterCount
	more, less := 0, 0
	single := true
	for _, c := range scores {
		rows.Add([]float64{float64(c[0]), float64(c[1])})
		parts = append(parts, stats.ClusterCount{Num: float64(c[0]), Den: float64(c[1]), Count: 1})
		more += max(0, c[0])
		less += max(0, -c[0])
		n += c[1]
		single = single && c[1] == 1
	}
	if n == 0 {
		return e, 0
	}
	iv, halves := halfPointMeanInterval(parts, b.Level)
	switch {
	case !single && halves && lowest == 0:
		e.IntervalMethod = IntervalByBonettPrice
	case !single:
		e.IntervalMethod = IntervalByBootstrap
		ends := priorRowsAtExtremes(
			stats.SparseRow{Columns: []int{0, 1}, Values: []float64{lowest, 1}},
			stats.SparseRow{Columns: []int{0, 1}, Values: []float64{1, 1}},
		)
		mean := func(sums []float64) float64 { return sums[0] / sums[1] }
		iv = b.SmoothedIntervals(&rows, []stats.Statistic{{Compute: mean, Prior: ends}})[0]
	case lowest == 0:
		e.IntervalMethod = IntervalByBlaker
		iv = stats.Blaker(more, n, b.Level)
	default:
		e.IntervalMethod = IntervalByBonettPrice
		iv = stats.PairedInterval(float64(more), float64(less), float64(n), b.Level)
	}
	e.Value = Percent(float64(more-less) / float64(n))
	e.Low = Percent(iv.Low)
	e.High = Percent(iv.High)
	return e, n
}

// baselinePhrases holds, by the name of a baseline, the code of the phrase that the judge picks the same responses.
var baselinePhrases = map[string]string{
	"the longer":    "bias.picks-longer",
	"the shorter":   "bias.picks-shorter",
	"more Markdown": "bias.picks-more-markdown",
	"less Markdown": "bias.picks-less-markdown",
}

// FollowedBaseline returns the baseline that the judge's verdicts follow; nil if they follow none. By 95 % intervals,
// at least three quarters of the verdicts name the baseline's response, which is more than the labels do; and where the
// baseline is wrong, the judge is correct on less than half of the pairs and on a smaller share than of all pairs.
// strict is the lower end of the interval of the latter share.
func FollowedBaseline(rules []Baseline, strict *float64) (decider *Baseline) {
	for i, x := range rules {
		if strict == nil || x.Followed == nil || x.Followed.Low == nil || x.CorrectWhereRuleWrong.High == nil {
			continue
		}
		if *x.Followed.Low >= max(MaxOnePositionPercent, x.Value) && *x.CorrectWhereRuleWrong.High < min(50, *strict) &&
			(decider == nil || *x.Followed.Value > *decider.Followed.Value) {
			decider = &rules[i]
		}
	}
	return decider
}

// FollowsSentence says that the judge picks the same responses as the baseline, and how accurate it is where that is
// wrong.
func (r Baseline) FollowsSentence() string {
	return phrases.Sentence(baselinePhrases[r.Name], *r.Followed.Value, *r.CorrectWhereRuleWrong.Value)
}

// BestBaseline returns the baseline that is correct in both orders on the most pairs.
func (s BiasAnalysis) BestBaseline() (best Baseline) {
	for _, r := range s.Baselines {
		if r.Value > best.Value {
			best = r
		}
	}
	return best
}

// causesText returns sentences on the features that have a significant effect on the verdicts.
func (s BiasAnalysis) causesText() string {
	decides := ""
	rule := FollowedBaseline(s.Baselines, s.CorrectInBothOrders.Low)
	if rule != nil {
		decides = rule.FollowsSentence() + " "
	}
	if s.NoRegressionReason != "" {
		return decides + s.NoRegressionReason
	}
	if len(s.Causes) > 0 && s.Causes[0].Odds == nil {
		decides += phrases.Sentence("bias.no-position") + " "
	}
	var names []string
	for _, c := range s.Causes {
		if c.IsSignificant() {
			names = append(names, c.Label())
		}
	}
	if names == nil {
		return decides + phrases.Sentence("bias.none", phrases.CountWithNoun(s.Pairs, "pair"))
	}
	words := decides + phrases.Sentence("bias.list", strings.Join(names, ", "))
	i := slices.IndexFunc(s.Causes, func(c FeatureEffect) bool {
		return c.IsSignificant() &&
			c.CorrectWithMore.Value != nil && c.CorrectWithLess.Value != nil && c.PrefersMore.Value != nil
	})
	if i < 0 || rule != nil {
		return words
	}
	c := s.Causes[i]
	to := "the response with more " + c.Name
	better := "has more"
	switch c.Name {
	case CauseLength:
		to = "the longer response"
		better = "is longer"
	case CauseOwnFamily:
		to = "the response of its own family"
		better = "is of its own family"
	}
	namedShare := *c.PrefersMore.Value
	right := c.CorrectWithMore
	other := c.CorrectWithLess
	if c.Odds.Ratio < 1 { // the share of verdicts may be due to the labels
		less := strings.NewReplacer("more", "less", "longer", "shorter", "its own family", "another family")
		to = less.Replace(to)
		better = less.Replace(better)
		namedShare = 100 - namedShare
		right, other = other, right
	}
	return words + " " + phrases.Sentence(s.PhraseCode("bias.prefers"), to, namedShare, *right.Value, better, *other.Value)
}

// Names of causes of bias that sentences word differently from the others.
const (
	CauseLength    = "length"
	CauseOwnFamily = "itself"
)

// Label returns the cause's name in today's words: stored results call the position "the place".
func (c FeatureEffect) Label() string { return strings.Replace(c.Name, "the place", "position", 1) }

// IsSignificant reports whether the feature has a significant effect on the verdicts.
func (c FeatureEffect) IsSignificant() bool { return c.Odds != nil && c.Odds.P < SignificanceLevel }

// Answer returns sentences on the features that have a significant effect on the verdicts, and on a baseline that is as
// good as the judge.
func (s BiasAnalysis) Answer() string {
	words := s.causesText()
	if rule := s.BestBaseline(); s.CorrectInBothOrders.Value != nil && *s.CorrectInBothOrders.Value <= rule.Value {
		words += " " + phrases.Sentence(s.PhraseCode("bias.baseline"), rule.Name, rule.Value, *s.CorrectInBothOrders.Value)
	}
	return words
}
