package answer

import (
	"gavel/internal/report"
	"gavel/scoring"
)

var Layout = &report.Layout{
	Headline: scoring.GenerationAccuracy,
	Noun:     "answers",
	Item:     "question",
	Question: "answers",
	Grouping: report.Grouping{Reference: Chance, ReferenceWords: "chance: guessing among the options"},
	Outcomes: []report.Outcome{
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
					return report.AgreementWithPeople
				}
				return "right"
			},
			ShowsCount: true,
			Chance:     Chance,
		},
		{Metric: NoAnswer},
	},
}
