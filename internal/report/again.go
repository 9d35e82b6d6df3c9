package report

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"gavel/internal/report/table"
	"gavel/scoring"
)

// Again are the tables of what asking more than once showed, and of how sure the judge was; none of
// a run that tells neither.
func Again(r scoring.Report) (tables []table.Table) {
	if r.Repetitions != nil {
		tables = append(tables, repetitionsTable(r))
	}
	if r.Calibration != nil {
		tables = append(tables, calibrationTable(r), coverageTable(r))
	}
	return tables
}

// repetitionsTable is each metric each time.
func repetitionsTable(run scoring.Report) table.Table {
	r := run.Repetitions
	t := table.Table{Title: fmt.Sprintf("asked %d times", r.Repetitions), Columns: table.Left("percent")}
	if slices.ContainsFunc(r.Values, func(v scoring.RepetitionValue) bool { return v.Unit != "" }) {
		t.Columns[0].Name = "percent; correlations and scores as the papers print them"
	}
	t.Columns = t.Columns.Right(run.Bootstrap.Unit + "s")
	for k := range r.Repetitions {
		t.Columns = t.Columns.Right(fmt.Sprintf("time %d", k+1))
	}
	t.Columns = t.Columns.Right("noise floor")
	for _, v := range r.Values {
		if v.Group != scoring.Overall {
			continue
		}
		row := []string{strings.TrimSpace(v.Metric + " " + v.Mode), strconv.Itoa(v.Pairs)}
		for _, x := range append(slices.Clip(v.Each), v.NoiseFloor) {
			row = append(row, table.Plain(scoring.Result{Value: x, Unit: v.Unit}))
		}
		t.Row(row...)
	}
	if len(r.Values) > 0 {
		t.Note(
			fmt.Sprintf("self-agreement: %s of %d prompts that got a verdict had the same verdict every time",
				table.Whole(r.SelfAgreement), r.SelfAgreement.N),
			fmt.Sprintf("noise floor: the largest difference between two repetitions, in points; "+
				"each repetition on the %ss answered every time, the scores above on all of the first repetition",
				run.Bootstrap.Unit))
	}
	if r.SelfAgreement.Note != "" {
		t.Note("self-agreement: " + r.SelfAgreement.Note)
	}
	return t
}

const noiseNote = "noise floor: the largest difference that asking the same judge again made, in points"

// noiseFloor says what the noise floors of a comparison are.
func noiseFloor(two *scoring.Comparison) string {
	if hasFloor(two) {
		return noiseNote
	}
	return "noise floor unknown: neither run asked more than once (--repeat 2)"
}

func hasFloor(two *scoring.Comparison) bool {
	return slices.ContainsFunc(two.Differences, func(d scoring.Difference) bool { return d.Floor != nil })
}

// calibrationTable is the reliability diagram in numbers.
func calibrationTable(r scoring.Report) table.Table {
	c, noun := r.Calibration, layoutOf(r.Protocol).Noun
	t := table.Table{
		Title:   fmt.Sprintf("is the judge right as often as its confidence says? (%d decided %s)", c.N, noun),
		Columns: table.Left("confidence").Right(noun, "mean confidence", "right"),
	}
	for _, b := range c.Bins {
		if b.N > 0 {
			t.Row(
				fmt.Sprintf("%.1f to %.1f", b.From, b.To),
				strconv.Itoa(b.N),
				share(b.Confidence),
				share(b.Accuracy),
			)
		}
	}
	t.Row("all", strconv.Itoa(c.N), Estimate(c.Confidence), Estimate(c.Accuracy))
	t.Note(
		fmt.Sprintf("Brier score %s (0 is best, 0.25 is a coin that says so), expected calibration error %s "+
			"over ten bins; a judge right as often as its confidence says would get %s on these confidences",
			Estimate(c.Brier), Estimate(c.ECE), Estimate(c.Calibrated)),
		"confidence: the probability, among the labels on offer, of those that name what is named; "+
			"a range holds its upper end",
		fmt.Sprintf("intervals: over %ss, of what is right in closed form, else by a smoothed bootstrap, "+
			"of the calibration error less its bias; of the judge right as often as its confidence says, "+
			"where 95 %% of such judges lie", r.Bootstrap.Unit))
	if c.Unknown > 0 {
		t.Notef("! %d decided %s without probabilities are left out", c.Unknown, noun)
	}
	return t
}

// coverageTable: how right the judge is where it is surest.
func coverageTable(r scoring.Report) table.Table {
	c := r.Calibration
	t := table.Table{
		Title:   "accuracy over coverage: only verdicts of at least a given confidence",
		Columns: table.Right("confidence at least", "coverage", layoutOf(r.Protocol).Noun, "right"),
	}
	for _, p := range c.Coverage {
		t.Row(
			table.Fixed(&p.Threshold, 4), share(&p.Coverage), strconv.Itoa(p.N), Estimate(p.Accuracy),
		)
	}
	return t
}

// share is a number from 0 to 1.
func share(v *float64) string { return table.Fixed(v, 3) }

// Estimate is a number from 0 to 1 with its interval.
func Estimate(e scoring.Estimate) string { return table.Interval(e.Value, e.Low, e.High, 3, 3) }

// Sureness draws how often the judge is right beside how sure it is; nothing of a run without probabilities.
func Sureness(p *RunPage) []Section {
	if p.Calibration == nil {
		return nil
	}
	c := Chart{
		Label: "How often it is right, by how sure it is",
		Columns: []ChartColumn{
			{Class: "pl", Axis: &PercentAxis},
			{Class: "val", Head: "Right"},
			{Class: "kp", Head: "Sure on average"},
		},
	}
	for _, b := range p.Calibration.Bins {
		if b.N == 0 {
			continue
		}
		right := scoring.Result{Value: new(100 * *b.Accuracy)}
		sure := scoring.Result{Value: new(100 * *b.Confidence)}
		c.Rows = append(c.Rows, ChartRow{
			Name:  fmt.Sprintf("%.0f to %.0f %% sure", 100*b.From, 100*b.To),
			Count: fmt.Sprintf("n = %d", b.N),
			Look:  "level-" + string(p.Level()),
			Cells: []template.HTML{
				Signs(PercentAxis, Sign{Result: sure, Look: "diamond"}, Sign{Result: right, Look: "dot"}),
				BareCell(right),
				BareCell(sure) + " %",
			},
		})
	}
	if len(c.Rows) == 0 {
		return nil
	}
	return []Section{{
		ID:    "sureness",
		Title: "Is it right as often as it is sure?",
		About: "share of right " + layoutOf(p.Protocol).Noun + ", percent, by the probability of what it names",
		Body:  c.HTML() + Key(SignDiamond+"how sure it is on average: a judge that knows itself is right as often"),
	}}
}
