package races_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gavel/datasets"
	"gavel/internal/races"
	"gavel/judging"
	_ "gavel/protocols"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// answers returns the run of a prompt that answers n questions, some of them correctly.
func answers(t *testing.T, prompt string, n int, correct func(item int) bool) *scoring.Run {
	return answersTo(t, prompt, "", n, correct)
}

// answersTo returns the run of a prompt that answers n questions of a source.
func answersTo(t *testing.T, prompt, source string, n int, correct func(item int) bool) *scoring.Run {
	return someAnswers(t, prompt, source, n, func(int) bool { return true }, correct)
}

// someAnswers returns the run of a prompt that answers those of n questions that it is asked.
func someAnswers(t *testing.T, prompt, source string, n int, inRun, correct func(item int) bool) *scoring.Run {
	t.Helper()
	m := judging.NewManifest("test", judging.Spec{
		Protocol: "answer", Prompt: judging.Template{Name: prompt}, Model: judging.ModelSpec{Name: "judge"},
		Dataset: judging.DatasetSpec{Items: n},
	})
	m.Judgments = n
	load, err := scoring.NewLoader(m, judging.ReadingOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if !inRun(i) {
			continue
		}
		choice := "B"
		if correct(i) {
			choice = "A"
		}
		err := load.Add(&judging.Record{
			Schema: 1, Protocol: "answer", Item: itemID(i), Source: source, Shape: "choice", Gold: "A", Presentations: 1,
			Order: []string{"A", "B"}, Outcome: judging.Decided, Choice: choice,
			Imported: &judging.ImportedFields{DecisionIsVerdict: true},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	run := load.Run()
	run.Dir = prompt
	return run
}

func itemID(i int) string { return fmt.Sprintf("q%03d-%d", i/4, i%4) }

// group returns the result of a group.
func group(t *testing.T, x *races.PromptTuning, name string) scoring.Result {
	t.Helper()
	for _, r := range x.Results {
		if r.Group == name {
			return r
		}
	}
	t.Fatalf("no %s in %+v", name, x.Results)
	return scoring.Result{}
}

var quick = stats.Bootstrap{Rounds: 100, Level: 0.95, Seed: 1}

// TestTuningInWorlds: among six equal prompts none is called better; one that is better by 15 points is found; the
// interval on held-out items covers the true score of the winner, and the one on the items of the choice does not.
func TestTuningInWorlds(t *testing.T) {
	const worlds, items, prompts, share = 200, 350, 6, 0.7
	rng := rand.New(rand.NewPCG(1, 2))
	falseCalls, hits, heldOut, tunedOn, optimism, chance := 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
	covers := func(x scoring.Result) float64 { return scoring.Indicator(*x.Low <= 100*share && 100*share <= *x.High) }
	for range worlds {
		var right [prompts][items]bool
		for i := range items {
			common := rng.Float64() < share
			for p := range prompts {
				right[p][i] = rng.Float64() < share
				if rng.Float64() < 0.2 {
					right[p][i] = common
				}
			}
		}
		tune := func(runs ...*scoring.Run) *races.PromptTuning {
			x, err := races.TunePrompts(runs, nil, datasets.HeldOut{Share: 0.5, Seed: 1}, quick)
			if err != nil {
				t.Fatal(err)
			}
			return x
		}
		var equal []*scoring.Run
		for p := range prompts {
			equal = append(equal, answers(t, fmt.Sprint("p", p), items, func(i int) bool { return right[p][i] }))
		}
		good := answers(t, "good", items, func(i int) bool { // 85 %: right on 93 % where p0 is, else on 66 %
			return rng.Float64() < 0.663 || right[0][i] && rng.Float64() < 0.792
		})
		hits += scoring.Indicator(strings.HasPrefix(tune(equal[0], equal[1], good).Says, "good is better than p0 on "))
		x := tune(equal...)
		falseCalls += scoring.Indicator(strings.Contains(x.Says, " is better than "))
		best := x.Results[0]
		for _, r := range x.Results[:prompts] {
			if *r.Value > *best.Value {
				best = r
			}
		}
		name, _, _ := strings.Cut(best.Group, ",")
		heldOut += covers(group(t, x, name+", held-out"))
		tunedOn += covers(best)
		optimism += *best.Value - 100*share
		chance += *group(t, x, "best of equal prompts, by chance").Value
	}
	if falseCalls > 0.05*worlds || hits < 0.95*worlds {
		t.Errorf("called better in %g worlds of equal prompts, and %g of a better one", falseCalls, hits)
	}
	if heldOut < 0.93*worlds || heldOut > 0.97*worlds || tunedOn >= 0.93*worlds {
		t.Errorf("of %d intervals %g cover the truth on held-out items, %g on tuned-on ones", worlds, heldOut, tunedOn)
	}
	if math.Abs(optimism/chance-1) > 0.15 {
		t.Errorf("the winner is %.2f above its true score, and %.2f are expected", optimism/worlds, chance/worlds)
	}
	t.Logf("better: %g of equal prompts, %g of a better one; covered: %g, on the items of the choice %g; above: %.2f, %.2f",
		falseCalls, hits, heldOut, tunedOn, optimism/worlds, chance/worlds)
}

// race asks prompts about n questions in the order of a seed, which holds half of them out.
func race(t *testing.T, n int, seed int64, names []string, correct func(prompt, item int) bool) ([]*scoring.Run, *races.PromptRace) {
	t.Helper()
	m := judging.Manifest{OrderSeed: &seed, HeldOut: &datasets.HeldOut{Share: 0.5, Seed: seed}}
	var ids []string
	item := map[string]int{}
	for i := range n {
		ids = append(ids, itemID(i))
		item[itemID(i)] = i
	}
	x := &races.PromptRace{PromptCount: len(names)}
	raced := make([]map[int]bool, len(names))
	for p := range names {
		leaves := x.StartNextPrompt()
		raced[p] = map[int]bool{}
		for _, id := range m.DrawOrder(ids) {
			if raced[p][item[id]] = !m.HeldOut.Contains(id); m.HeldOut.Contains(id) || leaves(correct(p, item[id])) {
				break
			}
		}
	}
	var runs []*scoring.Run
	for p, name := range names {
		runs = append(runs, someAnswers(t, name, "", n, func(i int) bool { return raced[p][i] || p == 0 || p == x.Best() },
			func(i int) bool { return correct(p, i) }))
	}
	return runs, x
}

// TestRacesInWorlds: what holds where all prompts are asked about all items holds in a race, too: among six equal
// prompts none is called better, one that is better by 15 points is found wherever it comes, the interval on held-out
// items covers the true score of the winner, and the lead by chance is as expected.
func TestRacesInWorlds(t *testing.T) {
	const worlds, items, prompts, share = 200, 350, 6, 0.7
	rng := rand.New(rand.NewPCG(3, 4))
	names := []string{"p0", "p1", "p2", "p3", "p4", "p5"}
	falseCalls, hits, heldOut, optimism, chance := 0.0, 0.0, 0.0, 0.0, 0.0
	var saved [2]float64
	for world := range worlds {
		for planted := range 2 {
			good := planted * (1 + rng.IntN(prompts-1))
			var right [prompts][items]bool
			for i := range items {
				common := rng.Float64() < share
				for p := range prompts {
					right[p][i] = rng.Float64() < share
					if rng.Float64() < 0.2 {
						right[p][i] = common
					}
					if p > 0 && p == good { // 85 %, as above
						right[p][i] = rng.Float64() < 0.663 || right[0][i] && rng.Float64() < 0.792
					}
				}
			}
			runs, x := race(t, items, int64(world), names, func(p, i int) bool { return right[p][i] })
			result, err := races.TunePrompts(runs, x, datasets.HeldOut{Share: 0.5, Seed: int64(world)}, quick)
			if err != nil {
				t.Fatal(err)
			}
			best := names[x.Best()]
			tunedOn := group(t, result, best+", tuned-on")
			saved[planted] += 1 - float64(result.Calls)/float64(result.FullCalls)
			truth := 100 * share
			if planted == 1 {
				hits += scoring.Indicator(strings.HasPrefix(result.Says, names[good]+" is better than p0 on "))
				if x.Best() == good {
					truth = 85
				}
			} else {
				falseCalls += scoring.Indicator(strings.Contains(result.Says, " is better than "))
				optimism += *tunedOn.Value - truth
				chance += *group(t, result, "best of equal prompts, by chance").Value
			}
			h := group(t, result, best+", held-out")
			heldOut += scoring.Indicator(*h.Low <= truth && truth <= *h.High)
		}
	}
	t.Logf("better: %g of %d with equal prompts, %g with a better one; covered: %g of %d; above: %.2f, %.2f; saved: %.0f and %.0f %%",
		falseCalls, worlds, hits, heldOut, 2*worlds, optimism/worlds, chance/worlds, saved[0]/worlds*100, saved[1]/worlds*100)
	if falseCalls > 0.05*worlds || hits < 0.95*worlds || heldOut < 0.93*2*worlds || heldOut > 0.97*2*worlds {
		t.Error("false, missed or uncovered too often")
	}
	if math.Abs(optimism/chance-1) > 0.15 {
		t.Error("the lead by chance is not as expected")
	}
}

// TestTuningByHand: every number of 40 items with two prompts, of which the second is right on more items that are not
// held out, and on fewer that are.
func TestTuningByHand(t *testing.T) {
	half := datasets.HeldOut{Share: 0.5, Seed: 3}
	var place [40]int // among the items of its side
	var n [2]int
	for i := range place {
		side := int(scoring.Indicator(half.Contains(itemID(i))))
		place[i] = n[side]
		n[side]++
	}
	prompt := func(name string, tuned, heldOut int) *scoring.Run {
		return answers(t, name, len(place), func(i int) bool {
			if half.Contains(itemID(i)) {
				return place[i] < heldOut
			}
			return place[i] < tuned
		})
	}
	x, err := races.TunePrompts([]*scoring.Run{prompt("first", 10, 9), prompt("second", 14, 7)}, nil, half, quick)
	if err != nil {
		t.Fatal(err)
	}
	tuned, others := float64(n[0]), float64(n[1])
	iv, other := stats.Blaker(14, n[0], 0.95), stats.Blaker(7, n[1], 0.95)
	gap := 14/tuned - 7/others
	for _, want := range []struct {
		group            string
		value, low, high float64
		n                int
	}{
		{group: "first, tuned-on", value: 10 / tuned, low: stats.Blaker(10, n[0], 0.95).Low, high: stats.Blaker(10, n[0], 0.95).High, n: n[0]},
		{group: "second, tuned-on", value: 14 / tuned, low: iv.Low, high: iv.High, n: n[0]},
		{group: "first, held-out", value: 9 / others, low: stats.Blaker(9, n[1], 0.95).Low, high: stats.Blaker(9, n[1], 0.95).High, n: n[1]},
		{group: "second, held-out", value: 7 / others, low: other.Low, high: other.High, n: n[1]},
		{group: "difference, held-out", value: -2 / others, n: n[1],
			low: stats.PairedInterval(0, 2, others, 0.95).Low, high: stats.PairedInterval(0, 2, others, 0.95).High},
		{group: "gap: tuned-on − held-out", value: gap, n: n[1],
			low:  gap - math.Sqrt(math.Pow(14/tuned-iv.Low, 2)+math.Pow(other.High-7/others, 2)),
			high: gap + math.Sqrt(math.Pow(iv.High-14/tuned, 2)+math.Pow(7/others-other.Low, 2))},
		// Six of 40 items are right by one prompt alone; Blom's c of two is the normal quantile of 1.625/2.25.
		{group: "best of equal prompts, by chance", value: 0.589456 * math.Sqrt(6.0/40/(2*tuned)), n: n[0]},
	} {
		got := group(t, x, want.group)
		near := func(a *float64, b float64) bool { return a == nil && b == 0 || a != nil && math.Abs(*a-100*b) < 1e-3 }
		if !near(got.Value, want.value) || !near(got.Low, want.low) || !near(got.High, want.high) || got.N != want.n {
			t.Errorf("%s: %s [%s, %s] of %d, want %.4f [%.4f, %.4f] of %d", want.group, show(got.Value), show(got.Low),
				show(got.High), got.N, 100*want.value, 100*want.low, 100*want.high, want.n)
		}
	}
	if len(x.Results) != 7 || !strings.HasPrefix(x.Says, "No prompt is significantly better than first on ") {
		t.Errorf("%d results; %s", len(x.Results), x.Says)
	}
	x, err = races.TunePrompts([]*scoring.Run{prompt("first", 14, 9), prompt("second", 14, 19)}, nil, half, quick)
	if err != nil || x.Says != "No prompt is ahead of first on the tuned-on items; keep it." || len(x.Results) != 5 {
		t.Errorf("%+v, %v", x, err)
	}
	if _, err = races.TunePrompts([]*scoring.Run{prompt("first", 14, 9), prompt("second", 14, 19)}, nil, datasets.HeldOut{Share: 0.999, Seed: 3}, quick); err == nil ||
		err.Error() != "too few items to choose on, or held out: take more, or change --held-out" {
		t.Error(err)
	}
}

// TestClustersStayTogether: items of one template are on one side, and so count by the side of the template.
func TestClustersStayTogether(t *testing.T) {
	const items = 200
	even := func(i int) bool { return i%2 == 0 }
	run := func(prompt string) *scoring.Run { return answersTo(t, prompt, "gsm-symbolic", items, even) }
	x, err := races.TunePrompts([]*scoring.Run{run("a"), run("b")}, nil, datasets.HeldOut{Share: 0.3, Seed: 1}, quick)
	if err != nil {
		t.Fatal(err)
	}
	heldOut := 0
	for i := 0; i < items; i += 4 {
		heldOut += 4 * int(scoring.Indicator(datasets.HeldOut{Share: 0.3, Seed: 1}.Contains(fmt.Sprintf("q%03d", i/4))))
	}
	got := group(t, x, "a, held-out")
	if got.N != heldOut || got.Clusters != heldOut/4 || heldOut < 40 || heldOut > 80 {
		t.Errorf("%d of %d items in %d clusters are held out, want %d", got.N, items, got.Clusters, heldOut)
	}
}

func show(x *float64) string {
	if x == nil {
		return "none"
	}
	return fmt.Sprintf("%.4f", *x)
}

// TestTuneOneJudge: runs of another judge, or of another version of it, are refused; imported runs, whose version is
// their file, are not.
func TestTuneOneJudge(t *testing.T) {
	runs := func(change func(m *judging.Manifest)) []*scoring.Run {
		all := []*scoring.Run{
			answers(t, "one", 80, func(i int) bool { return i%2 == 0 }), answers(t, "two", 80, func(i int) bool { return i%3 == 0 }),
		}
		change(all[1].Manifest)
		return all
	}
	for want, change := range map[string]func(m *judging.Manifest){
		"": func(*judging.Manifest) {},
		"one is of the judge judge, and two of other": func(m *judging.Manifest) { m.Spec.Model.Name = "other" },
		"two of judge or of another version":          func(m *judging.Manifest) { m.Spec.Model.Identity = "sha256:1" },
	} {
		_, err := races.TunePrompts(runs(change), nil, datasets.HeldOut{Share: 0.5, Seed: 1}, stats.DefaultBootstrap)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	imported := func(m *judging.Manifest) { m.Imported, m.Spec.Model.Identity = "result.json", "import:1" }
	if _, err := races.TunePrompts(runs(imported), nil, datasets.HeldOut{Share: 0.5, Seed: 1}, stats.DefaultBootstrap); err != nil {
		t.Error(err)
	}
}

// TestPromptLeaves: a prompt that is wrong wherever the first is right leaves at the first item after which the bet
// against the first has grown to (k−1)/0.05: to 20 with two prompts, to 100 with six.
func TestPromptLeaves(t *testing.T) {
	const n = 400
	for prompts, capital := range map[int]float64{2: 20, 6: 100} {
		x := &races.PromptRace{PromptCount: prompts}
		first := x.StartNextPrompt()
		for range n {
			first(true)
		}
		leaves := x.StartNextPrompt()
		bet := stats.NewCapital(0, n)
		for place := range n {
			grown := bet.Add(1) >= math.Log(capital)
			if got := leaves(false); got != grown {
				t.Errorf("%d prompts, place %d: leaves: %v, want %v", prompts, place, got, grown)
			}
			if grown {
				break
			}
		}
	}
}
