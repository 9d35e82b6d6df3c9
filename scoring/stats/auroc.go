package stats

import (
	"math"
	"slices"
)

// Scored holds a unit for a ROC curve: the higher its score, the likelier it is positive.
type Scored struct {
	Score    float64
	Positive bool
	Cluster  string // units of one cluster may depend on each other
}

// AUROC returns the area under the ROC curve: the probability that a positive unit has a higher score than a negative
// one, where a tie counts half. It is NaN without one unit of each kind. The interval is mid-P's for the effective
// number of independent units. That number follows from the variance of the area: the larger of the variance over
// clusters and the variance expected of independent units or, if each cluster has a positive unit, as pairs have, the
// variance over clusters alone; Student's t with the number of the rarer kind's clusters reduces it further. So the
// interval has a width where the area is 0 or 1, and stays within 0 and 1.
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
	// below returns the share of sorted numbers below x; those equal to x count half.
	below := func(sorted []float64, x float64) float64 {
		low, _ := slices.BinarySearch(sorted, x)
		high, _ := slices.BinarySearch(sorted, math.Nextafter(x, math.Inf(1)))
		return float64(low+high) / 2 / float64(len(sorted))
	}
	for _, x := range pos {
		area += math.Round(2 * n * below(neg, x)) // whole numbers: sums of fractions may come to more than 1
	}
	area /= 2 * m * n
	type sums struct{ pos, neg float64 } // of the differences between a cluster's units and the area
	clusters, kindClusters := map[string]*sums{}, [2]map[string]bool{{}, {}}
	for _, u := range units {
		c := clusters[u.Cluster]
		if c == nil {
			c = new(sums)
			clusters[u.Cluster] = c
		}
		if u.Positive {
			c.pos += below(neg, u.Score) - area
			kindClusters[0][u.Cluster] = true
		} else {
			c.neg += 1 - below(pos, u.Score) - area
			kindClusters[1][u.Cluster] = true
		}
	}
	bessel := func(k int) float64 { return float64(k) / max(1, float64(k-1)) }
	variance := 0.0
	for _, c := range clusters {
		variance += bessel(len(kindClusters[0]))*c.pos*c.pos/m/m + bessel(len(kindClusters[1]))*c.neg*c.neg/n/n +
			2*bessel(len(clusters))*c.pos*c.neg/m/n
	}
	worth := float64(min(len(kindClusters[0]), len(kindClusters[1])))
	if area > 0 && area < 1 {
		t := normalCritical(level) / studentCritical(level, max(1, worth-1))
		spread := area * (1 - area) // variance of a unit
		minimum := spread / 4 / (m + n)
		if len(kindClusters[0]) < len(clusters) {
			minimum = max(4*minimum, aurocVariance(area, m, n))
		}
		worth = spread / max(variance, minimum) * t * t
	}
	return area, MidPInterval(area*worth, worth, level)
}

// aurocVariance returns the variance of an area under the ROC curve over m positive and n negative independent
// units whose scores are exponentially distributed.
func aurocVariance(area, m, n float64) float64 {
	half := (m + n) / 2
	return area * (1 - area) * (1 + (half-1)*((1-area)/(2-area)+area/(1+area))) / (m * n)
}
