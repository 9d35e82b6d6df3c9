package report

import (
	"slices"

	"gavel/internal/doc"
	"gavel/scoring"
)

// Across holds what an analysis finds in several judges of the same items. To add one, write its function and name it
// in the layout of the protocol: boards, suites, reports, CSV and JSON show what it finds.
type Across struct {
	Protocol string           `json:"protocol"`
	Dataset  string           `json:"dataset"`
	Results  []scoring.Result `json:"results"` // n counts judges
	Blocks   []doc.Block      `json:"-"`
}

// findAcross runs the analysis of a board's protocol on its judges; nil if there is none or it finds nothing.
func findAcross(judges []BoardRow) *Across {
	r := Board{Rows: judges}.report()
	find := layoutOf(r.Protocol).Across
	if find == nil {
		return nil
	}
	a := find(judges)
	if a != nil {
		a.Protocol = r.Protocol
		a.Dataset = r.Dataset
	}
	return a
}

// AcrossJudges returns what analyses find in each group of runs of the same items.
func AcrossJudges(runs []*scoring.Run, reports []scoring.Report) (all []Across) {
	names := NamesOf(reports)
	for _, group := range sameItems(runs) {
		var judges []BoardRow
		for _, i := range group {
			judges = append(judges, BoardRow{Name: names[i], Report: &reports[i]})
		}
		if a := findAcross(judges); a != nil {
			all = append(all, *a)
		}
	}
	return all
}

// sameItems groups runs that stand on one leaderboard, by their places.
func sameItems(runs []*scoring.Run) (groups [][]int) {
	for i, r := range runs {
		g := slices.IndexFunc(groups, func(group []int) bool { return together(runs[group[0]], r) })
		if g < 0 {
			g = len(groups)
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}

// blocks returns the blocks with ids that begin with prefix; none of nil.
func (a *Across) blocks(prefix string) (all []doc.Block) {
	if a == nil {
		return nil
	}
	for _, b := range a.Blocks {
		b.ID = prefix + b.ID
		all = append(all, b)
	}
	return all
}
