package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/golden"

	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// raced are runs of simulated judges on the built-in pairs.
func raced(t *testing.T) (runs []string) {
	t.Helper()
	for name, model := range map[string]string{"good": "accuracy=0.95,seed=1", "fair": "accuracy=0.9,seed=2", "poor": "accuracy=0.5,seed=3"} {
		mustCall(t, "run", "pairwise", "--backend", "sim", "--model", model, "--dataset", "sample", "--out", name)
	}
	return []string{"poor", "fair", "good"}
}

// TestRace: the whole output of a race, to the byte, and what else it prints.
func TestRace(t *testing.T) {
	home(t)
	runs := raced(t)
	var all strings.Builder
	for _, flags := range []string{"", "--margin 20 --about benchmark --orders 50", "--csv --seed 2 --orders 0", "--markdown --alpha 0.2 --orders 10"} {
		fmt.Fprintf(&all, "$ gavel race %s\n%s\n", flags, mustCall(t, append(append([]string{"race"}, strings.Fields(flags)...), runs...)...))
	}
	golden.Assert(t, all.String(), filepath.Join(sourceDir, "testdata", "race.txt"))
}

// TestRaceJSON: its keys, and that the calls are those of the table.
func TestRaceJSON(t *testing.T) {
	home(t)
	out := mustCall(t, append([]string{"race", "--json", "--orders", "20"}, raced(t)...)...)
	var r map[string]json.RawMessage
	parse(t, out, &r)
	for _, key := range []string{"leader", "left", "tied", "calls", "full_calls", "alpha", "about", "orders", "says"} {
		if r[key] == nil {
			t.Errorf("no %q in %s", key, out)
		}
	}
	if len(r) != 9 || string(r["leader"]) != `"good"` && string(r["leader"]) != `"fair"` || string(r["full_calls"]) != "192" {
		t.Errorf("%s", out)
	}
	var left []map[string]any
	if err := json.Unmarshal(r["left"], &left); err != nil || len(left) == 0 || left[0]["run"] != "poor" || len(left[0]) != 4 || left[0]["e"].(float64) < 40 {
		t.Errorf("%v, %v", left, err)
	}
}

func TestRaceRefuses(t *testing.T) {
	home(t)
	mustCall(t, "run", "pairwise", "--backend", "sim", "--model", "right", "--dataset", "sample", "--out", "a")
	mustCall(t, "run", "multi-option", "--backend", "sim", "--model", "right", "--dataset", "sample-options", "--out", "options")
	for args, want := range map[string]string{
		"a":                     "a race is of two runs or more",
		"a ./a":                 "a is named twice: give each run once",
		"a gone":                "gone",
		"a options":             "give runs of one protocol",
		"options a":             "give runs of one protocol",
		"--alpha 0 a b":         "--alpha 0: expected a probability between 0 and 1",
		"--alpha NaN a b":       "--alpha NaN",
		"--margin -1 a b":       "--margin -1: expected points from 0 to less than 100",
		"--margin 100 a b":      "--margin 100",
		"--about something a b": "items, benchmark",
		"--orders 100001 a b":   "--orders 100001: expected 0 to 100000",
		"--orders many a b":     `--orders "many"`,
	} {
		stdout, stderr, code := call(t, append([]string{"race"}, strings.Fields(args)...)...)
		if code == 0 || stdout != "" || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("gavel race %s: exit status %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
	}
}

// What the reference says of pairs of judges over all of LLMBar is what a race counts, and in the order of the file
// two that are equal in the end seem to be decided.
func TestRacesOfLLMBar(t *testing.T) {
	home(t)
	data := llmBarData(t)
	var reference struct {
		Races map[string][]struct {
			A, B     string
			OnlyA    int     `json:"b"`
			OnlyB    int     `json:"c"`
			E        float64 `json:"e_value"`
			FirstE20 *int    `json:"first_item_with_e_ge_20"`
		}
	}
	parse(t, read(t, filepath.Join(data, "reference.json")), &reference)
	load := func(judge string) *scoring.Run {
		dir := strings.ReplaceAll(judge, "/", "-")
		mustCall(t, append([]string{"import", "llmbar", "--out", dir}, llmBarFiles(t, data, judge)...)...)
		run, err := scoring.Load(dir, judging.Reading{Policy: judging.Unique})
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	for _, races := range reference.Races {
		for _, want := range races {
			r, err := scoring.RightsOf([]*scoring.Run{load(want.A), load(want.B)})
			if err != nil {
				t.Fatal(err)
			}
			var only [2]int
			first := 0
			for _, subset := range []string{"Natural", "Adversarial/GPTInst", "Adversarial/GPTOut", "Adversarial/Manual", "Adversarial/Neighbor"} {
				for row := 0; ; row++ { // as the file has them
					i := slices.Index(r.Units, fmt.Sprintf("%s#%d", subset, row))
					if i < 0 {
						break
					}
					if a, b := r.Right[0][i], r.Right[1][i]; a && !b {
						only[0]++
					} else if b && !a {
						only[1]++
					}
					if first == 0 && stats.LogE(only[1], only[0]+only[1]) >= math.Log(20) {
						first = only[0] + only[1]
					}
				}
			}
			e := math.Exp(stats.LogE(only[1], only[0]+only[1]))
			if only != [2]int{want.OnlyA, want.OnlyB} || math.Abs(e/want.E-1) > 1e-9 || (first > 0) != (want.FirstE20 != nil) {
				t.Errorf("%s and %s: %v, E = %g, want %+v", want.A, want.B, only, e, want)
			}
		}
	}
}
