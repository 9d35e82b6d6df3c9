package stats

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
)

const (
	// enoughFar exchanges end the draws: p is then known to a tenth of itself.
	enoughFar = 100
	// fewFar exchanges say too little of p: those as far are then drawn more often, and weighted.
	fewFar = 20
	// mostExchanged units have a number of exchanges that a float holds.
	mostExchanged = 1000
)

// Exchange is the two-sided p of a paired permutation test. Each row holds the columns of one side and then the same
// columns of the other, of one independent unit. Under the null hypothesis the sides of a unit may as well be
// exchanged: diff, which maps the sums of both sides to a difference, is computed for exchanges of a random half of the
// units, and p is the share of them whose difference is at least as far from 0 as the one found.
//
// Units whose sides are alike change nothing. Where the exchanges of the others come to no more sums than Rounds, all
// are counted and p is exact. Else exchanges are drawn until enoughFar of l are as far, and p is enoughFar/l; after
// Rounds of them without that it is (far+1)/(Rounds+1), and if fewer than fewFar were, a tenth as many weighted draws
// tell p. All of these hold their level, and p is never 0. An exchange whose difference is undefined counts as far from
// 0. p is NaN without rows, and where the difference found is undefined.
//
// Sources: Noreen, Computer-Intensive Methods for Testing Hypotheses (1989), ch. 2; for F1 Yeh, COLING 2000; for the
// end of the draws Besag and Clifford, Biometrika 78 (1991), 301–304.
func (b Bootstrap) Exchange(rows *Rows, diff func(a, b []float64) float64) float64 {
	if rows.Len == 0 {
		return math.NaN()
	}
	width := len(rows.Kinds[0].Row)
	start := make([]float64, width) // the sums, with nothing exchanged
	var deltas [][]float64          // what exchanging the sides of a unit of each kind adds to them
	x := exchange{}
	for _, k := range rows.Kinds {
		floats.AddScaled(start, float64(k.Often), k.Row)
		other := slices.Concat(k.Row[width/2:], k.Row[:width/2])
		if !slices.Equal(k.Row, other) {
			deltas = append(deltas, floats.SubTo(other, other, k.Row))
			x.units = append(x.units, k.Often)
		}
	}
	sums := make([]float64, width)
	x.difference = func(exchanged []int) float64 {
		copy(sums, start)
		for i, delta := range deltas {
			floats.AddScaled(sums, float64(exchanged[i]), delta)
		}
		return diff(sums[:width/2], sums[width/2:])
	}
	return b.test(x, rows.Len)
}

// Swapped is [Bootstrap.Exchange] of a difference that is no function of sums: of each of n units it is told whether
// the two sides are exchanged: 1, else 0.
func (b Bootstrap) Swapped(n int, difference func(swapped []int) float64) float64 {
	return b.test(exchange{units: slices.Repeat([]int{1}, n), difference: difference}, n)
}

// exchange holds the units of a permutation test, and the difference that it tests.
type exchange struct {
	units      []int                         // of each kind
	difference func(exchanged []int) float64 // where so many of each kind are exchanged
	far        float64                       // how far from 0 it is at least, to be as far as the one found
}

// isFar returns 1 where the difference is as far from 0 as the one found, else 0.
func (x exchange) isFar(exchanged []int) float64 {
	return 1 - indicator(math.Abs(x.difference(exchanged)) < x.far) // NaN is far
}

// test finds p of n rows.
func (b Bootstrap) test(x exchange, n int) float64 {
	none := make([]int, len(x.units))
	found := math.Abs(x.difference(none))
	if math.IsNaN(found) {
		return math.NaN()
	}
	x.far = found - 1e-9*max(1, found) // the same sum in another order is no less
	units, sums := 0, 1.0
	for _, n := range x.units {
		units += n
		sums *= float64(n + 1)
	}
	if sums <= float64(b.Rounds) && units < mostExchanged {
		return x.all(none, 0, 1) / math.Pow(2, float64(units))
	}
	rng := rand.New(rand.NewPCG(b.Seed, uint64(n)))
	p, far := x.drawn(rng, b.Rounds, nil)
	if far < fewFar {
		rare, _ := x.drawn(rng, b.Rounds/10, x.tilts())
		p = min(rare, fewFar/float64(b.Rounds+1), 1)
	}
	return p
}

// all counts the exchanges of the kinds from the i-th on that are far, each kind by how many of its units are
// exchanged.
func (x exchange) all(exchanged []int, i int, ways float64) (far float64) {
	if i == len(x.units) {
		return ways * x.isFar(exchanged)
	}
	choose := 1.0
	for n := 0; n <= x.units[i]; n++ {
		exchanged[i] = n
		far += x.all(exchanged, i+1, ways*choose)
		choose = choose * float64(x.units[i]-n) / float64(n+1)
	}
	return far
}

// tilts returns for each kind half the log odds with which a unit is not exchanged, so that on average the difference
// is about the one found.
func (x exchange) tilts() []float64 {
	exchanged := make([]int, len(x.units))
	found := x.difference(exchanged)
	tilts := make([]float64, len(x.units)) // by how much half an exchange brings the difference to 0
	reach, spread := 0.0, 0.0
	for i, n := range x.units {
		exchanged[i] = 1
		if d := (found - x.difference(exchanged)) / 2; !math.IsNaN(d) {
			tilts[i] = d
		}
		exchanged[i] = 0
		reach += float64(n) * math.Abs(tilts[i])
		spread += float64(n) * tilts[i] * tilts[i]
	}
	for i := range tilts {
		tilts[i] *= math.Atanh(min(math.Abs(found)/reach, 1-1e-9)) * reach / spread
	}
	return tilts
}

// drawn returns p by exchanges that are drawn, and how many were far. With tilts they are drawn towards the difference
// found or the opposite one, and each weighs as much as it is rarer without them; the one found counts as drawn, which
// holds the level.
//
// Source: Harrison, Biometrika 99 (2012), 57–69.
func (x exchange) drawn(rng *rand.Rand, rounds int, tilts []float64) (p, far float64) {
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
				exchanged[i] = heads(rng, units)
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
		isFar := x.isFar(exchanged)
		far += isFar
		weights += isFar * math.Exp(rarity-logCosh(sum))
		if tilts == nil && far == enoughFar {
			return far / float64(n), far
		}
	}
	return max(weights/float64(rounds+1), math.SmallestNonzeroFloat64), far
}

// logCosh is the logarithm of the hyperbolic cosine.
func logCosh(z float64) float64 { return math.Abs(z) + math.Log1p(math.Exp(-2*math.Abs(z))) - math.Ln2 }

// heads returns how many of n coins show heads.
func heads(rng *rand.Rand, n int) (sum int) {
	for ; n >= 64; n -= 64 {
		sum += bits.OnesCount64(rng.Uint64())
	}
	return sum + bits.OnesCount64(rng.Uint64()&(1<<n-1))
}
