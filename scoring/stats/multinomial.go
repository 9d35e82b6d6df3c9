package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Entropy returns the entropy, in bits, of the distribution that counts form when divided by their sum; 0·log 0 is 0.
// Without counts it is 0.
func Entropy(counts []int) float64 {
	sum := 0
	for _, c := range counts {
		sum += c
	}
	h := 0.0
	for _, c := range counts {
		if c > 0 && c < sum {
			p := float64(c) / float64(sum)
			h -= p * math.Log2(p)
		}
	}
	return h
}

// ExpectedEntropy returns the mean [Entropy] of the counts of k independent draws, where p holds the probability of
// each outcome. Each count by itself is binomial, and entropy is a sum over counts.
func ExpectedEntropy(k int, p []float64) float64 {
	h := 0.0
	for _, q := range p {
		draws := distuv.Binomial{N: float64(k), P: q}
		for m := 1; m < k; m++ {
			share := float64(m) / float64(k)
			h -= draws.Prob(float64(m)) * share * math.Log2(share)
		}
	}
	return h
}

// ExpectedLargestCount returns the mean of the largest count in k independent draws, where p holds the probability of
// each outcome and adds up to 1: the sum over m of the probability that some count is above m.
func ExpectedLargestCount(k int, p []float64) float64 {
	mean := 0.0
	for m := range k {
		mean += 1 - probNoneAbove(m, k, p)
	}
	return mean
}

// probNoneAbove returns the probability that in k draws no outcome is drawn more than m times. It takes one outcome
// after another: given the counts before it, the number of draws of an outcome is binomial.
func probNoneAbove(m, k int, p []float64) float64 {
	remaining := make([]float64, k+1) // index: number of draws left; value: its probability
	remaining[k] = 1
	mass := 1.0
	for _, q := range p[:len(p)-1] {
		next := make([]float64, k+1)
		for n, prob := range remaining {
			draws := distuv.Binomial{N: float64(n), P: q / mass}
			for c := 0; c <= min(m, n); c++ {
				next[n-c] += prob * draws.Prob(float64(c))
			}
		}
		remaining, mass = next, mass-q
	}
	sum := 0.0
	for _, prob := range remaining[:m+1] { // the draws left go to the last outcome
		sum += prob
	}
	return sum
}

// Uniformity returns Pearson's χ² of counts against equal counts, its degrees of freedom, and the probability of at
// least such a χ² if all outcomes are equally likely. With fewer than two counts, or a sum of 0, χ² and p are NaN.
func Uniformity(counts []int) (chi2 float64, df int, p float64) {
	sum := 0
	for _, c := range counts {
		sum += c
	}
	df = len(counts) - 1
	if df < 1 || sum == 0 {
		return math.NaN(), max(0, df), math.NaN()
	}
	want := float64(sum) / float64(len(counts))
	for _, c := range counts {
		chi2 += (float64(c) - want) * (float64(c) - want) / want
	}
	return chi2, df, distuv.ChiSquared{K: float64(df)}.Survival(chi2)
}
