package scoring

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"gavel/internal/phrases"
	"gavel/judging"
	"gavel/scoring/stats"
)

// runsWithSheets returns the runs, each with its sheet, the table of its scored units; seed starts simulations.
func runsWithSheets(runs []*Run, seed uint64) []scoredRun {
	out := make([]scoredRun, len(runs))
	for i, run := range runs {
		out[i] = scoredRun{Run: run, Sheet: run.sheet(seed), sheets: run.repeatSheets(seed)}
	}
	return out
}

// Compare compares every two runs on the units that both have judged. watch receives the number of finished comparisons
// and the number of all. Holm's correction for multiple tests covers the differences of all comparisons together.
func Compare(runs []*Run, b stats.Bootstrap, watch ...func(done, all int)) (*Comparisons, error) {
	out := &Comparisons{
		Comparisons: []*Comparison{},
		Reading:     runs[0].reading(),
		LabelPolicy: runs[0].readingPolicy(),
		Bootstrap:   bootstrapInfo(b, runs[0].resamplingNoun()),
	}
	sheets := runsWithSheets(runs, b.Seed)
	for i, a := range sheets {
		for _, other := range sheets[i+1:] {
			c, err := a.compare(other, b)
			if err != nil {
				return nil, err
			}
			out.Comparisons = append(out.Comparisons, c)
			for _, report := range watch {
				report(len(out.Comparisons), len(runs)*(len(runs)-1)/2)
			}
		}
	}
	out.applyHolm()
	return out, nil
}

// applyHolm applies Holm's correction to all differences, marks those that are not significant, and sets the sentences
// of each comparison.
func (c *Comparisons) applyHolm() {
	var all []*Difference
	for _, comparison := range c.Comparisons {
		for i := range comparison.Differences {
			all = append(all, &comparison.Differences[i])
		}
	}
	all = ApplyHolmToFamily(all)
	for _, comparison := range c.Comparisons {
		comparison.describe()
	}
	c.FamilyText = phrases.Sentence("compare.family", len(all), phrases.CountWithNoun(len(c.Comparisons), "comparison"))
}

// side describes the run as one of the two in a comparison.
func (r scoredRun) side() Side {
	m := r.Manifest
	return Side{
		Run:           r.Dir,
		ID:            m.ID,
		Protocol:      m.Spec.Protocol,
		RunSetup:      setupOf(m),
		Items:         r.Items,
		Ledger:        r.ledger(r.Sheet),
		lacksVerdicts: r.Outcomes[judging.Decided]+r.Outcomes[judging.Tie] == 0,
		manifest:      m,
	}
}

// compare compares runs a and b on their common units. boot holds the settings of intervals and tests.
func (a scoredRun) compare(b scoredRun, boot stats.Bootstrap) (*Comparison, error) {
	words := a.terms()
	unit := cmp.Or(words.ComparisonUnit, words.Unit)
	shared, err := a.join(a.Units, b)
	if err != nil {
		return nil, err
	}
	for _, x := range []scoredRun{a, b} {
		if len(x.Units) == 0 {
			return nil, fmt.Errorf("%s has no complete %s yet: finish the run, or compare other runs", x.Dir, unit)
		}
	}
	if len(shared) == 0 {
		return nil,
			fmt.Errorf("%s and %s have no %s in common (datasets %s and %s): compare runs on the same dataset",
				a.Dir, b.Dir, unit, a.Manifest.Dataset.Name, b.Manifest.Dataset.Name)
	}
	c := &Comparison{
		A:            a.side(),
		B:            b.side(),
		N:            len(shared),
		UnitsOnlyInA: len(a.Units) - len(shared),
		UnitsOnlyInB: len(b.Units) - len(shared),
		Unit:         words.ComparisonUnit,
	}
	c.Sides = [2]Side{c.A, c.B}
	isHeadline := func(m Metric) bool { return m.Headline }
	for _, metrics := range [][]Metric{a.Metrics, b.sharedMetrics(a.Sheet), a.sharedMetrics(b.Sheet)} {
		if i := slices.IndexFunc(metrics, isHeadline); i >= 0 {
			c.headlineMetric = metrics[i]
		}
	}
	order := a.sharedOrder(b, shared)
	c.Differences = a.differences(b.Sheet, words.Unit, shared, order, boot)
	noise := sharedRepetitionValues(shared, nil, a, b)
	for i := range c.Differences {
		d := &c.Differences[i]
		d.Floor = noise.find(d.Metric, d.Group, d.Mode)
	}
	sameKind := reflect.TypeOf(a.scorer) == reflect.TypeOf(b.scorer)
	if f, ok := a.scorer.(ComparisonExtender); ok && sameKind {
		f.ExtendComparison(c, b.scorer, shared, boot)
	}
	if f, ok := a.scorer.(Partitioner); ok && sameKind {
		var sides [2][]Unit
		for _, j := range shared {
			sides[0] = append(sides[0], j.A)
			sides[1] = append(sides[1], j.B)
		}
		for side, units := range sides {
			c.OutcomeCounts[side] = a.breakdownOf(Overall, units, f)
		}
	}
	c.warn(a.Run, b.Run, unit)
	if order != nil {
		c.WhenConsistent, c.WhenConsistentByGroup = nil, nil // their tests are not valid at every look
		c.Warnings = append(c.Warnings, order.String())
	}
	return c, nil
}

// join pairs units of run a with those of run b by id. It returns an error if the runs have different protocols, or if
// they were asked the same and disagree on the gold answer.
func (a scoredRun) join(units []Unit, b scoredRun) ([]SharedUnit, error) {
	if x, y := a.terms(), b.terms(); x.Unit != y.Unit || x.ComparisonUnit != y.ComparisonUnit {
		return nil, fmt.Errorf("%s (%s) and %s (%s) are scored differently: compare runs of one protocol and shape",
			a.Dir, a.Manifest.Spec.Protocol, b.Dir, b.Manifest.Spec.Protocol)
	}
	shared := sharedUnits(units, b.Units)
	for _, p := range shared {
		if p.A.QuestionOfGold == p.B.QuestionOfGold && p.A.Gold != p.B.Gold {
			return nil, fmt.Errorf("%s and %s have different labels for %s: compare runs on the same dataset",
				a.Dir, b.Dir, p.A.ID)
		}
	}
	return shared, nil
}

// warn sets the comparison's warnings: units judged by one run alone, a run compared with itself, a simulated judge,
// few units. unit is the noun for what is compared.
func (c *Comparison) warn(a, b *Run, unit string) {
	w := Cautions{}
	if c.UnitsOnlyInA+c.UnitsOnlyInB > 0 {
		w.Add("warning.not-shared", c.UnitsOnlyInA, unit, c.UnitsOnlyInB)
	}
	if a.Manifest.ID == b.Manifest.ID {
		w.Add("warning.same-run")
	}
	if a.Manifest.Simulated || b.Manifest.Simulated {
		w.Add(simulatedWarningCode)
	}
	if c.N < FewItems {
		w.Add("warning.few-items", c.N)
	}
	c.Warnings = w
}
