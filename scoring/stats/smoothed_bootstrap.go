package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Statistic is a function of the column sums of rows, and rows that might have been seen.
type Statistic struct {
	Of func(sums []float64) float64 // NaN where it is undefined
	// Beside smooths: nil is a statistic without an interval.
	Beside *Beside
}

// Beside are rows that might have been seen beside those that were. They are let in with small random weights, so that
// resamples of rows that are all alike are not, and no interval has width 0.
type Beside struct {
	// Low are let in where the lower end is found, High where the upper: of a mean of bounded values a row of the least
	// value and one of the largest. Where no value is the least, Low alone serves for both.
	Low, High []Extra
	Mass      float64 // what each weighs on average, where a row that was seen weighs 1
}

// Smoothed gives each statistic a percentile interval of a Bayesian bootstrap: each round weighs every row, and those
// beside, by the gamma distribution. Of a share of independent units with ½ beside at each end, the lower end is the
// quantile of Beta(k, n−k+½), between those of Jeffreys and of Clopper and Pearson; of counts of cells with ½
// beside in each it is the posterior under Jeffreys' Dirichlet(½) prior. All shapes are smaller by as much as makes
// the variance that of Student's t.
//
// Sources: Rubin, Annals of Statistics 9 (1981), 130–134; smoothed by Banks, Biometrika 75 (1988),
// 673–684; for the rows at the ends Learned-Miller and Thomas, arXiv 1905.06208, with a whole row there,
// which covers at least at the level.
func (b Bootstrap) Smoothed(rows *Rows, list []Statistic) []Interval {
	out := slices.Repeat([]Interval{noInterval}, len(list))
	if rows.Len == 0 || len(list) == 0 {
		return out
	}
	rng := rand.New(rand.NewPCG(b.Seed, uint64(rows.Len)))
	shape := spread(rows.Len, b.Level)
	kinds := make([]weighted, len(rows.Kinds))
	for i, k := range rows.Kinds {
		kinds[i] = weighted{row: sparse(k.Row), weight: newGamma(float64(k.Often) * shape)}
	}
	sums := make([]float64, len(rows.Kinds[0].Row))
	with := make([]float64, len(sums))
	var pools []*pool
	drawings := make([]drawing, len(list))
	for i, x := range list {
		drawings[i].Statistic = x
		if x.Beside != nil {
			drawings[i].pool, pools = poolFor(x.Beside, shape, pools)
		}
	}
	for range b.Rounds {
		clear(sums)
		for _, k := range kinds {
			k.row.add(sums, k.weight.draw(rng))
		}
		for _, p := range pools {
			for k := range p.weights {
				p.weights[k] = p.weight.draw(rng)
			}
		}
		for i := range drawings {
			if drawings[i].pool != nil {
				drawings[i].add(sums, with)
			}
		}
	}
	for i, d := range drawings {
		if len(d.low) > 0 && len(d.high) > 0 {
			tail := (1 - b.Level) / 2
			out[i] = Interval{quantile(tail, d.low), quantile(1-tail, d.high)}
		}
	}
	return out
}

// spread is the shape of a row's weight for which the mean of n rows has the variance of Student's t beside the normal:
// with shape a, the variance of the rows is divided by n·a + 1.
func spread(n int, level float64) float64 {
	if n < 2 {
		return 1
	}
	t := normal(level) / student(level, float64(n-1))
	return math.Max(0.05, (float64(n-1)*t*t-1)/float64(n))
}

// weighted is a distinct row, and the distribution of what all rows like it weigh in a round.
type weighted struct {
	row    Extra
	weight gamma
}

// pool has the weights of rows beside, of one mass, in a round. Statistics share it: each is looked at alone.
type pool struct {
	mass    float64
	weight  gamma
	weights []float64
}

// poolFor returns the pool that has the weights for rows beside, and all pools.
func poolFor(beside *Beside, shape float64, pools []*pool) (*pool, []*pool) {
	at := slices.IndexFunc(pools, func(p *pool) bool { return p.mass == beside.Mass })
	if at < 0 {
		at = len(pools)
		pools = append(pools, &pool{mass: beside.Mass, weight: newGamma(beside.Mass * shape)})
	}
	if most := max(len(beside.Low), len(beside.High)); len(pools[at].weights) < most {
		pools[at].weights = make([]float64, most)
	}
	return pools[at], pools
}

// drawing has the values of a statistic that rounds gave, for the lower and for the upper end.
type drawing struct {
	Statistic
	pool      *pool
	low, high []float64
}

// add adds the values of a round, from the sums of its rows; with is a buffer as long.
func (d *drawing) add(sums, with []float64) {
	value := func(beside []Extra) float64 {
		copy(with, sums)
		for i, x := range beside {
			x.add(with, d.pool.weights[i])
		}
		return d.Of(with)
	}
	low := value(d.Beside.Low)
	high := low
	if d.Beside.High != nil {
		high = value(d.Beside.High)
	}
	if !math.IsNaN(low) {
		d.low = append(d.low, low)
	}
	if !math.IsNaN(high) {
		d.high = append(d.high, high)
	}
}

// gamma is the gamma distribution of a shape and scale 1. Below 1 it is the one of shape + 1 times a power of a uniform
// draw.
//
// Source: Marsaglia and Tsang, ACM Transactions on Mathematical Software 26 (2000), 363–372.
type gamma struct{ shape, d, c float64 }

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
