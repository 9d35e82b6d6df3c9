package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Statistic holds a function of the column sums of rows, and the prior rows that smooth its interval.
type Statistic struct {
	Compute func(sums []float64) float64 // returns the statistic from the column sums; NaN where it is undefined
	// Prior holds rows that smooth the interval; a statistic without them has no interval.
	Prior *PriorRows
}

// PriorRows holds possible rows that are added to the observed ones with small random weights. With them, resamples of
// equal rows differ, and no interval has width 0.
type PriorRows struct {
	// Low is added for the lower end of the interval and High for the upper end; nil High: Low is added for both. For a
	// mean of bounded values, Low is a row of the smallest value and High one of the largest.
	Low, High  []SparseRow
	MeanWeight float64 // mean weight of each row, where an observed row weighs 1
}

// SmoothedIntervals returns a percentile interval of a Bayesian bootstrap for each statistic: each round weights every
// row, and every prior row, by a gamma distribution. For a share of independent units with a prior mass of ½ at each
// end, the lower end is the quantile of Beta(k, n−k+½), between those of Jeffreys and of Clopper and Pearson; for
// counts of cells with ½ in each it is the posterior under Jeffreys' Dirichlet(½) prior. All shapes are reduced so
// that the variance is that of Student's t.
//
// Sources: Rubin, Annals of Statistics 9 (1981), 130–134; smoothed by Banks, Biometrika 75 (1988),
// 673–684; for the rows at the ends Learned-Miller and Thomas, arXiv 1905.06208, with a whole row there,
// which covers at least at the level.
func (b Bootstrap) SmoothedIntervals(rows *Rows, list []Statistic) []Interval {
	out := slices.Repeat([]Interval{noInterval}, len(list))
	if rows.Len == 0 || len(list) == 0 {
		return out
	}
	rng := rand.New(rand.NewPCG(b.Seed, uint64(rows.Len)))
	shape := gammaShape(rows.Len, b.Level)
	kinds := make([]weightedRow, len(rows.DistinctRows))
	for i, k := range rows.DistinctRows {
		kinds[i] = weightedRow{row: sparseRow(k.Row), weightDistribution: newGamma(float64(k.Count) * shape)}
	}
	sums := make([]float64, len(rows.DistinctRows[0].Row))
	buffer := make([]float64, len(sums))
	var pools []*priorWeights
	drawings := make([]resampleValues, len(list))
	for i, x := range list {
		drawings[i].Statistic = x
		if x.Prior != nil {
			drawings[i].priorRowWeights, pools = findOrAddPriorWeights(x.Prior, shape, pools)
		}
	}
	for range b.Rounds {
		clear(sums)
		for _, k := range kinds {
			k.row.add(sums, k.weightDistribution.draw(rng))
		}
		for _, p := range pools {
			for k := range p.weights {
				p.weights[k] = p.weightDistribution.draw(rng)
			}
		}
		for i := range drawings {
			if drawings[i].priorRowWeights != nil {
				drawings[i].add(sums, buffer)
			}
		}
	}
	for i, d := range drawings {
		if len(d.lowValues) > 0 && len(d.highValues) > 0 {
			tail := (1 - b.Level) / 2
			out[i] = Interval{quantile(tail, d.lowValues), quantile(1-tail, d.highValues)}
		}
	}
	return out
}

// gammaShape returns the shape of the gamma distribution of a row's weight. With it, the variance of the weighted mean
// of n rows exceeds the normal one as that of Student's t does: with shape a, the variance of the rows is divided by
// n·a + 1.
func gammaShape(n int, level float64) float64 {
	if n < 2 {
		return 1
	}
	t := normalCritical(level) / studentCritical(level, float64(n-1))
	return max(0.05, (float64(n-1)*t*t-1)/float64(n))
}

// weightedRow holds a distinct row, and the distribution of the total weight that all rows equal to it have in a round.
type weightedRow struct {
	row                SparseRow
	weightDistribution gamma
}

// priorWeights holds the random weights of prior rows in a round. Statistics whose prior rows have the same mass share
// them, because each statistic is computed on its own.
type priorWeights struct {
	meanWeight         float64   // mean weight of each prior row
	weightDistribution gamma     // distribution of one weight
	weights            []float64 // weights in the current round, one for each prior row
}

// findOrAddPriorWeights returns the pool with the weights of these prior rows, from pools or new, and all pools
// including it.
func findOrAddPriorWeights(prior *PriorRows, shape float64, pools []*priorWeights) (*priorWeights, []*priorWeights) {
	i := slices.IndexFunc(pools, func(p *priorWeights) bool { return p.meanWeight == prior.MeanWeight })
	if i < 0 {
		i = len(pools)
		pools = append(pools, &priorWeights{
			meanWeight: prior.MeanWeight, weightDistribution: newGamma(prior.MeanWeight * shape),
		})
	}
	if size := max(len(prior.Low), len(prior.High)); len(pools[i].weights) < size {
		pools[i].weights = make([]float64, size)
	}
	return pools[i], pools
}

// resampleValues collects the values of a statistic over the rounds, for the lower and for the upper end.
type resampleValues struct {
	Statistic
	priorRowWeights       *priorWeights // weights of the prior rows; nil without prior rows
	lowValues, highValues []float64
}

// add appends the values of the statistic in a round, from the weighted sums of the rows; buffer must be as long as
// sums.
func (d *resampleValues) add(sums, buffer []float64) {
	value := func(extra []SparseRow) float64 {
		copy(buffer, sums)
		for i, x := range extra {
			x.add(buffer, d.priorRowWeights.weights[i])
		}
		return d.Compute(buffer)
	}
	low := value(d.Prior.Low)
	high := low
	if d.Prior.High != nil {
		high = value(d.Prior.High)
	}
	if !math.IsNaN(low) {
		d.lowValues = append(d.lowValues, low)
	}
	if !math.IsNaN(high) {
		d.highValues = append(d.highValues, high)
	}
}

// gamma draws from the gamma distribution of a shape and scale 1. A shape below 1 uses the draw for shape + 1 times a
// power of a uniform draw.
//
// Source: Marsaglia and Tsang, ACM Transactions on Mathematical Software 26 (2000), 363–372.
type gamma struct{ shape, d, c float64 }

// newGamma returns the distribution of a shape, with the constants of its draws.
func newGamma(shape float64) gamma {
	d := shape - 1.0/3
	if shape < 1 {
		d++
	}
	return gamma{shape: shape, d: d, c: 1 / math.Sqrt(9*d)}
}

func (g gamma) draw(rng *rand.Rand) float64 {
	if g.shape == 1 {
		return rng.ExpFloat64()
	}
	for {
		x := rng.NormFloat64()
		v := 1 + g.c*x
		if v <= 0 {
			continue
		}
		v *= v * v
		u := 1 - rng.Float64()
		if u >= 1-0.0331*x*x*x*x && math.Log(u) >= 0.5*x*x+g.d*(1-v+math.Log(v)) {
			continue
		}
		if g.shape < 1 {
			return g.d * v * math.Exp(-rng.ExpFloat64()/g.shape)
		}
		return g.d * v
	}
}
