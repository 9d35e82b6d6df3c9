package scoring

import (
	"slices"

	"gavel/judging"
)

// Forecast is the probability a judge gave what it named, in one decided judgment, and whether that was right.
type Forecast struct {
	Unit  string // what is resampled
	P     float64
	Right bool

	item         string
	presentation int
}

// forecasts are the decided judgments of items with a label, of the first time.
type forecasts struct {
	all      []Forecast
	unlikely int                      // whose label is not the likeliest of those on offer
	decided  int                      // with a probability or without, of items with all their judgments
	items    map[string]judgmentCount // that lack a judgment
}

// judgmentCount is of an item.
type judgmentCount struct{ missing, decided int }

func (f *forecasts) add(r *judging.Record, m *judging.Manifest, asked judging.Asker, v judging.Verdict) {
	count, known := f.items[r.Item]
	if !known {
		count.missing = r.Presentations
	}
	count.missing--
	if right, known := m.Right(r, v); known && v.Outcome == judging.Decided {
		count.decided++
		if p, ok := r.Confidence(asked, v); ok {
			if slices.ContainsFunc(r.Probabilities, func(l judging.Probability) bool { return l.P > p }) {
				f.unlikely++
			}
			f.all = append(f.all, Forecast{
				Unit:         r.Unit(),
				P:            p,
				Right:        right,
				item:         r.Item,
				presentation: r.Presentation,
			})
		}
	}
	if count.missing <= 0 {
		f.decided += count.decided
		delete(f.items, r.Item)
		return
	}
	if f.items == nil {
		f.items = map[string]judgmentCount{}
	}
	f.items[r.Item] = count
}

// finish leaves out items that are not scored.
func (f *forecasts) finish() {
	f.all = slices.DeleteFunc(f.all, func(x Forecast) bool { return f.items[x.item].missing > 0 })
}

// constant is the confidence of all judgments, where there are several and they have the same.
func (f *forecasts) constant() (p float64, ok bool) {
	for _, x := range f.all {
		if x.P != f.all[0].P {
			return 0, false
		}
		p = x.P
	}
	return p, len(f.all) > 1
}
