package stats

import (
	"math"
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
		"none":              {nil, 1},
		"all alike":         {[][]float64{{1, 1}, {1, 1}}, 1},
	} {
		rows := rowsOf(tt.rows...)
		if tt.rows == nil {
			rows.width = 2
		}
		if got := (Permutation{Rounds: 1000, Seed: 1}).Exchange(rows, means(max(1, len(tt.rows)))); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%s: p = %v, want %v", name, got, tt.want)
		}
	}
}

// Of units that are right or wrong it is McNemar's test, exactly where all
// exchanges are counted, and nearly where they are drawn.
func TestExchangeIsMcNemar(t *testing.T) {
	for _, tt := range []struct{ onlyA, onlyB, both int }{{1, 3, 2}, {0, 6, 0}, {5, 5, 1}, {2, 9, 30}, {10, 30, 5}, {100, 90, 7}, {30, 70, 200}} {
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
		const rounds = 20000
		want, got := McNemar(tt.onlyA, tt.onlyB), Permutation{rounds, 1}.Exchange(rows, means(100))
		within := 1e-9
		if tt.onlyA+tt.onlyB > 14 { // 2^15 is more than the rounds
			within = 5*math.Sqrt(want*(1-want)/rounds) + 1.0/rounds
		}
		if math.Abs(got-want) > within {
			t.Errorf("%+v: p = %v, McNemar %v", tt, got, want)
		}
	}
}

// A difference that is undefined as found has no p; one that is undefined when
// exchanged counts against.
func TestExchangeUndefined(t *testing.T) {
	ratio := func(a, b []float64) float64 { return a[0]/a[1] - b[0]/b[1] }
	if p := (Permutation{100, 1}).Exchange(rowsOf([]float64{1, 2, 0, 0}), ratio); !math.IsNaN(p) {
		t.Errorf("p of a difference that is undefined: %v", p)
	}
	// Exchanging one of the two leaves a side with nothing to divide by.
	if p := (Permutation{100, 1}).Exchange(rowsOf([]float64{1, 2, 0, 0}, []float64{0, 0, 0, 2}), ratio); p != 1 {
		t.Errorf("p = %v, want 1", p)
	}
}

// Drawn exchanges are the same every time, and never come to 0.
func TestExchangeIsSeeded(t *testing.T) {
	rows := new(Rows)
	for range 200 {
		rows.Add([]float64{0, 1})
	}
	a, b := Permutation{500, 7}.Exchange(rows, means(200)), Permutation{500, 7}.Exchange(rows, means(200))
	if a != b || a != 1.0/501 {
		t.Errorf("p = %v and %v, want 1/501", a, b)
	}
}
