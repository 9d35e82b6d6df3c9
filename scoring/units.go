package scoring

import (
	"cmp"

	"gonum.org/v1/gonum/floats"
)

// Unit holds one scored unit: a pair, a question, a judgment of an answer or an item.
type Unit struct {
	ID      string // identifies the unit in all runs on the dataset
	Cluster string // units of one cluster are resampled together; "": the unit is a cluster of its own

	// units of one question share the first columns, see [Sheet.QuestionColumns]; the scorer's cluster, before clusters
	// of the dataset replace it
	Question string

	Groups         []string  // name of the unit's group in each of the sheet's Divisions
	Row            []float64 // numbers that the unit adds to the columns of the sheet
	Gold           string    // the right answer: runs that were asked the same but disagree on it have different datasets
	QuestionOfGold string    // the question that Gold answers, if runs may have different ones
	Data           any       // further data that only the scorer reads
}

// ResamplingUnit returns what is resampled with the unit: its cluster, or else the unit itself.
func (u Unit) ResamplingUnit() string { return cmp.Or(u.Cluster, u.ID) }

// section names a group of units whose results a report shows.
type section struct {
	name     string
	division int // index in [Sheet.Divisions] of the division that the group belongs to; −1: all units
}

// containsUnit reports whether a unit is in the section.
func (s section) containsUnit(u Unit) bool { return s.division < 0 || u.Groups[s.division] == s.name }

// filter returns the units in the section.
func (s section) filter(units []Unit) (in []Unit) {
	for _, u := range units {
		if s.containsUnit(u) {
			in = append(in, u)
		}
	}
	return in
}

// SharedUnit holds a unit that two runs judged, as scored in run A and in run B.
type SharedUnit struct{ A, B Unit }

// sharedUnits returns the units with ids in both lists, which must be sorted by id.
func sharedUnits(a, b []Unit) (out []SharedUnit) {
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

// ClusterSums returns one row for each cluster of shared units: the sum of the rows of its units, which row returns.
func ClusterSums(shared []SharedUnit, row func(SharedUnit) []float64) (rows [][]float64) {
	var sums OrderedMap[string, []float64]
	for _, j := range shared {
		sum := sums.Get(j.A.ResamplingUnit())
		if *sum == nil {
			*sum = row(j)
		} else {
			floats.Add(*sum, row(j))
		}
	}
	return sums.Values
}
