package stats

import (
	"math"
)

// Part is what one cluster of units adds to a share, and how many clusters add the same.
type Part struct {
	Num, Den float64
	Often    int
}

// Before anything is seen of them, units of one cluster are taken to be this alike, as firmly as so many of the rarer
// kind would say it: a cluster that is all wrong may not have been among those seen.
const (
	guessedCorrelation = 0.3
	guessedUnits       = 6
)

// Effective is what a share over clusters is worth in independent units: x of n, with x/n the share. n is divided by
// the design effect 1 + (m−1)·ρ, with m the units that a unit's cluster has on average; the correlation ρ within
// clusters is that of the jackknife variance between them, or, where that is larger, what the guess above and the
// rarer units make of it, which count by what they are worth themselves. Few clusters, and those of unlike sizes, are
// worth less by the square of the normal quantile over Student's, with as many degrees of freedom as clusters of one
// size would have. Where no cluster has more than one unit all that is left out.
//
// Sources: Kish, Survey Sampling (1965), §8.2 and §11.7 for unlike sizes; Korn and Graubard,
// Survey Methodology 24 (1998).
func Effective(parts []Part, level float64) (x, n float64) {
	var num, den, squares, clusters, most float64
	for _, p := range parts {
		often := float64(p.Often)
		if p.Den > 0 {
			clusters += often
		}
		num += often * p.Num
		den += often * p.Den
		squares += often * p.Den * p.Den
		most = math.Max(most, p.Den)
	}
	if den == 0 || most <= 1 {
		return num, den
	}
	share, each := num/den, squares/den
	effect := math.Max(1, each)
	if clusters > 1 && each > 1 {
		between := 0.0
		for _, p := range parts {
			off := (p.Num - share*p.Den) / (1 - p.Den/den)
			between += float64(p.Often) * off * off
		}
		between *= (clusters - 1) / clusters
		rho := 0.0
		if within := den * share * (1 - share); within > 0 {
			rho = (between/within - 1) / (each - 1)
		}
		rarer := den * math.Min(share, 1-share)
		rarer /= 1 + (each-1)*math.Max(rho, guessedCorrelation)
		rho = math.Max(rho, (math.Max(0, rho)*rarer+guessedCorrelation*guessedUnits)/(rarer+guessedUnits))
		effect = 1 + (each-1)*rho
		t := normal(level) / student(level, math.Max(1, den*den/squares-1))
		effect /= t * t
	}
	return num / effect, den / effect
}
