package scoring

import (
	"slices"

	"gavel/judging"
)

// Forecast holds the probability that a judge gave to its verdict in one decided judgment, and whether it was right.
type Forecast struct {
	Unit  string // the resampled unit
	P     float64
	Right bool

	item         string
	presentation int
}

// forecasts holds the decided judgments of labelled items in the first repetition.
type forecasts struct {
	all      []Forecast
	unlikely int                      // judgments whose label is not the likeliest offered one
	decided  int                      // with or without a probability, of complete items
	items    map[string]judgmentCount // incomplete items
}

// judgmentCount counts the judgments of an item.
type judgmentCount struct{ missing, decided int }

func (f *forecasts) add(r *judging.Record, m *judging.Manifest, asker judging.Asker, v judging.Verdict) {
	count, started := f.items[r.Item]
	if !started {
		count.missing = r.Presentations
	}
	count.missing--
	if right, labelled := m.Right(r, v); labelled && v.Outcome == judging.Decided {
		count.decided++
		if p, ok := r.Confidence(asker, v); ok {
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

// finish removes the judgments of incomplete items.
func (f *forecasts) finish() {
	f.all = slices.DeleteFunc(f.all, func(x Forecast) bool { return f.items[x.item].missing > 0 })
}

// constant returns the confidence that all judgments share; ok is false if they differ or are fewer than two.
func (f *forecasts) constant() (p float64, ok bool) {
	for _, x := range f.all {
		if x.P != f.all[0].P {
			return 0, false
		}
		p = x.P
	}
	return p, len(f.all) > 1
}
