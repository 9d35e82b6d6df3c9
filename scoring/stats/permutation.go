package stats

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// Bounds of a test by drawn exchanges.
const (
	// enoughFar ends it: so many exchanges that are as far make p known to a tenth of itself.
	enoughFar = 100
	// fewFar of all draws tell p too roughly; rarer exchanges are then drawn more often, and weighted.
	fewFar = 20
	// stepsPerDraw of counting cost about as much as a draw.
	stepsPerDraw = 2
)

// Exchange is the two-sided p of a paired permutation test. Each row holds the columns of one side and then the same
// columns of the other, of one independent unit. Under the null hypothesis the sides of a unit may as well be
// exchanged: diff, which maps the sums of both sides to a difference, is computed for exchanges of a random half of the
// units, and p is the share of them whose difference is at least as far from 0 as the one found.
//
// Units whose sides are alike change nothing. Where the exchanges of the others come to few different sums, as those of
// counts do, all are counted and p is exact. Else exchanges are drawn until enoughFar of l are as far, and p is
// enoughFar/l; after Rounds of them without that it is (far+1)/(Rounds+1), and if hardly any was as far, as many
// weighted draws tell p. All three hold their level, and p is never 0. An exchange whose difference is undefined counts
// as far from 0. p is NaN where the difference found is undefined.
//
// Sources: Noreen, Computer-Intensive Methods for Testing Hypotheses (1989), ch. 2; for F1 Yeh, COLING 2000; for the
// end of the draws Besag and Clifford, Biometrika 78 (1991), 301–304.
func (b Bootstrap) Exchange(rows *Rows, diff func(a, b []float64) float64) float64 {
	x := exchange{diff: diff, half: rows.width / 2, sums: make([]float64, rows.width)}
	x.gather(rows)
	found := math.Abs(x.at())
	if math.IsNaN(found) {
		return math.NaN()
	}
	x.far = found - 1e-9*max(1, found) // the same sum in another order is no less
	if p, ok := x.counted(stepsPerDraw * b.Rounds); ok {
		return p
	}
	rng := rand.New(rand.NewPCG(b.Seed, uint64(len(rows.member))))
	start := slices.Clone(x.sums)
	p, far := b.drawn(func() float64 {
		copy(x.sums, start)
		for _, k := range x.kinds {
			x.turn(k, float64(heads(rng, k.units)))
		}
		return x.isFar()
	})
	if far < fewFar {
		copy(x.sums, start)
		p = min(x.weighted(rng, b.Rounds/10), fewFar/float64(b.Rounds+1), 1)
	}
	return p
}

// drawn is the p of exchanges that are drawn one by one, and how many were far.
func (b Bootstrap) drawn(isFar func() float64) (p, far float64) {
	for n := 1; n <= b.Rounds; n++ {
		far += isFar()
		if far == enoughFar {
			return far / float64(n), far
		}
	}
	return (far + 1) / float64(b.Rounds+1), far
}

// exchange is a test under way.
type exchange struct {
	diff  func(a, b []float64) float64
	half  int // columns of a side
	sums  []float64
	kinds []turning
	far   float64
}

// turning is a kind of row, and what exchanging its sides adds to the sums.
type turning struct {
	units int
	delta []float64
}

// gather sums the rows up and finds the kinds that an exchange changes.
func (x *exchange) gather(rows *Rows) {
	often := make([]int, len(rows.classes))
	for _, c := range rows.member {
		often[c]++
	}
	for c, n := range often {
		row := make([]float64, rows.width)
		for i, column := range rows.classes[c].column {
			row[column] = rows.classes[c].value[i]
		}
		k := turning{units: n, delta: make([]float64, rows.width)}
		alike := true
		for i, v := range row {
			x.sums[i] += float64(n) * v
			other := (i + x.half) % rows.width
			k.delta[i] = row[other] - v
			alike = alike && k.delta[i] == 0
		}
		if !alike && n > 0 {
			x.kinds = append(x.kinds, k)
		}
	}
}

func (x *exchange) at() float64 { return x.diff(x.sums[:x.half], x.sums[x.half:]) }

// isFar is 1 where the difference is as far from 0 as the one found, else 0.
func (x *exchange) isFar() float64 {
	if d := math.Abs(x.at()); d < x.far {
		return 0
	}
	return 1 // NaN too
}

func (x *exchange) turn(k turning, n float64) {
	for i, d := range k.delta {
		x.sums[i] += n * d
	}
}

// mostHalvings are those of 1 that lose nothing.
const mostHalvings = 1000

// counted is p by all exchanges, by the sums of the first side that they come to; ok is false where finding these
// would take too many steps. Nothing is rounded in another way on another processor.
func (x *exchange) counted(steps int) (p float64, ok bool) {
	found := [][]float64{x.sums[:x.half]}
	shares := []float64{1}
	for _, k := range x.kinds {
		for left := k.units; left > 0; left -= mostHalvings {
			units := min(left, mostHalvings)
			if steps -= len(found) * (units + 1); steps < 0 {
				return 0, false
			}
			found, shares = k.exchanged(units, found, shares)
		}
	}
	total := make([]float64, x.half)
	for i := range total {
		total[i] = x.sums[i] + x.sums[x.half+i]
	}
	was := x.sums
	defer func() { x.sums = was }()
	for i, first := range found {
		second := make([]float64, x.half)
		for j := range second {
			second[j] = total[j] - first[j]
		}
		x.sums = slices.Concat(first, second)
		p += float64(shares[i] * x.isFar())
	}
	return min(p, 1), true
}

// exchanged are the sums of one side after some of the units of a kind are exchanged, and the share of exchanges that
// come to each.
func (k turning) exchanged(units int, from [][]float64, shares []float64) (to [][]float64, next []float64) {
	var distinct Rows
	for i, sums := range from {
		share := math.Ldexp(shares[i], -units)
		for n := 0; n <= units; n++ {
			row := slices.Clone(sums)
			for j := range row {
				row[j] += float64(float64(n) * k.delta[j])
			}
			class := int(distinct.Class(row))
			if class == len(to) {
				to = append(to, row)
				next = append(next, 0)
			}
			next[class] += share
			share = share * float64(units-n) / float64(n+1)
		}
	}
	return to, next
}

// weighted is p by exchanges that are drawn from where differences are as large as the one found, in either direction,
// each weighted by how much rarer it is under the null hypothesis. The one found is among them, which holds the level.
//
// Source: Harrison, Biometrika 99 (2012), 57–69.
func (x *exchange) weighted(rng *rand.Rand, rounds int) float64 {
	found := x.at()
	pull := make([]float64, len(x.kinds)) // by how much half an exchange brings the difference to 0
	largest := 0.0
	for i, k := range x.kinds {
		x.turn(k, 1)
		if d := (found - x.at()) / 2; !math.IsNaN(d) {
			pull[i] = d
		}
		x.turn(k, -1)
		largest = max(largest, math.Abs(pull[i]))
	}
	start := slices.Clone(x.sums)
	tilt := bisect(0, 20, func(tilt float64) bool {
		mean := 0.0
		for i, k := range x.kinds {
			mean += float64(k.units) * pull[i] * math.Tanh(tilt*pull[i]/largest)
		}
		return mean >= math.Abs(found)
	}) / largest
	rarity, sum := 0.0, 0.0
	chance := make([]float64, len(x.kinds))
	for i, k := range x.kinds {
		chance[i] = 1 / (1 + math.Exp(2*tilt*pull[i]))
		rarity += float64(k.units) * logCosh(tilt*pull[i])
		sum += float64(k.units) * pull[i]
	}
	weights := math.Exp(rarity - logCosh(tilt*sum))
	for range rounds {
		copy(x.sums, start)
		other := rng.IntN(2) == 1 // the direction opposite to the one found
		sum = 0
		for i, k := range x.kinds {
			n := 0.0
			for range k.units {
				n += indicator(rng.Float64() < chance[i] != other)
			}
			x.turn(k, n)
			sum += pull[i] * (float64(k.units) - 2*n)
		}
		weights += x.isFar() * math.Exp(rarity-logCosh(tilt*sum))
	}
	return max(weights/float64(rounds+1), math.SmallestNonzeroFloat64)
}

// logCosh is the logarithm of the hyperbolic cosine.
func logCosh(z float64) float64 { return math.Abs(z) + math.Log1p(math.Exp(-2*math.Abs(z))) - math.Ln2 }

// heads is how many of n coins show heads.
func heads(rng *rand.Rand, n int) (sum int) {
	for ; n >= 64; n -= 64 {
		sum += bits.OnesCount64(rng.Uint64())
	}
	return sum + bits.OnesCount64(rng.Uint64()&(1<<n-1))
}

// Swapped is [Bootstrap.Exchange] of a difference that is no function of sums, by all exchanges where there are no more
// than Rounds, else by drawn ones without weights: of each of n units it is told whether the two sides are exchanged.
func (b Bootstrap) Swapped(n int, difference func(swapped []bool) float64) float64 {
	swapped := make([]bool, n)
	found := math.Abs(difference(swapped))
	if math.IsNaN(found) {
		return math.NaN()
	}
	least := found - 1e-9*max(1, found)
	isFar := func() float64 { return 1 - indicator(math.Abs(difference(swapped)) < least) } // NaN is far
	if ways := math.Pow(2, float64(n)); ways <= float64(b.Rounds) {
		far := 0.0
		for way := range int(ways) {
			for i := range swapped {
				swapped[i] = way>>i&1 == 1
			}
			far += isFar()
		}
		return far / ways
	}
	rng := rand.New(rand.NewPCG(b.Seed, uint64(n)))
	p, _ := b.drawn(func() float64 {
		for i := range swapped {
			swapped[i] = rng.IntN(2) == 1
		}
		return isFar()
	})
	return p
}
