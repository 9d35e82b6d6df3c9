package scoring

import "testing"

// An interval that ends at 0 holds it, whatever the sums came out as.
func TestHoldsZero(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      bool
	}{
		{-0.38, -1e-17, true}, {1e-17, 0.13, true}, {-0.1, 0.1, true}, {0.01, 0.1, false}, {-0.1, -0.01, false},
	} {
		d := Difference{Low: percent(c.low), High: percent(c.high)}
		if d.holdsZero() != c.want {
			t.Errorf("[%g, %g] holds 0: %t", c.low, c.high, !c.want)
		}
	}
}
