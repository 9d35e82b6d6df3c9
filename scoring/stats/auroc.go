package stats

import (
	"math"
	"slices"
)

// Scored is a unit with a number that is to be the higher, the likelier it is positive. Units of one
// cluster belong together.
type Scored struct {
	Score    float64
	Positive bool
	Cluster  string
}

// AUROC is the area under the ROC curve: how probable it is that a positive unit has a higher score than a negative
// one, a tie counting half; NaN without one of each. The interval is mid-P's of as many independent units as the area
// is worth, which follows from its variance over clusters, or the one that is expected of independent units if that is
// larger, and from Student's t of the rarer kind; so it has a width where the area is 0 or 1, and lies between them.
//
// Sources: the variance DeLong et al., Biometrics 44 (1988), 837–845, in clusters Obuchowski, Biometrics 53 (1997),
// 567–578; the expected one Hanley and McNeil, Radiology 143 (1982), 29–36, with the half of all units for each
// kind as Newcombe, Statistics in Medicine 25 (2006), 559–573 (method 5).
func AUROC(units []Scored, level float64) (area float64, iv Interval) {
	var pos, neg []float64
	for _, u := range units {
		if u.Positive {
			pos = append(pos, u.Score)
		} else {
			neg = append(neg, u.Score)
		}
	}
	m, n := float64(len(pos)), float64(len(neg))
	if m == 0 || n == 0 {
		return math.NaN(), noInterval
	}
	slices.Sort(pos)
	slices.Sort(neg)
	// below is the share of sorted numbers below x, those equal to it by half.
	below := func(sorted []float64, x float64) float64 {
		low, _ := slices.BinarySearch(sorted, x)
		high, _ := slices.BinarySearch(sorted, math.Nextafter(x, math.Inf(1)))
		return float64(low+high) / 2 / float64(len(sorted))
	}
	for _, x := range pos {
		area += math.Round(2 * n * below(neg, x)) // whole numbers: sums of fractions may come to more than 1
	}
	area /= 2 * m * n
	type sums struct{ pos, neg float64 } // of what a cluster's units are off the area by
	clusters, with := map[string]*sums{}, [2]map[string]bool{{}, {}}
	for _, u := range units {
		c := clusters[u.Cluster]
		if c == nil {
			c = new(sums)
			clusters[u.Cluster] = c
		}
		if u.Positive {
			c.pos += below(neg, u.Score) - area
			with[0][u.Cluster] = true
		} else {
			c.neg += 1 - below(pos, u.Score) - area
			with[1][u.Cluster] = true
		}
	}
	correct := func(k int) float64 { return float64(k) / math.Max(1, float64(k-1)) }
	variance := 0.0
	for _, c := range clusters {
		variance += correct(len(with[0]))*c.pos*c.pos/m/m + correct(len(with[1]))*c.neg*c.neg/n/n +
			2*correct(len(clusters))*c.pos*c.neg/m/n
	}
	worth := float64(min(len(with[0]), len(with[1])))
	if area > 0 && area < 1 {
		t := normal(level) / student(level, math.Max(1, worth-1))
		worth = math.Min(area*(1-area)/math.Max(variance, expected(area, m, n)), m+n) * t * t
	}
	return area, MidP(area*worth, worth, level)
}

// expected is the variance of an area of independent units, m positive and n negative, whose scores are exponential.
func expected(area, m, n float64) float64 {
	half := (m + n) / 2
	return area * (1 - area) * (1 + (half-1)*((1-area)/(2-area)+area/(1+area))) / (m * n)
}
