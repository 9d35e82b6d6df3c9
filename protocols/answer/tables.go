package answer

import (
	"fmt"
	"strings"

	"gavel/internal/report"
	"gavel/internal/report/table"
	"gavel/scoring"
)

var Layout = &report.Layout{
	Terms:     terms,
	Headline:  scoring.GenerationAccuracy,
	Noun:      "answers",
	Item:      "question",
	Question:  "answers",
	Summary:   summary,
	Tables:    tables,
	Held:      Chance,
	HeldWords: "chance: guessing among the options",
	Ends: []report.End{
		{Part: PartRight, Look: "right", Words: "right", Show: "right"},
		{Part: PartWrong, Look: "wrong", Words: "wrong", Show: "confident"},
		{Part: PartMissing, Look: "none", Words: "no answer", Show: "unread"},
	},
	Tiles: []report.Tile{
		{
			Metric: scoring.GenerationAccuracy,
			Name:   "right",
			Label: func(r *scoring.Report) string {
				if r.Preferences {
					return report.WithPeople
				}
				return "right"
			},
			Note: ofQuestions,
		},
		{Metric: NoAnswer},
	},
}

// ofQuestions says how many there are, and what guessing comes to.
func ofQuestions(r *scoring.Report) string {
	text := "of " + table.Count(r.Overall(scoring.GenerationAccuracy).N, "question")
	if chance := r.Overall(Chance).Value; chance != nil {
		text += fmt.Sprintf("; by chance %.0f %%", *chance)
	}
	return text
}

func summary(runs []scoring.Report) table.Table {
	t := table.Table{
		Title:   fmt.Sprintf("%d runs of answers (percent, 95 %% intervals over questions)", len(runs)),
		Columns: table.Left("model", "prompt", "dataset").Right("right", "no answer", "chance", "questions"),
	}
	for _, r := range runs {
		t.Row(append([]string{r.Model, report.Prompt(r), r.Dataset}, row(r, scoring.Overall)...)...)
	}
	return t
}

// row is a group's numbers; a question without options has no chance.
func row(r scoring.Report, group string) []string {
	right := r.Result(scoring.GenerationAccuracy, group, "")
	chance := ""
	if x := r.Result(Chance, group, ""); x.Value != nil {
		chance = table.Plain(x)
	}
	return []string{table.Whole(right), table.Plain(r.Result(NoAnswer, group, "")), chance, right.Count()}
}

// tables is one table: a row per group.
func tables(r scoring.Report) []table.Table {
	t := table.Table{
		Title:   report.Heading(r, false),
		Columns: table.Left("percent").Right("right", "no answer", "chance", "questions"),
	}
	var said table.Remarks
	for _, g := range r.Groups() {
		t.Row(append([]string{g}, row(r, g)...)...)
		said.Add(g, r.Result(scoring.GenerationAccuracy, g, "").Note)
	}
	t.Note("answers: " + report.Outcomes(r) + "; a reply without one is wrong")
	if rules := rulesOf(r); rules != "" {
		t.Note("found by rule: " + rules)
	}
	t.Note(report.BootstrapNote(r))
	t.Note(said.Lines()...)
	t.Warn(r.Warnings)
	return append([]table.Table{t}, report.Again(r)...)
}

func rulesOf(r scoring.Report) string {
	var parts []string
	for _, x := range r.Results {
		if name, ok := strings.CutPrefix(x.Metric, RuleCount); ok {
			parts = append(parts, name+" "+table.Plain(x))
		}
	}
	return strings.Join(parts, ", ")
}
