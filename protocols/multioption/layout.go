package multioption

import (
	"fmt"
	"strconv"

	"gavel/internal/doc"
	"gavel/internal/report"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// steady is said where the Grade score leads.
const steady = "These items have no label: the Grade score says how steady a choice is, not whether it is right."

var Layout = &report.Layout{
	Headline:   everyRight,
	Unlabelled: GradeScore,
	Steady:     steady,
	Compared:   compared,
	Words:      map[string]string{"unrelated": "with an unrelated option"},
	How:        " of several, in several orders",
	Became:     "each asked in several orders of its options",
	Bracket: report.Bracket{
		Parts:  []string{PartRight, PartWrong, PartSame},
		Bold:   "by content: the same choice in every order",
		Beyond: "whose choice is not the same in every order",
	},
	Parts: pageParts,
	By: report.Grouping{
		First:     "options",
		Title:     "By number of options",
		Metrics:   []string{optionAccuracy, sameChoice},
		Held:      "*" + OfRandom,
		HeldWords: "a random judge on the same items",
		Extra:     GradeScore,
	},
	Ends: []report.End{
		{Part: PartRight, Words: "same choice in every order, and right"},
		{Part: PartWrong, Words: "same choice in every order, and wrong", Show: "steady"},
		{Part: PartSame, Look: "right", Words: "same choice in every order"},
		{Part: PartMoved, Look: "tie", Words: "choice changes with the order"},
		{Part: PartPlace, Look: "first", Words: "same place in every order", Show: "placed"},
		{Part: PartMissing, Look: "none", Words: "no verdict in some order", Show: "open"},
	},
	Tiles: []report.Tile{
		{Metric: everyRight, Of: true},
		{Metric: optionAccuracy, Of: true, Chance: optionAccuracy + OfRandom},
		{Metric: GradeScore, Of: true, Chance: GradeScore + OfRandom},
		{Metric: sameChoice},
		report.Verdictless,
	},
	BoardColumns: []report.BoardColumn{
		{Metric: GradeScore, Column: doc.Column{Kind: doc.Bare}},
		{Metric: optionAccuracy, Column: doc.Column{Kind: doc.Bare, Spare: 3}},
		{Metric: sameChoice, Column: doc.Column{Kind: doc.Bare, Spare: 2}},
	},
}

// pageParts are the results of a run, from top to bottom.
var pageParts = []report.PagePart{
	report.Notice(GoalWorst, "options.worst-asked"), report.OutcomeBar, report.Cards, places, halves, report.ByGroup,
	report.Analyses, report.ItemLists, report.Among, report.CaveatBlocks, report.Making,
}

// places are how often each position is chosen, beside how often a correct option stood there, else an even share.
func places(p *report.RunPage) []doc.Block {
	t := &doc.Table{First: "position", Columns: []doc.Column{{Name: "chosen, %", Kind: doc.Number}}}
	held := "options.even-share"
	for _, g := range p.Groups() {
		of := func(metric string, position int) scoring.Result {
			return p.Result(metric+strconv.Itoa(position), g, "")
		}
		n := 0
		for of(PositionMetric, n+1).Value != nil {
			n++
		}
		if n == 0 {
			continue
		}
		t.Add(doc.Row{Name: g, Heading: true, Detail: table.Count(of(PositionMetric, 1).N, "judgment")})
		for i := 1; i <= n; i++ {
			right := of(RightPositionMetric, i)
			if right.Value != nil {
				held = "options.right-position"
			} else {
				right.Value = new(100 / float64(n))
			}
			t.Add(doc.Row{Name: strconv.Itoa(i), Cells: []doc.Value{{Result: of(PositionMetric, i), Held: &right}}})
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return []doc.Block{{
		ID: "places", Title: "Which position it chooses", About: "percent of judgments with a verdict, with 95 % interval",
		In: doc.Full | doc.Page, Chart: doc.BarPanels, Table: t,
		Keys:  []doc.Key{{Sign: "bar", Words: "chosen"}, {Sign: "held", Words: doc.Phrase(held)}},
		Notes: []doc.Note{doc.Say("options.positions")},
	}}
}

// halves are the Grade score and the two scores that it is the harmonic mean of, each beside a random judge's.
func halves(p *report.RunPage) []doc.Block {
	t := &doc.Table{First: "score", Look: "wide", Columns: []doc.Column{
		{Name: "score", Kind: doc.Number, Axis: doc.AxisOf(scoring.UnitScore)}, {Name: "random judge", Kind: doc.Bare},
		{Name: "random 0 to perfect 1", Kind: doc.Number, In: doc.Full},
	}}
	for _, row := range []struct{ metric, about string }{
		{metric: GradeScore}, {metric: ChoiceScore, about: "keeps the option"},
		{metric: LLMScore, about: "even over the positions"},
	} {
		x := p.Overall(row.metric)
		if x.Value == nil {
			continue
		}
		random := p.Overall(row.metric + OfRandom)
		r := doc.Row{Name: doc.MetricName(p.Protocol, row.metric), Detail: row.about, Mark: doc.Ring, Cells: []doc.Value{
			{Result: x, Held: &random}, doc.Num(random), doc.Num(p.Overall(row.metric + overRandom)),
		}}
		if row.metric == GradeScore {
			r.N = x.N
			r.Total = true
			r.Mark = doc.Dot
		}
		t.Add(r)
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return []doc.Block{{
		ID: "halves", Title: "The Grade score and its two halves", In: doc.Full | doc.Page, Table: t,
		Keys:  []doc.Key{{Sign: "diamond", Words: "a random judge on the same items"}},
		Notes: []doc.Note{doc.Say("options.grade-score")},
	}}
}

// compared says what two runs of opposite goals say of each other.
func compared(cmp *scoring.Comparison) (notes []string) {
	says := map[string]string{
		goalsDiffer:     "the option most often called best and the one most often called worst are two",
		goalsContradict: "shown in the same order, one option is called both best and worst",
		goalsByChance:   "two judges that name any position would call one option both",
	}
	for _, x := range cmp.Together {
		text := fmt.Sprintf("%s: %s %% (n=%d)", says[x.Metric], table.Whole(x), x.N)
		if x.Value == nil {
			text = says[x.Metric] + ": " + x.Note
		}
		notes = append(notes, text)
	}
	return notes
}
