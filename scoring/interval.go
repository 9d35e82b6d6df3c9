package scoring

import (
	"fmt"
	"math"

	"gavel/scoring/stats"
)

// intervals returns those of metrics. What has none in closed form is resampled for all of them at once.
func (s *Sample) intervals(list []estimand, b stats.Bootstrap) []bounds {
	out := make([]bounds, len(list))
	var todo []int
	var drawn []stats.Statistic
	for i, q := range list {
		var found bool
		out[i], found = s.interval(q, b)
		if !found {
			todo = append(todo, i)
			drawn = append(drawn, stats.Statistic{Of: q.of, Beside: s.beside(q)})
		}
	}
	for k, iv := range b.Smoothed(&s.rows, drawn) {
		if v := list[todo[k]].of(s.sums); !math.IsNaN(iv.Low) { // of a function of cells it may lie beside them
			iv = stats.Interval{Low: math.Min(iv.Low, v), High: math.Max(iv.High, v)}
		}
		out[todo[k]] = bounds{Interval: iv, by: ByBootstrap}
	}
	return out
}

// interval returns that of a metric, or says why there is none; false where it has to be resampled.
func (s *Sample) interval(q estimand, b stats.Bootstrap) (bounds, bool) {
	switch {
	case math.IsNaN(s.valueOf(q)) || q.is(Known):
		return unbounded(""), true
	case s.early != nil:
		return s.early.interval(q, b.Level), true
	case q.Units != nil:
		return s.units.interval(q, b), true
	}
	if few := s.tooFew(q); few != "" {
		return unbounded(noInterval + few), true
	}
	switch {
	case q.differs():
		return s.difference01(q, b.Level)
	case q.Parts != nil:
		return s.partsInterval(q, b.Level)
	}
	return s.closedForm(q, b.Level)
}

// closedForm returns the interval of a share; false where the kind of metric has none in closed form.
func (s *Sample) closedForm(q estimand, level float64) (bounds, bool) {
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

// partsInterval returns the interval of a metric that is one less another; false where one of them has none in closed
// form.
func (s *Sample) partsInterval(q estimand, level float64) (bounds, bool) {
	var values [2]float64
	var ofEach [2]stats.Interval
	for i := range q.Parts {
		part := estimand{Metric: &q.Parts[i], a: q.a, b: q.b}
		iv, found := s.closedForm(part, level)
		if !found {
			return bounds{}, false
		}
		values[i], ofEach[i] = part.of(s.sums), iv.Interval
	}
	return bounds{Interval: stats.Apart(values[0], values[1], ofEach[0], ofEach[1]), by: ByMover}, true
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

// cells lets half a row into each cell. Of a difference, cells that go together share what each would have.
func (s *Sample) cells(q estimand) *stats.Beside {
	each := Worth(float64(s.size) / float64(s.rows.Len))
	x := &stats.Beside{Mass: half}
	if !q.differs() {
		for _, c := range q.Cells {
			x.Low = append(x.Low, extra(each, columnValues{q.b, c.Row}))
		}
		return x
	}
	for _, c := range q.Cells {
		for _, d := range q.Cells {
			if c.Of == d.Of {
				x.Low = append(x.Low, extra(each, columnValues{q.a, c.Row}, columnValues{q.b, d.Row}))
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
	at := func(span Span, row []float64) columnValues {
		size, n := 0.0, 0.0
		for _, k := range s.rows.Kinds {
			if den := span.of(k.Row)[1]; den != 0 {
				size += float64(k.Often) * den
				n += float64(k.Often)
			}
		}
		size *= Worth(each) / each / n
		return columnValues{span, []float64{row[0] * size, size}}
	}
	low := []columnValues{at(q.b, least)}
	high := []columnValues{at(q.b, most)}
	if q.differs() {
		low = append(low, at(q.a, most))
		high = append(high, at(q.a, least))
	}
	return &stats.Beside{Low: []stats.Extra{extra(1, low...)}, High: []stats.Extra{extra(1, high...)}, Mass: half}
}

// columnValues has the values of some columns of a row.
type columnValues struct {
	Span
	row []float64
}

func extra(times float64, parts ...columnValues) (x stats.Extra) {
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
