// Package report lays results out: tables, figures and pages. It computes
// nothing; every number in it comes from scoring.
package report

import (
	"cmp"
	"io"
	"slices"
	"strconv"

	"gavel/internal/report/table"
	"gavel/scoring"
)

// Scores is `gavel score --json`.
type Scores struct {
	Runs []scoring.Report `json:"runs"`
	Next []Next           `json:"-"` // what one may do now
	// of several judges that were asked the same, which are the best; nil of others
	Board *Board `json:"-"`
}

// CSV writes one row per run, metric and group.
func (s Scores) CSV(w io.Writer) error {
	rows := [][]string{{
		"run", "protocol", "prompt", "model", "dataset", "metric", "group", "value", "n", "low", "high",
		"missing", "note", "mode", "unit",
	}}
	names := map[string]string{"run": "name"}
	for _, r := range s.Runs {
		names[r.Run] = r.Name
		row := func(x scoring.Result, d int) {
			rows = append(rows, []string{r.Run, r.Protocol, r.Prompt, r.Model, r.Dataset, x.Metric, x.Group,
				table.Cell(x.Value, d), strconv.Itoa(x.N), table.Cell(x.Low, d), table.Cell(x.High, d),
				x.Missing, x.Note, x.Mode, x.Unit})
		}
		for _, x := range r.Results {
			row(x, decimals(x.Unit))
		}
		for _, x := range further(r) {
			row(x, 6)
		}
		for _, o := range scoring.Outcomes {
			row(scoring.Result{
				Metric: "outcome:" + o,
				Group:  scoring.Overall,
				Value:  new(float64(r.Outcomes[o])),
				N:      r.Judgments(),
				Note:   "count of " + layoutOf(r.Protocol).Noun,
			}, 0)
		}
	}
	rows = withoutModes(rows)
	if slices.ContainsFunc(s.Runs, func(r scoring.Report) bool { return r.Name != "" }) {
		for i, row := range rows {
			rows[i] = append(row, names[row[0]])
		}
	}
	return table.WriteCSV(w, rows)
}

// decimals of a number in CSV.
func decimals(unit string) int {
	if unit == "" {
		return 4
	}
	return 6
}

// withoutModes leaves mode and unit, the last columns, out of a file in which no
// row has one: files of pairs alone stay as they were.
func withoutModes(rows [][]string) [][]string {
	last := len(rows[0]) - 2
	if slices.ContainsFunc(rows[1:], func(r []string) bool { return r[last]+r[last+1] != "" }) {
		return rows
	}
	for i, r := range rows {
		rows[i] = r[:last]
	}
	return rows
}

// Tables lays the runs out for people: where there are several of a layout, one table of them all first.
func (s Scores) Tables() []table.Table {
	tables := s.summaries()
	for _, r := range s.Runs {
		tables = append(tables, layoutOf(r.Protocol).Tables(r)...)
	}
	return append(tables, s.Costs()...)
}

// summaries are the tables over several runs, one for each layout.
func (s Scores) summaries() (tables []table.Table) {
	for _, runs := range Part(s.Runs, func(r scoring.Report) *Layout { return layoutOf(r.Protocol) }) {
		if l := layoutOf(runs[0].Protocol); len(runs) > 1 {
			tables = append(tables, explained(diagnosed(l.Summary(runs), runs), runs[0].Protocol))
		}
	}
	return tables
}

// Part puts what has the same key together, in the order of the first of each.
func Part[T any, K comparable](all []T, key func(T) K) (parts [][]T) {
	place := map[K]int{}
	for _, x := range all {
		i, ok := place[key(x)]
		if !ok {
			i = len(parts)
			place[key(x)] = i
			parts = append(parts, nil)
		}
		parts[i] = append(parts[i], x)
	}
	return parts
}

// diagnosed adds what each judge is good for to a table with a row a run.
func diagnosed(t table.Table, runs []scoring.Report) table.Table {
	if len(t.Rows) != len(runs) || !slices.ContainsFunc(runs, func(r scoring.Report) bool { return r.Diagnosis != nil }) {
		return t
	}
	t.Columns = t.Columns.Left("diagnosis")
	for i, r := range runs {
		t.Rows[i] = append(t.Rows[i], Diagnosis(r))
	}
	return t
}

// further lists what repetitions, calibration and soft verdicts add to a run's rows.
func further(r scoring.Report) []scoring.Result {
	var rows []scoring.Result
	if x := r.Repetitions; x != nil {
		rows = append(rows, x.SelfAgreement)
		for _, v := range x.Values {
			rows = append(rows, scoring.Result{
				Metric:  "noise-floor:" + v.Metric,
				Group:   v.Group,
				Mode:    v.Mode,
				Unit:    v.Unit,
				Value:   v.NoiseFloor,
				N:       v.Pairs,
				Missing: r.Bootstrap.Unit + " left out",
				Note:    cmp.Or(v.Unit, "percentage points") + "; n counts " + r.Bootstrap.Unit + "s",
			})
		}
	}
	add := func(name string, e scoring.Estimate, of scoring.Calibration, note string) {
		rows = append(rows, scoring.Result{
			Metric:  name,
			Group:   scoring.Overall,
			Value:   e.Value,
			Low:     e.Low,
			High:    e.High,
			N:       of.N,
			Missing: of.Missing,
			Note:    "from 0 to 1, " + note,
		})
	}
	each := func(prefix string, c scoring.Calibration, note string) {
		add(prefix+"brier", c.Brier, c, note)
		add(prefix+"ece", c.ECE, c, note)
		add(prefix+"confidence", c.Confidence, c, note)
		add(prefix+"accuracy", c.Accuracy, c, note)
	}
	if c := r.Calibration; c != nil {
		each("", *c, "decided "+layoutOf(r.Protocol).Noun)
	}
	if s := r.Soft; s != nil {
		const note = "pairs with probabilities in both orders"
		each("soft-", s.Calibration, note)
		add("soft-auroc", s.AUROC, s.Calibration, note)
	}
	return rows
}
