package scoring

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gavel/judging"
	"gavel/scoring/stats"
)

// tally is all that the metrics need of a ballot.
type tally struct {
	*ballot
	*chance
	scored  grades // by the run's policy
	strict  grades
	usable  grades
	missing string
}

// optionMetric is a score of PROTOCOLS.md §3, or what goes with one: a ratio of
// sums over items.
type optionMetric struct {
	name    string
	about   string
	unit    string // of its value; "" is percent
	missing func(policy string) string
	n       string // what n counts
	// fixed: it follows from the items alone, so that it has no interval.
	fixed bool
	// counts: the denominator is n, which is a count of judgments; else n is that
	// of the items with a denominator.
	counts bool
	share  func(t tally) (num, den float64)
}

func same(text string) func(string) string { return func(string) string { return text } }

// byPolicy says how judgments without a verdict count in the three scores.
func byPolicy(policy string) string {
	if policy == MissingStrict {
		return "strict: no choice, an item without any scores 0"
	}
	return "usable: left out, an item without any scores 0"
}

var (
	asNothing = same("a choice of nothing")
	leftOut   = same("left out")
	none      = same("none")
	notRight  = func(policy string) string {
		if policy == MissingStrict {
			return "wrong"
		}
		return "left out, an item without any is wrong"
	}
)

// optionMetrics lists the scores of a choice among several options, the headline
// first. A new one is a line here.
var optionMetrics = []optionMetric{
	{name: "grade", about: "harmonic mean of the two below (the paper's Grade score)", unit: UnitScore, missing: byPolicy, n: "items",
		share: func(t tally) (float64, float64) { return t.scored.grade, 1 }},
	{name: "llm", about: "entropy of the places chosen, 1 is no order bias (its LLM score)", unit: UnitScore, missing: byPolicy, n: "items",
		share: func(t tally) (float64, float64) { return t.scored.llm, 1 }},
	{name: "choice", about: "share of the most chosen option (its choice score)", unit: UnitScore, missing: byPolicy, n: "items",
		share: func(t tally) (float64, float64) { return t.scored.choice, 1 }},
	{name: "grade-usable", about: "grade, judgments without a verdict left out", unit: UnitScore, missing: same(byPolicy(MissingUsable)), n: "items",
		share: func(t tally) (float64, float64) { return t.usable.grade, 1 }},
	{name: "grade-strict", about: "grade, judgments without a verdict a choice of nothing", unit: UnitScore, missing: same(byPolicy(MissingStrict)), n: "items",
		share: func(t tally) (float64, float64) { return t.strict.grade, 1 }},
	{name: "grade-random", about: "grade of a judge that names any place", unit: UnitScore, missing: none, n: "items", fixed: true,
		share: func(t tally) (float64, float64) { return t.random.grade, 1 }},
	{name: "llm-random", about: "llm of a judge that names any place", unit: UnitScore, missing: none, n: "items", fixed: true,
		share: func(t tally) (float64, float64) { return t.random.llm, 1 }},
	{name: "choice-random", about: "choice of a judge that names any place", unit: UnitScore, missing: none, n: "items", fixed: true,
		share: func(t tally) (float64, float64) { return t.random.choice, 1 }},
	{name: "grade-first", about: "grade of a judge that names the first place", unit: UnitScore, missing: none, n: "items", fixed: true,
		share: func(t tally) (float64, float64) { return t.first.grade, 1 }},
	{name: "llm-first", about: "llm of a judge that names the first place", unit: UnitScore, missing: none, n: "items", fixed: true,
		share: func(t tally) (float64, float64) { return t.first.llm, 1 }},
	{name: "choice-first", about: "choice of a judge that names the first place", unit: UnitScore, missing: none, n: "items", fixed: true,
		share: func(t tally) (float64, float64) { return t.first.choice, 1 }},
	{name: "grade-over-random", about: "how far grade is on the way from random to perfect", unit: UnitScore, missing: byPolicy, n: "items",
		share: func(t tally) (float64, float64) {
			return t.scored.grade - t.random.grade, t.perfect.grade - t.random.grade
		}},
	{name: "llm-over-random", about: "how far llm is on the way from random to perfect", unit: UnitScore, missing: byPolicy, n: "items",
		share: func(t tally) (float64, float64) { return t.scored.llm - t.random.llm, t.perfect.llm - t.random.llm }},
	{name: "choice-over-random", about: "how far choice is on the way from random to perfect", unit: UnitScore, missing: byPolicy, n: "items",
		share: func(t tally) (float64, float64) {
			return t.scored.choice - t.random.choice, t.perfect.choice - t.random.choice
		}},
	{name: "accuracy", about: "the right option is chosen, mean over the item's judgments", missing: notRight, n: "items of which the right option is known", share: optionAccuracy},
	{name: "accuracy-mode", about: "the option chosen most often is the right one; those that share it, share it", missing: leftOut, n: "items of which the right option is known", share: modeAccuracy},
	{name: "accuracy-random", about: "accuracy of a judge that names any place", missing: none, n: "items of which the right option is known", fixed: true, share: randomAccuracy},
	{name: "same-choice", about: "all judgments of the item choose the same option", missing: same("not the same"), n: "items", share: sameChoice},
	{name: "unrelated", about: "the unrelated option is chosen", missing: leftOut, n: "judgments with a verdict, of items with an unrelated option", counts: true, share: unrelatedChosen},
}

func optionAccuracy(t tally) (num, den float64) {
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

func modeAccuracy(t tally) (num, den float64) {
	if len(t.right) == 0 {
		return 0, 0
	}
	modes := t.modes()
	for _, c := range modes {
		num += share(t.isRight(c)) / float64(len(modes))
	}
	return num, 1
}

func randomAccuracy(t tally) (num, den float64) {
	if len(t.right) == 0 {
		return 0, 0
	}
	for c := range t.ids {
		num += share(t.isRight(c)) / float64(len(t.ids))
	}
	return num, 1
}

func sameChoice(t tally) (num, den float64) {
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
	rep.Goal = f.goal
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

func (m optionMetric) result(group, policy string, num, den float64, items int, iv stats.Interval, level float64) Result {
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
		if results[i].Metric == "grade-random" && len(tallies) > 0 {
			results[i].Note = chanceNote(of, b.Seed)
		}
	}
}

// Metrics of the places chosen, by number of options.
const (
	PlaceMetric     = "place-" // and the place, from 1: how often it was chosen, of all judgments with a verdict
	PlacesChiSquare = "places-chi-square"
	PlacesP         = "places-p"
)

// places are how often each place was chosen, and whether that may be chance. The
// test takes judgments for independent of each other; those of one item are not:
// a judge that always picks the same option spreads over the places more evenly
// than chance would.
func places(group string, tallies []tally) []Result {
	var counts []int
	for _, t := range tallies {
		of := t.placeCounts()
		if counts == nil {
			counts = make([]int, len(of))
		}
		if len(of) != len(counts) {
			return nil // some with and some without an unrelated option: no place of one is a place of the other
		}
		for i, n := range of {
			counts[i] += n
		}
	}
	decided := 0
	for _, n := range counts {
		decided += n
	}
	var results []Result
	for i, n := range counts {
		r := Result{Metric: PlaceMetric + strconv.Itoa(i+1), Group: group, N: decided, Missing: "left out", Value: percent(float64(n) / float64(decided))}
		if decided == 0 {
			r.Note = noPlaces
		}
		results = append(results, r)
	}
	chi2, df, p := stats.Uniformity(counts)
	note := fmt.Sprintf("%d degrees of freedom", df)
	switch {
	case decided == 0:
		note = noPlaces
	case decided < 5*len(counts):
		note += "; fewer than 5 judgments a place: p is rough"
	}
	return append(results,
		Result{Metric: PlacesChiSquare, Group: group, Unit: UnitStatistic, Value: sixth(chi2), N: decided, Missing: "left out", Note: note},
		Result{Metric: PlacesP, Group: group, Unit: UnitStatistic, Value: sixth(p), N: decided, Missing: "left out", Note: note})
}

const noPlaces = "undefined: no judgments with a verdict"

// warnings of a choice among several options.
func (f *multiOption) warnings(all []tally) []string {
	var w []string
	say := func(format string, args ...any) { w = append(w, fmt.Sprintf(format, args...)) }
	judgments, lost, touched, empty, unknown, few := 0, 0, 0, 0, 0, 0
	for _, t := range all {
		n, k := t.ballot.usable(), len(t.places)
		judgments += k
		lost += k - n
		if n < k {
			touched++
		}
		if n == 0 {
			empty++
		}
		if len(t.right) == 0 {
			unknown++
		}
		if t.perfect.grade < 1-1e-9 {
			few++
		}
	}
	if lost > 0 {
		say("%d of %d judgments have no verdict, in %d items: the scores are by the policy %q, and grade-usable and grade-strict give both", lost, judgments, touched, f.missing)
	}
	if empty > 0 {
		say("%d items have no verdict at all and score 0", empty)
	}
	if unknown > 0 {
		say("of %d of %d items nobody knows which option is the %s: no part of the accuracy", unknown, len(all), f.goal)
	}
	if few > 0 {
		say("in %d items the options do not stand at all places equally often: a judge that always picks the same option scores less than 1 there", few)
	}
	return w
}
