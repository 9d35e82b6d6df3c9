package verdicts

import (
	"cmp"
	"slices"
	"strings"

	"gavel/internal/doc"
	"gavel/internal/phrases"
)

// answer returns the answer, and how sure it is. persons is the number of items for a person.
func (r *Result) answer(persons int) (answer, also string) {
	also = phrases.Say("judge.persons", persons, len(r.Verdicts))
	if r.Ranking != nil {
		return phrases.Say("judge.ranking", r.Ranking[0].Model, r.Ranking[0].Ranks[1]), also
	}
	plain, ok := r.Results[0].Against(50)
	switch {
	case !ok:
		return phrases.Say("judge.nothing"), also
	case r.Responses == nil:
		return phrases.Say("judge.score", plain, plain.N), also
	}
	rate, ok := r.Results[1].Against(50)
	code, how := "judge.even", "judge.corrected"
	if !ok {
		rate = plain
		how = "judge.uncorrected"
	}
	if rate.Above {
		code = "judge.better"
	}
	answer = phrases.Say(code, r.Responses[0], rate, rate.N)
	accuracy, _ := r.Accuracy.Against(50)
	also = phrases.Say(how, also, plain, accuracy, accuracy.N, r.Responses[1], persons, r.Responses[0],
		rate.Value*float64(rate.N)/float64(len(r.Verdicts)))
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
	results := &doc.Table{Columns: doc.Columns(doc.Number, "verdicts as they are, %", "corrected, %"), Board: r.Ranking != nil}
	for _, x := range r.Results {
		if x.Metric == uncorrected {
			results.Add(doc.Row{Name: x.Group, N: x.N})
		}
		last := &results.Rows[len(results.Rows)-1]
		last.Cells = append(last.Cells, doc.Num(x))
	}
	for _, x := range r.Ranking {
		results.Columns[0].Name = phrases.Say("judge.against", r.Responses[0])
		results.Add(doc.Row{Name: x.Model, Ranks: x.Ranks, Cells: doc.Cells(x.Against)})
	}
	results.DropEmpty()
	outcomes := map[string]int{}
	ask := &doc.Table{RowHead: "item", Columns: doc.Columns(doc.Words, "why", "language")}
	rows := slices.Clone(r.Verdicts)
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Or(strings.Compare(b.Language, a.Language), strings.Compare(b.Why, a.Why)) // no verdict, inconsistent
	})
	for _, x := range rows {
		outcomes[cmp.Or(x.Why, x.Verdict)]++
		if !x.Consistent {
			ask.Add(doc.WordRow(x.Item, x.Why, x.Language))
		}
	}
	bar := new(doc.Table)
	for _, name := range append(r.Responses, unclear, noVerdict) {
		bar.Add(doc.Row{Name: name, Cells: doc.Cells(outcomes[name])})
	}
	d := doc.Document{Title: r.Judge}
	d.Answer, d.Also = r.answer(len(ask.Rows))
	ask.Rows = ask.Rows[:min(firstRows, len(ask.Rows))]
	ask.DropEmpty()
	d.Blocks = []doc.Block{
		{ID: "results", Table: results, Notes: doc.Warn(r.Warnings)},
		{ID: "outcomes", Title: phrases.Say("judge.outcomes"), ShowTitle: true, Chart: doc.StackedBar, Table: bar},
		{ID: "ask", Title: phrases.Say("judge.ask"), ShowTitle: len(ask.Rows) > 0, Table: ask},
		{Commands: r.Next},
	}
	return d
}
