package scoring

import (
	"math"
	"slices"

	"gavel/judging"
	"gavel/scoring/stats"
)

// Metrics of a choice among several options. The three scores have more, which
// are named after them: what a random and an always-first judge score on the same
// items, and how far the judge is on the way from random to perfect.
const (
	GradeScore  = "grade"
	LLMScore    = "llm"
	ChoiceScore = "choice"

	OfRandom   = "-random"
	OfFirst    = "-first"
	OverRandom = "-over-random"
	ByUsable   = "-usable" // of the Grade score: by one policy, whichever the run is scored by
	ByStrict   = "-strict"

	OptionAccuracy = "accuracy" // also OfRandom
	ModeAccuracy   = "accuracy-mode"
	SameChoice     = "same-choice"
	UnrelatedRate  = "unrelated"
)

// tally is all that the metrics need of a ballot.
type tally struct {
	*ballot
	*chance
	scored  grades // by the run's policy
	strict  grades
	usable  grades
	missing Missing
}

// optionMetric is a score of PROTOCOLS.md §3, or what goes with one: a ratio of
// sums over items.
type optionMetric struct {
	name    string
	unit    string // of its value; "" is percent
	missing func(policy Missing) string
	n       string // what n counts
	// fixed: it follows from the items alone, so that it has no interval.
	fixed bool
	// counts: the denominator is n, which is a count of judgments; else n is that
	// of the items with a denominator.
	counts bool
	share  func(t tally) (num, den float64)
}

func same(text string) func(Missing) string { return func(Missing) string { return text } }

// byPolicy says how judgments without a verdict count in the three scores.
func byPolicy(policy Missing) string {
	if policy == MissingStrict {
		return "strict: no choice, an item without any scores 0"
	}
	return "usable: left out, an item without any scores 0"
}

// wrongUnless says how they count where a judgment is right or wrong.
func wrongUnless(policy Missing) string {
	if policy == MissingStrict {
		return "wrong"
	}
	return "left out, an item without any is wrong"
}

const (
	leftOut   = "left out"
	nobodyHas = "none is"
	knownOnes = "items of which the right option is known"
)

// optionMetrics lists the scores of a choice among several options, the headline
// first.
var optionMetrics = slices.Concat(
	scoreMetrics("", byPolicy, false, func(t tally, of score) (float64, float64) { return of(t.scored), 1 }),
	scoreMetrics(OfRandom, same(nobodyHas), true, func(t tally, of score) (float64, float64) { return of(t.random), 1 }),
	scoreMetrics(OfFirst, same(nobodyHas), true, func(t tally, of score) (float64, float64) { return of(t.first), 1 }),
	scoreMetrics(OverRandom, byPolicy, false, func(t tally, of score) (float64, float64) {
		return of(t.scored) - of(t.random), of(t.perfect) - of(t.random)
	}),
	[]optionMetric{
		{name: GradeScore + ByUsable, unit: UnitScore, missing: same(byPolicy(MissingUsable)), n: "items", share: func(t tally) (float64, float64) { return t.usable.grade, 1 }},
		{name: GradeScore + ByStrict, unit: UnitScore, missing: same(byPolicy(MissingStrict)), n: "items", share: func(t tally) (float64, float64) { return t.strict.grade, 1 }},
		{name: OptionAccuracy, missing: wrongUnless, n: knownOnes, share: rightShare},
		{name: OptionAccuracy + OfRandom, missing: same(nobodyHas), n: knownOnes, fixed: true, share: randomRight},
		{name: ModeAccuracy, missing: same("left out, an item without any is wrong"), n: knownOnes, share: modeRight},
		{name: SameChoice, missing: same("not the same"), n: "items", share: alwaysOne},
		{name: UnrelatedRate, missing: same(leftOut), n: "judgments with a verdict, of items with an unrelated option", counts: true, share: unrelatedChosen},
	},
)

// score is one of the three.
type score func(grades) float64

// scoreMetrics are the same thing of each of the three scores.
func scoreMetrics(suffix string, missing func(Missing) string, fixed bool, share func(tally, score) (num, den float64)) []optionMetric {
	metric := func(name string, of score) optionMetric {
		return optionMetric{name: name + suffix, unit: UnitScore, missing: missing, n: "items", fixed: fixed, share: func(t tally) (float64, float64) { return share(t, of) }}
	}
	return []optionMetric{
		metric(GradeScore, func(g grades) float64 { return g.grade }),
		metric(LLMScore, func(g grades) float64 { return g.llm }),
		metric(ChoiceScore, func(g grades) float64 { return g.choice }),
	}
}

func rightShare(t tally) (num, den float64) {
	if len(t.right) == 0 {
		return 0, 0
	}
	right, of := 0, len(t.places)
	if t.missing == MissingUsable {
		of = max(1, t.ballot.usable())
	}
	for i := range t.places {
		if c := t.chosen(i); c != judging.Nobody && t.isRight(c) {
			right++
		}
	}
	return float64(right) / float64(of), 1
}

func modeRight(t tally) (num, den float64) {
	if len(t.right) == 0 {
		return 0, 0
	}
	modes := t.modes()
	for _, c := range modes {
		num += share(t.isRight(c)) / float64(len(modes))
	}
	return num, 1
}

func randomRight(t tally) (num, den float64) {
	if len(t.right) == 0 {
		return 0, 0
	}
	for c := range t.ids {
		num += share(t.isRight(c)) / float64(len(t.ids))
	}
	return num, 1
}

func alwaysOne(t tally) (num, den float64) {
	return share(slices.Max(t.choiceCounts()) == len(t.places)), 1
}

func unrelatedChosen(t tally) (num, den float64) {
	if t.unrelated == judging.Nobody {
		return 0, 0
	}
	for i := range t.places {
		num += share(t.chosen(i) == t.unrelated)
	}
	return num, float64(t.ballot.usable())
}

// tallies of the ballots, in their order.
func (f *multiOption) tallies(ballots []*ballot, seed uint64) []tally {
	out := make([]tally, len(ballots))
	for i, c := range chances(ballots, seed) {
		t := tally{ballot: ballots[i], chance: c, missing: f.missing}
		t.usable, t.strict = t.ballot.grades(MissingUsable), t.ballot.grades(MissingStrict)
		if t.scored = t.usable; f.missing == MissingStrict {
			t.scored = t.strict
		}
		out[i] = t
	}
	return out
}

// inGroup are the tallies of one number of options; 0 is all.
func inGroup(all []tally, options int) []tally {
	if options == 0 {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(t tally) bool { return t.options() != options })
}

func (f *multiOption) score(rep *Report, b stats.Bootstrap) {
	rep.Goal, rep.Missing = f.goal, f.missing
	all := f.tallies(f.ballots, b.Seed)
	groups := byOptions(f.ballots)
	rep.Results = append(rep.Results, f.results(Overall, all, b)...)
	for _, n := range groups {
		part := inGroup(all, n)
		if len(groups) > 1 {
			rep.Results = append(rep.Results, f.results(optionsGroup(n), part, b)...)
		}
	}
	for _, n := range groups {
		rep.Results = append(rep.Results, places(optionsGroup(n), inGroup(all, n))...)
	}
	rep.Warnings = append(rep.Warnings, f.warnings(all)...)
}

// results are the metrics of one group.
func (f *multiOption) results(group string, tallies []tally, b stats.Bootstrap) []Result {
	sums := make([]float64, 2*len(optionMetrics))
	items := make([]int, len(optionMetrics)) // that have a denominator
	rows := &stats.Rows{}
	for _, t := range tallies {
		row := make([]float64, len(sums))
		for k, m := range optionMetrics {
			row[2*k], row[2*k+1] = m.share(t)
			sums[2*k] += row[2*k]
			if sums[2*k+1] += row[2*k+1]; row[2*k+1] != 0 {
				items[k]++
			}
			if m.fixed {
				row[2*k], row[2*k+1] = 0, 0 // not resampled
			}
		}
		rows.Add(row)
	}
	intervals := b.SumsOf(rows, len(optionMetrics), func(sums, out []float64) {
		for k := range out {
			out[k] = sums[2*k] / sums[2*k+1]
		}
	})
	results := make([]Result, len(optionMetrics))
	for k, m := range optionMetrics {
		results[k] = m.result(group, f.missing, sums[2*k], sums[2*k+1], items[k], intervals[k], b.Level)
	}
	f.remarks(results, tallies, b)
	return results
}

func (m optionMetric) result(group string, policy Missing, num, den float64, items int, iv stats.Interval, level float64) Result {
	r := Result{Metric: m.name, Group: group, Unit: m.unit, N: items, Missing: m.missing(policy)}
	if m.counts {
		r.N = int(den)
	}
	switch {
	case den == 0:
		r.Note = "undefined: no " + m.n
		return r
	case m.fixed:
	case m.unit == "" && (num == 0 || num == den):
		iv, r.Note = alike(num > 0, items, level), allAlike
	case iv.Low == iv.High:
		r.Note = "interval: none can be given, every item counts the same"
	}
	r.Value = m.rounded(num / den)
	if !m.fixed {
		r.Low, r.High = m.rounded(iv.Low), m.rounded(iv.High)
	}
	return r
}

// rounded is a value in the metric's unit.
func (m optionMetric) rounded(x float64) *float64 {
	if m.unit == "" {
		return percent(x)
	}
	return sixth(x)
}

// sixth rounds to six places, for the reason that percent does.
func sixth(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	if x = math.Round(x*1e6) / 1e6; x == 0 {
		x = 0 // never −0
	}
	return &x
}

// remarks says of what was simulated how sure it is.
func (f *multiOption) remarks(results []Result, tallies []tally, b stats.Bootstrap) {
	of := make([]*chance, len(tallies))
	for i, t := range tallies {
		of[i] = t.chance
	}
	for i := range results {
		if results[i].Metric == GradeScore+OfRandom && len(tallies) > 0 {
			results[i].Note = chanceNote(of, b.Seed)
		}
	}
}
