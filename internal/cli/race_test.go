package cli

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

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
		run, err := scoring.Load(dir, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel})
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	for _, races := range reference.Races {
		for _, want := range races {
			r, err := scoring.RightUnitsOf([]*scoring.Run{load(want.A), load(want.B)})
			if err != nil {
				t.Fatal(err)
			}
			var only [2]int
			first := 0
			for _, subset := range []string{"Natural", "Adversarial/GPTInst", "Adversarial/GPTOut", "Adversarial/Manual", "Adversarial/Neighbor"} {
				for row := 0; ; row++ { // as the file has them
					i := slices.Index(r.CommonUnits, fmt.Sprintf("%s#%d", subset, row))
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
