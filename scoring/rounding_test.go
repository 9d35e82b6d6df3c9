package scoring

import (
	"fmt"
	"math"
	"math/big"
	"testing"
)

// An interval that ends at 0 holds it, whatever the sums came out as.
func TestHoldsZero(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      bool
	}{
		{-0.38, -1e-17, true}, {1e-17, 0.13, true}, {-0.1, 0.1, true}, {0.01, 0.1, false}, {-0.1, -0.01, false},
	} {
		d := Difference{Low: Percent(c.low), High: Percent(c.high)}
		if d.containsZero() != c.want {
			t.Errorf("[%g, %g] holds 0: %t", c.low, c.high, !c.want)
		}
	}
}

// What is written with four places is printed with two or one as if it had all of its places.
func TestRoundedOnce(t *testing.T) {
	for n := 1; n <= 400; n++ {
		for k := range n + 1 {
			got, exact := Percent(float64(k)/float64(n)), big.NewRat(int64(100*k), int64(n))
			for _, places := range []int{2, 1} {
				if 2*100*k*int(math.Pow10(places))%n == 0 {
					continue // it may be just between two
				}
				if got, want := fmt.Sprintf("%.*f", places, *got), exact.FloatString(places); got != want {
					t.Errorf("%d of %d is printed as %s, and is %s", k, n, got, want)
				}
			}
		}
	}
	if got := Percent(51.0 / 101); *got != 50.4950495 {
		t.Errorf("51 of 101: %v", *got)
	}
	if got := Percent(1.0 / 3); *got != 33.3333 {
		t.Errorf("1 of 3: %v", *got)
	}
}
