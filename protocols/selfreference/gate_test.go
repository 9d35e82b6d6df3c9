package selfreference

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gavel/scoring"
)

// inHalf returns a judgment of a wrong answer whose question is in a half. cot and self say whether it is right.
func inHalf(half, id int, confidence float64, cot, self bool) *judgment {
	verdict := func(right bool) int8 { return int8(scoring.Indicator(right)) } // calledIncorrect is right
	j := &judgment{ownConfidence: confidence, modeCount: 2, verdicts: [2]int8{verdict(cot), verdict(self)}}
	for n := 0; j.gateSplitHalf() != half; n++ {
		j.question = fmt.Sprint(id, " ", n)
	}
	j.item = j.question
	return j
}

// gated returns the results of the gate by metric and mode.
func gated(rows ...*judgment) map[string]scoring.Result {
	f := scorerOf(rows...)
	rep := reportOf("gate true", scoring.MissingWrong)
	all := map[string]scoring.Result{}
	for _, x := range f.gate(rep, f.Sheet(scoring.MissingWrong, 1), boot) {
		all[x.Metric+x.Mode] = x
	}
	return all
}

// TestGateByHand: on one half the best threshold is 0.6, as of the three with 0.9 one is harmed; the other half has
// five judgments, of which one has no verdict with the own answer.
func TestGateByHand(t *testing.T) {
	silent := inHalf(2, 9, 0.95, true, true)
	silent.verdicts[1] = noVerdict
	unknown := inHalf(2, 10, 0.95, true, true)
	unknown.ownConfidence = 0
	once := inHalf(2, 11, 0.95, true, true)
	once.modeCount = 1
	results := gated(
		inHalf(1, 1, 0.9, false, true), inHalf(1, 2, 0.9, false, true), inHalf(1, 3, 0.9, true, false),
		inHalf(1, 4, 0.6, false, true), inHalf(1, 5, 0.3, true, false), inHalf(1, 6, 0.2, true, true),
		inHalf(2, 7, 0.6, false, true), inHalf(2, 8, 0.5, false, true), silent, unknown, once,
		inHalf(2, 12, 0.3, true, false), inHalf(2, 13, 0.2, true, false),
	)
	for key, want := range map[string]struct {
		n     int
		value float64
	}{
		GateThreshold: {6, 60}, GatedAccuracy: {5, 60}, GateAlways: {5, 40}, GateNever: {5, 60},
		GateAlways + scoring.ModeDifference: {5, 20}, GateNever + scoring.ModeDifference: {5, 0},
	} {
		if x := results[key]; x.N != want.n || x.Value == nil || math.Abs(*x.Value-want.value) > 1e-9 || x.Low == nil != (key == GateThreshold) {
			t.Errorf("%s: %+v, want %v", key, x, want)
		}
	}
	if x := gated(inHalf(1, 1, 0.9, true, false), inHalf(2, 2, 0.95, true, false)); *x[GateThreshold].Value <= 100 || *x[GatedAccuracy].Value != 100 {
		t.Errorf("where showing it harms: %+v", x)
	}
	if x := gated(unknown, once); len(x) != 0 {
		t.Errorf("without a confidence: %+v", x)
	}
	f := scorerOf(inHalf(1, 1, 0.9, false, true))
	for settings, want := range map[string]bool{"gate true": true, "gate true, reference gold": false, "": true} {
		if got := f.gate(reportOf(settings, ""), f.Sheet(scoring.MissingWrong, 1), boot) != nil; got != want {
			t.Errorf("%s: %v", settings, got)
		}
	}
}

// TestGatedJudges: a gate by a confidence that tells when the own answer helps is better than none; one by a confidence
// that tells nothing is rarely called better.
func TestGatedJudges(t *testing.T) {
	const n, worlds = 350, 200
	rnd := rand.New(rand.NewPCG(3, 8))
	for informative, bounds := range map[bool][2]int{true: {190, 200}, false: {0, 10}} {
		better := map[string]int{}
		for range worlds {
			var rows []*judgment
			for i := range n {
				confidence := rnd.Float64()
				helps := 0.6
				if informative && confidence > 0.5 {
					helps = 0.98
				} else if informative {
					helps = 0.2
				}
				rows = append(rows, inHalf(1+i%2, i, confidence, rnd.Float64() < 0.6, rnd.Float64() < helps))
			}
			for key, x := range gated(rows...) {
				if x.Mode == scoring.ModeDifference && *x.Low > 0 {
					better[key]++
				}
			}
		}
		for _, key := range []string{GateAlways + scoring.ModeDifference, GateNever + scoring.ModeDifference} {
			if better[key] < bounds[0] || better[key] > bounds[1] {
				t.Errorf("informative %v: %s above 0 in %d of %d worlds", informative, key, better[key], worlds)
			}
		}
	}
}
