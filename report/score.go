package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

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
				number(x.Value, d), strconv.Itoa(x.N), number(x.Low, d), number(x.High, d), x.Missing, x.Note})
		}
		for _, x := range further(r) {
			rows = append(rows, []string{r.Run, r.Protocol, r.Prompt, r.Model, r.Dataset, x.metric, x.group,
				number(x.value, 6), strconv.Itoa(x.n), number(x.low, 6), number(x.high, 6), x.missing, x.note})
		}
		for _, o := range scoring.Outcomes {
			rows = append(rows, []string{r.Run, r.Protocol, r.Prompt, r.Model, r.Dataset, "outcome:" + o, scoring.Overall,
				strconv.Itoa(r.Outcomes[o]), strconv.Itoa(r.Games()), "", "", "", "count of " + viewOf(r.Protocol).noun})
		}
	}
	return writeCSV(w, modes.onto(rows))
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

// Tables lays the runs out for people: where there are several of a kind, one
// table of them all first.
func (s Scores) Tables() []Table {
	tables := s.summaries()
	for _, r := range s.Runs {
		tables = append(tables, viewOf(r.Protocol).run(r)...)
	}
	return tables
}

// Headlines are the tables over several runs of a kind, and of a kind with one
// run that run's first.
func (s Scores) Headlines() (tables []Table) {
	for _, runs := range s.kinds() {
		view := viewOf(runs[0].Protocol)
		if len(runs) > 1 {
			tables = append(tables, view.summary(runs))
		} else {
			tables = append(tables, view.run(runs[0])[0])
		}
	}
	return tables
}

// summaries are the tables over several runs, one for each kind.
func (s Scores) summaries() (tables []Table) {
	for _, runs := range s.kinds() {
		if len(runs) > 1 {
			tables = append(tables, viewOf(runs[0].Protocol).summary(runs))
		}
	}
	return tables
}

func pairTables(r scoring.Report) []Table {
	tables := append([]Table{runTable(r)}, referenceTable(r)...)
	if r.Repeats != nil {
		tables = append(tables, repeatsTable(r.Repeats))
	}
	if r.Calibration != nil {
		tables = append(tables, calibrationTable(r.Calibration), coverageTable(r.Calibration))
	}
	return tables
}

func pairSummary(runs []scoring.Report) Table {
	t := Table{Title: fmt.Sprintf("%d runs (percent, 95 %% intervals over pairs)", len(runs)), Columns: []Column{
		{"model", false}, {"goal", false}, {"prompt", false}, {"dataset", false}, {"strict", true}, {"counter", true}, {"consistency", true}, {"first-position", true}, {"pairs", true}, {"decided", true},
	}}
	for _, r := range runs {
		row := []string{r.Model, r.Goal, prompted(r.Prompt, r.Settings), r.Dataset}
		for _, m := range []string{"strict", "counter", "consistency", "first-position"} {
			row = append(row, withInterval(find(r, m, scoring.Overall)))
		}
		t.Rows = append(t.Rows, append(row, strconv.Itoa(r.Items), fmt.Sprintf("%d/%d", r.Outcomes[scoring.Decided], r.Games())))
	}
	return t
}

// runTable is one run: a row per metric, a column per group, outcomes and
// warnings beneath.
func runTable(r scoring.Report) Table {
	groups := groupsOf(r)
	t := Table{
		Title:   fmt.Sprintf("%s · %s (which is %s?) · prompt %s · %s%s", r.Model, r.Protocol, r.Goal, prompted(r.Prompt, r.Settings), r.Dataset, simulatedMark(r.Simulated)),
		Columns: []Column{{"percent", false}},
	}
	for _, g := range groups {
		t.Columns = append(t.Columns, Column{fmt.Sprintf("%s (n=%d)", g, find(r, "strict", g).N), true})
	}
	t.Columns = append(t.Columns, Column{"n", true}, Column{"missing verdicts", false})
	for _, m := range scoring.Metrics {
		row := []string{m.Name}
		for _, g := range groups {
			if x := find(r, m.Name, g); g == scoring.Overall {
				row = append(row, withInterval(x))
			} else {
				row = append(row, value(x.Value))
			}
		}
		x := find(r, m.Name, scoring.Overall)
		t.Rows = append(t.Rows, append(row, strconv.Itoa(x.N), x.Missing))
	}
	t.Notes = append(t.Notes, "games: "+outcomeLine(r))
	t.Notes = append(t.Notes, fmt.Sprintf("intervals: %g %% bootstrap over pairs, %d rounds, seed %d; labels read by policy %q; two coins would score 25 in strict",
		100*r.Bootstrap.Level, r.Bootstrap.Rounds, r.Bootstrap.Seed, r.Policy))
	t.Notes = append(t.Notes, metricNotes(r)...)
	t.Notes = append(t.Notes, warned(r)...)
	return t
}

// metricNotes says what the overall numbers remark.
func metricNotes(r scoring.Report) []string {
	var said remarks
	for _, m := range scoring.Metrics {
		said.add(m.Name, find(r, m.Name, scoring.Overall).Note)
	}
	return said.lines()
}

// prompted is a prompt with what was asked for beside it.
func prompted(prompt, settings string) string {
	if settings == "" {
		return prompt
	}
	return prompt + ", " + settings
}

func simulatedMark(sim bool) string {
	if sim {
		return " · SIMULATED"
	}
	return ""
}

func groupsOf(r scoring.Report) []string {
	var groups []string
	for _, x := range r.Results {
		if !slices.Contains(groups, x.Group) {
			groups = append(groups, x.Group)
		}
	}
	return groups
}

func find(r scoring.Report, metric, group string) scoring.Result {
	for _, x := range r.Results {
		if x.Metric == metric && x.Group == group {
			return x
		}
	}
	return scoring.Result{}
}

// outcomeLine lists the outcomes that occurred, decided first.
func outcomeLine(r scoring.Report) string {
	var parts []string
	for _, o := range scoring.Outcomes {
		if n := r.Outcomes[o]; n > 0 || o == scoring.Decided {
			parts = append(parts, fmt.Sprintf("%s %d", o, n))
		}
	}
	return fmt.Sprintf("%d = %s", r.Games(), strings.Join(parts, " + "))
}

// number writes a value with so many decimals, without zeros at the end; "" for null.
func number(v *float64, decimals int) string {
	if v == nil {
		return ""
	}
	s := strconv.FormatFloat(*v, 'f', decimals, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// value writes a percentage with two decimals, n/a for null.
func value(v *float64) string {
	if v == nil {
		return "n/a"
	}
	return strconv.FormatFloat(*v, 'f', 2, 64)
}

func withInterval(r scoring.Result) string {
	if r.Value == nil {
		return "n/a"
	}
	return fmt.Sprintf("%s [%s, %s]", value(r.Value), tenth(r.Low), tenth(r.High))
}

func tenth(v *float64) string {
	if v == nil {
		return "n/a"
	}
	return strconv.FormatFloat(*v, 'f', 1, 64)
}
