package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"

	"gavel/internal/jury"
	"gavel/internal/report/table"
)

// Jury wraps what `gavel jury` prints.
type Jury struct{ *jury.Report }

// mostPairsShown is how many pairs of members a table lists.
const mostPairsShown = 15

// Sentences are the answer.
func (j Jury) Sentences() []string { return []string{j.Says} }

// CSV writes the jury, its members and what the jury gains.
func (j Jury) CSV(w io.Writer) error {
	rows := [][]string{{"kind", "runs", "metric", "value", "low", "high", "n"}}
	add := func(kind, run string, numbers ...*float64) {
		row := []string{kind, run, j.Metric}
		for _, v := range numbers {
			row = append(row, table.Cell(v, 4))
		}
		rows = append(rows, append(row, strconv.Itoa(j.N)))
	}
	add("jury", j.Report.Jury, j.Value.Value, j.Value.Low, j.Value.High)
	for _, m := range j.Members {
		add("member", m.Run, m.Value, m.Low, m.High)
	}
	add("gain", j.Report.Jury, j.Gain.Diff, j.Gain.Low, j.Gain.High)
	return table.WriteCSV(w, rows)
}

// Tables are the jury beside its members, and how alike these err.
func (j Jury) Tables() []table.Table {
	beside := table.Table{
		Title:   fmt.Sprintf("jury of %d by %s · n=%d", len(j.Members), j.Rule, j.N),
		Columns: table.Left("judge").Right(j.Metric+" %", "where both orders agree", "pairs kept").Spare("pairs kept"),
	}
	row := func(name string, value, low, high, alike, coverage *float64) {
		beside.Row(name, table.Interval(value, low, high, 1, 1), share100(alike), share100(coverage))
	}
	row("jury", j.Value.Value, j.Value.Low, j.Value.High, j.RightWhereAlike, j.Coverage)
	for _, m := range j.Members {
		row(m.Model+" ("+m.Run+")", m.Value, m.Low, m.High, m.RightWhereAlike, m.Coverage)
	}
	beside.Notes = []string{
		fmt.Sprintf("jury − best member: %s points, paired; the best member was chosen on the same items, "+
			"so its value is a little too high", table.Interval(j.Gain.Diff, j.Gain.Low, j.Gain.High, 1, 1)),
		fmt.Sprintf("%d judgments of the members went into it", j.Calls),
	}
	if j.Effective != nil {
		beside.Notef("by how alike they err, "+
			"the %d members are worth %s independent judges", len(j.Members), table.Fixed(j.Effective, 1))
	}
	beside.Warn(j.Warnings)
	errors := table.Table{Columns: table.Left("errors of", "and of").Right("κ", "both wrong")}
	alike := slices.SortedStableFunc(slices.Values(j.Errors), func(a, b jury.Likeness) int {
		return cmp.Compare(orLeast(b.Kappa), orLeast(a.Kappa))
	})
	if n := len(alike) - mostPairsShown; n > 0 {
		alike = alike[:mostPairsShown]
		errors.Notes = []string{fmt.Sprintf("those most alike; %d more pairs in --json", n)}
	}
	for _, l := range alike {
		errors.Row(l.A, l.B, table.Fixed(l.Kappa, 2), strconv.Itoa(l.BothFail))
	}
	errors.Note(
		"κ: Cohen's kappa of whether both are right on an item; 0: as expected by chance, 1: always the same")
	return []table.Table{beside, errors}
}

// share100 is a percentage; "" where there is none.
func share100(v *float64) string {
	if v == nil {
		return ""
	}
	return table.Fixed(v, 1)
}

// orLeast is a coefficient, or less than any where there is none.
func orLeast(kappa *float64) float64 {
	if kappa == nil {
		return -2
	}
	return *kappa
}
