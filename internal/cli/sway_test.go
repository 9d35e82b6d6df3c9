package cli

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"gavel/datasets"
	"gavel/judging"
	"gavel/scoring"
)

// TestSway: Llama 2 and Falcon of LLMBar lean to the longer output; the counts are those of a plain loop over the verdicts.
func TestSway(t *testing.T) {
	home(t)
	data := llmBarData(t)
	for _, judge := range []string{"LLaMA2", "Falcon"} {
		dir := "runs/" + judge
		mustCall(t, append([]string{"import", "llmbar", "--out", dir}, llmBarFiles(t, data, judge+"/Vanilla")...)...)
		shows(t, "Swayed by the place, length. It leans to the longer response", "sway", dir)
		var s scoring.Sway
		parse(t, mustCall(t, "sway", "--json", dir), &s)
		lengths := map[string][2]int{}
		gold := map[string]int{}
		err := judging.EachItem(dir, func(item datasets.Item) {
			of := judging.ResponsesOf(item)
			lengths[item.ID] = [2]int{utf8.RuneCountInString(of[0].Text), utf8.RuneCountInString(of[1].Text)}
			gold[item.ID] = item.Gold
		})
		if err != nil {
			t.Fatal(err)
		}
		var longer, verdicts, shorterIsBetter int
		for id, of := range lengths {
			if of[gold[id]] < of[1-gold[id]] {
				shorterIsBetter++
			}
		}
		_, err = judging.EachVerdict(dir, judging.Reading{}, func(r *judging.Record, _ judging.Asker, v judging.Verdict) error {
			if of := lengths[r.Item]; v.Outcome == judging.Decided && of[0] != of[1] {
				verdicts++
				if of[v.Choice] > of[1-v.Choice] {
					longer++
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range s.Causes {
			if want := 100 * float64(longer) / float64(verdicts); c.Name == scoring.Length &&
				(c.Named.N != verdicts || math.Abs(*c.Named.Value-want) > 1e-3) {
				t.Errorf("%s: %v of %d, counted %d of %d", judge, *c.Named.Value, c.Named.N, longer, verdicts)
			}
		}
		for _, r := range s.Rules {
			if want := 100 * float64(shorterIsBetter) / 419; r.Name == "the shorter" && math.Abs(r.Value-want) > 1e-3 {
				t.Errorf("the shorter is the better in %.2f %%, counted %.2f", r.Value, want)
			}
		}
	}
	mustCall(t, "run", "multi-option", "--backend", "sim", "--model", "accuracy=0.8", "--dataset", "sample-options", "--out",
		"runs/options")
	for args, want := range map[string]string{
		"sway":              "one run at a time",
		"sway runs/options": "of runs of pairs",
		"sway runs/none":    "no run at",
		"sway --jsonn runs": "unknown flag",
	} {
		ends(t, anyFailure, want, strings.Fields(args)...)
	}
}
