package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// MeanEstimate holds an estimated mean with its interval.
type MeanEstimate struct {
	Mean float64
	Interval
}

// noEstimate holds an undefined mean.
var noEstimate = MeanEstimate{math.NaN(), noInterval}

// PredictionPoweredEstimate holds the estimated mean of labels, from 0 to 1, that are known for few units, while
// predictions are known for all.
type PredictionPoweredEstimate struct {
	MeanEstimate
	PredictionWeight   float64 // λ: weight of the predictions in the estimate, 0 to 1
	ResidualVariance   float64 // variance of label − λ·prediction; LabelsFor needs it
	PredictionVariance float64 // variance of the predictions
}

// PredictionPowered estimates the mean truth, from 0 to 1. label[i] is the truth of a unit and prediction[i] its
// prediction; rest holds the predictions of units without a label. The labelled units must be drawn at random from all.
// The interval is valid however biased the predictions are; if they carry little information, λ is near 0 and the
// interval is that of the labels alone. Two extra errors, the smallest and the largest possible, are added to the
// observed ones, so that the interval has a width even if all labels agree, and is wide enough with few labels.
//
// Source: Angelopoulos, Duchi and Zrnic, "PPI++", arXiv 2311.01453, Eq. 2 and Example 6.1.
func PredictionPowered(label, prediction, rest []float64, level float64) PredictionPoweredEstimate {
	n, m := float64(len(label)), float64(len(rest))
	if n < 2 {
		return PredictionPoweredEstimate{MeanEstimate: noEstimate}
	}
	spread := stat.Variance(append(append([]float64{}, prediction...), rest...), nil)
	weight := 0.0
	if spread > 0 && m > 0 {
		weight = clampShare(stat.Covariance(label, prediction, nil) / ((1 + n/m) * spread))
	}
	errors := make([]float64, len(label))
	for i, y := range label {
		errors[i] = y - weight*prediction[i]
	}
	p := PredictionPoweredEstimate{PredictionWeight: weight, PredictionVariance: spread}
	center, residual := momentsWithEnds(errors, -weight)
	var predicted, drift float64
	if m > 0 {
		predicted, drift = weight*stat.Mean(rest, nil), weight*weight*spread/m
	}
	p.ResidualVariance = residual
	half := studentCritical(level, n-1) * math.Sqrt(residual/n+drift)
	p.setMean(predicted+stat.Mean(errors, nil), predicted+center, half)
	return p
}

// setMean sets the mean, and its interval to center ± half. Both are limited to values from 0 to 1, and the interval
// contains the mean.
func (p *PredictionPoweredEstimate) setMean(mean, center, half float64) {
	p.Mean = clampShare(mean)
	p.Interval = Interval{min(p.Mean, max(0, center-half)), max(p.Mean, min(1, center+half))}
}

// clampShare returns x, or the nearer of 0 and 1 if x is not between them.
func clampShare(x float64) float64 { return min(1, max(0, x)) }

// endRows is the number of extra values that momentsWithEnds adds at each end of the range.
const endRows = 1.0

// momentsWithEnds returns the mean and the variance of values with endRows extra values at smallest and at 1, the ends
// of the range. It generalizes Agresti and Coull's interval of shares (American Statistician 52, 1998) to means.
func momentsWithEnds(values []float64, smallest float64) (mean, variance float64) {
	n := float64(len(values)) + 2*endRows
	mean = (float64(len(values))*stat.Mean(values, nil) + endRows*(smallest+1)) / n
	squares := endRows * ((smallest-mean)*(smallest-mean) + (1-mean)*(1-mean))
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	return mean, squares / n * float64(len(values)) / n
}

// LabelsFor returns the number of labels with which the interval would be at most width wide, if m units have no label;
// 0 if no number is enough.
func (p PredictionPoweredEstimate) LabelsFor(width float64, m int, level float64) int {
	z := normalCritical(level)
	labelVariance := width*width/(4*z*z) - p.PredictionWeight*p.PredictionWeight*p.PredictionVariance/max(1, float64(m))
	if labelVariance <= 0 {
		return 0
	}
	return int(math.Ceil(p.ResidualVariance / labelVariance))
}
