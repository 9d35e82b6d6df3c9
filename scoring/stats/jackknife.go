package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// Link holds a function that maps the values of a statistic to a scale without bounds, and its inverse.
type Link struct{ Apply, Invert func(float64) float64 }

// Links of correlations, of values above 0, and of values without bounds.
var (
	FisherLink   = Link{Apply: math.Atanh, Invert: math.Tanh}
	LogLink      = Link{Apply: math.Log, Invert: math.Exp}
	IdentityLink = Link{Apply: func(x float64) float64 { return x }, Invert: func(x float64) float64 { return x }}
)

// Jackknife returns the interval of a statistic from its value and its values without each of the independent units,
// by their variance on the scale of the link and Student's t with as many degrees of freedom as units, less one.
//
// Source: Tukey, Annals of Mathematical Statistics 29 (1958), 614; Efron and Tibshirani, An Introduction to the
// Bootstrap (1993), Section 11.
func Jackknife(value float64, without []float64, link Link, level float64) Interval {
	applied := make([]float64, len(without))
	for i, v := range without {
		applied[i] = link.Apply(v)
	}
	n := float64(len(without))
	half := student(level, n-1) * (n - 1) * math.Sqrt(stat.Variance(applied, nil)/n)
	return Interval{Low: link.Invert(link.Apply(value) - half), High: link.Invert(link.Apply(value) + half)}
}
