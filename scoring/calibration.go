package scoring

import (
	"cmp"
	"math"
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
	Bins       []Bin    `json:"bins"`
	Coverage   []Point  `json:"coverage"`
}

const bins = 10

// binOf is the bin of a confidence; 0 belongs to the first.
func binOf(p float64) int { return max(0, min(bins, int(math.Ceil(p*bins)))-1) }

// Columns of a pair's row: how many games, their confidence, right ones, squared
// errors; then games, confidence and right ones of each bin; then games and
// right ones at each threshold.
const (
	colN, colP, colRight, colSquare = 0, 1, 2, 3
	colBins                         = 4
	colPoints                       = colBins + 3*bins
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
	width := colPoints + 2*len(points)
	var rows [][]float64
	total := make([]float64, width)
	for i, g := range games {
		if i == 0 || games[i-1].item != g.item {
			rows = append(rows, make([]float64, width))
		}
		row, right := rows[len(rows)-1], share(g.right)
		add := func(col int, values ...float64) {
			for k, v := range values {
				row[col+k] += v
				total[col+k] += v
			}
		}
		add(colN, 1, g.p, right, (g.p-right)*(g.p-right))
		add(colBins+3*binOf(g.p), 1, g.p, right)
		for k, t := range points {
			if g.p >= t {
				add(colPoints+2*k, 1, right)
			}
		}
	}
	measure := func(s, out []float64) {
		out[0], out[1], out[2] = s[colP]/s[colN], s[colRight]/s[colN], s[colSquare]/s[colN]
		out[3] = 0
		for k := range bins {
			at := s[colBins+3*k:]
			out[3] += math.Abs(at[1]-at[2]) / s[colN] // n/N · |right/n − confidence/n|
		}
		for k := range points {
			at := s[colPoints+2*k:]
			out[4+k] = at[1] / at[0]
		}
	}
	outs := 4 + len(points)
	value := make([]float64, outs)
	measure(total, value)
	intervals := b.Sums(rows, outs, measure)
	// Where all are alike the bootstrap has no width: shares then have the exact
	// interval over pairs, and the others none.
	estimate := func(k, games, right int) Estimate {
		iv := intervals[k]
		if right > 0 && (total[right] == 0 || total[right] == total[games]) {
			pairs := 0
			for _, row := range rows {
				if row[games] > 0 {
					pairs++
				}
			}
			iv = alike(total[right] > 0, pairs, b.Level)
		}
		if iv.Low == iv.High {
			return Estimate{Value: fraction(value[k])}
		}
		return Estimate{fraction(value[k]), fraction(iv.Low), fraction(iv.High)}
	}
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
		Confidence: estimate(0, 0, 0), Accuracy: estimate(1, colN, colRight), Brier: estimate(2, 0, 0), ECE: estimate(3, 0, 0),
		Bins: make([]Bin, bins), Coverage: []Point{},
	}
	for k := range c.Bins {
		at := total[colBins+3*k:]
		c.Bins[k] = Bin{From: float64(k) / bins, To: float64(k+1) / bins, N: int(at[0])}
		if at[0] > 0 {
			c.Bins[k].Confidence, c.Bins[k].Accuracy = fraction(at[1]/at[0]), fraction(at[2]/at[0])
		}
	}
	for k, t := range points {
		n := total[colPoints+2*k]
		c.Coverage = append(c.Coverage, Point{Coverage: *fraction(n / total[colN]), N: int(n), Threshold: t, Accuracy: estimate(4+k, colPoints+2*k, colPoints+2*k+1)})
	}
	return c
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

// fraction rounds to six places, so that the bytes are the same everywhere.
func fraction(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	x = math.Round(x*1e6) / 1e6
	return &x
}
