package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Blaker is the exact interval of a share: k of n independent units. Of all p it holds those under which what is as
// unlikely as k, counted from both ends, is more probable than 1−level. It covers at least at its level whatever
// the share is, and lies within Clopper and Pearson's. Its width is never 0.
//
// Source: Blaker, Canadian Journal of Statistics 28 (2000), 783–798.
func Blaker(k, n int, level float64) Interval {
	if n <= 0 || k < 0 || k > n {
		return Interval{math.NaN(), math.NaN()}
	}
	return Interval{blakerLow(k, n, level), 1 - blakerLow(n-k, n, level)}
}

// atLeast is P(X ≥ k) of n trials with probability p.
func atLeast(k, n int, p float64) float64 {
	switch {
	case k <= 0:
		return 1
	case k > n:
		return 0
	}
	return mathext.RegIncBeta(float64(k), float64(n-k+1), p)
}

// blakerLow walks up from Clopper and Pearson's end. What counts against k from the other end is P(X ≤ j) with the
// largest j that keeps it at most P(X ≥ k). Between two changes of j their sum falls and then rises, so that it
// passes 1−level there only where it is above it at the end.
func blakerLow(k, n int, level float64) float64 {
	if k == 0 {
		return 0
	}
	atMost := func(j int, p float64) float64 { return 1 - atLeast(j+1, n, p) }
	p := Exact(k, n, level).Low
	j := min(int(float64(n)*p), k-1)
	for j >= 0 && atMost(j, p) > atLeast(k, n, p) {
		j--
	}
	for j < k-1 {
		enough := func(p float64) bool { return atLeast(k, n, p)+atMost(j, p) >= 1-level }
		if enough(p) {
			break
		}
		end := bisect(p, float64(k)/float64(n), func(p float64) bool { return atMost(j+1, p) <= atLeast(k, n, p) })
		if enough(end) {
			return bisect(p, end, enough)
		}
		p = end
		j++
	}
	return p
}

// bisect is where ok turns true between low, where it is not, and high, where it is.
func bisect(low, high float64, ok func(float64) bool) float64 {
	for high-low > 1e-13 {
		mid := (low + high) / 2
		if ok(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}

// MidP is the mid-P interval of a share of x in n, which need not be whole: of units that hang together n is how many
// independent ones they are worth (see [Effective]). Each end leaves half of 1−level beyond x, x itself counted by
// half. Its width is never 0.
//
// Source: Lancaster, JASA 56 (1961), 223–234; of an effective n Korn and Graubard, Survey Methodology 24 (1998),
// 193–201, who have it of Clopper and Pearson's.
func MidP(x, n, level float64) Interval {
	if !(n > 0) || x < 0 || x > n {
		return Interval{math.NaN(), math.NaN()}
	}
	return Interval{midPLow(x, n, level), 1 - midPLow(n-x, n, level)}
}

func midPLow(x, n, level float64) float64 {
	if x <= 0 {
		return 0
	}
	return bisect(0, x/n, func(p float64) bool {
		beyond := mathext.RegIncBeta(x, n-x+1, p) // P(X ≥ x); then P(X > x)
		if x < n {
			beyond += mathext.RegIncBeta(x+1, n-x, p)
		}
		return beyond/2 > (1-level)/2
	})
}

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
