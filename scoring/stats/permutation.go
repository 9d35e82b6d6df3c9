package stats

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Limits of the draws of [Bootstrap.PermutationTest]. An exchange is far if its difference is at least as far from 0 as
// the observed one.
const (
	// maxFarExchanges is the number of far exchanges that ends the draws: p then has a relative error of a tenth.
	maxFarExchanges = 100
	// minFarExchanges is the number of far exchanges below which p is too uncertain and weighted draws replace plain ones.
	minFarExchanges = 20
	// maxExactUnits is the number of units up to which a float can hold the number of exchanges.
	maxExactUnits = 1000
)

// PermutationTest returns the two-sided p-value of a paired permutation test. Each row holds the columns of one side
// and then the same columns of the other side, for one independent unit. Under the null hypothesis the sides of a unit
// may be exchanged: Exchange computes diff, the difference between the sums of both sides, with a random half of the
// units exchanged. p is the share of exchanges whose difference is at least as far from 0 as the observed one ("far").
//
// Units whose sides are equal change nothing. If the exchanges of the others give at most Rounds sums, all are counted
// and p is exact. Else exchanges are drawn until maxFarExchanges of l are far, and p is maxFarExchanges/l; without
// that, after Rounds draws, it is (far+1)/(Rounds+1), and if fewer than minFarExchanges were far, a tenth as many
// weighted draws estimate p. All of these hold their level, and p is never 0. An exchange with an undefined difference
// counts as far. p is NaN without rows, and if the observed difference is undefined.
//
// Sources: Noreen, Computer-Intensive Methods for Testing Hypotheses (1989), ch. 2; for F1 Yeh, COLING 2000; for the
// end of the draws Besag and Clifford, Biometrika 78 (1991), 301–304.
func (b Bootstrap) PermutationTest(rows *Rows, diff func(a, b []float64) float64) float64 {
	if rows.Len == 0 {
		return math.NaN()
	}
	width := len(rows.DistinctRows[0].Row)
	start := make([]float64, width) // the sums with nothing exchanged
	var deltas [][]float64          // change of the sums when the sides of a unit of each kind are exchanged
	x := permutationTest{}
	for _, k := range rows.DistinctRows {
		floats.AddScaled(start, float64(k.Count), k.Row)
		other := slices.Concat(k.Row[width/2:], k.Row[:width/2])
		if !slices.Equal(k.Row, other) {
			deltas = append(deltas, floats.SubTo(other, other, k.Row))
			x.units = append(x.units, k.Count)
		}
	}
	sums := make([]float64, width)
	x.differenceAfterExchange = func(exchanged []int) float64 {
		copy(sums, start)
		for i, delta := range deltas {
			floats.AddScaled(sums, float64(exchanged[i]), delta)
		}
		return diff(sums[:width/2], sums[width/2:])
	}
	return b.test(x, rows.Len)
}

// PermutationTestUnits applies [Bootstrap.PermutationTest] to a difference between two sides of n units that is not a
// function of sums: swapped[i] is 1 if the sides of unit i are exchanged, else 0.
func (b Bootstrap) PermutationTestUnits(n int, difference func(swapped []int) float64) float64 {
	return b.test(permutationTest{units: slices.Repeat([]int{1}, n), differenceAfterExchange: difference}, n)
}

// permutationTest holds the units of a permutation test, in kinds of equal units, and the difference to test.
type permutationTest struct {
	units []int // by kind: number of units
	// differenceAfterExchange between the sides, given how many units of each kind are exchanged
	differenceAfterExchange func(exchanged []int) float64
	threshold               float64 // smallest distance of a difference from 0 that counts as far
}

// isExtreme returns 1 if the difference is at least as far from 0 as the observed one, else 0. exchanged holds by kind
// how many units are exchanged.
func (x permutationTest) isExtreme(exchanged []int) float64 {
	return 1 - indicator(math.Abs(x.differenceAfterExchange(exchanged)) < x.threshold) // NaN is far
}

// test returns the p-value of the difference; n, the number of rows, goes into the seed of the draws.
func (b Bootstrap) test(x permutationTest, n int) float64 {
	none := make([]int, len(x.units))
	observed := math.Abs(x.differenceAfterExchange(none))
	if math.IsNaN(observed) {
		return math.NaN()
	}
	x.threshold = observed - 1e-9*max(1, observed) // sums in another order may be slightly lower
	units, sums := 0, 1.0
	for _, n := range x.units {
		units += n
		sums *= float64(n + 1)
	}
	if sums <= float64(b.Rounds) && units < maxExactUnits {
		return x.enumerate(none, 0, 1) / math.Pow(2, float64(units))
	}
	rng := rand.New(rand.NewPCG(b.Seed, uint64(n)))
	p, far := x.simulate(rng, b.Rounds, nil)
	if far < minFarExchanges {
		rare, _ := x.simulate(rng, b.Rounds/10, x.tilts())
		p = min(rare, minFarExchanges/float64(b.Rounds+1), 1)
	}
	return p
}

// enumerate counts the far exchanges over all choices of units in the kinds from the i-th on. exchanged holds how many
// units of the earlier kinds are exchanged, and ways is the number of exchanges with these numbers.
func (x permutationTest) enumerate(exchanged []int, i int, ways float64) (farCount float64) {
	if i == len(x.units) {
		return ways * x.isExtreme(exchanged)
	}
	choose := 1.0
	for n := 0; n <= x.units[i]; n++ {
		exchanged[i] = n
		farCount += x.enumerate(exchanged, i+1, ways*choose)
		choose = choose * float64(x.units[i]-n) / float64(n+1)
	}
	return farCount
}

// tilts returns for each kind half the log odds that one of its units is not exchanged, for weighted draws: chosen so
// that the mean difference of the draws is about the observed one.
func (x permutationTest) tilts() []float64 {
	exchanged := make([]int, len(x.units))
	observed := x.differenceAfterExchange(exchanged)
	tilts := make([]float64, len(x.units)) // half the change of the difference towards 0 by one exchange
	reach, spread := 0.0, 0.0
	for i, n := range x.units {
		exchanged[i] = 1
		if d := (observed - x.differenceAfterExchange(exchanged)) / 2; !math.IsNaN(d) {
			tilts[i] = d
		}
		exchanged[i] = 0
		reach += float64(n) * math.Abs(tilts[i])
		spread += float64(n) * tilts[i] * tilts[i]
	}
	for i := range tilts {
		tilts[i] *= math.Atanh(min(math.Abs(observed)/reach, 1-1e-9)) * reach / spread
	}
	return tilts
}

// simulate draws up to so many exchanges (rounds) and returns p and the number of far ones. With tilts it draws towards
// the observed difference or its opposite and weights each exchange by the ratio of its untilted to its tilted
// probability. The observed exchange counts as a draw, so that the test holds its level.
//
// Source: Harrison, Biometrika 99 (2012), 57–69.
func (x permutationTest) simulate(rng *rand.Rand, rounds int, tilts []float64) (p, far float64) {
	exchanged := make([]int, len(x.units))
	rarity, sum := 0.0, 0.0
	for i, tilt := range tilts {
		rarity += float64(x.units[i]) * logCosh(tilt)
		sum += float64(x.units[i]) * tilt
	}
	weights := math.Exp(rarity - logCosh(sum))
	for n := 1; n <= rounds; n++ {
		opposite := tilts != nil && rng.IntN(2) == 1
		sum = 0
		for i, units := range x.units {
			if tilts == nil {
				exchanged[i] = tossCoins(rng, units)
				continue
			}
			exchanged[i] = 0
			for range units {
				if rng.Float64() < 1/(1+math.Exp(2*tilts[i])) != opposite {
					exchanged[i]++
				}
			}
			sum += tilts[i] * float64(units-2*exchanged[i])
		}
		isFar := x.isExtreme(exchanged)
		far += isFar
		weights += isFar * math.Exp(rarity-logCosh(sum))
		if tilts == nil && far == maxFarExchanges {
			return far / float64(n), far
		}
	}
	return max(weights/float64(rounds+1), math.SmallestNonzeroFloat64), far
}

// logCosh returns the logarithm of the hyperbolic cosine.
func logCosh(z float64) float64 { return math.Abs(z) + math.Log1p(math.Exp(-2*math.Abs(z))) - math.Ln2 }

// tossCoins returns the number of heads in n tosses of a fair coin.
func tossCoins(rng *rand.Rand, n int) (sum int) {
	for ; n >= 64; n -= 64 {
		sum += bits.OnesCount64(rng.Uint64())
	}
	return sum + bits.OnesCount64(rng.Uint64()&(1<<n-1))
}
