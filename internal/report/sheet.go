package report

import (
	"slices"
	"strconv"
	"strings"

	"gavel/internal/report/table"
	"gavel/scoring"
)

// csvRowsOf returns the rows of a CSV file with the scores of runs: one for each run, metric and group.
func csvRowsOf(runs []scoring.Report) [][]string {
	rows := [][]string{
		strings.Fields("run protocol prompt model dataset metric group value n low high missing note mode unit"),
	}
	names := map[string]string{"run": "name"}
	for _, r := range runs {
		names[r.Run] = r.Name
		row := func(x scoring.Result, d int) {
			rows = append(rows, []string{r.Run, r.Protocol, r.Prompt, r.Model, r.Dataset, x.Metric, x.Group,
				table.CSVNumber(x.Value, d), strconv.Itoa(x.N), table.CSVNumber(x.Low, d), table.CSVNumber(x.High, d),
				x.MissingRule, x.Note, x.Mode, x.Unit})
		}
		for _, x := range r.Results {
			row(x, decimals(x.Unit))
		}
		for _, x := range analysisResults(r).Results {
			row(x, 6)
		}
		for _, o := range scoring.Outcomes {
			if r.Model == "" { // results over several runs
				break
			}
			row(scoring.Result{
				Metric: "outcome:" + o,
				Group:  scoring.Overall,
				Value:  new(float64(r.Outcomes[o])),
				N:      r.Judgments(),
				Note:   "count of " + layoutOf(r.Protocol).Noun,
			}, 0)
		}
	}
	rows = dropModeColumns(rows)
	if slices.ContainsFunc(runs, func(r scoring.Report) bool { return r.Name != "" }) {
		for i, row := range rows {
			rows[i] = append(row, names[row[0]])
		}
	}
	return rows
}

// decimals returns the number of decimals in CSV for numbers of a unit.
func decimals(unit string) int {
	if unit == "" {
		return 4
	}
	return 6
}

// dropModeColumns removes the last two columns, mode and unit, if no row has a value in them.
func dropModeColumns(rows [][]string) [][]string {
	last := len(rows[0]) - 2
	if slices.ContainsFunc(rows[1:], func(r []string) bool { return r[last]+r[last+1] != "" }) {
		return rows
	}
	for i, r := range rows {
		rows[i] = r[:last]
	}
	return rows
}
