package selfreference

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gavel/internal/report"
	"gavel/scoring"
)

// simulatedJudges returns eleven judges of 350 answers, of which half are right. answers is how often each answers
// right itself; judges returns how often its judgments are right without and with its own answer shown.
func simulatedJudges(rnd *rand.Rand, judges func(answers float64) (cot, self float64)) (rows []report.BoardRow) {
	const n = 350
	share := func(p float64) float64 {
		right := 0
		for range n {
			right += int(scoring.Indicator(rnd.Float64() < p))
		}
		return 100 * float64(right) / n
	}
	for k := range 11 {
		answers := 0.3 + 0.06*float64(k)
		cot, self := judges(answers)
		a, b := share(cot), share(self)
		r := &scoring.Report{Protocol: "self-reference", RunSetup: scoring.RunSetup{Model: fmt.Sprint("judge ", k)}}
		for _, x := range []scoring.Result{
			{Metric: scoring.GenerationAccuracy, Value: new(share(answers))},
			{Metric: F1, Mode: ModeCoT, Value: &a, MissingRule: "not judged Correct"},
			{Metric: F1, Mode: ModeSelf, Value: &b},
			{Metric: F1, Mode: scoring.ModeDifference, Value: new(b - a)},
		} {
			x.Group = scoring.Overall
			r.Results = append(r.Results, x)
		}
		rows = append(rows, report.BoardRow{Name: r.Model, Report: r})
	}
	return rows
}

// TestAcrossJudges: that judges which answer better judge better, and the crossover, are found where they are, and
// rarely where they are not.
func TestAcrossJudges(t *testing.T) {
	const worlds = 1000
	for name, c := range map[string]struct {
		judges                     func(rnd *rand.Rand) func(answers float64) (cot, self float64)
		dependent, crossing, holds [2]float64 // shares of the worlds
	}{
		// judges by chance alone 60 % right, and follows its own answer half of the time: the crossover is at 60 %
		"trusts its own answer": {
			judges: func(*rand.Rand) func(float64) (float64, float64) {
				return func(answers float64) (cot, self float64) { return 0.6, 0.3 + answers/2 }
			},
			dependent: [2]float64{0, 0.07}, crossing: [2]float64{0.95, 1}, holds: [2]float64{0.93, 0.98},
		},
		"judges as it answers, ignores its own answer": {
			judges: func(*rand.Rand) func(float64) (float64, float64) {
				return func(answers float64) (cot, self float64) { return 0.4 + answers/2, 0.4 + answers/2 }
			},
			dependent: [2]float64{0.95, 1}, crossing: [2]float64{0, 0.05}, holds: [2]float64{0, 0.05},
		},
		"neither": {
			judges: func(rnd *rand.Rand) func(float64) (float64, float64) {
				return func(float64) (cot, self float64) { p := 0.5 + 0.4*rnd.Float64(); return p, p }
			},
			dependent: [2]float64{0, 0.07}, crossing: [2]float64{0, 0.05}, holds: [2]float64{0, 0.05},
		},
	} {
		rnd := rand.New(rand.NewPCG(51, 6))
		dependent, crossing, holds := 0.0, 0.0, 0.0
		for range worlds {
			results := acrossJudges(simulatedJudges(rnd, c.judges(rnd))).Results
			if len(results) != 3 || results[0].Mode != ModeCoT || results[2].Metric != Crossover || results[0].N != 11 {
				t.Fatalf("%s: %+v", name, results)
			}
			dependent += scoring.Indicator(*results[0].Low > 0 || *results[0].High < 0)
			if crossover := results[2]; crossover.Value != nil {
				crossing++
				holds += scoring.Indicator(*crossover.Low < 60 && 60 < *crossover.High)
			}
		}
		for what, x := range map[string]struct {
			n     float64
			share [2]float64
		}{"dependent": {dependent, c.dependent}, "crossing": {crossing, c.crossing}, "holds": {holds, c.holds}} {
			if share := x.n / worlds; share < x.share[0] || share > x.share[1] {
				t.Errorf("%s: %s in %.3f of %d worlds, want %v", name, what, share, worlds, x.share)
			}
		}
	}
}

// TestAcrossJudgesLeavesOut: further runs of a model, judges without own answers, runs with another reference, and
// fewer than four judges.
func TestAcrossJudgesLeavesOut(t *testing.T) {
	rows := simulatedJudges(rand.New(rand.NewPCG(1, 1)), func(a float64) (float64, float64) { return a, a })
	repeated := rows[0]
	repeated.Name = "again"
	without := report.BoardRow{Name: "without", Report: &scoring.Report{Protocol: "self-reference"}}
	gold := simulatedJudges(rand.New(rand.NewPCG(2, 1)), func(a float64) (float64, float64) { return a, a })[0]
	gold.Report.Model = "judge with another reference"
	gold.Report.Settings = "mode both, reference gold"
	for _, r := range acrossJudges(append(rows, repeated, without, gold)).Results {
		if r.N != len(rows) || r.MissingRule == "" && r.Mode == ModeCoT {
			t.Errorf("%+v", r)
		}
	}
	if result := acrossJudges(append(rows[:3:3], repeated, without)); result != nil {
		t.Errorf("three judges: %+v", result)
	}
}
