package pairwise

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"gavel/internal/phrases"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// feature is a property of a response that can be counted without understanding the text, such as its length.
type feature struct {
	name, unit  string         // name of the feature; words for what is counted
	pattern     *regexp.Regexp // what is counted in a text; nil: characters
	lineMarkers []string       // only lines with one of these are searched; nil: the whole text at once
}

// features lists the properties of responses that studies of judges examine: length first (Dubois et al.,
// arXiv 2404.04475), then looks.
var features = []feature{
	{name: scoring.CauseLength, unit: "characters"},
	{
		name:        "Markdown",
		unit:        "headings and bold or italic words",
		pattern:     regexp.MustCompile(`^#{1,6} |\*\*[^*\n]+\*\*|__[^_\n]+__`),
		lineMarkers: []string{"#", "**", "__"},
	},
	{
		name:    "lists",
		unit:    "lines that begin with a mark or a number",
		pattern: regexp.MustCompile(`(?m)^\s*(?:[-*•]|\d+[.)])\s`),
	},
	{
		name:    "code",
		unit:    "lines that begin or end a block of code, and words in backquotes",
		pattern: regexp.MustCompile("(?m)^\\s*```|`[^`\n]+`"),
	},
	{name: "numbers", unit: "numbers", pattern: regexp.MustCompile(`\d+(?:[.,]\d+)*`)},
	{
		name:    "hedging",
		unit:    "may, might, could, perhaps, possibly, probably, likely, seems, generally, usually",
		pattern: regexp.MustCompile(`(?i)\b(?:may|might|could|perhaps|possibly|probably|likely|seems?|generally|usually)\b`),
	},
	{
		name:    "first person",
		unit:    "I, me, my, we, our",
		pattern: regexp.MustCompile(`\b(?:I|me|my|My|we|We|our|Our)\b`),
	},
}

// logCountIn returns how much of the feature a text has: log(1 + count), so that ratios of counts matter.
func (f feature) logCountIn(text string) float64 {
	n := 0
	switch {
	case f.pattern == nil:
		n = utf8.RuneCountInString(text)
	case f.lineMarkers == nil:
		n = len(f.pattern.FindAllStringIndex(text, -1))
	default:
		for line := range strings.Lines(text) {
			if slices.ContainsFunc(f.lineMarkers, func(mark string) bool { return strings.Contains(line, mark) }) {
				n += len(f.pattern.FindAllStringIndex(line, -1))
			}
		}
	}
	return math.Log(1 + float64(n))
}

// difference returns by how much the first of two responses has more of the feature; negative if it has less.
func (f feature) difference(responses []judging.Candidate) float64 {
	return f.logCountIn(responses[0].Text) - f.logCountIn(responses[1].Text)
}

// responseDifferences is a labelled pair with the differences between its responses.
type responseDifferences struct {
	pair
	differences []float64 // first response minus second, for each feature
	cluster     int       // number of the cluster that the pair is resampled with
}

// AnalyzeBias returns what the verdicts on pairs correlate with besides correctness; see [scoring.Swayer].
func (f *pairScorer) AnalyzeBias(
	responses scoring.ResponseIterator, clusterOf func(id string) string, b stats.Bootstrap,
) (*scoring.BiasAnalysis, error) {
	if f.manifest.Spec.Goal != Protocol.Goal {
		return nil, nil
	}
	family := familyFeature{family: familyOf(f.manifest.Spec.Model.Name)}
	rows, err := f.featureDifferences(responses, clusterOf, func(responses []judging.Candidate) (differences []float64) {
		for _, feature := range features {
			differences = append(differences, feature.difference(responses))
		}
		return append(differences, family.difference(responses))
	})
	if err != nil {
		return nil, err
	}
	out := &scoring.BiasAnalysis{
		Pairs:               len(rows),
		Causes:              []scoring.FeatureEffect{},
		CorrectInBothOrders: clusteredShare(rows, b, responseDifferences.rightInBothOrders),
	}
	for k, f := range features {
		out.Causes = append(out.Causes, f.effectOnVerdicts(k, rows, b))
	}
	if family.hasContrast {
		itself := feature{name: scoring.CauseOwnFamily, unit: "a response by a model of its own family"}
		out.Causes = append(out.Causes, itself.effectOnVerdicts(len(features), rows, b))
	}
	out.NoOwnFamilyReason = family.unmeasurableReason()
	out.Baselines = baselines(rows, b)
	regress(out, rows, b)
	return out, nil
}

// featureDifferences returns the labelled pairs with two different responses. count returns the differences between two
// responses by feature; clusterOf returns the cluster of an item, and nil stands for a cluster for each.
func (f *pairScorer) featureDifferences(
	responses scoring.ResponseIterator,
	clusterOf func(id string) string,
	count func(responses []judging.Candidate) []float64,
) (rows []responseDifferences, err error) {
	index := map[string]int{}
	for i, u := range f.rows {
		index[u.item] = i
	}
	differences := make([][]float64, len(f.rows))
	err = responses(func(id string, texts []judging.Candidate) {
		i, ok := index[id]
		if ok && len(texts) == 2 && texts[0].Text != texts[1].Text {
			differences[i] = count(texts)
		}
	})
	if err != nil {
		return nil, err
	}
	clusters := map[string]int{}
	for i, u := range f.rows {
		if u.gold < 0 || differences[i] == nil {
			continue
		}
		name := u.item
		if clusterOf != nil {
			name = clusterOf(u.item)
		}
		if _, ok := clusters[name]; !ok {
			clusters[name] = len(clusters)
		}
		rows = append(rows, responseDifferences{pair: *u, differences: differences[i], cluster: clusters[name]})
	}
	return rows, nil
}

// effectOnVerdicts returns how the judge's verdicts depend on feature k: how often it names the response with more of
// it, and how often it is correct where that response is the better or the worse one.
func (f feature) effectOnVerdicts(k int, rows []responseDifferences, b stats.Bootstrap) scoring.FeatureEffect {
	var more, less []responseDifferences // pairs whose better response has more of it, and less
	for _, u := range rows {
		switch {
		case u.differences[k] == 0:
		case u.gold == u.sideWithMore(k):
			more = append(more, u)
		default:
			less = append(less, u)
		}
	}
	return scoring.FeatureEffect{
		Name:    f.name,
		Measure: f.unit,
		Pairs:   len(more) + len(less),
		PrefersMore: verdictShare(slices.Concat(more, less), b, func(u responseDifferences, g judgment) bool {
			return g.choice == u.sideWithMore(k)
		}),
		CorrectWithMore: clusteredShare(more, b, responseDifferences.rightInBothOrders),
		CorrectWithLess: clusteredShare(less, b, responseDifferences.rightInBothOrders),
	}
}

// sideWithMore returns the response, 0 or 1, that has more of feature k.
func (u responseDifferences) sideWithMore(k int) int8 {
	if u.differences[k] > 0 {
		return 0
	}
	return 1
}

// rightInBothOrders is a count for clusteredShare: the hit is a pair that is correct in both orders.
func (u responseDifferences) rightInBothOrders() (hits, total int) {
	return int(scoring.Indicator(u.strict())), 1
}

// verdictShare returns the share of the pairs' verdicts for which matches returns true; ties and
// missing verdicts are left out.
func verdictShare(
	rows []responseDifferences, b stats.Bootstrap, matches func(responseDifferences, judgment) bool,
) scoring.Proportion {
	return clusteredShare(rows, b, func(u responseDifferences) (hits, total int) {
		for _, g := range u.judgments {
			if g.decided() {
				hits += int(scoring.Indicator(matches(u, g)))
				total++
			}
		}
		return hits, total
	})
}

// clusteredShare returns the share of the hits that count finds in the pairs, resampled by cluster.
func clusteredShare(
	rows []responseDifferences, b stats.Bootstrap, count func(responseDifferences) (hits, total int),
) scoring.Proportion {
	var counts scoring.OrderedMap[int, [2]int]
	for _, u := range rows {
		hits, total := count(u)
		if total > 0 {
			c := counts.Get(u.cluster)
			c[0] += hits
			c[1] += total
		}
	}
	return scoring.ProportionOf(counts.Values, b)
}

// minEventsPerCoefficient is the number of verdicts that a regression needs for each coefficient: Peduzzi et al.,
// Journal of Clinical Epidemiology 49 (1996), 1373–1379.
const minEventsPerCoefficient = 10

// regressionData holds the data of the regression of verdicts on what may sway them: a row for each verdict, with the
// pair's label, the position shown, and the features in units of their standard deviation.
type regressionData struct {
	features   []int       // indexes of the features in the rows of x, in order
	x          [][]float64 // rows: ±1 for the label, ±1 for the position, then the features
	y          []bool      // by row: the verdict names the pair's first response
	cluster    []int       // cluster of the pair of each row
	rightCount int         // number of right verdicts
}

// newRegressionData returns the regression's data, with features that differ in at least minEventsPerCoefficient pairs.
func newRegressionData(rows []responseDifferences, causes []scoring.FeatureEffect) (d regressionData) {
	var spread []float64
	for k, c := range causes {
		if c.Pairs < minEventsPerCoefficient {
			continue
		}
		squares := 0.0
		for _, u := range rows {
			squares += u.differences[k] * u.differences[k]
		}
		d.features = append(d.features, k)
		spread = append(spread, math.Sqrt(squares/float64(len(rows))))
	}
	for _, u := range rows {
		for _, g := range u.judgments {
			if !g.decided() {
				continue
			}
			row := []float64{1 - 2*float64(u.gold), 1 - 2*float64(g.firstCandidate)}
			for i, k := range d.features {
				row = append(row, u.differences[k]/spread[i])
			}
			d.x = append(d.x, row)
			d.y = append(d.y, g.choice == 0)
			d.cluster = append(d.cluster, u.cluster)
			d.rightCount += int(scoring.Indicator(g.choice == u.gold))
		}
	}
	return d
}

// regress estimates how much each feature of the responses, such as their lengths, sways the judge with the others held
// fixed. It adds the position as the first feature, and sorts the others by the size of their effect. Where the data
// are too few, out.NoRegressionReason says so.
func regress(out *scoring.BiasAnalysis, rows []responseDifferences, b stats.Bootstrap) {
	place := scoring.FeatureEffect{Name: "the place", Measure: "shown first", Pairs: len(rows)}
	place.PrefersMore = verdictShare(rows, b, func(_ responseDifferences, g judgment) bool {
		return g.choice == g.firstCandidate
	})
	d := newRegressionData(rows, out.Causes)
	out.Judgments = len(d.y)
	need := minEventsPerCoefficient * (2 + len(d.features))
	switch {
	case len(rows) == 0:
		out.NoRegressionReason = phrases.Sentence("bias.no-pairs")
	case !slices.ContainsFunc(out.Causes, func(c scoring.FeatureEffect) bool { return c.Pairs > 0 }):
		out.NoRegressionReason = phrases.Sentence("bias.no-texts")
	case len(d.y) < need:
		out.NoRegressionReason = phrases.Sentence("bias.few", len(d.y), 1+len(d.features), need)
	default:
		out.VerdictAccuracy = scoring.Percent(float64(d.rightCount) / float64(len(d.y)))
		fit := stats.FitLogistic(d.x, d.y, d.cluster)
		if fit == nil {
			out.NoRegressionReason = phrases.Sentence("bias.inseparable", *out.VerdictAccuracy, *place.PrefersMore.Value)
			break
		}
		out.AccuracyAtEqualFeatures = accuracyAtEqualFeatures(fit, b.Level, len(d.y))
		odds := oddsRatios(fit, b.Level)
		place.Odds = odds[0]
		for i, k := range d.features {
			out.Causes[k].Odds = odds[1+i]
		}
	}
	size := func(c scoring.FeatureEffect) float64 {
		if c.Odds == nil {
			return -1
		}
		return math.Abs(math.Log(c.Odds.Ratio))
	}
	slices.SortStableFunc(out.Causes, func(a, b scoring.FeatureEffect) int { return cmp.Compare(size(b), size(a)) })
	out.Causes = slices.Insert(out.Causes, 0, place)
}

// oddsRatios returns the odds ratios of the regression fit: of the response shown first over the one shown second, and
// of each feature; nil where the clusters do not determine them. level is that of the intervals.
func oddsRatios(fit *stats.Logistic, level float64) (all []*scoring.Odds) {
	var p []float64
	for j := 1; j < len(fit.Beta); j++ {
		p = append(p, fit.Test(j))
	}
	for i, adjusted := range stats.Holm(p) {
		if !fit.Estimable(1 + i) {
			all = append(all, nil)
			continue
		}
		unit := 1.0
		if i == 0 {
			unit = 2 // the place is +1 or −1
		}
		in := fit.Interval(1+i, level)
		ratio := func(beta float64) float64 { return *scoring.RoundFraction(math.Exp(min(max(unit*beta, -50), 50))) }
		all = append(all, &scoring.Odds{
			Ratio: ratio(fit.Beta[1+i]),
			Low:   ratio(in.Low),
			High:  ratio(in.High),
			P:     *scoring.RoundToTwelveDigits(adjusted),
		})
	}
	return all
}

// accuracyAtEqualFeatures returns how often a verdict would be right, by the regression fit, if the two responses had
// equal features and half of the right responses were shown first. n is the number of verdicts.
func accuracyAtEqualFeatures(fit *stats.Logistic, level float64, n int) *scoring.Proportion {
	accuracy := func(shift float64) float64 {
		l := stats.Logistic{Beta: []float64{fit.Beta[0] + shift, fit.Beta[1]}}
		return (l.Probability([]float64{1, 1}) + l.Probability([]float64{1, -1})) / 2
	}
	in := fit.Interval(0, level)
	return &scoring.Proportion{
		Value: scoring.Percent(accuracy(0)),
		Low:   scoring.Percent(accuracy(in.Low - fit.Beta[0])),
		High:  scoring.Percent(accuracy(in.High - fit.Beta[0])),
		N:     n,
	}
}
