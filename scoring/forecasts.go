package scoring

import (
	"slices"

	"gavel/judging"
)

// Forecast holds the probability that a judge gave to its verdict in one decided judgment, and whether it was right.
type Forecast struct {
	UnitID string  // id of the unit that intervals resample: the item or its cluster
	P      float64 // confidence: total probability, 0 to 1, of the labels that name the chosen candidate
	Right  bool    // the verdict is correct

	itemID       string // id of the item
	presentation int    // number of the order in which the item was shown, from 0
}

// forecasts holds the decided judgments of labelled items in the first repetition, with the probabilities of their
// verdicts.
type forecasts struct {
	all []Forecast
	// judgments in which another label is more probable than those of the chosen candidate
	unlikely        int
	decided         int                      // decided judgments of complete items, with or without a probability
	incompleteItems map[string]judgmentCount // by id: counts for the items that lack judgments
}

// judgmentCount counts the judgments of an item: those still missing, and the decided ones.
type judgmentCount struct{ missing, decided int }

// add takes a record with its verdict; asker finds the verdict's probability in the record.
func (f *forecasts) add(r *judging.Record, m *judging.Manifest, asker judging.Asker, v judging.Verdict) {
	count, started := f.incompleteItems[r.Item]
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
				UnitID:       r.ResamplingUnit(),
				P:            p,
				Right:        right,
				itemID:       r.Item,
				presentation: r.Presentation,
			})
		}
	}
	if count.missing <= 0 {
		f.decided += count.decided
		delete(f.incompleteItems, r.Item)
		return
	}
	if f.incompleteItems == nil {
		f.incompleteItems = map[string]judgmentCount{}
	}
	f.incompleteItems[r.Item] = count
}

// removeIncomplete removes the forecasts of items that lack judgments.
func (f *forecasts) removeIncomplete() {
	f.all = slices.DeleteFunc(f.all, func(x Forecast) bool { return f.incompleteItems[x.itemID].missing > 0 })
}

// sharedConfidence returns the confidence that all forecasts share; ok is false if they differ or are fewer than two.
func (f *forecasts) sharedConfidence() (p float64, ok bool) {
	for _, x := range f.all {
		if x.P != f.all[0].P {
			return 0, false
		}
		p = x.P
	}
	return p, len(f.all) > 1
}
