package report

import (
	"fmt"
	"strconv"

	"gavel/scoring"
)

// repeatsTable is what asking again showed: each metric each time.
func repeatsTable(r *scoring.Repeats) Table {
	t := Table{Title: fmt.Sprintf("asked %d times", r.Times), Columns: []Column{{"percent", false}, {"pairs", true}}}
	for k := range r.Times {
		t.Columns = append(t.Columns, Column{fmt.Sprintf("time %d", k+1), true})
	}
	t.Columns = append(t.Columns, Column{"noise floor", true})
	for _, v := range r.Values {
		if v.Group != scoring.Overall {
			continue
		}
		row := []string{v.Metric, strconv.Itoa(v.Pairs)}
		for _, x := range v.Each {
			row = append(row, value(x))
		}
		t.Rows = append(t.Rows, append(row, value(v.NoiseFloor)))
	}
	t.Notes = append(t.Notes,
		fmt.Sprintf("self-agreement: %s of %d prompts that got a verdict came to the same every time", withInterval(r.SelfAgreement), r.SelfAgreement.N),
		"noise floor: the largest difference between two of the times, in points; each time on the pairs answered every time, the scores above on all of the first")
	if r.SelfAgreement.Note != "" {
		t.Notes = append(t.Notes, "self-agreement: "+r.SelfAgreement.Note)
	}
	return t
}

// calibrationTable is the reliability diagram in numbers.
func calibrationTable(c *scoring.Calibration) Table {
	t := Table{
		Title:   fmt.Sprintf("is the judge as often right as it is sure? (%d decided games)", c.N),
		Columns: []Column{{"confidence", false}, {"games", true}, {"mean confidence", true}, {"right", true}},
	}
	for _, b := range c.Bins {
		if b.N > 0 {
			t.Rows = append(t.Rows, []string{fmt.Sprintf("%.1f to %.1f", b.From, b.To), strconv.Itoa(b.N), share(b.Confidence), share(b.Accuracy)})
		}
	}
	t.Rows = append(t.Rows, []string{"all", strconv.Itoa(c.N), estimate(c.Confidence), estimate(c.Accuracy)})
	t.Notes = append(t.Notes,
		fmt.Sprintf("Brier score %s (0 is best, 0.25 is a coin that says so), expected calibration error %s over ten bins", estimate(c.Brier), estimate(c.ECE)),
		"confidence: the probability, among the labels on offer, of those that name the response judged the better; a range holds its upper end",
		"intervals: bootstrap over pairs, exact (Clopper-Pearson) where all are right or all wrong, none where every pair counts the same")
	if c.Unknown > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("! %d decided games without probabilities are left out", c.Unknown))
	}
	return t
}

// coverageTable: how right the judge is where it is surest.
func coverageTable(c *scoring.Calibration) Table {
	t := Table{
		Title:   "accuracy over coverage: its word taken only where it is sure enough",
		Columns: []Column{{"confidence at least", true}, {"coverage", true}, {"games", true}, {"right", true}},
	}
	for _, p := range c.Coverage {
		t.Rows = append(t.Rows, []string{strconv.FormatFloat(p.Threshold, 'f', 4, 64), share(&p.Coverage), strconv.Itoa(p.N), estimate(p.Accuracy)})
	}
	return t
}

// share writes a number from 0 to 1 with three decimals.
func share(v *float64) string {
	if v == nil {
		return "n/a"
	}
	return strconv.FormatFloat(*v, 'f', 3, 64)
}

func estimate(e scoring.Estimate) string {
	if e.Value == nil {
		return "n/a"
	}
	if e.Low == nil {
		return share(e.Value)
	}
	return fmt.Sprintf("%s [%s, %s]", share(e.Value), share(e.Low), share(e.High))
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
