package stats

import (
	"math"
	"math/rand/v2"
)

// Statistic is a function of the column sums of rows, and rows that might have been seen.
type Statistic struct {
	Of func(sums []float64) float64 // NaN where it is undefined
	// Beside smooths: nil is a statistic without an interval. Statistics that share one share its draws.
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

// Extra is a row without its zeros.
type Extra struct {
	Columns []int
	Values  []float64
}

// Smoothed gives each statistic a percentile interval of a Bayesian bootstrap: each round weighs every row, and those
// beside, by the gamma distribution. Of a share of independent units with ½ beside at each end, the lower end is the
// quantile of Beta(k, n−k+½), between those of Jeffreys and of Clopper and Pearson; of counts of cells with ½ beside in
// each it is the posterior under Jeffreys' Dirichlet(½) prior. All shapes are smaller by as much as makes the variance
// that of Student's t.
//
// Sources: Rubin, Annals of Statistics 9 (1981), 130–134; smoothed by Banks, Biometrika 75 (1988), 673–684; for the rows at
// the ends Learned-Miller and Thomas, arXiv 1905.06208, with a whole row there, which covers at least at the level.
func (b Bootstrap) Smoothed(rows *Rows, list []Statistic) []Interval {
	s := smoothing{
		rows: rows, list: list, rng: rand.New(rand.NewPCG(b.Seed, uint64(len(rows.member)))), shape: spread(len(rows.member), b.Level),
		freq: make([]float64, len(rows.classes)), sums: make([]float64, rows.width), with: make([]float64, rows.width),
		drawn: make([][2][]float64, len(list)),
	}
	for _, c := range rows.member {
		s.freq[c]++
	}
	for i, x := range list {
		if x.Beside != nil && len(rows.member) > 0 {
			s.drawn[i] = [2][]float64{make([]float64, 0, b.Rounds), make([]float64, 0, b.Rounds)}
		}
	}
	if len(rows.member) > 0 {
		for range b.Rounds {
			s.round()
		}
	}
	out := make([]Interval, len(list))
	for i, d := range s.drawn {
		out[i] = Interval{math.NaN(), math.NaN()}
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
	shape      float64
	freq       []float64
	sums, with []float64
	drawn      [][2][]float64 // of each statistic, for the lower and the upper end
}

func (s *smoothing) round() {
	clear(s.sums)
	for c, f := range s.freq {
		w := gamma(f*s.shape, s.rng)
		for i, column := range s.rows.classes[c].column {
			s.sums[column] += w * s.rows.classes[c].value[i]
		}
	}
	for i := 0; i < len(s.list); {
		beside := s.list[i].Beside
		end := i + 1
		for end < len(s.list) && s.list[end].Beside == beside {
			end++
		}
		switch {
		case beside == nil:
		case beside.High == nil:
			s.let(beside.Low, beside.Mass, i, end, 0, 1)
		default:
			s.let(beside.Low, beside.Mass, i, end, 0)
			s.let(beside.High, beside.Mass, i, end, 1)
		}
		i = end
	}
}

// let lets rows in and computes some of the statistics, for the sides given.
func (s *smoothing) let(in []Extra, mass float64, from, to int, sides ...int) {
	copy(s.with, s.sums)
	for _, x := range in {
		w := gamma(mass*s.shape, s.rng)
		for k, column := range x.Columns {
			s.with[column] += w * x.Values[k]
		}
	}
	for k := from; k < to; k++ {
		if v := s.list[k].Of(s.with); !math.IsNaN(v) {
			for _, side := range sides {
				s.drawn[k][side] = append(s.drawn[k][side], v)
			}
		}
	}
}

// gamma draws from the gamma distribution of a shape and scale 1.
//
// Source: Marsaglia and Tsang, ACM Transactions on Mathematical Software 26 (2000), 363–372.
func gamma(shape float64, rng *rand.Rand) float64 {
	switch {
	case shape == 1:
		return rng.ExpFloat64()
	case shape < 1:
		return gamma(shape+1, rng) * math.Pow(1-rng.Float64(), 1/shape)
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := rng.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v *= v * v
		u := 1 - rng.Float64()
		if u < 1-0.0331*x*x*x*x || math.Log(u) < 0.5*x*x+d*(1-v+math.Log(v)) {
			return d * v
		}
	}
}
