package stats_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"

	"gavel/scoring/stats"
)

// A difference of functions of two shares by the formulas, unit by unit. With l and u the ends of each share's
// own interval, put through the function, and φ the correlation of being right (Zou and Donner 2008, with
// Newcombe's correction):
//
//	low  = b − a − √((b − l_b)² − 2φ(b − l_b)(u_a − a) + (u_a − a)²)
//	high = b − a + √((u_b − b)² − 2φ(u_b − b)(a − l_a) + (a − l_a)²)
func TestCurvedByTheFormulas(t *testing.T) {
	f1 := func(p float64) float64 { return 2 * p / (1 + p) }
	for _, c := range [][4]int{{40, 10, 5, 5}, {10, 20, 15, 1}, {30, 0, 0, 20}, {0, 9, 4, 7}, {25, 5, 0, 0}, {50, 0, 0, 0}, {3, 1, 1, 4}, {190, 40, 60, 60}} {
		var inA, inB []float64
		for kind, n := range c {
			for range n {
				inA, inB = append(inA, []float64{1, 1, 0, 0}[kind]), append(inB, []float64{1, 0, 1, 0}[kind])
			}
		}
		n := float64(len(inA))
		pa, pb := stat.Mean(inA, nil), stat.Mean(inB, nil)
		product := 0.0 // the mean of both
		for i := range inA {
			product += inA[i] * inB[i] / n
		}
		phi := 0.0
		if sd := math.Sqrt(pa * (1 - pa) * pb * (1 - pb)); sd > 0 {
			covariance := product - pa*pb
			if covariance > 0 {
				covariance = math.Max(0, covariance-1/(2*n))
			}
			phi = covariance / sd
		}
		for name, f := range map[string]func(float64) float64{"share": func(p float64) float64 { return p }, "f1": f1} {
			ends := func(p float64) (l, u float64) {
				iv := stats.Blaker(int(math.Round(p*n)), len(inA), 0.95)
				return f(iv.Low), f(iv.High)
			}
			a, b := f(pa), f(pb)
			la, ua := ends(pa)
			lb, ub := ends(pb)
			want := stats.Interval{
				Low:  b - a - math.Sqrt(math.Pow(b-lb, 2)-2*phi*(b-lb)*(ua-a)+math.Pow(ua-a, 2)),
				High: b - a + math.Sqrt(math.Pow(ub-b, 2)-2*phi*(ub-b)*(a-la)+math.Pow(a-la, 2)),
			}
			if got := stats.CurveDifferenceInterval(c[0], c[1], c[2], c[3], f, 0.95); !near(got, want, 1e-9) {
				t.Errorf("%v, %s: %+v, by the formulas %+v", c, name, got, want)
			}
		}
	}
	// By hand, of 60 units: shares 50/60 and 45/60, by Blaker's definition [0.7198, 0.9143] and [0.6268, 0.8461];
	// φ = (40·5 − 10·5 − 30)/√(50·10·45·15) = 0.2066.
	same := func(p float64) float64 { return p }
	if got, want := stats.CurveDifferenceInterval(40, 10, 5, 5, same, 0.95), (stats.Interval{Low: -0.2160, High: 0.0494}); !near(got, want, 1e-4) {
		t.Errorf("by hand: %+v, want %+v", got, want)
	}
}

// The example of Newcombe, Statistics in Medicine 17 (1998), 873–890, table II: 56 of 70 less 48 of 80, with
// Wilson's intervals.
func TestApartIsNewcombes(t *testing.T) {
	wilson := func(k, n float64) stats.Interval {
		const z = 1.959964
		p, width := k/n, z*math.Sqrt(k/n*(1-k/n)/n+z*z/(4*n*n))
		return stats.Interval{Low: (p + z*z/(2*n) - width) / (1 + z*z/n), High: (p + z*z/(2*n) + width) / (1 + z*z/n)}
	}
	if iv := stats.DifferenceInterval(56./70, 48./80, wilson(56, 70), wilson(48, 80)); math.Abs(iv.Low-0.0524) > 5e-5 ||
		math.Abs(iv.High-0.3339) > 5e-5 {
		t.Errorf("%v, want [0.0524, 0.3339]", iv)
	}
}
