package stats

// ClusterCount holds the numbers that a cluster of units adds to numerator and denominator of a share, and the number
// of clusters with these numbers.
type ClusterCount struct {
	Num, Den float64
	Count    int // clusters with this Num and Den
}

// The correlation within clusters that [EffectiveSampleSize] assumes before seeing data, and the weight of this
// assumption, as a number of units with the rarer outcome. Without it, a sample whose clusters are all correct would
// hide that some cluster may be all wrong.
const (
	guessedCorrelation = 0.3
	guessedUnits       = 6
)

// EffectiveSampleSize returns the effective sample size of a share over clusters: x of n independent units, with x/n
// the share. It divides n by the design effect 1 + (m−1)·ρ, with m the mean number of units in a unit's cluster.
// The correlation ρ within clusters is that of the jackknife variance between them or, if larger, its average with the
// prior above, where the units of the rarer outcome count by their own effective number. Few clusters, and clusters of
// unequal sizes, reduce n further by the squared ratio of the normal quantile to Student's, with as many degrees of
// freedom as clusters of equal size would have. If no cluster has more than one unit, x and n are plain counts.
//
// Sources: Kish, Survey Sampling (1965), §8.2 and §11.7 for unlike sizes; Korn and Graubard,
// Survey Methodology 24 (1998).
func EffectiveSampleSize(parts []ClusterCount, level float64) (x, n float64) {
	var num, den, squares, clusters, largest float64
	for _, p := range parts {
		often := float64(p.Count)
		if p.Den > 0 {
			clusters += often
		}
		num += often * p.Num
		den += often * p.Den
		squares += often * p.Den * p.Den
		largest = max(largest, p.Den)
	}
	if den == 0 || largest <= 1 {
		return num, den
	}
	share, clusterSize := num/den, squares/den
	effect := max(1, clusterSize)
	if clusters > 1 && clusterSize > 1 {
		betweenClusters := 0.0
		for _, p := range parts {
			deviation := (p.Num - share*p.Den) / (1 - p.Den/den)
			betweenClusters += float64(p.Count) * deviation * deviation
		}
		betweenClusters *= (clusters - 1) / clusters
		rho := 0.0
		if withinClusters := den * share * (1 - share); withinClusters > 0 {
			rho = (betweenClusters/withinClusters - 1) / (clusterSize - 1)
		}
		rarer := den * min(share, 1-share)
		rarer /= 1 + (clusterSize-1)*max(rho, guessedCorrelation)
		rho = max(rho, (max(0, rho)*rarer+guessedCorrelation*guessedUnits)/(rarer+guessedUnits))
		effect = 1 + (clusterSize-1)*rho
		t := normalCritical(level) / studentCritical(level, max(1, den*den/squares-1))
		effect /= t * t
	}
	return num / effect, den / effect
}
