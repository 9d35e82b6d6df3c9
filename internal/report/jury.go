package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"gavel/internal/jury"
	"gavel/internal/report/table"
)

// Jury wraps what `gavel jury` prints.
type Jury struct{ *jury.Report }

// mostJuriesShown is how many juries of --best a table lists.
const mostJuriesShown = 20

// mostPairsShown is how many pairs of members a table lists.
const mostPairsShown = 15

// CSV writes the jury, its members and, with --best, every jury.
func (j Jury) CSV(w io.Writer) error {
	rows := [][]string{{"kind", "runs", "metric", "value", "low", "high", "n"}}
	n := strconv.Itoa(j.N)
	rows = append(rows, []string{
		"jury", j.Report.Jury, j.Metric, table.Cell(j.Value.Value, 4), table.Cell(j.Value.Low, 4),
		table.Cell(j.Value.High, 4), n,
	})
	for _, m := range j.Members {
		rows = append(rows, []string{
			"member", m.Run, j.Metric, table.Cell(m.Value, 4), table.Cell(m.Low, 4), table.Cell(m.High, 4), n,
		})
	}
	rows = append(rows, []string{
		"gain", j.Report.Jury, j.Metric, table.Cell(j.Gain.Diff, 4), table.Cell(j.Gain.Low, 4),
		table.Cell(j.Gain.High, 4), n,
	})
	if j.Best != nil {
		for _, s := range j.Best.All {
			rows = append(rows, []string{
				"jury-of-" + strconv.Itoa(j.Best.Size), strings.Join(s.Runs, " "), j.Metric,
				table.Cell(s.Value, 4), "", "", n,
			})
		}
	}
	return table.WriteCSV(w, rows)
}

// Tables are the jury beside its members, how alike these err, and the best juries.
func (j Jury) Tables() []table.Table {
	beside := table.Table{
		Title:   fmt.Sprintf("jury of %d by %s · n=%d", len(j.Members), j.Rule, j.N),
		Columns: append(table.Left("judge"), table.Right(j.Metric+" %")...),
	}
	row := func(name string, value, low, high *float64) {
		beside.Rows = append(beside.Rows, []string{name, table.Interval(value, low, high, 2, 1)})
	}
	row("jury", j.Value.Value, j.Value.Low, j.Value.High)
	for _, m := range j.Members {
		row(m.Model+" ("+m.Run+")", m.Value, m.Low, m.High)
	}
	beside.Notes = []string{
		fmt.Sprintf("jury − best member: %s points, paired; the best member was chosen on the same items, "+
			"so its value is a little too high", table.Interval(j.Gain.Diff, j.Gain.Low, j.Gain.High, 2, 1)),
		fmt.Sprintf("%d judgments of the members went into it", j.Calls),
	}
	if j.Effective != nil {
		beside.Notes = append(beside.Notes, fmt.Sprintf("by how alike they err, "+
			"the %d members are worth %s independent judges", len(j.Members), table.Fixed(j.Effective, 1)))
	}
	beside.Notes = append(beside.Notes, table.Warned(j.Warnings)...)
	errors := table.Table{Columns: append(table.Left("errors of", "and of"), table.Right("κ", "both wrong")...)}
	alike := slices.SortedStableFunc(slices.Values(j.Errors), func(a, b jury.Likeness) int {
		return cmp.Compare(orLeast(b.Kappa), orLeast(a.Kappa))
	})
	if n := len(alike) - mostPairsShown; n > 0 {
		alike = alike[:mostPairsShown]
		errors.Notes = []string{fmt.Sprintf("those most alike; %d more pairs in --json", n)}
	}
	for _, l := range alike {
		errors.Rows = append(errors.Rows, []string{l.A, l.B, table.Fixed(l.Kappa, 2), strconv.Itoa(l.BothFail)})
	}
	errors.Notes = append(errors.Notes,
		"κ: Cohen's kappa of whether both are right on an item; 0: as expected by chance, 1: always the same")
	tables := []table.Table{beside, errors}
	if b := j.Best; b != nil {
		tables = append(tables, best(b, j.Metric))
	}
	return tables
}

func best(b *jury.Best, metric string) table.Table {
	t := table.Table{
		Title:   fmt.Sprintf("juries of %d, best first", b.Size),
		Columns: append(table.Left("members"), table.Right(metric+" %, all items")...),
	}
	for _, s := range b.All[:min(len(b.All), mostJuriesShown)] {
		t.Rows = append(t.Rows, []string{strings.Join(s.Runs, ", "), table.Fixed(s.Value, 2)})
	}
	if n := len(b.All) - mostJuriesShown; n > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("and %d more, see --json", n))
	}
	t.Notes = append(t.Notes,
		fmt.Sprintf("chosen on one half of the items and reported on the other, mean of %d splits: "+
			"the best jury %s %%, the best single judge %s %%, gain %s points",
			b.Splits, table.Fixed(b.Value, 2), table.Fixed(b.Single, 2), table.Fixed(b.Gain, 2)),
		fmt.Sprintf("chosen most often (%d of %d): %s", b.Chosen, b.Splits, strings.Join(b.Runs, ", ")))
	return t
}

// orLeast is a coefficient, or less than any where there is none.
func orLeast(kappa *float64) float64 {
	if kappa == nil {
		return -2
	}
	return *kappa
}
