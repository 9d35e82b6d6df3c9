package report

import (
	"fmt"
	"strconv"
	"strings"

	"gavel/report/table"
	"gavel/scoring"
)

var answerLayout = &Layout{Noun: "answers", Summary: answerSummary, Tables: answerTables, Figures: answerFigures}

func answerSummary(runs []scoring.Report) table.Table {
	t := table.Table{Title: fmt.Sprintf("%d runs of answers (percent, 95 %% intervals over questions)", len(runs)), Columns: append(table.Left("model", "prompt", "dataset"), table.Right("right", "no answer", "chance", "questions")...)}
	for _, r := range runs {
		t.Rows = append(t.Rows, append([]string{r.Model, Prompt(r), r.Dataset}, answerRow(r, scoring.Overall)...))
	}
	return t
}

// answerRow is a group's numbers; a question without options has no chance.
func answerRow(r scoring.Report, group string) []string {
	right := r.Result(scoring.GenerationAccuracy, group, "")
	chance := ""
	if x := r.Result(scoring.Chance, group, ""); x.Value != nil {
		chance = table.Plain(x)
	}
	return []string{table.Whole(right), table.Plain(r.Result(scoring.NoAnswer, group, "")), chance, strconv.Itoa(right.N)}
}

// answerTables is one table: a row per group.
func answerTables(r scoring.Report) []table.Table {
	t := table.Table{
		Title:   Heading(r, false),
		Columns: append(table.Left("percent"), table.Right("right", "no answer", "chance", "questions")...),
	}
	var said table.Remarks
	for _, g := range r.Groups() {
		t.Rows = append(t.Rows, append([]string{g}, answerRow(r, g)...))
		said.Add(g, r.Result(scoring.GenerationAccuracy, g, "").Note)
	}
	t.Notes = append(t.Notes, "answers: "+Outcomes(r)+"; a reply without one is wrong")
	if rules := rulesOf(r); rules != "" {
		t.Notes = append(t.Notes, "found by rule: "+rules)
	}
	t.Notes = append(t.Notes, BootstrapNote(r))
	t.Notes = append(t.Notes, said.Lines()...)
	t.Notes = append(t.Notes, table.Warned(r.Warnings)...)
	return []table.Table{t}
}

func rulesOf(r scoring.Report) string {
	var parts []string
	for _, x := range r.Results {
		if name, ok := strings.CutPrefix(x.Metric, scoring.RuleCount); ok {
			parts = append(parts, name+" "+table.Plain(x))
		}
	}
	return strings.Join(parts, ", ")
}
