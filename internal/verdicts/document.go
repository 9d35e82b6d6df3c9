package verdicts

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"gavel/internal/doc"
	"gavel/internal/labels"
	"gavel/internal/phrases"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// answer returns the answer, and how sure it is. persons is the number of items for a person.
func (r *Result) answer(persons int) (answer, details string) {
	details = phrases.Sentence("judge.persons", persons, len(r.Verdicts))
	if r.Ranking != nil {
		return phrases.Sentence("judge.ranking", r.ResponseNames[0], r.Ranking[0].Ranks[1]), details
	}
	plain, ok := r.Estimates[0].CompareWithThreshold(50)
	switch {
	case !ok:
		return phrases.Sentence("judge.nothing", r.verdictKind), details
	case len(r.ResponseNames) == 1:
		return phrases.Sentence("judge.score", plain, plain.N), details
	}
	rate, ok := r.Estimates[1].CompareWithThreshold(50)
	code, method := "judge.even", "judge.corrected"
	if !ok {
		rate = plain
		method = "judge.uncorrected"
	}
	if rate.AboveThreshold {
		code = "judge.better"
	}
	answer = phrases.Sentence(code, r.ResponseNames[0], rate, rate.N, r.verdictKind)
	details = phrases.Sentence(method, details, plain, r.Accuracy, r.Accuracy.N, r.verdictKind)
	if slices.ContainsFunc(r.Verdicts, func(x Row) bool { return x.ReasonToAskPerson == labels.Tie }) {
		details = phrases.Sentence("judge.ties", details)
	}
	if persons > 0 {
		details = phrases.Sentence("judge.worst", details, r.ResponseNames[1], persons, r.ResponseNames[0],
			rate.Value*float64(rate.N)/float64(len(r.Verdicts)))
	}
	if r.CorrectedByLabels != nil {
		return r.CorrectedByLabels.Says, answer + " " + details
	}
	return answer, details
}

// Document returns the outcomes with the win rates, scores or ranks, and the items to ask a person about first: those
// in a language that is rare among the measured ones, then inconsistent ones, those without a verdict and ties.
// Verdicts to keep follow, the least confident first, if confidence finds errors.
func (r *Result) Document() doc.Document {
	var first []Row
	persons := 0
	counts := map[string]int{}
	for _, x := range r.Verdicts {
		switch {
		case x.ReasonToAskPerson != "":
			counts[x.ReasonToAskPerson]++
			persons++
			first = append(first, x)
			continue
		case len(r.ResponseNames) == 1:
			x.Verdict = scoreMetric
		}
		counts[x.Verdict]++
		if x.Confidence != nil && r.confidencePredictsAccuracy {
			x.ReasonToAskPerson = phrases.Sentence("judge.unsure", *x.Confidence)
			first = append(first, x)
		}
	}
	results := &doc.Table{
		Columns: doc.ColumnsOfKind(doc.ColumnNumber, "items", "verdicts, %", "corrected, %"), Board: r.Ranking != nil,
	}
	for i, name := range append(r.ResponseNames, reasonInconsistent, labels.Tie, reasonNoVerdict) {
		row := doc.Row{Name: name, Cells: doc.Cells(counts[name])}
		if i < len(r.Ranking) {
			row.Ranks = r.Ranking[i].Ranks
			row.Cells = append(row.Cells, doc.NumberCell(r.Ranking[i].WinProbability))
			results.Columns[1].Name = phrases.Sentence("judge.against", r.ResponseNames[0])
		}
		results.Add(row)
	}
	for _, x := range r.Estimates {
		row := &results.Rows[0]
		if x.Group != scoring.Overall {
			if x.Metric == uncorrected {
				results.Add(doc.Row{Name: x.Group, Cells: doc.Cells(x.N)})
			}
			row = &results.Rows[len(results.Rows)-1]
		}
		row.Cells = append(row.Cells, doc.NumberCell(x))
	}
	results.DropEmpty()
	slices.SortStableFunc(first, func(a, b Row) int { // capitals first
		return cmp.Or(strings.Compare(b.Recommendation, a.Recommendation), strings.Compare(a.Language+a.ReasonToAskPerson, b.Language+b.ReasonToAskPerson))
	})
	ask := &doc.Table{RowHead: "item", Columns: doc.ColumnsOfKind(doc.ColumnWords, "why", "language")}
	for _, x := range first[:min(6, len(first))] {
		ask.Add(doc.WordRow(x.Item, x.ReasonToAskPerson, x.Language))
	}
	d := doc.Document{Title: r.Judge, Blocks: []doc.Block{
		{Table: results, Notes: doc.WarningNotes(r.Warnings)},
		{Title: phrases.Sentence("judge.ask"), ShowTitle: len(first) > 0, Table: ask},
	}}
	d.Answer, d.Also = r.answer(persons)
	return d
}

// Formats lists the endings of names of files of verdicts.
var Formats = strings.Fields(".csv .jsonl .parquet")

// Write writes rows as CSV, JSON lines or Parquet; format is one of Formats.
func Write(w io.Writer, format string, rows []Row) error {
	if format == ".parquet" {
		return parquet.Write(w, rows)
	}
	cells := [][]string{strings.Fields("item verdict consistent confidence use why language")}
	var lines bytes.Buffer
	for _, x := range rows {
		cells = append(cells, []string{
			x.Item, x.Verdict, strconv.FormatBool(x.Consistent), table.CSVNumber(x.Confidence, 4), x.Recommendation, x.ReasonToAskPerson, x.Language,
		})
		_ = json.NewEncoder(&lines).Encode(x) // texts, numbers: cannot fail
	}
	if format == ".csv" {
		return table.WriteCSV(w, cells)
	}
	_, err := lines.WriteTo(w)
	return err
}
