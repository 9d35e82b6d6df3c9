package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// Pearson returns the correlation of x and y with Fisher's interval, tanh(atanh r ± z/√(n−3)), which is [−1, 1]
// for three points. The correlation is NaN if x or y is constant.
//
// Source: R. A. Fisher, Metron 1 (1921), 3–32.
func Pearson(x, y []float64, level float64) (float64, Interval) {
	r := max(-1, min(1, stat.Correlation(x, y, nil)))
	half := normalCritical(level) / math.Sqrt(float64(len(x)-3))
	return r, Interval{Low: math.Tanh(math.Atanh(r) - half), High: math.Tanh(math.Atanh(r) + half)}
}

// ZeroCrossing returns the x at which the least-squares line through three or more points is 0, with Fieller's
// interval. slope is that of the line. If it is not significant, the interval would be unbounded: then slope is 0 and
// the others are NaN.
//
// Source: E. C. Fieller, Journal of the Royal Statistical Society B 16 (1954), 175–185.
func ZeroCrossing(x, y []float64, level float64) (crossing float64, iv Interval, slope float64) {
	n := float64(len(x))
	a, slope := stat.LinearRegression(x, y, nil, false)
	mean := stat.Mean(y, nil)
	r := stat.Correlation(x, y, nil)
	t := studentCritical(level, n-2)
	noise := t * t * stat.Variance(y, nil) * (1 - r*r) / (n - 2)
	// The ends are the roots of p·d² + 2·slope·mean·d + q, with d the distance from the mean of x.
	p := slope*slope - noise/stat.Variance(x, nil)
	q := mean*mean - noise*(n-1)/n
	if !(p > 0) {
		return math.NaN(), noInterval, 0
	}
	middle := stat.Mean(x, nil) - slope*mean/p
	half := math.Sqrt(max(0, slope*slope*mean*mean-p*q)) / p
	return -a / slope, Interval{Low: middle - half, High: middle + half}, slope
}
