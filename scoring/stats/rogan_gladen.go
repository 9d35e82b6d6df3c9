package stats

import (
	"math"
)

// RoganGladen estimates the true share of right units from a judge that calls positives of n units right. Of units with
// a label, it calls right[0] of the right[1] that are right, and wrong[0] of the wrong[1] that are wrong, right. The
// estimate assumes that the judge is as accurate on units without a label as on those with one. It is NaN if the judge
// is no better than chance.
//
// Sources: Rogan and Gladen, American Journal of Epidemiology 107 (1978); Lang and Reiczigel, Preventive Veterinary
// Medicine 113 (2014), for the interval, as in Lee et al., arXiv 2511.21140, Section 3.
func RoganGladen(positives, n int, right, wrong [2]int, level float64) MeanEstimate {
	z := normalCritical(level)
	p := float64(positives) / float64(n)
	sensitivity, specificity := float64(right[0])/float64(right[1]), 1-float64(wrong[0])/float64(wrong[1])
	if !(sensitivity+specificity > 1) {
		return noEstimate
	}
	mean := clampShare((p + specificity - 1) / (sensitivity + specificity - 1))
	trials := float64(n) + z*z
	p = (float64(positives) + z*z/2) / trials
	m1, m0 := float64(right[1]+2), float64(wrong[1]+2)
	sensitivity, specificity = float64(right[0]+1)/m1, float64(wrong[1]-wrong[0]+1)/m0
	youden := sensitivity + specificity - 1
	if youden <= 0 {
		return noEstimate
	}
	share := (p + specificity - 1) / youden
	v1, v0 := sensitivity*(1-sensitivity)/m1, specificity*(1-specificity)/m0
	shift := 2 * z * z * (share*v1 - (1-share)*v0)
	half := z * math.Sqrt(p*(1-p)/trials+(1-share)*(1-share)*v0+share*share*v1) / youden
	return MeanEstimate{mean, Interval{clampShare(share + shift - half), clampShare(share + shift + half)}}
}

// AdjustWinRate corrects the share of units in which a judge prefers the first of two sides by the judge's accuracy,
// which lies between low and high and is known from other units. It assumes that the judge is as accurate whichever
// side is better. The estimate is NaN unless the accuracy is above one half with its whole interval.
//
// Sources: Rogan and Gladen, as above, with sensitivity equal to specificity: the rate less ½ is share less ½ over
// twice the accuracy less 1. For the interval of this ratio Donner and Zou, Statistical Methods in Medical Research 21
// (2012), 347–359 (MOVER-R): unlike Fieller's it keeps to skewed intervals, such as that of an accuracy near 1.
func AdjustWinRate(share MeanEstimate, accuracy, low, high float64) MeanEstimate {
	if !(low > 0.5) {
		return noEstimate
	}
	scale, scaleInterval := 2*accuracy-1, Interval{2*low - 1, 2*high - 1}
	rate := 0.5 + (share.Mean-0.5)/scale
	lower := 0.5 + ratioLow(share.Mean-0.5, share.Low-0.5, scale, scaleInterval)
	upper := 0.5 - ratioLow(0.5-share.Mean, 0.5-share.High, scale, scaleInterval)
	return MeanEstimate{clampShare(rate), Interval{clampShare(lower), clampShare(upper)}}
}

// ratioLow returns the lower end of the interval of x/y by MOVER-R, for a positive y. low is the lower end of the
// interval of x; yInterval, that of y, is positive.
func ratioLow(x, low, y float64, yInterval Interval) float64 {
	distance := yInterval.High - y
	if low < 0 {
		distance = y - yInterval.Low
	}
	k := y*y - distance*distance
	rest := low * (2*x - low)
	root := math.Sqrt(x*x*y*y - k*rest)
	if x > 0 {
		return rest / (x*y + root)
	}
	return (x*y - root) / k
}
