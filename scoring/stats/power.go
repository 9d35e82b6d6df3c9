package stats

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// PairsToTell is the number of pairs from which on [McNemar]'s exact test tells, with a probability of power or more,
// that two shares differ by diff where a share discordant of the pairs are right in one alone. It is NaN where diff is
// no difference, or larger than discordant.
//
// Source of the guess: Connor, Biometrics 43 (1987), 207–211, equation 3; the exact test wants
// about 2/diff pairs more.
func PairsToTell(diff, discordant, alpha, power float64) float64 {
	if !(diff > 0 && diff <= discordant && discordant <= 1) {
		return math.NaN()
	}
	z := normal(1-alpha)*math.Sqrt(discordant) + upTo(power)*math.Sqrt(discordant-diff*diff)
	least := leastToTell(alpha)
	told := remembered(func(m int) float64 { return tells(m, least(m), diff/discordant) })
	enough := func(n int) bool { return overDiscordant(n, discordant, told) >= power }
	return fewest(z*z/(diff*diff)+2/diff, discordant, enough)
}

// Discordant is the share of items on which one of two judges alone is right, where nothing better is known.
const Discordant = 0.3

// Tells is the least difference that McNemar's exact test on n pairs tells with a probability of power or more. It is
// NaN where even the largest that there can be is not told.
func Tells(n int, discordant, alpha, power float64) float64 {
	least := leastToTell(alpha)
	enough := func(diff float64) bool {
		told := func(m int) float64 { return tells(m, least(m), diff/discordant) }
		return overDiscordant(n, discordant, told) >= power
	}
	if !enough(discordant) {
		return math.NaN()
	}
	return bisect(0, discordant, enough)
}

// leastToTell is of how many discordant pairs, at a level of McNemar's test, how many have to be right in one alone.
func leastToTell(alpha float64) func(discordant int) int {
	return remembered(func(m int) int {
		half := m / 2
		return half + sort.Search(m-half+1, func(more int) bool {
			return half+more > m || McNemar(m-half-more, half+more) < alpha
		})
	})
}

// tells is the probability that of m discordant pairs at least so many are right in the better judge alone, who leads
// by a share of them.
func tells(m, least int, lead float64) float64 {
	return 1 - distuv.Binomial{N: float64(m), P: math.Min(1, (1+lead)/2)}.CDF(float64(least-1))
}

// PairsToEquate is the number of pairs from which on two one-sided tests, by [Tango]'s interval, say with a
// probability of power or more that two shares that are the same differ by less than margin.
//
// Source of the first guess: Liu, Hsueh, Hsieh and Chen, Statistics in Medicine 21 (2002), 231–245.
func PairsToEquate(margin, discordant, alpha, power float64) float64 {
	rejects := upTo(1 - alpha)
	z := rejects + normal(power)
	same := func(n, m, more int) bool { // of m discordant pairs the second judge alone is right in so many more
		b := float64(m+more) / 2
		c := float64(m-more) / 2
		all := float64(n)
		return all*margin-(b-c) > rejects*math.Sqrt(all*tangoVariance(b, c, all, margin))
	}
	// Of m discordant pairs each judge alone is right in as many, but for so many.
	within := remembered(func(of [2]int) float64 {
		m, most := of[0], of[1]
		return 1 - 2*distuv.Binomial{N: float64(m), P: 0.5}.CDF(float64((m-most)/2-1))
	})
	return fewest(z*z*discordant/(margin*margin), discordant, func(n int) bool {
		return overDiscordant(n, discordant, func(m int) float64 {
			over := m%2 + 2*sort.Search(m/2+1, func(i int) bool { return !same(n, m, m%2+2*i) })
			if over < 2 {
				return 0
			}
			return within([2]int{m, over - 2})
		}) >= power
	})
}

// mostCounted is up to how many pairs the power of a test is counted out: beyond, the first guess is as good.
const mostCounted = 30_000

// fewest is the number of pairs from which on there are enough. Power goes up by teeth, as outcomes are whole numbers:
// so what is enough has to be so for two teeth to come.
func fewest(guess, discordant float64, enough func(n int) bool) float64 {
	if guess > mostCounted {
		return math.Ceil(guess)
	}
	few, many := 0, int(math.Ceil(guess))
	for !enough(many) {
		few, many = many, many+many/8+1
	}
	for many-few > 1 {
		if mid := (few + many) / 2; enough(mid) {
			many = mid
		} else {
			few = mid
		}
	}
	for n := many + 1; n <= many+int(2*math.Sqrt(float64(many)/discordant)); n++ {
		if !enough(n) {
			many = n + 1
		}
	}
	return float64(many)
}

// remembered calls a function once for each value.
func remembered[K comparable, V any](of func(K) V) func(K) V {
	known := map[K]V{}
	return func(k K) V {
		v, ok := known[k]
		if !ok {
			v = of(k)
			known[k] = v
		}
		return v
	}
}

// overDiscordant is the mean over the numbers of discordant pairs among n, of what a test comes to with so many.
func overDiscordant(n int, discordant float64, of func(m int) float64) float64 {
	if discordant >= 1 {
		return of(n)
	}
	all := distuv.Binomial{N: float64(n), P: discordant}
	middle := int(float64(n) * discordant)
	odds := discordant / (1 - discordant)
	sum := 0.0
	const negligible = 1e-12
	for m, p := middle, all.Prob(float64(middle)); m <= n && p > negligible; m++ {
		sum += p * of(m)
		p *= odds * float64(n-m) / float64(m+1)
	}
	for m, p := middle, all.Prob(float64(middle)); m > 0 && p > negligible; m-- {
		p *= float64(m) / float64(n-m+1) / odds
		sum += p * of(m-1)
	}
	return sum
}

// upTo is how many standard deviations a share of p does not exceed.
func upTo(p float64) float64 { return distuv.UnitNormal.Quantile(p) }
