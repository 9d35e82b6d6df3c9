package scoring

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gavel/judging"
	"gavel/scoring/stats"
)

// forecast is the probability a judge gave the response it named, in one
// decided game, and whether that was right.
type forecast struct {
	item    string
	showing int
	p       float64
	right   bool
}

// confidence is what the labels on offer that name the verdict's candidate come
// to together; ok is false where the record tells no probabilities.
func confidence(r *judging.Record, p judging.Asker, v judging.Verdict) (sum float64, ok bool) {
	s := r.Shown()
	for _, l := range r.Probabilities {
		if w := p.Parse(s, l.Label, judging.Reading{Policy: judging.Unique}); w.Outcome == v.Outcome && w.Choice == v.Choice {
			sum += l.P
			ok = true
		}
	}
	return min(sum, 1), ok
}

// Estimate is a number with its interval; the ends are null where every pair
// counts the same and no interval can be given.
type Estimate struct {
	Value *float64 `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`

	Interval string `json:"interval,omitempty"` // how it was made: one of the By constants
}

// Bin of a reliability diagram: the games whose confidence lies in (From, To].
type Bin struct {
	From       float64  `json:"from"`
	To         float64  `json:"to"`
	N          int      `json:"n"`          // games
	Confidence *float64 `json:"confidence"` // mean; null where N is 0
	Accuracy   *float64 `json:"accuracy"`   // share right
}

// Point of the curve of accuracy over coverage: the judge's word is taken only
// where its confidence is at least Threshold.
type Point struct {
	Coverage  float64  `json:"coverage"` // share of the games
	N         int      `json:"n"`
	Threshold float64  `json:"threshold"`
	Accuracy  Estimate `json:"accuracy"`
}

// Calibration says whether a judge is as often right as it is sure. All numbers
// are from 0 to 1. Games without a verdict, or whose server told no
// probabilities, are left out.
//
// Brier is the mean of (confidence − right)² (Brier, Monthly Weather Review 78,
// 1950); ECE is the expected calibration error over ten bins of equal width
// (Guo et al., arXiv 1706.04599, Eq. 3). Intervals resample pairs.
type Calibration struct {
	N          int      `json:"n"`       // decided games with a confidence
	Unknown    int      `json:"unknown"` // decided games without
	Missing    string   `json:"missing"`
	Confidence Estimate `json:"confidence"` // mean
	Accuracy   Estimate `json:"accuracy"`   // share right
	Brier      Estimate `json:"brier"`
	ECE        Estimate `json:"ece"`
	Calibrated Estimate `json:"ece_calibrated"` // the ECE of a judge that is as often right as it is sure: mean, and where 95 % of such lie
	Bins       []Bin    `json:"bins"`
	Coverage   []Point  `json:"coverage"`
}

const bins = 10

// binOf is the bin of a confidence; 0 belongs to the first.
func binOf(p float64) int { return max(0, min(bins, int(math.Ceil(p*bins)))-1) }

// Columns of a pair's row: confidence of its games, right ones and squared errors, each with how many games it has; then
// games, confidence and right ones of each bin; then right ones and games at each threshold.
const (
	colP, colRight, colSquare = 0, 2, 4
	colBins                   = 6
	colPoints                 = colBins + 3*bins
)

// calibrate computes a run's calibration, nil where no game has a confidence.
func (f *pairs) calibrate(b stats.Bootstrap) *Calibration {
	if len(f.forecasts) == 0 {
		return nil
	}
	games := slices.Clone(f.forecasts)
	slices.SortFunc(games, func(a, b forecast) int {
		return cmp.Or(strings.Compare(a.item, b.item), a.showing-b.showing)
	})
	points := thresholds(games)
	s := newSample("pair", colPoints+2*len(points))
	for i := 0; i < len(games); {
		row := make([]float64, len(s.sums))
		for item := games[i].item; i < len(games) && games[i].item == item; i++ {
			games[i].count(row, points)
		}
		s.add("", "", row)
	}
	s.close()
	var of []Estimate
	for _, r := range s.results("", calibrationMetrics(len(points)), b) {
		of = append(of, Estimate{r.Value, r.Low, r.High, r.Interval})
	}
	ece, calibrated := s.calibrationError(games, b)
	decided := 0
	for _, u := range f.rows {
		for _, g := range u.games {
			if g.decided() {
				decided++
			}
		}
	}
	c := &Calibration{
		N: len(games), Unknown: max(0, decided-len(games)), Missing: "game left out",
		Confidence: of[0], Accuracy: of[1], Brier: of[2], ECE: ece, Calibrated: calibrated,
		Bins: make([]Bin, bins), Coverage: []Point{},
	}
	for k := range c.Bins {
		at := s.sums[colBins+3*k:]
		c.Bins[k] = Bin{From: float64(k) / bins, To: float64(k+1) / bins, N: int(at[0])}
		if at[0] > 0 {
			c.Bins[k].Confidence, c.Bins[k].Accuracy = fraction(at[1]/at[0]), fraction(at[2]/at[0])
		}
	}
	for k, t := range points {
		n := s.sums[colPoints+2*k+1]
		c.Coverage = append(c.Coverage, Point{Coverage: *fraction(n / float64(len(games))), N: int(n), Threshold: t, Accuracy: of[3+k]})
	}
	return c
}

// count adds a game to its pair's row.
func (g forecast) count(row, points []float64) {
	right := share(g.right)
	add := func(col int, values ...float64) {
		for k, v := range values {
			row[col+k] += v
		}
	}
	add(colP, g.p, 1, right, 1, (g.p-right)*(g.p-right), 1)
	add(colBins+3*binOf(g.p), 1, g.p, right)
	for k, t := range points {
		if g.p >= t {
			add(colPoints+2*k, right, 1)
		}
	}
}

// calibrationMetrics are confidence, accuracy and Brier, then the accuracy at each threshold.
func calibrationMetrics(points int) []Metric {
	per := func(kind Kind, col int) Metric {
		return Metric{Unit: UnitScore, Kind: kind, Columns: Span{col, col + 2}}
	}
	list := []Metric{per(Mean, colP), per(Halves, colRight), per(Mean, colSquare)}
	for k := range points {
		list = append(list, per(Halves, colPoints+2*k))
	}
	return list
}

// calibrationError is the ECE of some columns of bins: Σ n/N · |right/n − confidence/n|.
func calibrationError(c []float64) (ece float64) {
	games := 0.0
	for k := range bins {
		games += c[3*k]
		ece += math.Abs(c[3*k+1] - c[3*k+2])
	}
	return ece / games
}

// calibrationError is the ECE with its interval, and what it comes to of a judge that is as often right as it is sure: of
// the distances of few games from what is expected none is below 0, so that their mean is above 0 even then. By as much as
// resamples lie above the value, the value is taken to lie above the truth; and where a calibrated judge would get as much,
// the lower end is 0.
func (s *Sample) calibrationError(games []forecast, b stats.Bootstrap) (ece, calibrated Estimate) {
	of := func(sums []float64) float64 { return calibrationError(sums[colBins:colPoints]) }
	value := of(s.sums)
	if b.Rounds < 1 {
		return Estimate{Value: fraction(value)}, Estimate{}
	}
	iv := b.Smoothed(&s.rows, []stats.Statistic{{Of: of, Beside: &stats.Beside{}}})[0]
	rng := rand.New(rand.NewPCG(b.Seed, uint64(len(games))))
	c, mean := make([]float64, 3*bins), 0.0
	drawn := make([]float64, b.Rounds)
	for i := range drawn {
		clear(c)
		for _, g := range games {
			at := c[3*binOf(g.p):]
			at[0], at[1], at[2] = at[0]+1, at[1]+g.p, at[2]+share(rng.Float64() < g.p)
		}
		drawn[i] = calibrationError(c)
		mean += drawn[i] / float64(b.Rounds)
	}
	range95 := b.Percentiles(drawn)
	low := max(0, 2*value-iv.High)
	if value <= range95.High {
		low = 0
	}
	return Estimate{fraction(value), fraction(low), fraction(iv.High), ByCalibrated},
		Estimate{fraction(mean), fraction(range95.Low), fraction(range95.High), ""}
}

// thresholds are the confidences that tenths of the games reach, each once, the
// highest first. Games of equal confidence are not told apart.
func thresholds(games []forecast) []float64 {
	p := make([]float64, len(games))
	for i, g := range games {
		p[i] = g.p
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
