package stats

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// Permutation settings.
type Permutation struct {
	Rounds int // drawn where there are more exchanges than that
	Seed   uint64
}

// Exchange is the two-sided p of a paired permutation test. Each row holds the columns of one side and then the same
// columns of the other, of one independent unit. Under the null hypothesis the sides of a unit may as well be
// exchanged: diff, which maps the sums of both sides to a difference, is computed for exchanges of a random half of the
// units, and p is the share of them whose difference is at least as far from 0 as the one found.
//
// Units whose sides are alike change nothing. Where the others can be exchanged in no more than Rounds ways, all of
// those are counted and p is exact; else the one found is counted among those drawn, so that p is never 0. An exchange
// whose difference is undefined counts as far from 0. p is NaN where the difference found is undefined.
//
// Sources: Noreen, Computer-Intensive Methods for Testing Hypotheses (1989), ch. 2; for F1 Yeh, COLING 2000; for the p
// of drawn exchanges Phipson and Smyth, Statistical Applications in Genetics and Molecular Biology 9 (2010).
func (p Permutation) Exchange(rows *Rows, diff func(a, b []float64) float64) float64 {
	x := exchange{diff: diff, half: rows.width / 2, sums: make([]float64, rows.width)}
	x.gather(rows)
	found := math.Abs(x.at())
	if math.IsNaN(found) {
		return math.NaN()
	}
	x.far = found - 1e-9*max(1, found) // the same sum in another order is no less
	if ways := math.Pow(2, float64(x.units)); ways <= float64(p.Rounds) {
		return x.all(0, 1) / ways
	}
	rng := rand.New(rand.NewPCG(p.Seed, uint64(len(rows.member))))
	far := 1
	start := append([]float64(nil), x.sums...)
	for range p.Rounds {
		copy(x.sums, start)
		for _, k := range x.kinds {
			x.turn(k, float64(heads(rng, k.units)))
		}
		far += int(x.isFar())
	}
	return float64(far) / float64(p.Rounds+1)
}

// exchange is a test under way.
type exchange struct {
	diff  func(a, b []float64) float64
	half  int // columns of a side
	sums  []float64
	kinds []turning
	units int // whose sides are not alike
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
			x.kinds, x.units = append(x.kinds, k), x.units+n
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

// all counts the exchanges of the kinds from the i-th on that are far, each kind
// by how many of its units are exchanged.
func (x *exchange) all(i int, ways float64) float64 {
	if i == len(x.kinds) {
		return ways * x.isFar()
	}
	k := x.kinds[i]
	far := 0.0
	choose := 1.0
	for n := 0; n <= k.units; n++ {
		x.turn(k, float64(n))
		far += x.all(i+1, ways*choose)
		x.turn(k, float64(-n))
		choose = choose * float64(k.units-n) / float64(n+1)
	}
	return far
}

// heads is how many of n coins show heads.
func heads(rng *rand.Rand, n int) (sum int) {
	for ; n >= 64; n -= 64 {
		sum += bits.OnesCount64(rng.Uint64())
	}
	return sum + bits.OnesCount64(rng.Uint64()&(1<<n-1))
}

// Swapped is [Permutation.Exchange] of a difference that is no function of sums: of each of n units it is told whether
// the two sides are exchanged.
func (p Permutation) Swapped(n int, difference func(swapped []bool) float64) float64 {
	swapped := make([]bool, n)
	found := math.Abs(difference(swapped))
	if math.IsNaN(found) {
		return math.NaN()
	}
	least := found - 1e-9*max(1, found)
	isFar := func() int {
		if math.Abs(difference(swapped)) < least {
			return 0
		}
		return 1 // NaN too
	}
	far := 0
	if ways := math.Pow(2, float64(n)); ways <= float64(p.Rounds) {
		for way := range int(ways) {
			for i := range swapped {
				swapped[i] = way>>i&1 == 1
			}
			far += isFar()
		}
		return float64(far) / ways
	}
	rng := rand.New(rand.NewPCG(p.Seed, uint64(n)))
	for range p.Rounds {
		for i := range swapped {
			swapped[i] = rng.IntN(2) == 1
		}
		far += isFar()
	}
	return float64(far+1) / float64(p.Rounds+1)
}
