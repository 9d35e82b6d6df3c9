package pairwise

import (
	_ "embed"
	"slices"

	"gavel/datasets"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// Metrics is the table of metrics of pairs.
//
//go:embed metrics.yaml
var Metrics string

// pairMetrics are the scores of a comparison, the headline first. A new one is a line here and a block of metrics.yaml.
var pairMetrics = []scoring.Summed[pair]{
	{Metric: scoring.Metric{Name: "strict", Headline: true}, Adds: strict},
	{Metric: scoring.Metric{Name: "counter"}, Adds: counter},
	{Metric: scoring.Metric{Name: "first-order"}, Adds: judgmentRight(0)},
	{Metric: scoring.Metric{Name: "second-order"}, Adds: judgmentRight(1)},
	{Metric: scoring.Metric{Name: halfTieName, Kind: scoring.Halves}, Adds: halfTie},
	{Metric: scoring.Metric{Name: "drop"}, Adds: drop},
	{Metric: scoring.Metric{Name: "consistency"}, Adds: consistency},
	{
		Metric: scoring.Metric{Name: firstPicked, Kind: scoring.Halves, Most: 2},
		Adds:   firstPosition,
	},
	{Metric: scoring.Metric{Name: RightWhereAlike}, Adds: rightWhereAlike},
	{Metric: scoring.Metric{Name: Coverage}, Adds: coverage},
}

// What a judge is worth whose verdicts are kept only where both orders agree: how often they are right, and how many
// pairs get one. strict is the product of the two.
const (
	RightWhereAlike = scoring.RightWhereAlike
	Coverage        = scoring.Coverage
)

// halfTieName is the metric that needs a verdict in its group.
const halfTieName = "half-tie"

func (u pair) points() int       { return u.judgments[0].points(u.gold) + u.judgments[1].points(u.gold) }
func (u pair) strict() bool      { return u.points() == 2 }
func (u pair) bothDecided() bool { return u.judgments[0].decided() && u.judgments[1].decided() }

// labelled is 1 for a pair that has a label: the others are no part of what needs one.
func (u pair) labelled() float64 { return scoring.One(u.gold >= 0) }

func strict(u pair) (float64, float64) { return scoring.One(u.strict()), u.labelled() }
func counter(u pair) (float64, float64) {
	return scoring.One(u.points() > 0) * u.labelled(), u.labelled()
}

func halfTie(u pair) (float64, float64) {
	if u.points() == 0 {
		return 0.5 * u.labelled(), u.labelled()
	}
	return counter(u)
}

func judgmentRight(i int) func(pair) (float64, float64) {
	return func(u pair) (float64, float64) { return scoring.One(u.judgments[i].points(u.gold) == 1), u.labelled() }
}

func drop(u pair) (float64, float64) {
	if !u.bothDecided() || u.gold < 0 {
		return 0, 0
	}
	return scoring.One(u.strict()), 1
}

func consistency(u pair) (float64, float64) {
	if !u.bothDecided() {
		return 0, 0
	}
	return scoring.One(u.alike()), 1
}

// alike tells whether both judgments name the same response.
func (u pair) alike() bool { return u.named() != judging.Nobody }

func rightWhereAlike(u pair) (float64, float64) {
	return scoring.One(u.strict()), scoring.One(u.alike()) * u.labelled()
}

func coverage(u pair) (float64, float64) { return scoring.One(u.alike()) * u.labelled(), u.labelled() }

// firstPosition counts judgments, not pairs; a pair adds up to two.
func firstPosition(u pair) (num, den float64) {
	for _, g := range u.judgments {
		if g.decided() {
			den++
			num += scoring.One(g.picksFirst())
		}
	}
	return num, den
}

// Values of pair.own.
const (
	ownUnknown int8 = iota // there is none, or nobody can tell
	ownRight
	ownWrong
)

// knownOwn is what a record says of the judge's own answer.
func knownOwn(r *judging.Record) int8 {
	switch {
	case r.Own == nil:
		return ownUnknown
	case r.Own.Right:
		return ownRight
	}
	return ownWrong
}

// Metrics of comparisons with the judge's own answer as reference, beside [GenerationAccuracy] and [correlationGJ]:
// with G = the judge's own answer is right and J = strict, over the pairs of which G is known. There is no agent whose
// being right could be held fixed: of every pair one response is.
const (
	StrictOwnRight = "strict-own-right" // strict where the judge's own answer is right
	StrictOwnWrong = "strict-own-wrong" // strict where it is wrong
	correlationGJ  = "r-gj"
)

// Columns of a pair whose G is known, after those of the metrics above.
const (
	pairKnown = iota
	pairOwnRight
	pairOwnWrong
	pairStrictRight // strict, and G
	pairStrictWrong // strict, and not G
	pairOwnWidth
)

var referenceMetrics = []scoring.Metric{
	{
		Name:    scoring.GenerationAccuracy,
		Columns: ownColumns,
		Share:   func(c []float64) (float64, float64) { return c[pairOwnRight], c[pairKnown] },
	},
	{
		Name:    StrictOwnRight,
		Columns: ownColumns,
		Share:   func(c []float64) (float64, float64) { return c[pairStrictRight], c[pairOwnRight] },
	},
	{
		Name:    StrictOwnWrong,
		Columns: ownColumns,
		Share:   func(c []float64) (float64, float64) { return c[pairStrictWrong], c[pairOwnWrong] },
	},
	{
		Name:    correlationGJ,
		Kind:    scoring.Correlation,
		Columns: ownColumns,
		Why:     ownConstant,
		Cells:   ownCells,
		Classes: []scoring.Class{
			{
				Words: [2]string{"the judge's own answer is right", "the judge's own answer is wrong"},
				Count: func(c []float64) (a, b float64) { return c[pairOwnRight], c[pairOwnWrong] },
			},
			{
				Words: [2]string{"the pair is judged right", "the pair is judged wrong"},
				Count: func(c []float64) (a, b float64) {
					right := c[pairStrictRight] + c[pairStrictWrong]
					return right, c[pairKnown] - right
				},
			},
		},
		N: func(c []float64) float64 { return c[pairKnown] },
		Value: func(c []float64) float64 {
			return stats.Binary(c[pairKnown], c[pairOwnRight], c[pairStrictRight]+c[pairStrictWrong], c[pairStrictRight])
		},
	},
}

var ownColumns = scoring.Span{2 * len(pairMetrics), 2*len(pairMetrics) + pairOwnWidth}

// Columns of strict over the easy pairs and over the hard ones of a dataset that has them, after the others.
var (
	easyColumns = scoring.Span{softMetric.Columns[1], softMetric.Columns[1] + 2}
	hardColumns = scoring.Span{easyColumns[1], easyColumns[1] + 2}
)

// StyleBias is by how much a judge is more often right where the right response looks the better than where it looks
// the worse: strict on the easy pairs of RM-Bench less strict on its hard ones (arXiv 2410.16184, §3).
const StyleBias = "style-bias"

var styleBias = scoring.Metric{
	Name:    StyleBias,
	Less:    hardColumns,
	Columns: easyColumns,
	Sides:   [2]string{"hard pairs", "easy pairs"},
	Sparse:  true,
	All:     func(c []float64) float64 { return c[1] },
}

// ownCells are what a pair may be: the judge's own answer right or wrong, then strict or not.
var ownCells = []scoring.Cell{
	{Row: []float64{1, 1, 0, 1, 0}},
	{Row: []float64{1, 1, 0, 0, 0}},
	{Row: []float64{1, 0, 1, 0, 1}},
	{Row: []float64{1, 0, 1, 0, 0}},
}

// ownConstant says which of G and J has no variance.
func ownConstant(c []float64) string {
	switch {
	case c[pairKnown] == 0:
		return "nobody knows of any pair whether the judge's own answer is right"
	case c[pairOwnRight] == 0 || c[pairOwnWrong] == 0:
		return "G has no variance: the judge's own answers are all " + rightOrWrong(c[pairOwnRight] > 0)
	}
	return "J has no variance: the pairs are all judged " + rightOrWrong(c[pairStrictRight]+c[pairStrictWrong] > 0)
}

func rightOrWrong(right bool) string {
	if right {
		return "right"
	}
	return "wrong"
}

// Sheet lays out the pairs. Metrics of the judge's own answers, of soft verdicts and of levels are there where some
// pair has these.
func (f *pairs) Sheet(scoring.MissingPolicy, uint64) *scoring.Sheet {
	s := &scoring.Sheet{
		Metrics:   scoring.Lay(pairMetrics),
		Width:     hardColumns[1],
		Divisions: []func(a, b string) int{judging.GroupOrder},
		Units:     make([]scoring.Unit, len(f.rows)),
	}
	if slices.ContainsFunc(f.rows, func(u *pair) bool { return u.own != ownUnknown }) {
		s.Metrics = append(s.Metrics, referenceMetrics...)
	}
	if slices.ContainsFunc(f.rows, func(u *pair) bool { return len(u.odds) == 2 }) {
		s.Metrics = append(s.Metrics, softMetric)
	}
	if f.level != nil {
		s.Metrics = append(s.Metrics, styleBias)
		s.Divisions = append(s.Divisions, func(a, b string) int {
			return slices.Index(datasets.Levels, a) - slices.Index(datasets.Levels, b)
		})
	}
	for i, u := range f.rows {
		s.Units[i] = scoring.Unit{ID: u.item, Groups: []string{u.group}, Row: u.row(), Of: u}
		if u.gold >= 0 {
			s.Units[i].Gold = string('A' + rune(u.gold))
		}
		if u.level > 0 {
			s.Units[i].Groups = append(s.Units[i].Groups, datasets.Levels[u.level-1])
		}
	}
	return s
}

// row returns what a pair adds to the columns of the metrics.
func (u pair) row() []float64 {
	row := make([]float64, hardColumns[1])
	scoring.Fill(pairMetrics, u, row)
	row[ownColumns[1]], row[ownColumns[1]+1] = u.softly()
	switch u.level {
	case 1: // easy
		row[easyColumns[0]], row[easyColumns[0]+1] = strict(u)
	case 3: // hard
		row[hardColumns[0]], row[hardColumns[0]+1] = strict(u)
	}
	if u.own != ownUnknown {
		right, judged := scoring.One(u.own == ownRight), scoring.One(u.strict())
		copy(row[ownColumns[0]:], []float64{1, right, 1 - right, right * judged, (1 - right) * judged})
	}
	return row
}

// Extend adds what the probabilities of both orders come to and published judges of the same pairs, and takes half-tie
// from groups without one verdict.
func (f *pairs) Extend(rep *scoring.Report, s *scoring.Sheet, b stats.Bootstrap) {
	rep.Soft = f.softVerdicts(s, b)
	if rep.Items == rep.Expected && rep.Stopped == nil { // tests of a run that was looked at on the way do not hold
		rep.References = f.references(b.Level)
	}
	judged := judgedGroups(s.Units)
	for i, r := range rep.Results {
		if r.Metric == halfTieName && r.Value != nil && !judged[r.Group] {
			r.N = 0
			rep.Results[i] = r.Undefined(noVerdict)
		}
	}
}

// noVerdict is the reason why half-tie has no value.
const noVerdict = "there is no verdict"

// judgedGroups returns the groups in which some pair has a verdict. In the others half-tie has no value: a sum of 0 is
// half a point there only because nothing was said.
func judgedGroups(units []scoring.Unit) map[string]bool {
	groups := map[string]bool{}
	for _, u := range units {
		if is := u.Of.(*pair); is.judgments[0].verdict() || is.judgments[1].verdict() {
			groups[scoring.Overall] = true
			for _, group := range u.Groups {
				groups[group] = true
			}
		}
	}
	return groups
}

// Match adds how many verdicts changed with the order and, of two goals of one model, what they come to as one judge.
func (f *pairs) Match(c *scoring.Comparison, other scoring.Scorer, joined []scoring.Joined, b stats.Bootstrap) {
	g := other.(*pairs)
	c.Turned = new([2]int)
	var sides [2][]scoring.Unit
	for _, p := range joined {
		for side, u := range []scoring.Unit{p.A, p.B} {
			sides[side] = append(sides[side], u)
			if is := u.Of.(*pair); is.bothDecided() && is.judgments[0].choice != is.judgments[1].choice {
				c.Turned[side]++
			}
		}
	}
	c.Differences = withoutSilence(c.Differences, sides)
	f.alike(c, joined)
	if x, y := f.manifest.Spec, g.manifest.Spec; x.Model == y.Model && x.Goal != y.Goal {
		c.Ensemble = ensemble(joined, b)
	}
}

// alike compares two judges on the pairs with a label where each gives the same verdict in both orders, and on those of
// each group. It adds nothing where there are none, or some belong together.
func (f *pairs) alike(c *scoring.Comparison, joined []scoring.Joined) {
	tables := map[string]*scoring.Table2x2{}
	clusters := map[string]bool{}
	for _, p := range joined {
		if p.A.Cluster != "" && clusters[p.A.Cluster] {
			return
		}
		clusters[p.A.Cluster] = true
		a, b := p.A.Of.(*pair), p.B.Of.(*pair)
		if a.gold < 0 || !a.alike() || !b.alike() {
			continue
		}
		for _, group := range append([]string{scoring.Overall}, p.A.Groups...) {
			if tables[group] == nil {
				tables[group] = &scoring.Table2x2{}
			}
			tables[group].Count(a.named() == a.gold, b.named() == b.gold, 1)
		}
	}
	var groups []*scoring.Difference
	for _, d := range c.Differences {
		t := tables[d.Group]
		switch {
		case d.Metric != "strict" || t == nil:
		case d.Group == scoring.Overall:
			c.Alike = scoring.AlikeOf(RightWhereAlike, d.Group, *t)
		default:
			groups = append(groups, scoring.AlikeOf(RightWhereAlike, d.Group, *t))
		}
	}
	scoring.Holm(groups)
	for _, d := range groups {
		c.AlikeByGroup = append(c.AlikeByGroup, *d)
	}
}

// withoutSilence takes half-tie, and with it the difference, from groups in which a side has no verdict; where neither
// has one, nothing of it is left.
func withoutSilence(differences []scoring.Difference, sides [2][]scoring.Unit) (kept []scoring.Difference) {
	judgedA := judgedGroups(sides[0])
	judgedB := judgedGroups(sides[1])
	for _, d := range differences {
		silent := scoring.Difference{Metric: d.Metric, Group: d.Group, Floor: d.Floor}
		switch a, b := judgedA[d.Group], judgedB[d.Group]; {
		case d.Metric != halfTieName || a && b:
			kept = append(kept, d)
		case a:
			silent.A = d.A
			silent.Note = "undefined: in B " + noVerdict
			kept = append(kept, silent)
		case b:
			silent.B = d.B
			silent.Note = "undefined: in A " + noVerdict
			kept = append(kept, silent)
		}
	}
	return kept
}

// ensemble takes two runs for one judge.
func ensemble(joined []scoring.Joined, b stats.Bootstrap) *scoring.Ensemble {
	rows := scoring.ByCluster(joined, func(p scoring.Joined) []float64 {
		x, y := p.A.Of.(*pair).named(), p.B.Of.(*pair).named()
		same := x != judging.Nobody && x == y
		gold := p.A.Of.(*pair).gold
		return []float64{scoring.One(same), 1, scoring.One(same && x == gold), scoring.One(same && gold >= 0)}
	})
	list := []scoring.Metric{
		{Name: Coverage, Missing: "not covered", Columns: scoring.Span{0, 2}},
		{
			Name:    "strict",
			Missing: "pair left out",
			Columns: scoring.Span{2, 4},
			None:    "the goals agree on no pair",
		},
	}
	r := scoring.SampleOf("pair", list, rows).Results(scoring.Overall, list, b)
	return &scoring.Ensemble{Coverage: r[0], Strict: r[1]}
}
