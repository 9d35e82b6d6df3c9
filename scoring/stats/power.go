package stats

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// PairsToDetect returns the number of pairs at which [McNemar]'s exact test detects a difference diff between two
// shares with probability power or more. discordant is the share of pairs on which one judge alone is right. The result
// is NaN if diff is not positive or exceeds discordant.
//
// Source of the first guess: Connor, Biometrics 43 (1987), 207–211, equation 3; the exact test needs about
// 2/diff pairs more.
func PairsToDetect(diff, discordant, alpha, power float64) float64 {
	if !(diff > 0 && diff <= discordant && discordant <= 1) {
		return math.NaN()
	}
	z := normalCritical(1-alpha)*math.Sqrt(discordant) + normalQuantile(power)*math.Sqrt(discordant-diff*diff)
	critical := criticalWins(alpha)
	conditionalPower := memoize(func(m int) float64 { return winProbability(m, critical(m), diff/discordant) })
	enough := func(n int) bool { return meanOverDiscordant(n, discordant, conditionalPower) >= power }
	return smallestSample(z*z/(diff*diff)+2/diff, discordant, enough)
}

// DefaultDiscordantShare is the share of items on which one of two judges alone is right, assumed without data.
const DefaultDiscordantShare = 0.3

// DetectableDifference returns the smallest difference between two shares, 0 to 1, that [McNemar]'s exact test on n
// pairs detects with probability power or more. discordant is the share of pairs on which one judge alone is right. It
// is NaN if the test cannot detect even the largest possible difference.
func DetectableDifference(n int, discordant, alpha, power float64) float64 {
	critical := criticalWins(alpha)
	enough := func(diff float64) bool {
		conditionalPower := func(m int) float64 { return winProbability(m, critical(m), diff/discordant) }
		return meanOverDiscordant(n, discordant, conditionalPower) >= power
	}
	if !enough(discordant) {
		return math.NaN()
	}
	return bisect(0, discordant, enough)
}

// criticalWins returns a function from the number of discordant pairs, those on which one judge alone is right, to the
// number that one judge must win (be right on) for McNemar's test to be significant.
func criticalWins(alpha float64) func(discordant int) int {
	return memoize(func(m int) int {
		half := m / 2
		return half + sort.Search(m-half+1, func(more int) bool {
			return half+more > m || McNemar(m-half-more, half+more) < alpha
		})
	})
}

// winProbability returns the probability that the better judge wins, is right alone on, at least wins of m discordant
// pairs. lead is the expected share of them won by the better judge minus that of the other.
func winProbability(m, wins int, lead float64) float64 {
	return 1 - distuv.Binomial{N: float64(m), P: min(1, (1+lead)/2)}.CDF(float64(wins-1))
}

// PairsToEquate returns the number of pairs at which two one-sided tests, by [Tango]'s interval, show with probability
// power or more that two equal shares differ by less than margin. discordant is the share of pairs on which one judge
// alone is right.
//
// Source of the first guess: Liu, Hsueh, Hsieh and Chen, Statistics in Medicine 21 (2002), 231–245.
func PairsToEquate(margin, discordant, alpha, power float64) float64 {
	rejects := normalQuantile(1 - alpha)
	z := rejects + normalCritical(power)
	equates := func(n, m, more int) bool { // the second judge wins more of m discordant pairs by this number
		b := float64(m+more) / 2
		c := float64(m-more) / 2
		all := float64(n)
		return all*margin-(b-c) > rejects*math.Sqrt(all*tangoVariance(b, c, all, margin))
	}
	// The probability that two equal judges differ by at most maxLead wins in m discordant pairs.
	leadWithin := memoize(func(key [2]int) float64 {
		m, maxLead := key[0], key[1]
		return 1 - 2*distuv.Binomial{N: float64(m), P: 0.5}.CDF(float64((m-maxLead)/2-1))
	})
	return smallestSample(z*z*discordant/(margin*margin), discordant, func(n int) bool {
		return meanOverDiscordant(n, discordant, func(m int) float64 {
			over := m%2 + 2*sort.Search(m/2+1, func(i int) bool { return !equates(n, m, m%2+2*i) })
			if over < 2 {
				return 0
			}
			return leadWithin([2]int{m, over - 2})
		}) >= power
	})
}

// maxExactPairs is the number of pairs up to which the power is computed exactly; beyond it the first guess is as good.
const maxExactPairs = 30_000

// smallestSample returns the number of pairs from which on enough stays true, searched from a first guess. Power is a
// sawtooth function of n because outcomes are whole numbers, so enough must hold for the next two teeth as well.
func smallestSample(guess, discordant float64, enough func(n int) bool) float64 {
	if guess > maxExactPairs {
		return math.Ceil(guess)
	}
	low, high := 0, int(math.Ceil(guess))
	for !enough(high) {
		low, high = high, high+high/8+1
	}
	for high-low > 1 {
		if mid := (low + high) / 2; enough(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	for n := high + 1; n <= high+int(2*math.Sqrt(float64(high)/discordant)); n++ {
		if !enough(n) {
			high = n + 1
		}
	}
	return float64(high)
}

// memoize returns f with a cache of its results.
func memoize[K comparable, V any](f func(K) V) func(K) V {
	cache := map[K]V{}
	return func(k K) V {
		v, ok := cache[k]
		if !ok {
			v = f(k)
			cache[k] = v
		}
		return v
	}
}

// meanOverDiscordant returns the mean of f over the number of discordant pairs among n, which is binomial with the
// probability discordant.
func meanOverDiscordant(n int, discordant float64, f func(m int) float64) float64 {
	if discordant >= 1 {
		return f(n)
	}
	all := distuv.Binomial{N: float64(n), P: discordant}
	middle := int(float64(n) * discordant)
	odds := discordant / (1 - discordant)
	sum := 0.0
	const negligible = 1e-12
	for m, p := middle, all.Prob(float64(middle)); m <= n && p > negligible; m++ {
		sum += p * f(m)
		p *= odds * float64(n-m) / float64(m+1)
	}
	for m, p := middle, all.Prob(float64(middle)); m > 0 && p > negligible; m-- {
		p *= float64(m) / float64(n-m+1) / odds
		sum += p * f(m-1)
	}
	return sum
}

// normalQuantile returns the quantile of the standard normal distribution at p.
func normalQuantile(p float64) float64 { return distuv.UnitNormal.Quantile(p) }
