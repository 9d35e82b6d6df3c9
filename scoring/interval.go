package scoring

import (
	"fmt"
	"math"
	"strings"

	"gavel/scoring/stats"
)

// Methods of intervals, as results name them.
const (
	ByBlaker = "blaker" // exact: of units that are right or wrong
	// of a share of units in clusters, by how many independent ones they are worth
	ByMidP       = "mid-p"
	ByPairs      = "bonett-price"             // of scores of −1, 0 and 1, one a unit
	ByMover      = "mover"                    // of a difference of functions of two shares
	ByTango      = "tango"                    // of a difference of two shares of the same units, held to a margin
	ByBootstrap  = "smoothed-bootstrap"       // of all else
	ByUnits      = "percentile-bootstrap"     // of metrics that are functions of the units one by one
	ByCalibrated = "bias-corrected-bootstrap" // of a calibration error, which is above 0 by chance alone
)

// Methods says of each what it is, in words.
var Methods = []struct{ Name, About string }{
	{ByBlaker, "exact by Blaker"},
	{ByMidP, "mid-P of what clusters are worth"},
	{ByPairs, "by Bonett and Price"},
	{ByMover, "by MOVER"},
	{ByTango, "by Tango's score"},
	{ByBootstrap, "by a smoothed bootstrap"},
	{ByUnits, "by a percentile bootstrap"},
	{ByCalibrated, "by a bootstrap less its bias"},
	{BySequence, "of shares good at every look (beta-binomial)"},
	{ByBetting, "of the rest good at every look (betting)"},
}

// fewestOfClass is how many units with the rarer value of a variable its correlations need for an interval.
const fewestOfClass = 10

// bounds are an interval, how it was made, or why there is none.
type bounds struct {
	stats.Interval
	by, note string
}

func unbounded(note string) bounds {
	return bounds{Interval: stats.Interval{Low: math.NaN(), High: math.NaN()}, note: note}
}

// estimand is a metric whose interval is wanted: of what the columns at b come to, less, of a
// difference, what those at a do.
type estimand struct {
	*Metric
	a, b Span
}

func (q estimand) differs() bool { return q.a != Span{} }

func (q estimand) of(sums []float64) float64 {
	v := q.value(q.b.of(sums))
	if q.differs() {
		v -= q.value(q.a.of(sums))
	}
	return v
}

// valueOf is what a metric comes to on what was seen.
func (s *Sample) valueOf(q estimand) float64 {
	if !q.differs() {
		return s.value(q.Metric, q.b, q.b)
	}
	return s.value(q.Metric, q.b, q.a) - s.value(q.Metric, q.a, q.b)
}

// intervals are those of metrics; one function for each kind of them makes all there are. What is resampled is
// resampled for all at once.
func (s *Sample) intervals(list []estimand, b stats.Bootstrap) []bounds {
	out := make([]bounds, len(list))
	var todo []int
	var drawn []stats.Statistic
	for i, q := range list {
		if math.IsNaN(s.valueOf(q)) || q.is(Known) {
			out[i] = unbounded("")
			continue
		}
		if s.early != nil {
			out[i] = s.early.interval(q, b.Level)
			continue
		}
		if q.Units != nil {
			out[i] = s.units.interval(q, b)
			continue
		}
		if few := s.tooFew(q); few != "" {
			out[i] = unbounded(noInterval + few)
			continue
		}
		var found bool
		if q.differs() {
			out[i], found = s.difference01(q, b.Level)
		} else if q.Parts != nil {
			out[i], found = s.apart(q, b.Level)
		} else {
			out[i], found = s.exactly(q, b.Level)
		}
		if !found {
			todo, drawn = append(todo, i), append(drawn, stats.Statistic{Of: q.of, Beside: s.beside(q)})
		}
	}
	if len(todo) > 0 {
		for k, iv := range b.Smoothed(&s.rows, drawn) {
			if v := list[todo[k]].of(s.sums); !math.IsNaN(iv.Low) { // of a function of cells it may lie beside them
				iv = stats.Interval{Low: math.Min(iv.Low, v), High: math.Max(iv.High, v)}
			}
			out[todo[k]] = bounds{Interval: iv, by: ByBootstrap}
		}
	}
	return out
}

// noInterval begins the notes of metrics that have a value without one.
const noInterval = "interval: none, "

// withoutInterval warns of the metrics of all units that have none.
func withoutInterval(results []Result) (warnings []string) {
	var reasons []string
	of := map[string][]string{}
	for _, r := range results {
		if why, ok := strings.CutPrefix(r.Note, noInterval); ok && r.Group == Overall {
			if of[why] == nil {
				reasons = append(reasons, why)
			}
			of[why] = append(of[why], strings.TrimSpace(r.Metric+" "+r.Mode))
		}
	}
	for _, why := range reasons {
		warnings = append(warnings, NoInterval+strings.Join(of[why], ", ")+": "+why)
	}
	return warnings
}

// exactly is the interval of a share, where the kind of metric has one in closed form.
func (s *Sample) exactly(q estimand, level float64) (bounds, bool) {
	if q.Value != nil {
		return bounds{}, false
	}
	var parts []stats.Part
	// units a row; they are right or wrong, one a row; scores of 0, ½ and 1
	most := 0.0
	single := true
	halves := true
	for _, k := range s.rows.Kinds {
		num, den := q.share(q.b.of(k.Row))
		if den == 0 {
			continue
		}
		num = snapped(num, den)
		parts = append(parts, stats.Part{Num: num, Den: den, Often: k.Often})
		single = single && den == 1 && (num == 0 || num == 1)
		halves = halves && den > 0 && den <= 2 && (num == 0 || 2*num == den || num == den)
		most = math.Max(most, den)
	}
	switch {
	case single:
		k, n := 0, 0
		for _, p := range parts {
			k, n = k+int(p.Num)*p.Often, n+p.Often
		}
		return q.curved(stats.Blaker(k, n, level), ByBlaker), true
	case q.is(Share) || q.is(Several):
		x, n := stats.Effective(parts, level)
		return q.curved(stats.MidP(x, n, level), ByMidP), true
	case q.is(Halves) && halves:
		var best, worst, n float64
		for _, p := range parts {
			w := p.Den / most * float64(p.Often)
			n += w
			switch p.Num {
			case p.Den:
				best += w
			case 0:
				worst += w
			}
		}
		iv := stats.Paired(best, worst, n, level)
		return q.curved(stats.Interval{Low: (1 + iv.Low) / 2, High: (1 + iv.High) / 2}, ByPairs), true
	}
	return bounds{}, false
}

// apart is the interval of a metric that is one less another, where both have one in closed form.
func (s *Sample) apart(q estimand, level float64) (bounds, bool) {
	var values [2]float64
	var ofEach [2]stats.Interval
	for i := range q.Parts {
		part := estimand{Metric: &q.Parts[i], a: q.a, b: q.b}
		iv, found := s.exactly(part, level)
		if !found {
			return bounds{}, false
		}
		values[i], ofEach[i] = part.of(s.sums), iv.Interval
	}
	return bounds{Interval: stats.Apart(values[0], values[1], ofEach[0], ofEach[1]), by: ByMover}, true
}

// tiny is what sums of fractions may be off by.
const tiny = 1e-12

// snapped is 0, half of den or den, where num is that but for tiny.
func snapped(num, den float64) float64 {
	for _, x := range []float64{0, den / 2, den} {
		if math.Abs(num-x) < tiny {
			return x
		}
	}
	return num
}

func (q estimand) curved(iv stats.Interval, by string) bounds {
	return bounds{Interval: stats.Interval{Low: q.curve(iv.Low), High: q.curve(iv.High)}, by: by}
}

// difference01 is the interval of a difference of two shares of the same units, each right or wrong, one a row.
func (s *Sample) difference01(q estimand, level float64) (bounds, bool) {
	if q.Value != nil {
		return bounds{}, false
	}
	table, n := s.table(q.Metric, [2]Span{q.a, q.b})
	if n == 0 || q.is(Halves) || q.is(Mean) && !s.whole(q) {
		return bounds{}, false
	}
	if q.Curve != nil {
		return bounds{
			Interval: stats.Curved(table.Both, table.OnlyA, table.OnlyB, table.Neither, q.Curve, level),
			by:       ByMover,
		}, true
	}
	return bounds{
		Interval: stats.Paired(float64(table.OnlyB), float64(table.OnlyA), float64(n), level),
		by:       ByPairs,
	}, true
}

// whole tells whether all values are 0 or 1.
func (s *Sample) whole(q estimand) bool {
	for _, k := range s.rows.Kinds {
		for _, at := range [2]Span{q.a, q.b} {
			if num, den := q.share(at.of(k.Row)); snapped(num, den) != 0 && snapped(num, den) != den {
				return false
			}
		}
	}
	return true
}

// beside returns the rows that smooth a metric: of a function of cells each cell, of a mean of bounded values one of
// the least and one of the largest.
func (s *Sample) beside(q estimand) *stats.Beside {
	if len(q.Cells) == 0 {
		return s.ends(q)
	}
	return s.cells(q)
}

// half is what is let in: half a row in each cell, or at each end of the scale.
const half = 0.5

// Worth is how many independent units a row is worth that is let in, where rows have so many on average and are as
// alike as [stats.Effective] takes them to be before anything is seen.
func Worth(each float64) float64 { return 1 + (each-1)*0.3 }

// cells lets half a row into each cell. Of a difference, cells that go together share what each would have.
func (s *Sample) cells(q estimand) *stats.Beside {
	each := Worth(float64(s.size) / float64(s.rows.Len))
	x := &stats.Beside{Mass: half}
	if !q.differs() {
		for _, c := range q.Cells {
			x.Low = append(x.Low, extra(each, part{q.b, c.Row}))
		}
		return x
	}
	for _, c := range q.Cells {
		for _, d := range q.Cells {
			if c.Of == d.Of {
				x.Low = append(x.Low, extra(each, part{q.a, c.Row}, part{q.b, d.Row}))
			}
		}
	}
	x.Mass *= float64(len(q.Cells)) / float64(len(x.Low))
	return x
}

// ends lets half a row in at the least value, and half at the largest.
func (s *Sample) ends(q estimand) *stats.Beside {
	least, most := []float64{q.Least, 1}, []float64{1, 1}
	each := float64(s.size) / float64(s.rows.Len)
	at := func(span Span, row []float64) part {
		size, n := 0.0, 0.0
		for _, k := range s.rows.Kinds {
			if den := span.of(k.Row)[1]; den != 0 {
				size += float64(k.Often) * den
				n += float64(k.Often)
			}
		}
		size *= Worth(each) / each / n
		return part{span, []float64{row[0] * size, size}}
	}
	low, high := []part{at(q.b, least)}, []part{at(q.b, most)}
	if q.differs() {
		low = append(low, at(q.a, most))
		high = append(high, at(q.a, least))
	}
	return &stats.Beside{Low: []stats.Extra{extra(1, low...)}, High: []stats.Extra{extra(1, high...)}, Mass: half}
}

// part is some columns of a row.
type part struct {
	Span
	row []float64
}

func extra(times float64, parts ...part) (x stats.Extra) {
	for _, p := range parts {
		for i, v := range p.row {
			if v != 0 {
				x.Columns, x.Values = append(x.Columns, p.Span[0]+i), append(x.Values, times*v)
			}
		}
	}
	return x
}

// tooFew says of which value of a variable there are too few units for an interval; "" where there are enough.
func (s *Sample) tooFew(q estimand) string {
	for _, class := range q.Classes {
		for _, at := range []Span{q.b, q.a} {
			if at == (Span{}) {
				continue
			}
			var with [2]int
			for _, k := range s.rows.Kinds {
				a, b := class.Count(at.of(k.Row))
				with[0] += k.Often * int(One(a > 0))
				with[1] += k.Often * int(One(b > 0))
			}
			for i, n := range with {
				if n < fewestOfClass {
					return fmt.Sprintf("%s in only %d %s%s, fewer than %d", class.Words[i], n, s.unit, plural(n), fewestOfClass)
				}
			}
		}
	}
	return ""
}

// with returns the result with a value and its interval.
func (r Result) with(value float64, found bounds) Result {
	r.Value = inUnit(r.Unit, value)
	r.Low = inUnit(r.Unit, found.Low)
	r.High = inUnit(r.Unit, found.High)
	r.Interval, r.Note = found.by, found.note
	return r
}

// NoInterval is the beginning of warnings about numbers without an interval.
const NoInterval = "no interval of "

// Methods of intervals that are valid at every look, as results name them.
const (
	BySequence = "beta-binomial-sequence" // of units that are right or wrong
	ByBetting  = "betting-sequence"       // of other shares, and of differences
)
