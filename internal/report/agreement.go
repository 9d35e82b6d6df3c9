package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"gavel/internal/report/table"
	"gavel/scoring"
)

// Agreement wraps what `gavel agree` prints.
type Agreement struct{ *scoring.Agreement }

// CSV writes one row per turn, kinds of voters and setup.
func (a Agreement) CSV(w io.Writer) error {
	rows := [][]string{{
		"run", "model", "human", "turn", "between", "and", "setup", "value", "equal", "n", "low", "high",
		"chance", "note",
	}}
	for _, r := range a.Rows {
		rows = append(rows,
			[]string{a.Run, a.Model, a.Human, strconv.Itoa(r.Turn), r.Between[0], r.Between[1], r.Setup,
				table.Cell(r.Value, 4), strconv.Itoa(r.Equal), strconv.Itoa(r.N), table.Cell(r.Low, 4),
				table.Cell(r.High, 4), table.Cell(&r.Chance, 4), r.Note})
	}
	return table.WriteCSV(w, rows)
}

// Tables lays it out as the paper does: the two setups side by side.
func (a Agreement) Tables() []table.Table {
	t := table.Table{
		Title:   fmt.Sprintf("%s · %s%s\npeople: %s", a.Model, a.Dataset, simulatedMark(a.Simulated), a.Human),
		Columns: table.Left("turn", "votes of", "and of").Right("S1: with ties, %", "n", "S2: without ties, %", "n"),
	}
	var methods []string
	for _, r := range a.Rows {
		methods = append(methods, r.Interval)
		if r.Note != "" && !slices.Contains(t.Notes, r.Note) {
			t.Note(r.Note)
		}
	}
	for i := 0; i+1 < len(a.Rows); i += 2 {
		s1, s2 := a.Rows[i], a.Rows[i+1]
		t.Row(
			strconv.Itoa(s1.Turn), s1.Between[0], s1.Between[1], agreed(s1), strconv.Itoa(s1.N), agreed(s2),
			strconv.Itoa(s2.N),
		)
	}
	t.Note(
		"n: pairs of votes, one of each, on the same two answers to the same turn; "+
			"votes at random would agree in 33.33 % with ties and 50 % without",
		Intervals(a.Bootstrap, methods))
	t.Warn(a.Warnings)
	return []table.Table{t}
}

// agreed is a percentage with its interval.
func agreed(r scoring.AgreementRow) string { return table.Interval(r.Value, r.Low, r.High, 2, 1) }
