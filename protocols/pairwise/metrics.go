package pairwise

import (
	_ "embed"
	"slices"

	"gavel/datasets"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// MetricsYAML is the YAML table that labels and defines the metrics of pairs.
//
//go:embed metrics.yaml
var MetricsYAML string

// pairMetrics lists the metrics of pairs, the headline first, with the function that returns a pair's numerator and
// denominator. A new metric needs a line here and a block in metrics.yaml.
var pairMetrics = []scoring.SumMetric[pair]{
	{Metric: scoring.Metric{Name: "strict", Headline: true}, Contribution: strict},
	pairShare("counter", majorityRight),
	pairShare("first-order", judgmentRight(0)),
	pairShare("second-order", judgmentRight(1)),
	{Metric: scoring.Metric{Name: halfTieName, Kind: scoring.KindHalfPoints}, Contribution: halfTie},
	pairShare("drop", strictWhenDecided),
	pairShare("consistency", consistency),
	{
		Metric:       scoring.Metric{Name: firstPositionShare, Kind: scoring.KindHalfPoints, MaxDenominator: 2},
		Contribution: firstPosition,
	},
	pairShare(AccuracyWhenConsistent, accuracyWhenConsistent),
	pairShare(Coverage, coverage),
}

// pairShare returns the metric that is the share of pairs by the numerators and denominators of contribution.
func pairShare(name string, contribution func(pair) (float64, float64)) scoring.SumMetric[pair] {
	return scoring.SumMetric[pair]{Metric: scoring.Metric{Name: name}, Contribution: contribution}
}

// Metrics of a judge whose verdicts are used only where both orders agree: how often they are right, and on what
// share of the pairs the orders agree. The metric strict is the product of both.
const (
	AccuracyWhenConsistent = scoring.AccuracyWhenConsistent
	Coverage               = scoring.Coverage
)

// halfTieName is the metric that counts half a point for a pair whose two verdicts cancel out. It is undefined in
// groups without a verdict.
const halfTieName = "half-tie"

// points adds up JudgeBench's points of both judgments, from −2 to 2: see judgment.points.
func (u pair) points() int { return u.judgments[0].points(u.gold) + u.judgments[1].points(u.gold) }

// strict reports whether both judgments name the labelled response.
func (u pair) strict() bool { return u.points() == 2 }

// bothDecided reports whether both judgments name a response.
func (u pair) bothDecided() bool { return u.judgments[0].decided() && u.judgments[1].decided() }

// labelled returns 1 for a pair with a label, else 0: metrics that need a label leave the pair out.
func (u pair) labelled() float64 { return scoring.Indicator(u.gold >= 0) }

// strict returns a pair's numerator and denominator in the share of pairs that are correct in both orders.
func strict(u pair) (float64, float64) { return scoring.Indicator(u.strict()), u.labelled() }

// majorityRight returns a pair's numerator and denominator in the share of pairs with more verdicts for the labelled
// response than for the other one.
func majorityRight(u pair) (float64, float64) {
	return scoring.Indicator(u.points() > 0) * u.labelled(), u.labelled()
}

// halfTie returns what counter returns, but with numerator ½ if the pair's verdicts cancel out or name no response.
func halfTie(u pair) (float64, float64) {
	if u.points() == 0 {
		return 0.5 * u.labelled(), u.labelled()
	}
	return majorityRight(u)
}

// judgmentRight returns a function that returns a pair's numerator and denominator in the share of correct judgments in
// order i: 0 as published, 1 swapped.
func judgmentRight(i int) func(pair) (float64, float64) {
	return func(u pair) (float64, float64) {
		return scoring.Indicator(u.judgments[i].points(u.gold) == 1), u.labelled()
	}
}

// strictWhenDecided returns a pair's numerator and denominator in the share of pairs correct in both orders among those
// in which both judgments name a response.
func strictWhenDecided(u pair) (float64, float64) {
	return scoring.Indicator(u.strict()), scoring.Indicator(u.bothDecided()) * u.labelled()
}

// consistency returns a pair's numerator and denominator in the share of pairs on which both orders agree, among those
// in which both judgments name a response.
func consistency(u pair) (float64, float64) {
	return scoring.Indicator(u.consistent()), scoring.Indicator(u.bothDecided())
}

// consistent reports whether both judgments name the same response.
func (u pair) consistent() bool { return u.consistentChoice() != judging.NoCandidate }

// accuracyWhenConsistent returns a pair's numerator and denominator in the share of correct
// verdicts where both orders agree.
func accuracyWhenConsistent(u pair) (float64, float64) {
	return scoring.Indicator(u.strict()), scoring.Indicator(u.consistent()) * u.labelled()
}

// coverage returns a pair's numerator and denominator in the share of labelled pairs on which both orders agree.
func coverage(u pair) (float64, float64) {
	return scoring.Indicator(u.consistent()) * u.labelled(), u.labelled()
}

// firstPosition returns a pair's numerator and denominator in the share of judgments that pick the response shown
// first: up to two judgments for each pair.
func firstPosition(u pair) (num, den float64) {
	for _, g := range u.judgments {
		if g.decided() {
			den++
			num += scoring.Indicator(g.picksFirst())
		}
	}
	return num, den
}

// Metrics of comparisons with the judge's own answer as reference, besides [scoring.GenerationAccuracy]. G says
// that the judge's own answer is right, J that the pair is correct in both orders (strict); the pairs are those with a
// known G. The correctness of the judged answer cannot be held fixed as in self-reference, since every pair has one
// correct response.
const (
	StrictOwnRight               = "strict-own-right" // strict where the judge's own answer is right
	StrictOwnWrong               = "strict-own-wrong" // strict where the judge's own answer is wrong
	generationJudgingCorrelation = "r-gj"             // correlation of G and J
)

// Columns of a pair's row for the metrics of the judge's own answer, which follow those of pairMetrics. They are 0 or
// 1, and 0 throughout if it is not known whether that answer is right.
const (
	columnOwnKnown          = iota // it is known whether the judge's own answer is right
	columnOwnRight                 // the judge's own answer is right
	columnOwnWrong                 // the judge's own answer is wrong
	columnBothRightOwnRight        // correct in both orders, own answer right
	columnStrictOwnWrong           // correct in both orders, own answer wrong
	ownColumnCount                 // number of these columns
)

// referenceMetrics computes the metrics of comparisons with the judge's own answer as reference.
var referenceMetrics = []scoring.Metric{
	ownShare(scoring.GenerationAccuracy, columnOwnRight, columnOwnKnown),
	ownShare(StrictOwnRight, columnBothRightOwnRight, columnOwnRight),
	ownShare(StrictOwnWrong, columnStrictOwnWrong, columnOwnWrong),
	{
		Name:         generationJudgingCorrelation,
		Kind:         scoring.KindCorrelation,
		Columns:      ownColumnSpan,
		Reason:       undefinedCorrelation,
		PossibleRows: possibleOwnRows,
		CorrelationVariables: []scoring.BinaryVariable{
			{
				Words:       [2]string{"the judge's own answer is right", "the judge's own answer is wrong"},
				CountValues: func(c []float64) (a, b float64) { return c[columnOwnRight], c[columnOwnWrong] },
			},
			{
				Words: [2]string{"the pair is judged right", "the pair is judged wrong"},
				CountValues: func(c []float64) (a, b float64) {
					right := c[columnBothRightOwnRight] + c[columnStrictOwnWrong]
					return right, c[columnOwnKnown] - right
				},
			},
		},
		N: func(c []float64) float64 { return c[columnOwnKnown] },
		Value: func(c []float64) float64 {
			return stats.BinaryCorrelation(
				c[columnOwnKnown], c[columnOwnRight],
				c[columnBothRightOwnRight]+c[columnStrictOwnWrong], c[columnBothRightOwnRight],
			)
		},
	},
}

// ownShare returns the metric that divides the sum of one column by that of another.
func ownShare(name string, numerator, denominator int) scoring.Metric {
	return scoring.Metric{
		Name:          name,
		Columns:       ownColumnSpan,
		ShareFromSums: func(c []float64) (float64, float64) { return c[numerator], c[denominator] },
	}
}

// ownColumnSpan is the range of the columns on the judge's own answer in a pair's row.
var ownColumnSpan = scoring.ColumnSpan{2 * len(pairMetrics), 2*len(pairMetrics) + ownColumnCount}

// Columns of strict (correct in both orders) over a dataset's easy and hard pairs; the last ones of a pair's row.
var (
	easyPairColumns = scoring.ColumnSpan{softMetric.Columns[1], softMetric.Columns[1] + 2}
	easyHardColumns = scoring.ColumnSpan{easyPairColumns[1], easyPairColumns[1] + 2}
)

// StyleBias is the metric of how far strict, the share of pairs correct in both orders, is lower on RM-Bench's
// hard pairs, where the right response looks worse, than on its easy pairs, where it looks better (arXiv
// 2410.16184, §3); in points.
const StyleBias = "style-bias"

// styleBiasMetric computes StyleBias from the columns of easy and hard pairs.
var styleBiasMetric = scoring.Metric{
	Name:             StyleBias,
	Subtrahend:       easyHardColumns,
	Columns:          easyPairColumns,
	Sides:            [2]string{"hard pairs", "easy pairs"},
	OmitsEmptyGroups: true,
	SubtrahendN:      func(c []float64) float64 { return c[1] },
}

// possibleOwnRows lists the rows in ownColumnSpan that a pair can have: the judge's own answer right or wrong, then the
// pair correct in both orders or not.
var possibleOwnRows = []scoring.PossibleRow{
	{Row: []float64{1, 1, 0, 1, 0}},
	{Row: []float64{1, 1, 0, 0, 0}},
	{Row: []float64{1, 0, 1, 0, 1}},
	{Row: []float64{1, 0, 1, 0, 0}},
}

// undefinedCorrelation explains why the correlation of G and J is undefined: one of them is the same for all pairs. c
// has the sums of the columns.
func undefinedCorrelation(c []float64) string {
	switch {
	case c[columnOwnKnown] == 0:
		return "no pair has an own answer of the judge that is known to be right or wrong"
	case c[columnOwnRight] == 0 || c[columnOwnWrong] == 0:
		return "G has no variance: the judge's own answers are all " + rightOrWrong(c[columnOwnRight] > 0)
	}
	return "J has no variance: the pairs are all judged " +
		rightOrWrong(c[columnBothRightOwnRight]+c[columnStrictOwnWrong] > 0)
}

func rightOrWrong(right bool) string {
	if right {
		return "right"
	}
	return "wrong"
}

// Sheet returns the sheet from which metrics are computed, a row for each pair. It has the metrics of the judge's own
// answers, of soft verdicts and of levels only if some pair has these.
func (f *pairScorer) Sheet(scoring.MissingPolicy, uint64) *scoring.Sheet {
	s := &scoring.Sheet{
		Metrics:     scoring.AssignColumns(pairMetrics),
		ColumnCount: easyHardColumns[1],
		Divisions:   []func(a, b string) int{judging.CompareGroups},
		Units:       make([]scoring.Unit, len(f.rows)),
	}
	if slices.ContainsFunc(f.rows, func(u *pair) bool { return u.ownRight != nil }) {
		s.Metrics = append(s.Metrics, referenceMetrics...)
	}
	if slices.ContainsFunc(f.rows, func(u *pair) bool { return len(u.odds) == 2 }) {
		s.Metrics = append(s.Metrics, softMetric)
	}
	if f.itemLevel != nil {
		s.Metrics = append(s.Metrics, styleBiasMetric)
		s.Divisions = append(s.Divisions, func(a, b string) int {
			return slices.Index(datasets.DifficultyLevels, a) - slices.Index(datasets.DifficultyLevels, b)
		})
	}
	for i, u := range f.rows {
		s.Units[i] = scoring.Unit{ID: u.item, Groups: []string{u.group}, Row: u.row(), Data: u}
		if u.label >= 0 {
			s.Units[i].Gold = string('A' + rune(u.label))
		}
		if u.level > 0 {
			s.Units[i].Groups = append(s.Units[i].Groups, datasets.DifficultyLevels[u.level-1])
		}
	}
	return s
}

// row returns a pair's row of the sheet: a numerator and a denominator for each metric.
func (u pair) row() []float64 {
	row := make([]float64, easyHardColumns[1])
	scoring.FillRow(pairMetrics, u, row)
	row[ownColumnSpan[1]], row[ownColumnSpan[1]+1] = u.softScore()
	switch u.level {
	case 1: // easy
		row[easyPairColumns[0]], row[easyPairColumns[0]+1] = strict(u)
	case 3: // hard
		row[easyHardColumns[0]], row[easyHardColumns[0]+1] = strict(u)
	}
	if u.ownRight != nil {
		right, correct := scoring.Indicator(*u.ownRight), scoring.Indicator(u.strict())
		copy(row[ownColumnSpan[0]:], []float64{1, right, 1 - right, right * correct, (1 - right) * correct})
	}
	return row
}

// ExtendReport adds to the report soft verdicts and published judges of the same pairs, and removes half-tie from
// groups without a verdict.
func (f *pairScorer) ExtendReport(rep *scoring.Report, s *scoring.Sheet, b stats.Bootstrap) {
	rep.SoftVerdicts = f.softVerdicts(s, b)
	if rep.Items == rep.Expected && rep.StopRule == nil { // tests are valid only at the planned end of a run
		rep.References = f.publishedScores(b.Level)
	}
	groups := groupsWithVerdict(s.Units)
	for i, r := range rep.Results {
		if r.Metric == halfTieName && r.Value != nil && !groups[r.Group] {
			r.N = 0
			rep.Results[i] = r.WithoutValue(noVerdictReason)
		}
	}
}

// noVerdictReason explains in reports why half-tie has no value in a group.
const noVerdictReason = "there is no verdict"

// groupsWithVerdict returns the groups in which some pair has a verdict. In the others half-tie would be half a point
// for each pair, for no verdict at all.
func groupsWithVerdict(units []scoring.Unit) map[string]bool {
	groups := map[string]bool{}
	for _, u := range units {
		if row := u.Data.(*pair); row.judgments[0].hasVerdict() || row.judgments[1].hasVerdict() {
			groups[scoring.Overall] = true
			for _, group := range u.Groups {
				groups[group] = true
			}
		}
	}
	return groups
}

// ExtendComparison adds to a comparison of two runs on the same pairs how many verdicts changed with the order and, if
// one model was asked for the better and for the worse response, the score of both runs as one judge.
func (f *pairScorer) ExtendComparison(
	c *scoring.Comparison, other scoring.Scorer, items []scoring.SharedUnit, b stats.Bootstrap,
) {
	g := other.(*pairScorer)
	c.ChangedWithOrder = new([2]int)
	var sides [2][]scoring.Unit
	for _, p := range items {
		for side, u := range []scoring.Unit{p.A, p.B} {
			sides[side] = append(sides[side], u)
			if row := u.Data.(*pair); row.bothDecided() && row.judgments[0].choice != row.judgments[1].choice {
				c.ChangedWithOrder[side]++
			}
		}
	}
	c.Differences = withoutUndefined(c.Differences, sides)
	f.compareConsistent(c, items)
	if x, y := f.manifest.Spec, g.manifest.Spec; x.Model == y.Model && x.Goal != y.Goal {
		c.Ensemble = scoreAsEnsemble(items, b)
	}
}

// compareConsistent compares two judges on the labelled pairs on which each is consistent, overall and by group. It
// adds nothing without such pairs, or if pairs belong to clusters.
func (f *pairScorer) compareConsistent(c *scoring.Comparison, items []scoring.SharedUnit) {
	tables := map[string]*scoring.Table2x2{}
	clusters := map[string]bool{}
	for _, p := range items {
		if p.A.Cluster != "" && clusters[p.A.Cluster] {
			return
		}
		clusters[p.A.Cluster] = true
		a, b := p.A.Data.(*pair), p.B.Data.(*pair)
		if a.gold < 0 || !a.consistent() || !b.consistent() {
			continue
		}
		for _, group := range append([]string{scoring.Overall}, p.A.Groups...) {
			if tables[group] == nil {
				tables[group] = &scoring.Table2x2{}
			}
			tables[group].AddUnits(a.consistentChoice() == a.gold, b.consistentChoice() == b.gold, 1)
		}
	}
	var groups []*scoring.Difference
	for _, d := range c.Differences {
		t := tables[d.Group]
		switch {
		case d.Metric != "strict" || t == nil:
		case d.Group == scoring.Overall:
			c.WhenConsistent = scoring.ConsistentDifference(AccuracyWhenConsistent, d.Group, *t)
		default:
			groups = append(groups, scoring.ConsistentDifference(AccuracyWhenConsistent, d.Group, *t))
		}
	}
	scoring.ApplyHolm(groups)
	for _, d := range groups {
		c.WhenConsistentByGroup = append(c.WhenConsistentByGroup, *d)
	}
}

// withoutUndefined removes half-tie and its difference from groups in which one run has no verdict, and the whole row
// if neither run has one. sides has the pairs of runs A and B.
func withoutUndefined(differences []scoring.Difference, sides [2][]scoring.Unit) (remaining []scoring.Difference) {
	verdictsA := groupsWithVerdict(sides[0])
	verdictsB := groupsWithVerdict(sides[1])
	for _, d := range differences {
		partial := scoring.Difference{Metric: d.Metric, Group: d.Group, Floor: d.Floor}
		switch a, b := verdictsA[d.Group], verdictsB[d.Group]; {
		case d.Metric != halfTieName || a && b:
			remaining = append(remaining, d)
		case a:
			partial.A = d.A
			partial.Note = "undefined: in B " + noVerdictReason
			remaining = append(remaining, partial)
		case b:
			partial.B = d.B
			partial.Note = "undefined: in A " + noVerdictReason
			remaining = append(remaining, partial)
		}
	}
	return remaining
}

// scoreAsEnsemble scores two runs of one model with opposite goals as one judge, whose verdicts are those on which all
// four judgments of a pair agree.
func scoreAsEnsemble(items []scoring.SharedUnit, b stats.Bootstrap) *scoring.Ensemble {
	rows := scoring.ClusterSums(items, func(p scoring.SharedUnit) []float64 {
		x, y := p.A.Data.(*pair).consistentChoice(), p.B.Data.(*pair).consistentChoice()
		same := x != judging.NoCandidate && x == y
		gold := p.A.Data.(*pair).gold
		return []float64{
			scoring.Indicator(same), 1, scoring.Indicator(same && x == gold), scoring.Indicator(same && gold >= 0),
		}
	})
	list := []scoring.Metric{
		{Name: Coverage, MissingRule: "not covered", Columns: scoring.ColumnSpan{0, 2}},
		{
			Name:          "strict",
			MissingRule:   "pair left out",
			Columns:       scoring.ColumnSpan{2, 4},
			NoValueReason: "the goals agree on no pair",
		},
	}
	r := scoring.IndependentRows("pair", list, rows).Results(scoring.Overall, list, b)
	return &scoring.Ensemble{Coverage: r[0], Strict: r[1]}
}
