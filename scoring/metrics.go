package scoring

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"gavel/judging"
	"gavel/scoring/stats"
)

// Metric is a score of PROTOCOLS.md §1: a share, summed over pairs.
type Metric struct {
	Name    string
	About   string
	Missing string // how games without a verdict count
	N       string // what n counts
	// share gives what a pair adds to numerator and denominator.
	share func(u pair) (num, den float64)
}

// Metrics lists the scores of a comparison, the headline first. A new one is a
// line here.
var Metrics = []Metric{
	{"strict", "both games give the labelled answer (GRP's, the headline)", "wrong", "pairs", strict},
	{"counter", "+1 for a game with the label, −1 for the opposite; the sum is above 0 (JudgeBench's)", "0 points", "pairs", counter},
	{"first-order", "the game in the published order gives the label", "wrong", "pairs", gameRight(0)},
	{"second-order", "the game in the swapped order gives the label", "wrong", "pairs", gameRight(1)},
	{"half-tie", "as counter, and a sum of 0 earns a half", "0 points", "pairs", halfTie},
	{"drop", "strict, among pairs whose two games both gave a decided verdict", "pair left out", "pairs with two decided verdicts", drop},
	{"consistency", "both games name the same response", "pair left out", "pairs with two decided verdicts", consistency},
	{"first-position", "the response shown first is judged the better", "game left out", "decided games", firstPosition},
}

func share(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func (u pair) points() int       { return u.games[0].points(u.gold) + u.games[1].points(u.gold) }
func (u pair) strict() bool      { return u.points() == 2 }
func (u pair) bothDecided() bool { return u.games[0].decided() && u.games[1].decided() }

func strict(u pair) (float64, float64)  { return share(u.strict()), 1 }
func counter(u pair) (float64, float64) { return share(u.points() > 0), 1 }

func halfTie(u pair) (float64, float64) {
	if u.points() == 0 {
		return 0.5, 1
	}
	return counter(u)
}

func gameRight(i int) func(pair) (float64, float64) {
	return func(u pair) (float64, float64) { return share(u.games[i].points(u.gold) == 1), 1 }
}

func drop(u pair) (float64, float64) {
	if !u.bothDecided() {
		return 0, 0
	}
	return share(u.strict()), 1
}

func consistency(u pair) (float64, float64) {
	if !u.bothDecided() {
		return 0, 0
	}
	return share(u.games[0].choice == u.games[1].choice), 1
}

// firstPosition counts games, not pairs; a pair adds up to two.
func firstPosition(u pair) (num, den float64) {
	for _, g := range u.games {
		if g.decided() {
			den++
			num += share(g.choice == g.first)
		}
	}
	return num, den
}

// Score computes every metric, overall and by group.
func (run *Run) Score(b stats.Bootstrap) Report {
	m := run.Manifest
	rep := Report{
		ID: m.ID, Protocol: m.Spec.Protocol, Goal: m.Spec.Goal, Prompt: m.Spec.Prompt.Name, Settings: settings(m.Spec),
		Model: m.Spec.Model.Name, Dataset: m.Dataset.Name, Simulated: m.Simulated,
		Items: run.Items, Expected: m.Spec.Dataset.Items,
		Outcomes: map[string]int{}, Reading: run.reading(), Policy: run.Reading.Policy, AcceptCut: run.Reading.AcceptCut,
		Bootstrap: Bootstrap{b.Rounds, b.Level, b.Seed, run.scorer.unit()},
		Results:   []Result{}, Origins: run.Origins(), Warnings: run.warnings(),
	}
	for _, o := range Outcomes {
		rep.Outcomes[o] = run.Outcomes[judging.Outcome(o)]
	}
	run.scorer.score(&rep, b)
	run.scoreOther(&rep, b)
	return rep
}

func (f *pairs) score(rep *Report, b stats.Bootstrap) {
	groups := groupsOf(f.rows)
	byGroup := make([][]Result, len(groups))
	var todo errgroup.Group
	todo.SetLimit(runtime.GOMAXPROCS(0)) // what is drawn takes memory
	for i, g := range groups {
		todo.Go(func() error {
			byGroup[i] = append(scoreGroup(g, f.rows, b), scoreReferences(g, f.rows, b)...)
			return nil
		})
	}
	todo.Wait()
	rep.Repeats, rep.Calibration = f.agreement(b), f.calibrate(b)
	for _, results := range byGroup {
		rep.Results = append(rep.Results, results...)
	}
}

// groupsOf lists Overall and, where there is more than one, the groups of the
// units in the order tables print them.
func groupsOf(units []pair) []string {
	seen := map[string]bool{}
	var groups []string
	for _, u := range units {
		if !seen[u.group] {
			seen[u.group] = true
			groups = append(groups, u.group)
		}
	}
	if len(groups) < 2 {
		groups = nil
	}
	slices.SortFunc(groups, judging.GroupOrder)
	return append([]string{Overall}, groups...)
}

// scoreGroup sums each metric's numerator and denominator, column by column,
// and resamples the rows.
func scoreGroup(group string, units []pair, b stats.Bootstrap) []Result {
	rows := &stats.Rows{}
	if group == Overall {
		rows.Grow(len(units))
	}
	type kind struct {
		row   []float64
		class uint32
	}
	kinds := map[*pattern]kind{}
	sums := make([]float64, 2*len(Metrics))
	pairs := make([]int, len(Metrics)) // that add to the metric's denominator
	for _, u := range units {
		if group != Overall && u.group != group {
			continue
		}
		k, ok := kinds[u.pattern]
		if !ok {
			k.row = make([]float64, len(sums))
			for i, m := range Metrics {
				k.row[2*i], k.row[2*i+1] = m.share(u)
			}
			k.class = rows.Class(k.row)
			kinds[u.pattern] = k
		}
		for i, v := range k.row {
			sums[i] += v
			if i%2 == 1 && v > 0 {
				pairs[i/2]++
			}
		}
		rows.AddClass(k.class)
	}
	intervals := b.SumsOf(rows, len(Metrics), func(sums, out []float64) {
		for k := range out {
			out[k] = sums[2*k] / sums[2*k+1] // 0/0 is NaN: undefined
		}
	})
	results := make([]Result, len(Metrics))
	for k, m := range Metrics {
		num, den := sums[2*k], sums[2*k+1]
		r := Result{Metric: m.Name, Group: group, N: int(den), Missing: m.Missing}
		iv := intervals[k]
		switch {
		case den == 0:
			r.Note = "undefined: no " + m.N
		case (num == 0 || num == den) && m.Name != "half-tie":
			iv, r.Note = alike(num > 0, pairs[k], b.Level), allAlike
		case iv.Low == iv.High:
			r.Note = noWidth
		}
		if den > 0 {
			r.Value, r.Low, r.High = percent(num/den), percent(iv.Low), percent(iv.High)
		}
		results[k] = r
	}
	return results
}

const noWidth = "interval: none can be given, every pair counts the same"

const allAlike = "interval: exact (Clopper-Pearson), all alike"

// alike is the interval of n units that are all right, or all wrong: there the
// bootstrap has nothing to resample. The units are pairs, also where games are
// counted, since the games of a pair belong together.
func alike(right bool, n int, level float64) stats.Interval {
	if right {
		return stats.Exact(n, n, level)
	}
	return stats.Exact(0, n, level)
}

// Limits past which a table says that a number should not be trusted as it is.
const (
	fewItems       = 30
	manyNoVerdicts = 0.05
)

func (run *Run) warnings() []string {
	w := []string{}
	say := func(format string, args ...any) { w = append(w, fmt.Sprintf(format, args...)) }
	m := run.Manifest
	games := 0
	for _, n := range run.Outcomes {
		games += n
	}
	if m.Simulated {
		say("simulated judge: these numbers are of a coin with known sides, not of a model")
	}
	for _, c := range m.Changes {
		say("the server at %s served another model from some time before %s on: what it said since it was last asked was dropped (it was %s; it became %s)", c.URL, c.At.Format(time.RFC3339), c.Was, c.Is)
	}
	for _, o := range run.Origins() {
		say("%s", o)
	}
	n, unit := run.Items, "items have not all their judgments"
	if s, ok := run.scorer.(lacks); ok {
		unit = s.lacking()
	}
	if left := m.Spec.Dataset.Items - n; left > 0 {
		say("incomplete: %d of %d %s in the records and are left out", left, m.Spec.Dataset.Items, unit)
	}
	if n > 0 && n < fewItems {
		say("few items: n = %d", n)
	}
	if run.Reread > 0 {
		say("%d of %d verdicts read otherwise than when they were recorded (policy %q, cut replies accepted: %t)", run.Reread, run.Records, run.Reading.Policy, run.Reading.AcceptCut)
	}
	if n := run.Outcomes[judging.Failed]; n > 0 {
		say("%d of %d %ss failed and %s; the same run command asks for them again", n, games, run.noun(), run.lost())
	}
	if n := run.Outcomes[judging.NoVerdict] + run.Outcomes[judging.Conflict]; float64(n) > manyNoVerdicts*float64(games) {
		say("%d of %d %ss ended without a verdict or in a conflict of labels: the scores say as much about the format as about the judgment", n, games, run.noun())
	}
	if n := run.Outcomes[judging.Cut]; n > 0 {
		say("%d of %d replies were cut at the token limit and %s: raise --max-tokens (%d)", n, games, run.lost(), m.Spec.Parameters.MaxTokens)
		if run.Thought > 0 {
			say("%d of them thought until the limit and gave no answer: raise --max-tokens, or try --think low or off", run.Thought)
		}
	}
	if n := run.Outcomes[judging.TooLong]; n > 0 {
		do := "serve more context"
		if m.Server.Kind == "ollama" {
			do = "raise --num-ctx, up to what the model was trained for"
		}
		say("%d of %d prompts did not fit the context and %s: %s", n, games, run.lost(), do)
		if run.Shrunk > 0 {
			say("%d of them the server cut without a word, and answered: gavel took no verdict from that; \"gavel doctor\" says more", run.Shrunk)
		}
	}
	if run.Unheld > 0 {
		say("%d replies are not one of the labels, though the server was asked to hold them to those: it passes --constrain over", run.Unheld)
	}
	known, unlikely := 0, 0
	if s, ok := run.scorer.(calibrated); ok {
		known, unlikely = s.confidences()
	}
	if unlikely > 0 {
		say("%d of %d decided games name a label that was not the likeliest as a whole: the server wrote it token by token", unlikely, run.Outcomes[judging.Decided])
	}
	if n := run.Outcomes[judging.Refused]; n > 0 {
		say("%d of %d replies were refused and %s", n, games, run.lost())
	}
	if times := m.Spec.Parameters.Times(); times > 1 {
		if left := m.Judgments - run.Answered; left > 0 {
			say("%d of %d repeated judgments failed or are missing; the same run command asks for them", left, m.Judgments)
		}
	}
	if m.Spec.Parameters.Logprobs && known == 0 && run.Outcomes[judging.Decided] > 0 {
		say("the server told no probabilities of the labels: there is no calibration")
	}
	if m.Referenced != nil {
		w = append(w, m.Referenced.Warnings...)
	}
	if n := m.Dataset.Skipped; n > 0 {
		say("%d lines of the dataset file could not be read and are no part of this", n)
	}
	return w
}
