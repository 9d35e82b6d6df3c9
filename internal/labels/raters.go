package labels

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"gavel/scoring"
	"gavel/scoring/stats"
)

// pair returns how far raters a and b agree on the items that both labelled.
func (p *panel) pair(a, b rater) RaterPair {
	out := RaterPair{A: a.name, B: b.name, RaterKinds: raterKind(a) + ", " + raterKind(b)}
	k := len(p.categories)
	agreed, table := clusters{}, clusters{}
	categories := [2]map[string]bool{{}, {}}
	for item, x := range a.labels {
		y := b.labels[item]
		if x == "" || y == "" {
			continue
		}
		categories[0][x] = true
		categories[1][y] = true
		p.addItem(agreed, item, p.agreementRow(x, y))
		if k <= maxCategories && !p.scored {
			p.clusterRow(table, item, k*k)[p.category(a, item)*k+p.category(b, item)]++
		}
	}
	out.Agreement, out.N, out.Clusters = p.agreementShare(agreed)
	if p.scored {
		out.ScoreAgreement = p.scoreAgreement(agreed)
		return out
	}
	if k > maxCategories || out.N == 0 {
		return out
	}
	coincidences := func(sums []float64) []float64 {
		first := mat.NewDense(k, k, sums)
		var both mat.Dense
		both.Add(first, first.T())
		return both.RawMatrix().Data
	}
	statistics := append([]func([]float64) float64{
		func(sums []float64) float64 { return stats.Kappa(sums, k) },
		func(sums []float64) float64 { return stats.AC1(sums, k) },
	}, p.alphaStatistics(coincidences)...)
	numbers := p.statisticsOfTable(table, k, statistics)
	out.Kappa = numbers[0]
	out.Kappa.Constant = len(categories[0]) == 1 || len(categories[1]) == 1
	out.AC1 = numbers[1]
	out.Alpha = numbers[2]
	if p.itemsArePairs() {
		out.OrdinalAlpha = &numbers[3]
	}
	return out
}

// raterKind returns the kind of a rater for [RaterPair.RaterKinds].
func raterKind(r rater) string {
	if r.judge != nil {
		return "judge"
	}
	return "person"
}

// minRows is the least number of items, or of clusters if items come in clusters, for the interval of a coefficient.
const minRows = 10

// statisticsOfTable returns the values of statistics for a k×k table of two raters' labels, with intervals that
// resample clusters of items. One more item is added to those observed: for the lower end of an interval it is spread
// over the cells in which the raters disagree, for the upper end over those in which they agree. With clusters it has
// the weight of an average cluster. Categories that no rater uses get none of it, unless only one is used.
func (p *panel) statisticsOfTable(table clusters, k int, statistics []func([]float64) float64) []Statistic {
	sample := table.unitRows(scoring.Metric{Columns: scoring.ColumnSpan{0, k * k}})
	rows, sums := sample.Rows(), sample.Sums()
	worth := scoring.EffectivePriorUnits(floats.Sum(sums) / float64(rows.Len))
	cell := func(a, b int) stats.SparseRow {
		return stats.SparseRow{Columns: []int{a*k + b}, Values: []float64{worth}}
	}
	prior, categories := new(stats.PriorRows), usedCategories(sums, k)
	for _, a := range categories {
		for _, b := range categories {
			if a != b { // each category has as many cells in both
				prior.Low = append(prior.Low, cell(a, b))
				prior.High = append(prior.High, cell(a, a))
			}
		}
	}
	if len(prior.Low) > 0 {
		prior.MeanWeight = 1 / float64(len(prior.Low))
	}
	var list []stats.Statistic
	for _, f := range statistics {
		list = append(list, stats.Statistic{Compute: f, Prior: prior})
	}
	out := make([]Statistic, len(statistics))
	for i, iv := range p.bootstrap.SmoothedIntervals(rows, list) {
		v := statistics[i](sums)
		out[i].Value = scoring.RoundFraction(v)
		if out[i].Value != nil && rows.Len >= minRows {
			out[i].Low = scoring.RoundFraction(math.Min(iv.Low, v))
			out[i].High = scoring.RoundFraction(math.Min(1, math.Max(iv.High, v)))
			out[i].IntervalMethod = scoring.IntervalByBootstrap
		}
	}
	return out
}

// usedCategories returns the indexes of the categories that occur in a k×k table of labels, given by its cells, or of
// all categories if only one occurs.
func usedCategories(sums []float64, k int) (nonEmpty []int) {
	all := make([]int, k)
	for c := range k {
		all[c] = c
		for other := range k {
			if sums[c*k+other]+sums[other*k+c] > 0 {
				nonEmpty = append(nonEmpty, c)
				break
			}
		}
	}
	if len(nonEmpty) < 2 {
		return all
	}
	return nonEmpty
}

// peopleAgreement returns Krippendorff's α of all people.
func (p *panel) peopleAgreement() *PeopleAgreement {
	k := len(p.categories)
	t := &PeopleAgreement{Raters: len(p.peopleRaters)}
	if k > maxCategories {
		return t
	}
	table := clusters{}
	for _, item := range slices.Sorted(maps.Keys(p.file.Majority())) {
		values := make([]int, len(p.peopleRaters))
		rated := 0
		for i, r := range p.peopleRaters {
			values[i] = p.category(r, item)
			if values[i] >= 0 {
				rated++
			}
		}
		if rated > 1 {
			t.N++
			stats.AddCoincidences(p.clusterRow(table, item, k*k), k, values)
		}
	}
	numbers := p.statisticsOfTable(table, k, p.alphaStatistics(func(sums []float64) []float64 { return sums }))
	t.Alpha = numbers[0]
	if len(numbers) > 1 {
		t.Ordinal = &numbers[1]
	}
	return t
}

// alphaStatistics returns functions that compute Krippendorff's α from the sums of a table: the nominal one and, for
// pairs of responses and scores, the ordinal one. coincidences turns the sums into Krippendorff's matrix.
func (p *panel) alphaStatistics(
	coincidences func(sums []float64) []float64,
) (statistics []func(sums []float64) float64) {
	scales := []stats.Scale{stats.Nominal}
	if p.itemsArePairs() || p.scored {
		scales = append(scales, stats.Ordinal)
	}
	for _, scale := range scales {
		statistics = append(statistics, func(sums []float64) float64 {
			return stats.KrippendorffAlpha(coincidences(sums), len(p.categories), scale)
		})
	}
	return statistics
}

// category returns the index of a rater's label of an item in p.categories; −1 without a label.
func (p *panel) category(r rater, item string) int { return slices.Index(p.categories, r.labels[item]) }

// altTest returns the alternative annotator test of a judge, of whether it may replace a person. epsilon is
// [AltTest.Epsilon].
func (p *panel) altTest(judge rater, epsilon float64) AltTest {
	items := slices.Sorted(maps.Keys(p.file.Majority()))
	categories := func(r rater) (all []int) {
		for _, item := range items {
			all = append(all, p.category(r, item))
		}
		return all
	}
	var others [][]int
	for _, r := range p.peopleRaters {
		others = append(others, categories(r))
	}
	t := stats.AltTest(categories(judge), others, epsilon, 0.05)
	s := AltTest{
		Run:       judge.name,
		Model:     judge.judge.Manifest.Spec.Model.Name,
		Epsilon:   epsilon,
		Winning:   scoring.RoundFraction(t.Winning),
		Advantage: scoring.RoundFraction(t.Advantage),
	}
	for k, x := range t.People {
		if x.Units > 0 {
			s.People = append(s.People, PersonTest{
				Labeller:   p.peopleRaters[k].name,
				N:          x.Units,
				JudgeShare: scoring.RoundFraction(x.JudgeAdvantage),
				Person:     scoring.RoundFraction(x.PersonAdvantage),
				P:          scoring.RoundToTwelveDigits(x.P),
				Surpasses:  x.LosesToJudge,
			})
		}
	}
	return s
}

// addIntraRater adds the agreement of each person's labels with their own labels of items shown for the second time.
func (p *panel) addIntraRater(a *Agreement) {
	before := map[key]Label{}
	for _, l := range p.file.Labels {
		before[key{item: l.Item, labeller: l.Labeller}] = l
	}
	for _, person := range p.peopleRaters {
		agreed := clusters{}
		for _, l := range p.file.RepeatLabels {
			first := before[key{item: l.Item, labeller: person.name}]
			if l.Labeller == person.name && l.Label != "" && first.Label != "" && l.SHA256 == first.SHA256 {
				p.addItem(agreed, l.Item, p.agreementRow(l.Label, first.Label))
			}
		}
		if share, n, _ := p.agreementShare(agreed); n > 0 {
			a.IntraRater = append(a.IntraRater, IntraRater{Labeller: person.name, N: n, Agreement: share})
		}
	}
}
