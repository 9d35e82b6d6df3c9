package stats

import (
	"gonum.org/v1/gonum/stat/distuv"
)

// ClopperPearson returns the Clopper-Pearson interval of k successes in n trials. Use it where all n outcomes are
// equal: a bootstrap would give an interval of width 0.
//
// Source: Clopper and Pearson, Biometrika 26 (1934).
func ClopperPearson(k, n int, level float64) Interval {
	if n <= 0 || k < 0 || k > n {
		return noInterval
	}
	tail := (1 - level) / 2
	iv := Interval{0, 1}
	if k > 0 {
		iv.Low = distuv.Beta{Alpha: float64(k), Beta: float64(n - k + 1)}.Quantile(tail)
	}
	if k < n {
		iv.High = distuv.Beta{Alpha: float64(k + 1), Beta: float64(n - k)}.Quantile(1 - tail)
	}
	return iv
}
