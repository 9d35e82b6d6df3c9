package verdicts

import (
	"cmp"
	"slices"

	"gavel/internal/doc"
	"gavel/internal/phrases"
	"gavel/scoring"
)

// answer returns the answer, and further sentences on how sure it is. persons is the number of items for a person.
func (r *Result) answer(persons int) (answer, also string) {
	also = phrases.Say("judge.persons", persons, len(r.Verdicts))
	switch {
	case r.Ranking != nil:
		return phrases.Say("judge.ranking", r.Ranking[0].Model), also
	case r.Results == nil || r.Results[0].N == 0:
		return phrases.Say("judge.nothing"), also
	}
	rate, corrected := r.Results[0].Against(50)
	if rate.Metric == meanScore {
		return phrases.Say("judge.score", rate, rate.N), also
	}
	plain, _ := r.Results[1].Against(50)
	accuracy, _ := r.Accuracy.Against(50)
	how := "judge.corrected"
	if !corrected {
		rate = plain
		how = "judge.uncorrected"
	}
	code := "judge.even"
	if rate.Above {
		code = "judge.better"
	}
	answer = phrases.Say(code, r.Responses[0], rate, rate.N)
	also += phrases.Say(how, plain, accuracy, accuracy.N) + phrases.Say("judge.worst", r.Responses[1], persons,
		r.Responses[0], rate.Value*float64(rate.N)/float64(len(r.Verdicts)))
	if r.ByLabels != nil {
		return r.ByLabels.Says, answer + " " + also
	}
	return answer, also
}

// firstRows is the number of items for a person that are listed.
const firstRows = 6

// Document returns the win rates, scores or ranks, the outcomes, and the items to ask a person about first: those in a
// language that was not measured, then those without any verdict.
func (r *Result) Document() doc.Document {
	numbers := &doc.Table{Columns: []doc.Column{{Kind: doc.Number, Axis: &doc.PercentAxis}}, Board: r.Ranking != nil}
	for _, x := range r.Results {
		name := x.Group
		if name == scoring.Overall {
			name = phrases.Say("judge." + x.Metric)
		}
		if x.Metric != uncorrected || x.Group == scoring.Overall {
			numbers.Add(doc.Row{Name: name, N: x.N, Cells: doc.Cells(x)})
		}
	}
	for _, x := range r.Ranking {
		numbers.Add(doc.Row{Name: x.Model, Ranks: x.Ranks, Cells: doc.Cells(x.Against)})
	}
	outcomes := map[string]int{}
	ask := &doc.Table{RowHead: "item", Columns: doc.Columns(doc.Words, "why", "language")}
	rows := slices.Clone(r.Verdicts)
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Language, a.Language), cmp.Compare(b.Why, a.Why)) // no verdict, then inconsistent
	})
	for _, x := range rows {
		outcomes[cmp.Or(x.Why, x.Verdict)]++
		if x.Use == person {
			ask.Add(doc.WordRow(x.Item, x.Why, x.Language))
		}
	}
	bar := &doc.Table{}
	for _, name := range append(r.Responses, unclear, noVerdict) {
		bar.Add(doc.Row{Name: name, Cells: doc.Cells(outcomes[name])})
	}
	d := doc.Document{Title: r.Judge}
	d.Answer, d.Also = r.answer(len(ask.Rows))
	ask.Rows = ask.Rows[:min(firstRows, len(ask.Rows))]
	ask.DropEmpty()
	d.Blocks = []doc.Block{
		{ID: "results", Title: phrases.Say("judge.results"), Table: numbers, Notes: doc.Warn(r.Warnings)},
		{ID: "outcomes", Title: phrases.Say("judge.outcomes"), ShowTitle: true, Chart: doc.StackedBar, Table: bar},
		{ID: "ask", Title: phrases.Say("judge.ask"), ShowTitle: len(ask.Rows) > 0, Table: ask},
		{Commands: r.Next},
	}
	return d
}
