package report

import (
	"fmt"
	"strconv"
	"strings"

	"gavel/scoring"
)

func answerSummary(runs []scoring.Report) Table {
	t := Table{Title: fmt.Sprintf("%d runs of answers (percent, 95 %% intervals over questions)", len(runs)), Columns: []Column{
		{"model", false}, {"prompt", false}, {"dataset", false}, {"right", true}, {"no answer", true}, {"chance", true}, {"questions", true},
	}}
	for _, r := range runs {
		t.Rows = append(t.Rows, append([]string{r.Model, prompted(r.Prompt, r.Settings), r.Dataset}, answerRow(r, scoring.Overall)...))
	}
	return t
}

// answerRow is a group's numbers; a question without options has no chance.
func answerRow(r scoring.Report, group string) []string {
	right := at(r, scoring.GenerationAccuracy, group, "")
	chance := ""
	if x := at(r, scoring.Chance, group, ""); x.Value != nil {
		chance = plain(x)
	}
	return []string{whole(right), plain(at(r, scoring.NoAnswer, group, "")), chance, strconv.Itoa(right.N)}
}

// answerTables is one table: a row per group.
func answerTables(r scoring.Report) []Table {
	t := Table{
		Title:   fmt.Sprintf("%s · %s · prompt %s · %s%s", r.Model, r.Protocol, prompted(r.Prompt, r.Settings), r.Dataset, simulatedMark(r.Simulated)),
		Columns: []Column{{"percent", false}, {"right", true}, {"no answer", true}, {"chance", true}, {"questions", true}},
	}
	var said remarks
	for _, g := range groupsOf(r) {
		t.Rows = append(t.Rows, append([]string{g}, answerRow(r, g)...))
		said.add(g, at(r, scoring.GenerationAccuracy, g, "").Note)
	}
	t.Notes = append(t.Notes, "answers: "+outcomeLine(r)+"; a reply without one is wrong")
	if rules := rulesOf(r); rules != "" {
		t.Notes = append(t.Notes, "found by rule: "+rules)
	}
	t.Notes = append(t.Notes, intervalNote(r))
	t.Notes = append(t.Notes, said.lines()...)
	t.Notes = append(t.Notes, warned(r)...)
	return []Table{t}
}

func rulesOf(r scoring.Report) string {
	var parts []string
	for _, x := range r.Results {
		if name, ok := strings.CutPrefix(x.Metric, scoring.RuleCount); ok {
			parts = append(parts, name+" "+plain(x))
		}
	}
	return strings.Join(parts, ", ")
}
