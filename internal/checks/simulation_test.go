package checks

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"gavel/backends"
	"gavel/internal/trials"
	"gavel/judging"
	"gavel/scoring"
)

// judge is a judge of pairs by what it does in the long run.
type judge struct {
	consistent float64 // share of pairs on which both orders name the same response
	right      float64 // share of these on which that is the labelled one
	first      float64 // share of the others on which it is the first in both orders
}

// draw draws the candidates, "A" or "B", that a judge names in both orders. A is the labelled one, and first in the
// published order.
func (j judge) draw(r *rand.Rand) [2]string {
	if r.Float64() < j.consistent {
		if r.Float64() < j.right {
			return [2]string{"A", "A"}
		}
		return [2]string{"B", "B"}
	}
	if r.Float64() < j.first {
		return [2]string{"A", "B"}
	}
	return [2]string{"B", "A"}
}

// run returns a run of pairs with these verdicts, in the order of the seed, of a run that has all items.
func run(t testing.TB, verdicts map[string][2]string, order []string, all []string) *scoring.Run {
	m := judging.NewManifest("test", judging.Spec{
		Protocol: "pairwise", Goal: "better", Model: judging.ModelSpec{Name: "judge"},
		Prompt:  judging.Template{Name: "sop", Labels: []string{"A>B", "B>A", "A=B"}},
		Dataset: judging.DatasetSpec{Items: len(all)}, Parameters: judging.Parameters{MaxTokens: 4096},
	})
	m.OrderSeed = new(int64(1))
	load, err := scoring.NewLoader(m, scoring.DefaultOptions.Reading)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range order {
		for i, choice := range verdicts[id] {
			r := &judging.Record{
				Schema: 1, Item: id, Gold: "A", Presentation: i, Presentations: 2, Order: []string{"A", "B"},
				Outcome: judging.Decided, Choice: choice,
			}
			if i == 1 {
				r.Order = []string{"B", "A"}
			}
			text := "[[A>B]]"
			if r.Order[0] != choice {
				text = "[[B>A]]"
			}
			r.Replies = []judging.Reply{{Text: text, Finish: backends.FinishStop}}
			if err := load.Add(r); err != nil {
				t.Fatal(err)
			}
		}
	}
	out := load.Run()
	out.SetItemIDs(func() ([]string, error) { return all, nil })
	return out
}

// world is a check whose requirements are known to hold or not.
type world struct {
	check *Check
	truth map[string]float64 // by the metric of a requirement, in percent
	items int                // items asked until the end
	far   bool               // no requirement is near the truth
}

const simulatedItems, simulatedLook = 200, 20

// newWorld draws judges, requirements about as far from the truth as a check can tell, and makes the check.
func newWorld(t testing.TB, seed uint64) world {
	r := rand.New(rand.NewPCG(seed, 7))
	uniform := func(low, high float64) float64 { return low + (high-low)*r.Float64() }
	now := judge{uniform(0.4, 0.95), uniform(0.5, 0.98), uniform(0, 1)}
	before := judge{now.consistent, min(1, max(0, now.right+uniform(-0.25, 0.25))), now.first}
	var all []string
	for i := range simulatedItems {
		all = append(all, fmt.Sprint("p", i))
	}
	order := judging.ShuffleIDs(all, 1)
	verdicts, baseline := map[string][2]string{}, map[string][2]string{}
	for _, id := range order {
		verdicts[id], baseline[id] = now.draw(r), before.draw(r)
	}
	w := world{truth: map[string]float64{
		"right-where-alike": 100 * now.right,
		"coverage":          100 * now.consistent,
		"first-position":    100 * (now.consistent/2 + (1-now.consistent)*now.first),
		"":                  100 * now.consistent * (now.right - before.right),
	}}
	f := &File{baselineRun: run(t, baseline, all, all)}
	f.baselineRun.Manifest.OrderSeed = nil
	w.far = seed%2 == 0
	offset := func() float64 {
		switch {
		case w.far:
			return float64(2*r.IntN(2)-1) * uniform(20, 40)
		case r.IntN(3) == 0:
			return 0
		}
		return uniform(-8, 8)
	}
	position := w.truth["first-position"] + offset()
	f.requirements = []Requirement{
		{metric: "right-where-alike", minRequired: w.truth["right-where-alike"] + offset(), maxRequired: 1e9},
		{metric: "coverage", minRequired: -1e9, maxRequired: w.truth["coverage"] + offset()},
		{metric: "first-position", minRequired: position - uniform(0, 60), maxRequired: position},
		{metric: "", minRequired: -10, maxRequired: 10},
	}
	if w.far {
		f.requirements[3].minRequired, f.requirements[3].maxRequired = -40, 40
	}
	for i := range f.requirements {
		f.requirements[i].Verdict = Undecided
	}
	w.check = &Check{Requirements: f.requirements, file: f, ConfidenceLevel: 1 - alpha/8}
	for n := simulatedLook; n <= simulatedItems && w.check.Count(Undecided) > 0; n += simulatedLook {
		w.items = n
		w.check.decideRequirements(run(t, verdicts, order[:n], all))
	}
	if w.items == simulatedItems { // as at the planned end
		last := run(t, verdicts, order, all)
		last.Manifest.OrderSeed = nil
		w.check.decideRequirements(last)
	}
	return w
}

// wrong reports whether a check has decided one of its requirements wrongly.
func (w world) wrong() bool {
	for _, r := range w.check.Requirements {
		holds := r.minRequired <= w.truth[r.metric] && w.truth[r.metric] <= r.maxRequired
		if r.Verdict == Met && !holds || r.Verdict == Missed && holds {
			return true
		}
	}
	return false
}

// A check decides one or more of its requirements wrongly with probability 5 % at most, although it looks after every
// 20 items, and requirements are at the truth or near it.
func TestDecisions(t *testing.T) {
	n := trials.TrialCount(24)
	if trials.RunsSlowTests() {
		n = max(n, 1000)
	}
	var mu sync.Mutex
	var wait sync.WaitGroup
	wrong, far, items, byVerdict := 0, 0, 0, map[Verdict]int{}
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for i := range next {
				w := newWorld(t, uint64(i))
				mu.Lock()
				if w.far {
					far++
					items += w.items
				}
				if w.wrong() {
					wrong++
				}
				for _, r := range w.check.Requirements {
					byVerdict[r.Verdict]++
				}
				mu.Unlock()
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wait.Wait()
	t.Logf("%d checks: %d with a wrong decision; %.0f %% of the items asked where requirements are 20 points or more from "+
		"the truth; verdicts %v", n, wrong, 100*float64(items)/float64(far*simulatedItems), byVerdict)
	if float64(wrong) > alpha*float64(n) {
		t.Errorf("%d of %d checks decide wrongly", wrong, n)
	}
	if byVerdict[Met] == 0 || byVerdict[Missed] == 0 {
		t.Error("the worlds decide nothing")
	}
}

// drift draws the verdicts of a baseline, of two requests about the anchors now, and of the other items before and now.
// The judge contradicts itself with probability noise; moved is the share of verdicts that change.
func drift(r *rand.Rand, noise, judgeMoved, answersMoved float64) *Change {
	labels := []string{"A", "B", "tie"}
	other := func(label string) string {
		for {
			if l := labels[r.IntN(3)]; l != label {
				return l
			}
		}
	}
	reply := func(label string) string {
		if r.Float64() < noise {
			return other(label)
		}
		return label
	}
	verdicts := []map[string]string{{}, {}, {}, {}}
	anchors := map[string]string{}
	for i := range 200 {
		id := fmt.Sprint(i)
		before := labels[r.IntN(3)]
		now := before
		if r.Float64() < judgeMoved {
			now = other(now)
		}
		if i < 40 {
			anchors[id], verdicts[0][id], verdicts[1][id] = reply(before), reply(now), reply(now)
			continue
		}
		if r.Float64() < answersMoved {
			now = other(now)
		}
		verdicts[2][id], verdicts[3][id] = reply(now), reply(before)
	}
	return newChange(anchors, verdicts, false)
}

// The judge's change and that of the answers are told apart in at least 95 % of worlds in which one of them changes 20
// to 50 % of the verdicts, and in at most 5 % of others one is counts to have changed.
func TestChanges(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	n := trials.TrialCount(200)
	for _, noise := range []float64{0, 0.01, 0.02} {
		counts := map[string]map[string]int{}
		for range n {
			size := 0.2 + 0.3*r.Float64()
			for world, c := range map[string]*Change{
				"judge": drift(r, noise, size, 0), "answers": drift(r, noise, 0, size), "nothing": drift(r, noise, 0, 0),
			} {
				if counts[world] == nil {
					counts[world] = map[string]int{}
				}
				counts[world][c.Verdict]++
			}
		}
		t.Logf("noise %g: %v", noise, counts)
		judge := counts["judge"]["judge"] + counts["judge"]["both"] // of the answers nothing is known then
		for world, right := range map[string]int{
			"judge": judge, "answers": counts["answers"]["answers"], "nothing": counts["nothing"]["nothing"],
		} {
			if float64(right) < 0.95*float64(n) {
				t.Errorf("noise %g, world %s: %d of %d are right", noise, world, right, n)
			}
		}
	}
}
