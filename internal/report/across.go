package report

import (
	"slices"

	"gavel/internal/doc"
	"gavel/scoring"
)

// Across holds what an analysis finds when it looks at several judges of the same items together. To add an analysis,
// write its function and name it in the layout of its protocol; boards, suites, reports, CSV and JSON then show it.
type Across struct {
	Protocol string           `json:"protocol"`
	Dataset  string           `json:"dataset"`
	Results  []scoring.Result `json:"results"` // scores; their n counts judges
	Blocks   []doc.Block      `json:"-"`       // the same results as tables and charts
}

// findAcross runs the analysis across judges that the protocol's layout names. It returns nil if the layout names none,
// or if the analysis finds nothing.
func findAcross(judges []BoardRow) *Across {
	r := Board{Rows: judges}.first().Report
	find := layoutOf(r.Protocol).AnalyzeAcross
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

// AcrossJudges returns the findings of analyses across judges: one for each group of runs over the same items.
func AcrossJudges(runs []*scoring.Run, reports []scoring.Report) (all []Across) {
	names := NamesOf(reports)
	for _, group := range groupBySameItems(runs) {
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

// groupBySameItems groups runs that one leaderboard can rank. A group holds the indexes of its runs.
func groupBySameItems(runs []*scoring.Run) (groups [][]int) {
	for i, r := range runs {
		g := slices.IndexFunc(groups, func(group []int) bool { return canRankTogether(runs[group[0]], r) })
		if g < 0 {
			g = len(groups)
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}

// blocks returns a's tables and charts, with prefix in front of their ids; nothing if a is nil.
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
