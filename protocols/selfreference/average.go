package selfreference

import (
	"math"

	"gavel/scoring"
)

// Average is the mean of results of several runs weighted by their n, as in the paper's Tables 2 and 8; those without a
// value are left out. The runs are of different items, so that their errors are independent: how far the mean
// may be off on either side is the root of the sum of the squares of how far each may be. There is no interval
// where one of them has none.
//
// Source: Zou and Donner, Statistics in Medicine 27 (2008).
func Average(results []scoring.Result) scoring.Result {
	var sum, low, high, n float64
	for _, r := range results {
		if r.Value != nil {
			w := float64(r.N)
			sum, n = sum+w**r.Value, n+w
			if r.Low == nil || r.High == nil {
				low, high = math.NaN(), math.NaN()
				continue
			}
			low, high = low+w*w*(*r.Value-*r.Low)*(*r.Value-*r.Low), high+w*w*(*r.High-*r.Value)*(*r.High-*r.Value)
		}
	}
	if n == 0 {
		return scoring.Result{}
	}
	mean := sum / n / 100
	return scoring.Result{
		Value: scoring.Percent(mean),
		N:     int(n),
		Low:   scoring.Percent(mean - math.Sqrt(low)/n/100),
		High:  scoring.Percent(mean + math.Sqrt(high)/n/100),
	}
}
