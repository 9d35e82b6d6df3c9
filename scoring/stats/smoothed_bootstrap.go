package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Statistic is a function of the column sums of rows, and rows that might have been seen.
type Statistic struct {
	Of func(sums []float64) float64 // NaN where it is undefined
	// Beside smooths: nil is a statistic without an interval. Statistics that share one are computed together.
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
	s := smoothing{
		rows: rows, list: list, rng: rand.New(rand.NewPCG(b.Seed, uint64(len(rows.member)))),
		sums: make([]float64, rows.width), with: make([]float64, rows.width),
		drawn: make([][2][]float64, len(list)), pool: make([]int, len(list)),
	}
	shape := spread(len(rows.member), b.Level)
	freq := make([]float64, len(rows.classes))
	for _, c := range rows.member {
		freq[c]++
	}
	for _, f := range freq {
		s.classes = append(s.classes, newGamma(f*shape))
	}
	for i, x := range list {
		if x.Beside == nil || len(rows.member) == 0 {
			continue
		}
		s.drawn[i] = [2][]float64{make([]float64, 0, b.Rounds), make([]float64, 0, b.Rounds)}
		g := newGamma(x.Beside.Mass * shape)
		at := slices.IndexFunc(s.pools, func(p pool) bool { return p.gamma == g })
		if at < 0 {
			at, s.pools = len(s.pools), append(s.pools, pool{gamma: g})
		}
		if most := max(len(x.Beside.Low), len(x.Beside.High)); len(s.pools[at].weights) < most {
			s.pools[at].weights = make([]float64, most)
		}
		s.pool[i] = at
	}
	if len(rows.member) > 0 {
		for range b.Rounds {
			s.round()
		}
	}
	out := make([]Interval, len(list))
	for i, d := range s.drawn {
		out[i] = noInterval
		if len(d[0]) > 0 && len(d[1]) > 0 {
			tail := (1 - b.Level) / 2
			out[i] = Interval{quantile(tail, d[0]), quantile(1-tail, d[1])}
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

// smoothing is a bootstrap under way.
type smoothing struct {
	rows       *Rows
	list       []Statistic
	rng        *rand.Rand
	classes    []gamma // of each class of rows, the weight of all of them
	sums, with []float64
	drawn      [][2][]float64 // of each statistic, for the lower and the upper end
	pools      []pool
	pool       []int // of each statistic
}

// pool is what rows beside of one mass weigh in a round. Statistics share it: each is looked at alone.
type pool struct {
	gamma
	weights []float64
}

func (s *smoothing) round() {
	clear(s.sums)
	for c, g := range s.classes {
		s.rows.classes[c].add(s.sums, g.draw(s.rng))
	}
	for _, p := range s.pools {
		for k := range p.weights {
			p.weights[k] = p.draw(s.rng)
		}
	}
	for i := 0; i < len(s.list); {
		beside := s.list[i].Beside
		end := i + 1
		for end < len(s.list) && s.list[end].Beside == beside {
			end++
		}
		if beside != nil {
			weights := s.pools[s.pool[i]].weights
			if beside.High == nil {
				s.let(beside.Low, weights, i, end, 0, 1)
			} else {
				s.let(beside.Low, weights, i, end, 0)
				s.let(beside.High, weights, i, end, 1)
			}
		}
		i = end
	}
}

// let lets rows in and computes some of the statistics, for the sides given.
func (s *smoothing) let(in []Extra, weights []float64, from, to int, sides ...int) {
	copy(s.with, s.sums)
	for i, x := range in {
		x.add(s.with, weights[i])
	}
	for k := from; k < to; k++ {
		if v := s.list[k].Of(s.with); !math.IsNaN(v) {
			for _, side := range sides {
				s.drawn[k][side] = append(s.drawn[k][side], v)
			}
		}
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
	switch g.shape {
	case 0:
		return 0
	case 1:
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
