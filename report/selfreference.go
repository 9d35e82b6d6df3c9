package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gavel/scoring"
)

// modesOf lists the columns of a run: its modes and, where it has both, their
// difference.
func modesOf(r scoring.Report) []string {
	all := []string{scoring.ModeCoT, scoring.ModeSelf, scoring.ModeDifference}
	return slices.DeleteFunc(all, func(m string) bool { return !has(r, m) })
}

func modeColumn(mode string) string {
	if mode == scoring.ModeDifference {
		return "self − cot"
	}
	return mode
}

func selfReferenceSummary(runs []scoring.Report) Table {
	t := Table{Title: fmt.Sprintf("%d runs of self-reference (percent; r is r_GJ|A; intervals are with each run)", len(runs)), Columns: []Column{
		{"judge", false}, {"prompt", false}, {"dataset", false}, {"n", true}, {"own right", true}, {"F1 cot", true}, {"self", true}, {"r cot", true}, {"self", true}, {"overconfident cot", true}, {"self", true},
	}}
	for _, r := range runs {
		row := []string{r.Model, prompted(r.Prompt, r.Settings), r.Dataset, strconv.Itoa(at(r, scoring.AgentAccuracy, scoring.Overall, "").N), plain(at(r, scoring.GenerationAccuracy, scoring.Overall, ""))}
		for _, metric := range []string{scoring.F1, scoring.PartialGJ, scoring.Overconfidence} {
			for _, mode := range []string{scoring.ModeCoT, scoring.ModeSelf} {
				row = append(row, asked(at(r, metric, scoring.Overall, mode)))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = averages(runs)
	return t
}

// asked is a result, and nothing where its mode is no part of the run.
func asked(x scoring.Result) string {
	if x.Metric == "" {
		return ""
	}
	return plain(x)
}

// averages is the last column of the paper's Tables 2 and 8: a line for each
// judge, asked in one way, on several datasets. Where it has been on one of them
// twice there is no telling which is meant, and no line.
func averages(runs []scoring.Report) []string {
	var judges, notes []string
	by := map[string][]scoring.Report{}
	for _, r := range runs {
		name := r.Model + ", prompt " + prompted(r.Prompt, r.Settings)
		if by[name] == nil {
			judges = append(judges, name)
		}
		by[name] = append(by[name], r)
	}
	for _, judge := range judges {
		if parts := averageOf(by[judge]); len(parts) > 0 {
			notes = append(notes, fmt.Sprintf("%s: overconfidence over %d datasets, weighted by n: %s", judge, len(by[judge]), strings.Join(parts, ", ")))
		}
	}
	return notes
}

func averageOf(runs []scoring.Report) (parts []string) {
	datasets := map[string]bool{}
	for _, r := range runs {
		datasets[r.Dataset] = true
	}
	if len(runs) < 2 || len(datasets) < len(runs) {
		return nil
	}
	for _, mode := range []string{scoring.ModeCoT, scoring.ModeSelf} {
		var results []scoring.Result
		for _, r := range runs {
			results = append(results, at(r, scoring.Overconfidence, scoring.Overall, mode))
		}
		if mean, n := scoring.Average(results); mean != nil {
			parts = append(parts, fmt.Sprintf("%s %s (n=%d)", mode, value(mean), n))
		}
	}
	return parts
}

func selfReferenceTables(r scoring.Report) []Table {
	tables := []Table{metricsTable(r)}
	if groups := groupsOf(r); len(groups) > 1 {
		tables = append(tables, groupsTable(r, groups))
	}
	return append(tables, subsetsTable(r))
}

// metricsRows are the rows of the first table; the four subsets have a table of
// their own.
var metricsRows = []string{
	scoring.Accuracy, scoring.Precision, scoring.Recall, scoring.F1, scoring.F1JPlus, scoring.F1JMinus, scoring.F1Delta, scoring.Overconfidence,
	scoring.CorrelationGJ, scoring.CorrelationGA, scoring.CorrelationJA, scoring.PartialGJ,
}

func metricsTable(r scoring.Report) Table {
	own, agents := at(r, scoring.GenerationAccuracy, scoring.Overall, ""), at(r, scoring.AgentAccuracy, scoring.Overall, "")
	t := Table{
		Title: fmt.Sprintf("%s · %s · prompt %s · %s%s\nright of the judge's own answers: %s of %d questions; of the agents': %s of %d",
			r.Model, r.Protocol, prompted(r.Prompt, r.Settings), r.Dataset, simulatedMark(r.Simulated), whole(own), own.N, whole(agents), agents.N),
		Columns: []Column{{"percent; r: −1 to 1", false}},
	}
	modes := modesOf(r)
	for _, m := range modes {
		t.Columns = append(t.Columns, Column{modeColumn(m), true})
	}
	t.Columns = append(t.Columns, Column{"n", true})
	var said remarks
	said.add(own.Metric, own.Note)
	said.add(agents.Metric, agents.Note)
	for _, metric := range metricsRows {
		row, counts := []string{metric}, []string(nil)
		for _, mode := range modes {
			x := at(r, metric, scoring.Overall, mode)
			if x.Metric == "" {
				row = append(row, "") // r-ga does not differ
				continue
			}
			row = append(row, whole(x))
			said.add(fmt.Sprintf("%s (%s)", metric, modeColumn(mode)), x.Note)
			if n := strconv.Itoa(x.N); mode != scoring.ModeDifference && !slices.Contains(counts, n) {
				counts = append(counts, n)
			}
		}
		t.Rows = append(t.Rows, append(row, strings.Join(counts, "/")))
	}
	t.Notes = append(t.Notes, "judgments: "+outcomeLine(r)+"; "+missingNote(r.Missing))
	if r.Missing == scoring.MissingDrop && len(modes) > 1 {
		t.Notes = append(t.Notes, "self − cot: on the judgments with a verdict in both")
	}
	t.Notes = append(t.Notes, intervalNote(r)+"; a resample where a number is undefined is left out of its interval")
	t.Notes = append(t.Notes, "G: the judge's own answer is right, J: its judgment is, A: the agent's answer is; r-gj-a: r_GJ|A, what G and J share beside A")
	t.Notes = append(t.Notes, said.lines()...)
	t.Notes = append(t.Notes, warned(r)...)
	return t
}

func missingNote(how scoring.Missing) string {
	if how == scoring.MissingDrop {
		return "without a verdict: left out"
	}
	return "without a verdict: wrong, and not judged Correct"
}

// groupsTable has a row per category and agent.
func groupsTable(r scoring.Report, groups []string) Table {
	t := Table{Title: "by category and agent", Columns: []Column{{"percent; r: −1 to 1", false}, {"n", true}, {"own right", true}}}
	metrics := []struct{ metric, name string }{{scoring.F1, "F1"}, {scoring.PartialGJ, "r"}}
	for _, m := range metrics {
		for _, mode := range modesOf(r) {
			if mode == scoring.ModeDifference {
				t.Columns = append(t.Columns, Column{"Δ", true})
				continue
			}
			t.Columns = append(t.Columns, Column{m.name + " " + mode, true})
		}
	}
	var said remarks
	for _, g := range groups {
		row := []string{g, strconv.Itoa(at(r, scoring.AgentAccuracy, g, "").N), plain(at(r, scoring.GenerationAccuracy, g, ""))}
		for _, m := range metrics {
			for _, mode := range modesOf(r) {
				x := at(r, m.metric, g, mode)
				row = append(row, plain(x))
				if x.Value == nil && mode != scoring.ModeDifference {
					said.add(fmt.Sprintf("%s %s %s", g, m.name, mode), x.Note)
				}
			}
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = append([]string{"r: r_GJ|A; Δ: self − cot; intervals of every number are in --json and --csv"}, said.lines()...)
	return t
}

// subsetsTable is the paper's Figure 2 in numbers.
func subsetsTable(r scoring.Report) Table {
	t := Table{Title: "by whether the judge itself is right (J+, J−) and whether the agent is", Columns: []Column{{"percent", false}, {"n", true}}}
	modes := modesOf(r)
	for _, mode := range modes {
		name := "accuracy " + mode
		if mode == scoring.ModeDifference {
			name = modeColumn(mode)
		}
		t.Columns = append(t.Columns, Column{name, true})
	}
	for _, mode := range modes {
		if mode != scoring.ModeDifference {
			t.Columns = append(t.Columns, Column{"F1 " + mode, true})
		}
	}
	var said remarks
	for _, s := range []struct{ name, accuracy, f1 string }{
		{"J+, agent right", scoring.JPlusCorrect, scoring.JPlusCorrectF1},
		{"J+, agent wrong", scoring.JPlusIncorrect, scoring.JPlusIncorrectF1},
		{"J−, agent right", scoring.JMinusCorrect, scoring.JMinusCorrectF1},
		{"J−, agent wrong", scoring.JMinusIncorrect, scoring.JMinusIncorrectF1},
	} {
		row, counts := []string{s.name, ""}, []string(nil)
		for _, mode := range modes {
			x := at(r, s.accuracy, scoring.Overall, mode)
			row = append(row, whole(x))
			said.add(fmt.Sprintf("%s (%s)", s.name, modeColumn(mode)), x.Note)
			if n := strconv.Itoa(x.N); mode != scoring.ModeDifference && !slices.Contains(counts, n) {
				counts = append(counts, n)
			}
		}
		for _, mode := range modes {
			if mode != scoring.ModeDifference {
				row = append(row, plain(at(r, s.f1, scoring.Overall, mode)))
			}
		}
		row[1] = strings.Join(counts, "/")
		t.Rows = append(t.Rows, row)
	}
	t.Notes = append([]string{"F1: of the label that all answers of the row have"}, said.lines()...)
	return t
}
