package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/scoring/stats"
)

// TestAltTestByHand: three people on 30 units; the first two agree everywhere, the third nowhere with them.
func TestAltTestByHand(t *testing.T) {
	var judge, one, two, three []int
	for range 30 {
		judge, one, two, three = append(judge, 0), append(one, 0), append(two, 0), append(three, 1)
	}
	a := stats.AltTest(judge, [][]int{one, two, three}, 0.2, 0.05)
	// Beside one the judge says the same: difference 0 everywhere, below ε. Beside three it is better everywhere.
	assert.Equal(t, a.Winning, 1.0)
	assert.Equal(t, a.Advantage, 1.0)
	assert.Equal(t, a.People[0].PersonAdvantage, 1.0)
	assert.Equal(t, a.People[2].PersonAdvantage, 0.0)
	worse := make([]int, 30)
	for i := range worse {
		worse[i] = i % 3 // right on ten of thirty beside one and two
	}
	a = stats.AltTest(worse, [][]int{one, two, three}, 0.2, 0.05)
	// Beside one: two agrees with one on all, with the judge on 10; three agrees with the judge on 10 others. Ties of
	// "others who agree": 10 units 1:1, 10 units 1:1 (three), 10 units 0:1.
	is(t, a.People[0].JudgeAdvantage, 2.0/3, 1e-12)
	is(t, a.People[0].PersonAdvantage, 1, 1e-12)
	assert.Assert(t, !a.People[0].LosesToJudge)
	few := stats.AltTest(judge[:29], [][]int{one[:29], two[:29], three[:29]}, 0.2, 0.05)
	assert.Assert(t, math.IsNaN(few.Winning), "29 units are too few to say anything")
}

// TestAltTestErrs: a judge that is worse than people by just ε is called as good in few runs.
func TestAltTestErrs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	passed := 0
	const runs, n = 400, 60
	for range runs {
		judge, people := make([]int, n), [][]int{make([]int, n), make([]int, n), make([]int, n)}
		for i := range judge {
			for _, who := range people { // a person is right on 90 %
				if rng.Float64() > 0.9 {
					who[i] = 1
				}
			}
			if rng.Float64() > 0.6 {
				judge[i] = 1
			}
		}
		if stats.AltTest(judge, people, 0.1, 0.05).Winning >= 0.5 {
			passed++
		}
	}
	assert.Assert(t, passed <= runs/20, "%d of %d runs let a bad judge stand in", passed, runs)
}

// TestSelectHolds: of 500 simulated calibrations at most δ choose a threshold that errs more often than α.
func TestSelectHolds(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	const runs, risk, delta = 500, 0.2, 0.1
	errs, found, share := 0, 0, 0.0
	for range runs {
		var confidence []float64
		var right []bool
		for range 300 {
			c := 0.5 + rng.Float64()/2
			confidence, right = append(confidence, c), append(right, rng.Float64() < c-0.02)
		}
		s := stats.SelectThreshold(confidence, right, risk, delta)
		if math.IsNaN(s.Threshold) {
			continue
		}
		found++
		share += 1 - (s.Threshold-0.5)/0.5
		if 1-((s.Threshold+1)/2-0.02) > risk { // the mean of what is above the threshold
			errs++
		}
	}
	assert.Assert(t, errs <= int(delta*runs), "%d of %d err too often", errs, runs)
	assert.Assert(t, found > runs/2 && share/float64(found) > 0.15, "%d found, %.2f of the units believed", found, share/float64(found))
}

func TestSelectByHand(t *testing.T) {
	confidence, right := make([]float64, 100), make([]bool, 100)
	for i := range confidence {
		confidence[i], right[i] = 1-float64(i)/100, i < 60
	}
	s := stats.SelectThreshold(confidence, right, 0.1, 0.05)
	// 29 without an error suffice: 0.9²⁹ < .05. With k errors after 60: the upper bound passes 10 % at the second.
	assert.Equal(t, s.Total-s.Right, wrongWithin(60, 0.1, 0.05))
	assert.Assert(t, math.IsNaN(stats.SelectThreshold(confidence[:28], right[:28], 0.1, 0.05).Threshold))
}

// wrongWithin is how many errors after so many right ones still pass.
func wrongWithin(right int, risk, delta float64) int {
	for k := 1; ; k++ {
		if stats.ClopperPearson(k, right+k, 1-2*delta).High > risk {
			return k - 1
		}
	}
}
