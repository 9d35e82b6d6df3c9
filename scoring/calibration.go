package scoring

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gavel/scoring/stats"
)

const bins = 10

// binOf is the bin of a confidence; 0 belongs to the first.
func binOf(p float64) int { return max(0, min(bins, int(math.Ceil(p*bins)))-1) }

// Columns of a unit's row: confidence of its judgments, right ones and squared errors, each with how many judgments
// it has; then judgments, confidence and right ones of each bin; then right ones and judgments at each threshold.
const (
	colP, colRight, colSquare = 0, 2, 4
	colBins                   = 6
	colPoints                 = colBins + 3*bins
)

// calibration computes a run's calibration, nil where no judgment has a confidence.
func (run *Run) calibration(b stats.Bootstrap) *Calibration {
	if len(run.sure.all) == 0 {
		return nil
	}
	judgments := slices.Clone(run.sure.all)
	for i := range judgments {
		judgments[i].Unit = run.clusterOf(judgments[i].Unit)
	}
	c := Calibrate(judgments, run.resampled(), b)
	c.Missing, c.Unknown = run.words().Record+" left out", run.sure.decided-c.N
	return c
}

// Calibrate is the calibration of forecasts, of which there are some; unit is what is resampled, in words.
func Calibrate(judgments []Forecast, unit string, b stats.Bootstrap) *Calibration {
	slices.SortFunc(judgments, func(a, b Forecast) int {
		return cmp.Or(strings.Compare(a.Unit, b.Unit), strings.Compare(a.item, b.item), a.presentation-b.presentation)
	})
	points := thresholds(judgments)
	rows := map[string][]float64{}
	for _, g := range judgments {
		if rows[g.Unit] == nil {
			rows[g.Unit] = make([]float64, colPoints+2*len(points))
		}
		g.count(rows[g.Unit], points)
	}
	metrics := calibrationMetrics(len(points), kindOf(rows, colRight+1))
	s := SampleOf(unit, metrics, inOrder(rows))
	var of []Estimate
	for _, r := range s.Results("", metrics, b) {
		of = append(of, r.estimate())
	}
	ece, calibrated := errorOf(s, judgments, b)
	c := &Calibration{
		N:          len(judgments),
		Confidence: of[0], Accuracy: of[1], Brier: of[2], ECE: ece, Calibrated: calibrated,
		Bins: make([]Bin, bins), Coverage: []Point{},
	}
	for k := range c.Bins {
		at := s.Sums()[colBins+3*k:]
		c.Bins[k] = Bin{From: float64(k) / bins, To: float64(k+1) / bins, N: int(at[0])}
		if at[0] > 0 {
			c.Bins[k].Confidence, c.Bins[k].Accuracy = Fraction(at[1]/at[0]), Fraction(at[2]/at[0])
		}
	}
	for k, t := range points {
		n := s.Sums()[colPoints+2*k+1]
		c.Coverage = append(c.Coverage,
			Point{Coverage: *Fraction(n / float64(len(judgments))), N: int(n), Threshold: t, Accuracy: of[3+k]})
	}
	return c
}

// count adds a judgment to its unit's row.
func (g Forecast) count(row, points []float64) {
	right := One(g.Right)
	add := func(col int, values ...float64) {
		for k, v := range values {
			row[col+k] += v
		}
	}
	add(colP, g.P, 1, right, 1, (g.P-right)*(g.P-right), 1)
	add(colBins+3*binOf(g.P), 1, g.P, right)
	for k, t := range points {
		if g.P >= t {
			add(colPoints+2*k, right, 1)
		}
	}
}

// calibrationMetrics are confidence, accuracy and Brier, then the accuracy at each threshold.
func calibrationMetrics(points int, share MetricKind) []Metric {
	per := func(kind MetricKind, col int) Metric {
		return Metric{Unit: UnitScore, Kind: kind, Columns: Span{col, col + 2}}
	}
	list := []Metric{per(Mean, colP), per(share, colRight), per(Mean, colSquare)}
	for k := range points {
		list = append(list, per(share, colPoints+2*k))
	}
	return list
}

// calibrationError is the ECE of some columns of bins: Σ n/N · |right/n − confidence/n|.
func calibrationError(c []float64) (ece float64) {
	judgments := 0.0
	for k := range bins {
		judgments += c[3*k]
		ece += math.Abs(c[3*k+1] - c[3*k+2])
	}
	return ece / judgments
}

// errorOf is the ECE with its interval, and what it comes to of a judge that is as often right as it is sure: of
// the distances of few judgments from what is expected none is below 0, so that their mean is above 0 even then. By
// as much as resamples lie above the value, the value is taken to lie above the truth; and where a calibrated judge
// would get as much, the lower end is 0. The lower end is no higher than that of resamples: where all judgments of a
// bin are right, or all are wrong, these lie on one side of the value.
func errorOf(s *Sample, judgments []Forecast, b stats.Bootstrap) (ece, calibrated Estimate) {
	of := func(sums []float64) float64 { return calibrationError(sums[colBins:colPoints]) }
	value := of(s.Sums())
	if b.Rounds < 1 {
		return Estimate{Value: Fraction(value)}, Estimate{}
	}
	iv := b.Smoothed(&s.rows, []stats.Statistic{{Of: of, Beside: besideBins(s, judgments)}})[0]
	rng := rand.New(rand.NewPCG(b.Seed, uint64(len(judgments))))
	c, mean := make([]float64, 3*bins), 0.0
	drawn := make([]float64, b.Rounds)
	for i := range drawn {
		clear(c)
		for _, g := range judgments {
			at := c[3*binOf(g.P):]
			at[0]++
			at[1] += g.P
			at[2] += One(rng.Float64() < g.P)
		}
		drawn[i] = calibrationError(c)
		mean += drawn[i] / float64(b.Rounds)
	}
	range95 := b.Percentiles(drawn)
	high := max(value, iv.High)
	low := max(0, min(2*value-high, iv.Low))
	if value <= range95.High {
		low = 0
	}
	return Estimate{Value: Fraction(value), Low: Fraction(low), High: Fraction(high), Interval: ByCalibrated},
		Estimate{Value: Fraction(mean), Low: Fraction(range95.Low), High: Fraction(range95.High)}
}

// besideBins are half a unit whose judgments lie in the bins as all do. Where the lower end is found they make a bin's
// distance less, where the upper is they are as far from its confidence as they can be.
func besideBins(s *Sample, judgments []Forecast) *stats.Beside {
	units := 0
	for i, g := range judgments { // in order
		if i == 0 || g.Unit != judgments[i-1].Unit || g.item != judgments[i-1].item {
			units++
		}
	}
	rows := float64(s.rows.Len)
	each := float64(units) / rows
	size := Worth(each) / each / rows
	var low, high []columnValues
	for k := range bins {
		at := colBins + 3*k
		n := s.sums[at]
		sure := s.sums[at+1]
		right := s.sums[at+2]
		if n == 0 {
			continue
		}
		bin := Span{at, at + 3}
		low = append(low, columnValues{bin, []float64{n, sure, n * One(sure > right)}})
		high = append(high, columnValues{bin, []float64{n, sure, n * One(2*sure < n)}})
	}
	return &stats.Beside{Low: []stats.Extra{extra(size, low...)}, High: []stats.Extra{extra(size, high...)}, Mass: half}
}

// thresholds are the confidences that tenths of the judgments reach, each once, the
// highest first. Judgments of equal confidence are not told apart.
func thresholds(judgments []Forecast) []float64 {
	p := make([]float64, len(judgments))
	for i, g := range judgments {
		p[i] = g.P
	}
	slices.SortFunc(p, func(a, b float64) int { return cmp.Compare(b, a) })
	var out []float64
	for tenth := 1; tenth <= 10; tenth++ {
		t := p[(tenth*len(p)+9)/10-1]
		if len(out) == 0 || out[len(out)-1] != t {
			out = append(out, t)
		}
	}
	return out
}
