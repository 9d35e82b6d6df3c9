package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// Estimate is a mean with its interval.
type Estimate struct {
	Mean float64
	Interval
}

// Powered is the mean of a truth that is known of a few units only, with the help of predictions for all of them.
type Powered struct {
	Estimate
	Weight   float64 // λ: how far the predictions are relied on, 0 to 1
	Residual float64 // variance of truth − λ·prediction, from which follows how many labels a width takes
	Spread   float64 // variance of the predictions
}

// PredictionPowered estimates the mean of truth, from 0 to 1, where label[i] is the truth of a unit, of[i] what was
// predicted for it, and rest what was predicted for units without a label. The labelled units must be drawn at random
// from all. However biased the predictions are, the interval holds; where they say little, λ is near 0, and it is
// that of the labels alone. One error of each largest size is let in beside those seen, so that labels that all agree
// leave an interval, and few labels one that is wide enough.
//
// Source: Angelopoulos, Duchi and Zrnic, "PPI++", arXiv 2311.01453, Eq. 2 and Example 6.1.
func PredictionPowered(label, of, rest []float64, level float64) Powered {
	n, m := float64(len(label)), float64(len(rest))
	if n < 2 {
		return Powered{Estimate: Estimate{math.NaN(), noInterval}}
	}
	spread := stat.Variance(append(append([]float64{}, of...), rest...), nil)
	weight := 0.0
	if spread > 0 && m > 0 {
		weight = min(1, max(0, stat.Covariance(label, of, nil)/((1+n/m)*spread)))
	}
	errors := make([]float64, len(label))
	for i, y := range label {
		errors[i] = y - weight*of[i]
	}
	p := Powered{Weight: weight, Spread: spread}
	center, residual := besideEnds(errors, -weight, 1)
	var predicted, drift float64
	if m > 0 {
		predicted, drift = weight*stat.Mean(rest, nil), weight*weight*spread/m
	}
	p.Residual = residual
	half := student(level, n-1) * math.Sqrt(residual/n+drift)
	p.Mean = min(1, max(0, predicted+stat.Mean(errors, nil)))
	p.Interval = Interval{min(p.Mean, max(0, predicted+center-half)), max(p.Mean, min(1, predicted+center+half))}
	return p
}

// beside is how many rows are let in at each end.
const beside = 1.0

// besideEnds is the mean and the variance of values with MASS more at the least and the largest that they can be. It
// is to means of such values what Agresti and Coull's is to shares (American Statistician 52, 1998).
func besideEnds(values []float64, least, largest float64) (mean, variance float64) {
	n := float64(len(values)) + 2*beside
	mean = (float64(len(values))*stat.Mean(values, nil) + beside*(least+largest)) / n
	squares := beside * ((least-mean)*(least-mean) + (largest-mean)*(largest-mean))
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	return mean, squares / n * float64(len(values)) / n
}

// LabelsFor is how many labels make the interval of p at most so wide, when m units have none; 0 where no number does.
func (p Powered) LabelsFor(width float64, m int, level float64) int {
	z := normal(level)
	left := width*width/(4*z*z) - p.Weight*p.Weight*p.Spread/math.Max(1, float64(m))
	if left <= 0 {
		return 0
	}
	return int(math.Ceil(p.Residual / left))
}
