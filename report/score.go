// Package report lays results out: tables, figures and pages. It computes
// nothing; every number in it comes from scoring.
package report

import (
	"encoding/json"
	"io"
	"strconv"

	"gavel/report/table"
	"gavel/scoring"
)

// Scores is `gavel score --json`.
type Scores struct {
	Runs []scoring.Report `json:"runs"`
}

// WriteJSON writes v the way all of gavel's JSON is written.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// CSV writes one row per run, metric and group.
func (s Scores) CSV(w io.Writer) error {
	rows := [][]string{{"run", "protocol", "prompt", "model", "dataset", "metric", "group", "value", "n", "low", "high", "missing", "note"}}
	modes := ways{}
	for _, r := range s.Runs {
		for _, x := range r.Results {
			modes.of(len(rows), x.Mode, x.Unit)
			d := decimals(x.Unit)
			rows = append(rows, []string{r.Run, r.Protocol, r.Prompt, r.Model, r.Dataset, x.Metric, x.Group,
				table.Cell(x.Value, d), strconv.Itoa(x.N), table.Cell(x.Low, d), table.Cell(x.High, d), x.Missing, x.Note})
		}
		for _, x := range further(r) {
			rows = append(rows, []string{r.Run, r.Protocol, r.Prompt, r.Model, r.Dataset, x.metric, x.group,
				table.Cell(x.value, 6), strconv.Itoa(x.n), table.Cell(x.low, 6), table.Cell(x.high, 6), x.missing, x.note})
		}
		for _, o := range scoring.Outcomes {
			rows = append(rows, []string{r.Run, r.Protocol, r.Prompt, r.Model, r.Dataset, "outcome:" + o, scoring.Overall,
				strconv.Itoa(r.Outcomes[o]), strconv.Itoa(r.Games()), "", "", "", "count of " + layoutOf(r.Protocol).Noun})
		}
	}
	return table.WriteCSV(w, modes.onto(rows))
}

// decimals of a number in CSV.
func decimals(unit string) int {
	if unit == "" {
		return 4
	}
	return 6
}

// ways are mode and unit of CSV rows. They are two more columns, the last, of a
// file in which some row has one; files of pairs alone stay as they were.
type ways map[int][2]string

func (m ways) of(row int, mode, unit string) {
	if mode != "" || unit != "" {
		m[row] = [2]string{mode, unit}
	}
}

func (m ways) onto(rows [][]string) [][]string {
	if len(m) == 0 {
		return rows
	}
	m[0] = [2]string{"mode", "unit"}
	for i := range rows {
		rows[i] = append(rows[i], m[i][0], m[i][1])
	}
	return rows
}

// Tables lays the runs out for people: where there are several of a layout, one
// table of them all first.
func (s Scores) Tables() []table.Table {
	tables := s.summaries()
	for _, r := range s.Runs {
		tables = append(tables, layoutOf(r.Protocol).Tables(r)...)
	}
	return tables
}

// Headlines are the tables over several runs of a layout, and of one with a
// single run that run's first.
func (s Scores) Headlines() (tables []table.Table) {
	for _, runs := range s.byLayout() {
		l := layoutOf(runs[0].Protocol)
		if len(runs) > 1 {
			tables = append(tables, l.Summary(runs))
		} else {
			tables = append(tables, l.Tables(runs[0])[0])
		}
	}
	return tables
}

// summaries are the tables over several runs, one for each layout.
func (s Scores) summaries() (tables []table.Table) {
	for _, runs := range s.byLayout() {
		if len(runs) > 1 {
			tables = append(tables, layoutOf(runs[0].Protocol).Summary(runs))
		}
	}
	return tables
}

func (s Scores) byLayout() [][]scoring.Report {
	return Part(s.Runs, func(r scoring.Report) *Layout { return layoutOf(r.Protocol) })
}

// extra is a row of the CSV beyond the metrics.
type extra struct {
	metric, group    string
	value, low, high *float64
	n                int
	missing, note    string
}

// further lists what repeats and calibration add to a run's rows.
func further(r scoring.Report) []extra {
	var rows []extra
	if x := r.Repeats; x != nil {
		a := x.SelfAgreement
		rows = append(rows, extra{a.Metric, a.Group, a.Value, a.Low, a.High, a.N, a.Missing, a.Note})
		for _, v := range x.Values {
			rows = append(rows, extra{metric: "noise-floor:" + v.Metric, group: v.Group, value: v.NoiseFloor, n: v.Pairs, missing: "pair left out", note: "percentage points; n counts pairs"})
		}
	}
	if c := r.Calibration; c != nil {
		for _, e := range []struct {
			name string
			scoring.Estimate
		}{{"brier", c.Brier}, {"ece", c.ECE}, {"confidence", c.Confidence}, {"accuracy", c.Accuracy}} {
			rows = append(rows, extra{e.name, scoring.Overall, e.Value, e.Low, e.High, c.N, c.Missing, "from 0 to 1, decided games"})
		}
	}
	return rows
}
