package answer

import (
	"fmt"

	"gavel/internal/report"
	"gavel/internal/report/table"
	"gavel/scoring"
)

var Layout = &report.Layout{
	Headline: scoring.GenerationAccuracy,
	Noun:     "answers",
	Item:     "question",
	Question: "answers",
	By:       report.Grouping{Held: Chance, HeldWords: "chance: guessing among the options"},
	Ends: []report.End{
		{Part: PartRight, Words: "right"},
		{Part: PartWrong, Words: "wrong", Show: "confident"},
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
