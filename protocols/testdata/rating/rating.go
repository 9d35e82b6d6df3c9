// Package rating is a protocol that a test adds to gavel: all of one, but for its place.
package rating

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gavel/backends"
	"gavel/datasets"
	"gavel/internal/report"
	"gavel/judging"
	"gavel/protocols/imports"
	"gavel/scoring"
)

const name = "rating"

var scaleOption = judging.Option{
	Name:    "scale",
	Usage:   "what the best is given",
	Default: "five",
	Values:  []string{"five", "two"},
}

// Protocol has each response of a pair rated from 1 to 5.
var Protocol = judging.Protocol{
	Name:  name,
	About: "a response at a time: how good is it, from 1 to 5?",
	Help: `Has a judge rate both responses of a pair, each by itself.

Examples:
  gavel run NAME --model qwen3:8b --dataset sample`,
	ItemsNoun: "pairs", Goal: "good", QuestionTemplate: "how GOAL?",
	Shapes: []datasets.Shape{datasets.ShapePair}, PresentationsPerItem: 2, MaxShown: 1,
	Templates: []judging.Template{
		judging.NewTemplate("plain", "a test's", "Rate the response. End with \"Rating: N\", N from 1 to 5.", nil),
	},
	Options:  []judging.Option{scaleOption},
	NewAsker: func(t judging.Template, s judging.Settings) judging.Asker { return rating{t, s.Get(scaleOption)} },
}

// Metrics labels and defines the protocol's one metric.
const Metrics = `
- key: better-rated
  label: the better is rated higher
  definition: pairs whose labelled response is rated higher
  missing: wrong
  undefined: there is no pair
`

// Layout has one tile; tables are the list of all results.
var Layout = &report.Layout{
	Headline: "better-rated",
	Noun:     "ratings",
	Tiles:    []report.Tile{{Metric: "better-rated", Name: "the better is rated higher"}},
}

// Imports has an importer that finds nothing.
var Imports = []imports.Importer{{
	Name: "rated", About: "ratings of others become a run", Usage: "FILE --out RUN --by NAME",
	Options: []imports.Flag{{Name: "by", Usage: "`NAME` of who rated", Check: func(value string) error {
		if strings.TrimSpace(value) == "" {
			return errors.New("say who")
		}
		return nil
	}}},
	Import: func(r imports.Input) ([]*imports.ImportedRun, error) {
		return nil, fmt.Errorf("%s of %s has no ratings", r.Files[0], r.Option("by"))
	},
}}

type rating struct {
	template judging.Template
	scale    string
}

func (rating) Name() string { return name }

func (rating) Presentations(datasets.Item) []judging.Presentation {
	return []judging.Presentation{{Index: 0, Order: []int{0, 1}}, {Index: 1, Order: []int{1, 0}}}
}

func (p rating) Prompt(item datasets.Item, s judging.Presentation) judging.Prompt {
	o := backends.Oracle{Item: item.ID, Presentation: s.Index}
	for i := range 5 {
		o.Order, o.VerdictLabels = append(o.Order, i), append(o.VerdictLabels, "Rating: "+string(rune('1'+i)))
	}
	if s.Order[0] == item.Gold {
		if o.CorrectPosition = 4; p.scale == "two" {
			o.CorrectPosition = 1
		}
	}
	return judging.Prompt{
		System: p.template.System,
		User:   item.Question + "\n\n" + item.Candidates[s.Order[0]].Text,
		Labels: o.VerdictLabels,
		Oracle: o,
	}
}

var rated = regexp.MustCompile(`Rating: ([1-5])`)

func (rating) Parse(_ judging.Presentation, reply string, how judging.ReadingOptions) judging.Verdict {
	label, at, outcome := judging.FindReplyLabel(rated, reply, how.LabelPolicy)
	return judging.Verdict{Outcome: outcome, Label: label, Choice: judging.NoCandidate, Answer: label, Span: at}
}

// ratings holds two ratings by item: of the labelled response and of the other; "" for none.
type ratings struct{ byItem map[string]*[2]string }

// NewScorer scores runs of the protocol.
func NewScorer(*judging.Manifest) scoring.Scorer { return ratings{map[string]*[2]string{}} }

func (ratings) Terms() scoring.ScorerTerms {
	return scoring.ScorerTerms{Unit: "pair", Record: "rating", IncompleteItemsPhrase: "pairs have one rating"}
}

func (f ratings) Add(r *judging.Record, v judging.Verdict) (bool, error) {
	two, known := f.byItem[r.Item]
	if !known {
		two = new([2]string)
		f.byItem[strings.Clone(r.Item)] = two
	}
	other := 0
	if r.Order[0] != r.Gold {
		other = 1
	}
	two[other] = strings.Clone(v.Answer)
	return true, nil
}

func (f ratings) Finish() (complete int) { return len(f.byItem) }

func (f ratings) Sheet(scoring.MissingPolicy, uint64) *scoring.Sheet {
	s := &scoring.Sheet{ColumnCount: 2, Metrics: []scoring.Metric{{
		Name: "better-rated", Columns: scoring.ColumnSpan{0, 2}, Headline: true,
	}}}
	for id, two := range f.byItem {
		row := []float64{0, 1}
		if two[0] > two[1] {
			row[0] = 1
		}
		s.Units = append(s.Units, scoring.Unit{ID: id, Row: row})
	}
	slices.SortFunc(s.Units, func(a, b scoring.Unit) int { return strings.Compare(a.ID, b.ID) })
	return s
}
