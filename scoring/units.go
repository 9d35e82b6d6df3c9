package scoring

import (
	"cmp"

	"gonum.org/v1/gonum/floats"
)

// Unit holds one scored unit: a pair, a question, a judgment of an answer or an item.
type Unit struct {
	ID      string
	Cluster string // units of a cluster are resampled together; "": a cluster of its own

	Question string // units of a question share the Own columns; without clusters in the dataset, the cluster

	Groups       []string  // one for each of the sheet's divisions
	Row          []float64 // what it adds to the columns
	Gold         string    // the right answer: runs that were asked the same but disagree on it have different datasets
	GoldQuestion string    // the question that Gold answers, if runs may have different ones
	Data         any       // further data of the scorer
}

// section names a group of units.
type section struct {
	name     string
	division int // −1: all units
}

func (s section) has(u Unit) bool { return s.division < 0 || u.Groups[s.division] == s.name }

// filter returns the units in the section.
func (s section) filter(units []Unit) (in []Unit) {
	for _, u := range units {
		if s.has(u) {
			in = append(in, u)
		}
	}
	return in
}

// SharedUnit holds a unit of two runs.
type SharedUnit struct{ A, B Unit }

// join pairs units by id; both lists must be sorted by it.
func join(a, b []Unit) (out []SharedUnit) {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch cmp.Compare(a[i].ID, b[j].ID) {
		case -1:
			i++
		case 1:
			j++
		default:
			out = append(out, SharedUnit{a[i], b[j]})
			i, j = i+1, j+1
		}
	}
	return out
}

// ByCluster returns the rows of shared units, with those of one cluster added up.
func ByCluster(shared []SharedUnit, row func(SharedUnit) []float64) (rows [][]float64) {
	var sums Tally[string, []float64]
	for _, j := range shared {
		sum := sums.Get(cmp.Or(j.A.Cluster, j.A.ID))
		if *sum == nil {
			*sum = row(j)
		} else {
			floats.Add(*sum, row(j))
		}
	}
	return sums.Values
}
