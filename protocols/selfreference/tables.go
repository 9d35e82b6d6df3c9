package selfreference

import (
	"fmt"
	"slices"
	"strings"

	"gavel/internal/report"
	"gavel/internal/report/table"
	"gavel/scoring"
)

var Layout = &report.Layout{
	Terms:    terms,
	Headline: F1,
	Noun:     "judgments",
	Item:     "answer",
	Question: "is this answer correct",
	Summary:  summary,
	Tables:   tables,
	Ways:     ways,
	Values:   values,
	Parts:    pageParts,
	Caveats:  caveats,
	Ends: []report.End{
		{Part: PartRight, Look: "right", Words: "judged right", Show: "right"},
		{Part: PartHelped, Look: "helped", Words: "right with its own answer only", Show: "second-only"},
		{Part: PartHarmed, Look: "first", Words: "right without its own answer only", Show: "first-only"},
		{Part: PartWrong, Look: "wrong", Words: "judged wrong", Show: "confident"},
		{Part: PartMissing, Look: "none", Words: "no verdict in one or both", Show: "unread"},
	},
	Tiles: []report.Tile{
		{Metric: Accuracy, Mode: ModeCoT, Name: "judged right, by itself", About: "higher is better"},
		{Metric: Accuracy, Mode: ModeSelf, Name: "judged right, with its own answer", About: "higher is better"},
		{
			Metric: PartialGJ,
			Mode:   ModeCoT,
			Name:   "own answer and judgment, r",
			About:  "given the answer that is judged, from −1 to 1",
		},
		{Metric: scoring.GenerationAccuracy, Name: "its own answers are right", About: "higher is better"},
		report.Verdictless,
	},
	Board: []report.BoardColumn{
		{Heads: [2]string{"own answer", "shown"}, Of: shownOwn(F1)},
		{Heads: [2]string{"own is", "right"}, Of: shownOwn(F1JPlus)},
		{Heads: [2]string{"own is", "wrong"}, Of: shownOwn(F1JMinus)},
	},
}

// ways says in which modes a run asks.
func ways(r *scoring.Report) string {
	switch {
	case !r.Has(ModeSelf):
		return "? by reasoning alone"
	case !r.Has(ModeCoT):
		return "? with its own answer shown"
	}
	return "? without and with its own answer"
}

// shownOwn is a metric of the judgments that are made with the judge's own answer in sight.
func shownOwn(metric string) func(r *scoring.Report) scoring.Result {
	return func(r *scoring.Report) scoring.Result { return r.Result(metric, scoring.Overall, ModeSelf) }
}

// modesIn lists the columns of a run: its modes and, where it has both, their difference.
func modesIn(r scoring.Report) []string {
	all := []string{ModeCoT, ModeSelf, scoring.ModeDifference}
	return slices.DeleteFunc(all, func(m string) bool { return !r.Has(m) })
}

func modeColumn(mode string) string {
	if mode == scoring.ModeDifference {
		return "self − cot"
	}
	return mode
}

func summary(runs []scoring.Report) table.Table {
	t := table.Table{
		Title: fmt.Sprintf("%d runs of self-reference (percent; r is r_GJ|A; intervals are with each run)",
			len(runs)),
		Columns: table.Left("judge", "prompt", "dataset").
			Right("n", "own right", "F1 cot", "self", "r cot", "self", "overconfident cot", "self"),
	}
	for _, r := range runs {
		row := []string{
			r.Model, report.Prompt(r), r.Dataset, r.Overall(AgentAccuracy).Count(),
			table.Plain(r.Overall(scoring.GenerationAccuracy)),
		}
		for _, metric := range []string{F1, PartialGJ, Overconfidence} {
			for _, mode := range []string{ModeCoT, ModeSelf} {
				row = append(row, asked(r.Result(metric, scoring.Overall, mode)))
			}
		}
		t.Row(row...)
	}
	return t
}

// asked is a result, and nothing where its mode is no part of the run.
func asked(x scoring.Result) string {
	if x.Metric == "" {
		return ""
	}
	return table.Plain(x)
}

func tables(r scoring.Report) []table.Table {
	tables := []table.Table{metricsTable(r)}
	if groups := r.Groups(); len(groups) > 1 {
		tables = append(tables, groupsTable(r, groups))
	}
	return append(append(tables, subsetsTable(r)), report.Again(r)...)
}

// metricsRows are the rows of the first table; the four subsets have a table of their own.
var metricsRows = []string{
	Accuracy, Precision, Recall, F1, F1JPlus, F1JMinus, F1Delta, Overconfidence,
	CorrelationGJ, CorrelationGA, CorrelationJA, PartialGJ,
}

func metricsTable(r scoring.Report) table.Table {
	own, agents := r.Overall(scoring.GenerationAccuracy), r.Overall(AgentAccuracy)
	t := table.Table{
		Title: report.Heading(r, false) + fmt.Sprintf("\nright of the judge's own answers: %s of %d questions; "+
			"of the agents': %s of %d", table.Whole(own), own.N, table.Whole(agents), agents.N),
		Columns: table.Left("percent; r: −1 to 1"),
	}
	modes := modesIn(r)
	for _, m := range modes {
		t.Columns = t.Columns.Right(modeColumn(m))
	}
	t.Columns = t.Columns.Right("n")
	var said table.Remarks
	said.Add(own.Metric, own.Note)
	said.Add(agents.Metric, agents.Note)
	for _, metric := range metricsRows {
		row, n := across(r, metric, metric, "", &said) // r-ga does not differ
		t.Row(append(append([]string{metric}, row...), n)...)
	}
	t.Note("judgments: " + report.Outcomes(r) + "; " + missingNote(r.Missing))
	if r.Missing == scoring.MissingDrop && len(modes) > 1 {
		t.Note("self − cot: on the judgments with a verdict in both")
	}
	t.Note(report.BootstrapNote(r))
	t.Note("G: the judge's own answer is right, J: its judgment is, A: the agent's answer is; " +
		"r-gj-a: r_GJ|A, the correlation of G and J with A held fixed")
	t.Note(said.Lines()...)
	t.Warn(r.Warnings)
	return t
}

// across is a metric in each mode of a run, and how many judgments it is of; none stands where a mode does not have it.
func across(r scoring.Report, name, metric, none string, said *table.Remarks) (cells []string, n string) {
	var counts []string
	for _, mode := range modesIn(r) {
		x := r.Result(metric, scoring.Overall, mode)
		if x.Metric == "" && none == "" {
			cells = append(cells, none)
			continue
		}
		cells = append(cells, table.Whole(x))
		said.Add(fmt.Sprintf("%s (%s)", name, modeColumn(mode)), x.Note)
		if n := x.Count(); mode != scoring.ModeDifference && !slices.Contains(counts, n) {
			counts = append(counts, n)
		}
	}
	return cells, strings.Join(counts, "/")
}

func missingNote(how scoring.MissingPolicy) string {
	if how == scoring.MissingDrop {
		return "without a verdict: left out"
	}
	return "without a verdict: wrong, and not judged Correct"
}

// groupsTable has a row per category and agent.
func groupsTable(r scoring.Report, groups []string) table.Table {
	t := table.Table{
		Title:   "by category and agent",
		Columns: table.Left("percent; r: −1 to 1").Right("n", "own right"),
	}
	metrics := []struct{ metric, name string }{{F1, "F1"}, {PartialGJ, "r"}}
	for _, m := range metrics {
		for _, mode := range modesIn(r) {
			if mode == scoring.ModeDifference {
				t.Columns = t.Columns.Right("Δ")
				continue
			}
			t.Columns = t.Columns.Right(m.name + " " + mode)
		}
	}
	var said table.Remarks
	for _, g := range groups {
		row := []string{g, r.Result(AgentAccuracy, g, "").Count(), table.Plain(r.Result(scoring.GenerationAccuracy, g, ""))}
		for _, m := range metrics {
			for _, mode := range modesIn(r) {
				x := r.Result(m.metric, g, mode)
				row = append(row, table.Plain(x))
				if x.Value == nil && mode != scoring.ModeDifference {
					said.Add(fmt.Sprintf("%s %s %s", g, m.name, mode), x.Note)
				}
			}
		}
		t.Row(row...)
	}
	t.Notes = append([]string{"r: r_GJ|A; Δ: self − cot; intervals of every number are in --json and --csv"},
		said.Lines()...)
	return t
}

// subsetsTable is the paper's Figure 2 in numbers.
func subsetsTable(r scoring.Report) table.Table {
	t := table.Table{
		Title:   "by whether the judge itself is right (J+, J−) and whether the agent is",
		Columns: table.Left("percent").Right("n"),
	}
	modes := modesIn(r)
	for _, mode := range modes {
		name := "accuracy " + mode
		if mode == scoring.ModeDifference {
			name = modeColumn(mode)
		}
		t.Columns = t.Columns.Right(name)
	}
	for _, mode := range modes {
		if mode != scoring.ModeDifference {
			t.Columns = t.Columns.Right("F1 " + mode)
		}
	}
	var said table.Remarks
	for _, s := range []struct{ name, accuracy, f1 string }{
		{name: "J+, agent right", accuracy: JPlusCorrect, f1: JPlusCorrectF1},
		{name: "J+, agent wrong", accuracy: JPlusIncorrect, f1: JPlusIncorrectF1},
		{name: "J−, agent right", accuracy: JMinusCorrect, f1: JMinusCorrectF1},
		{name: "J−, agent wrong", accuracy: JMinusIncorrect, f1: JMinusIncorrectF1},
	} {
		accuracies, n := across(r, s.name, s.accuracy, "n/a", &said)
		row := append([]string{s.name, n}, accuracies...)
		for _, mode := range modes {
			if mode != scoring.ModeDifference {
				row = append(row, table.Plain(r.Result(s.f1, scoring.Overall, mode)))
			}
		}
		t.Row(row...)
	}
	t.Notes = append([]string{"F1: of the label that all answers of the row have"}, said.Lines()...)
	return t
}
