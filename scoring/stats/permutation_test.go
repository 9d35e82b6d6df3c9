package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// means is the difference of means where each side is one column over n rows.
func means(n int) func(a, b []float64) float64 {
	return func(a, b []float64) float64 { return (b[0] - a[0]) / float64(n) }
}

func rowsOf(rows ...[]float64) *Rows {
	r := new(Rows)
	for _, row := range rows {
		r.Add(row)
	}
	return r
}

// Differences 1, 2, 3: of the eight signs only +++ and −−− come to ±6.
// Differences 1, 2, 3, −4: the sum is 2, and of the sixteen signs
// ±1±2±3±4 come to less than 2 from 0 where they come to 0: 1+4 = 2+3, twice.
func TestExchangeByHand(t *testing.T) {
	for name, tt := range map[string]struct {
		rows [][]float64
		want float64
	}{
		"all one way":       {[][]float64{{0, 1}, {0, 2}, {0, 3}}, 2.0 / 8},
		"one against":       {[][]float64{{0, 1}, {0, 2}, {0, 3}, {4, 0}}, 14.0 / 16},
		"alike are nothing": {[][]float64{{0, 1}, {5, 5}, {0, 2}, {0, 0}, {0, 3}}, 2.0 / 8},
		"none":              {nil, math.NaN()},
		"all alike":         {[][]float64{{1, 1}, {1, 1}}, 1},
	} {
		got := Bootstrap{Rounds: 1000, Seed: 1}.PermutationTest(rowsOf(tt.rows...), means(len(tt.rows)))
		if !(math.Abs(got-tt.want) <= 1e-12 || math.IsNaN(got) && math.IsNaN(tt.want)) {
			t.Errorf("%s: p = %v, want %v", name, got, tt.want)
		}
	}
}

// Of units that are right or wrong it is McNemar's test, exactly: their exchanges come to few sums.
func TestExchangeIsMcNemar(t *testing.T) {
	for _, tt := range []struct{ onlyA, onlyB, both int }{
		{1, 3, 2}, {0, 6, 0}, {5, 5, 1}, {2, 9, 30}, {10, 30, 5}, {100, 90, 7}, {30, 70, 200},
	} {
		rows := new(Rows)
		for range tt.onlyA {
			rows.Add([]float64{1, 0})
		}
		for range tt.onlyB {
			rows.Add([]float64{0, 1})
		}
		for range tt.both {
			rows.Add([]float64{1, 1})
		}
		want := McNemar(tt.onlyA, tt.onlyB)
		got := Bootstrap{Rounds: 200_000, Seed: 1}.PermutationTest(rows, means(100))
		if math.Abs(got-want) > 1e-9*want {
			t.Errorf("%+v: p = %v, McNemar %v", tt, got, want)
		}
	}
}

// A difference that is undefined as found has no p; one that is undefined when
// exchanged counts against.
func TestExchangeUndefined(t *testing.T) {
	ratio := func(a, b []float64) float64 { return a[0]/a[1] - b[0]/b[1] }
	if p := (Bootstrap{Rounds: 100, Seed: 1}).PermutationTest(rowsOf([]float64{1, 2, 0, 0}), ratio); !math.IsNaN(p) {
		t.Errorf("p of a difference that is undefined: %v", p)
	}
	// Exchanging one of the two leaves a side with nothing to divide by.
	rows := rowsOf([]float64{1, 2, 0, 0}, []float64{0, 0, 0, 2})
	if p := (Bootstrap{Rounds: 100, Seed: 1}).PermutationTest(rows, ratio); p != 1 {
		t.Errorf("p = %v, want 1", p)
	}
}

// uneven are n units with differences that come to another sum with every exchange.
func uneven(rng *rand.Rand, n int, mean float64) *Rows {
	rows := new(Rows)
	for range n {
		rows.Add([]float64{0, mean + rng.NormFloat64()})
	}
	return rows
}

// Drawn exchanges are the same every time, and of 200 that are all one way two in 2^200 are as far: no number of rounds
// is the least p.
func TestExchangeIsSeeded(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rows := new(Rows)
	for range 200 {
		rows.Add([]float64{0, 1 + rng.Float64()})
	}
	how := Bootstrap{Rounds: 500, Seed: 7}
	p, again := how.PermutationTest(rows, means(200)), how.PermutationTest(rows, means(200))
	if want := math.Pow(2, -199); p != again || math.Abs(p-want) > 0.01*want {
		t.Errorf("p = %v and %v, want %v", p, again, want)
	}
}

// What is drawn comes near what is counted: of the share of some, which is no sum.
func TestExchangeDrawnIsCounted(t *testing.T) {
	diff := func(a, b []float64) float64 { return b[0]/b[1] - a[0]/a[1] }
	for name, often := range map[string][6]int{
		"even": {40, 40, 5, 5, 3, 3}, "some": {20, 40, 5, 5, 3, 6},
		"far": {5, 60, 5, 9, 0, 6}, "one way": {0, 90, 0, 9, 0, 6},
	} {
		rows := new(Rows)
		for k, row := range [][]float64{{1, 1, 0, 1}, {0, 1, 1, 1}, {1, 1, 0, 0}, {0, 0, 1, 1}, {0, 1, 0, 0}, {0, 0, 0, 1}} {
			for range often[k] {
				rows.Add(row)
			}
		}
		want := Bootstrap{Rounds: 1e7}.PermutationTest(rows, diff)
		p := Bootstrap{Rounds: 1500, Seed: 3}.PermutationTest(rows, diff)
		if p == want && name != "even" || math.Abs(p-want) > 0.3*want {
			t.Errorf("%s: %v drawn, %v counted", name, p, want)
		}
	}
}

// A test without a difference ends after a few draws, and p is no more often below a level than the level says,
// however it was found.
func TestExchangeHoldsItsLevel(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	const times, n = 1500, 25
	levels := []float64{0.2, 0.05, 0.01, 0.002}
	below := make([]float64, len(levels))
	calls := 0
	for i := range times {
		p := Bootstrap{Rounds: 1000, Seed: uint64(i)}.PermutationTest(uneven(rng, n, 0), func(a, b []float64) float64 {
			calls++
			return b[0] - a[0]
		})
		for k, level := range levels {
			below[k] += indicator(p <= level)
		}
	}
	for k, level := range levels {
		if most := times*level + 3.3*math.Sqrt(times*level); below[k] > most || below[k] < times*level/2 {
			t.Errorf("p is at most %v in %v of %d", level, below[k], times)
		}
	}
	if calls/times > 500 { // 100·(1 + ln 10), and what is weighted
		t.Errorf("%d draws a test", calls/times)
	}
}
