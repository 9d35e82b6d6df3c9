package scoring

import (
	"cmp"

	"gonum.org/v1/gonum/floats"
)

// Unit is what is scored: a pair, a question, a judgment of an answer, an item.
type Unit struct {
	ID      string
	Cluster string // what units have in common that are resampled together; "": it is by itself

	Question string // what units of a cluster have the Own columns of; where the dataset has no clusters, the cluster

	Groups []string  // that it is of, one for each of the sheet's divisions
	Row    []float64 // what it adds to the columns
	Gold   string    // what is right of it: runs that were asked the same and disagree on it are of different datasets
	Asked  string    // what Gold is the answer to, where runs may be asked different things
	Of     any       // what the scorer knows of it beside
}

// section is a group of units.
type section struct {
	name     string
	division int // −1: all units
}

func (s section) has(u Unit) bool { return s.division < 0 || u.Groups[s.division] == s.name }

// of returns the units in the section.
func (s section) of(units []Unit) (in []Unit) {
	for _, u := range units {
		if s.has(u) {
			in = append(in, u)
		}
	}
	return in
}

// Joined is a unit of two runs.
type Joined struct{ A, B Unit }

// join pairs units by id; both lists are sorted by it.
func join(a, b []Unit) (out []Joined) {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch cmp.Compare(a[i].ID, b[j].ID) {
		case -1:
			i++
		case 1:
			j++
		default:
			out = append(out, Joined{a[i], b[j]})
			i, j = i+1, j+1
		}
	}
	return out
}

// ByCluster returns the rows of units that two runs share, those of one cluster added up.
func ByCluster(joined []Joined, row func(Joined) []float64) (rows [][]float64) {
	var sums Tally[string, []float64]
	for _, j := range joined {
		sum := sums.Of(cmp.Or(j.A.Cluster, j.A.ID))
		if *sum == nil {
			*sum = row(j)
		} else {
			floats.Add(*sum, row(j))
		}
	}
	return sums.Values
}
