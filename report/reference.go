package report

import (
	"fmt"
	"strconv"

	"gavel/scoring"
)

// referenceTable says whether a judge compares better where it answers right; it
// is there for runs with the judge's own answers as references.
func referenceTable(r scoring.Report) []Table {
	if find(r, scoring.GenerationAccuracy, scoring.Overall).Metric == "" {
		return nil
	}
	groups := groupsOf(r)
	t := Table{Title: "does it compare better where it answers right?", Columns: []Column{{"percent; r: −1 to 1", false}}}
	for _, g := range groups {
		t.Columns = append(t.Columns, Column{fmt.Sprintf("%s (n=%d)", g, find(r, scoring.GenerationAccuracy, g).N), true})
	}
	t.Columns = append(t.Columns, Column{"n", true}, Column{"missing verdicts", false})
	var said remarks
	for _, m := range scoring.ReferenceMetrics {
		row := []string{m}
		for _, g := range groups {
			if x := find(r, m, g); g == scoring.Overall {
				row = append(row, whole(x))
			} else {
				row = append(row, plain(x))
			}
		}
		x := find(r, m, scoring.Overall)
		said.add(m, x.Note)
		t.Rows = append(t.Rows, append(row, strconv.Itoa(x.N), x.Missing))
	}
	t.Notes = append(t.Notes, "over the pairs of which it can be told whether the judge's own answer, which it was shown as reference, is right: G; J is strict")
	t.Notes = append(t.Notes, said.lines()...)
	return []Table{t}
}
