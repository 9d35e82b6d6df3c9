package report

import (
	"fmt"

	"gavel/internal/report/table"
	"gavel/scoring"
)

// Tile is a number that is shown first.
type Tile struct {
	Metric, Mode string
	Name         string                         // in plain words
	Label        func(r *scoring.Report) string // in a row of its own; nil: the name
	About        string                         // what is good
	Folded       bool                           // no card
	Note         func(r *scoring.Report) string // said in place of About; nil: nothing
	Of           bool                           // says in place of About of how many it is,
	Chance       string                         // and what this metric is; "": nothing
}

// count says of how many a tile's number is, and what chance has of it.
func (t Tile) count(r *scoring.Report, x scoring.Result) string {
	text := "of " + table.Count(x.N, layoutOf(r.Protocol).item())
	chance := r.Overall(t.Chance)
	switch {
	case chance.Value == nil:
	case chance.Unit == "":
		text += "; by chance " + scoring.Percentage(*chance.Value)
	default:
		text += fmt.Sprintf("; by chance %.2f", *chance.Value)
	}
	return text
}

// Verdictless is the tile of judgments without a verdict.
var Verdictless = Tile{Metric: scoring.WithoutVerdict, Name: "without a verdict", About: string(scoring.Lower)}

// WithPeople is the score of a judge whose answers are preferences.
const WithPeople = "agreement with people"

// label of the tile in a row.
func (t Tile) label(r *scoring.Report) string {
	if t.Label != nil {
		return t.Label(r)
	}
	return t.Name
}

// of is the tile's number of a run.
func (t Tile) of(r *scoring.Report) scoring.Result {
	if t.Metric == scoring.WithoutVerdict {
		return r.Verdictless()
	}
	return r.Result(t.Metric, scoring.Overall, t.Mode)
}
