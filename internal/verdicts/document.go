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

// answer returns the answer, and how sure it is.
func (r *Result) answer() (answer, details string) {
	details = phrases.Sentence("judge.persons", r.Persons, len(r.Verdicts))
	if r.CorrectedByLabels != nil {
		return r.CorrectedByLabels.Says, details
	}
	if r.Ranking != nil {
		code := "judge.ranking"
		if r.Ranking[0].Ranks[1] == 1 {
			code = "judge.first"
		}
		return phrases.Sentence(code, r.ResponseNames[0], r.Ranking[0].Ranks[1]),
			phrases.Sentence("judge.strength", details, r.Accuracy, r.Accuracy.N, r.verdictKind)
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
	if r.Counts[labels.Tie] > 0 {
		details = phrases.Sentence("judge.ties", details)
	}
	if others := len(r.rated) - rate.N; others > 0 {
		details = phrases.Sentence("judge.worst", details, r.ResponseNames[1], phrases.CountWithNoun(others, "other item"),
			r.ResponseNames[0], rate.Value*float64(rate.N)/float64(len(r.rated)))
	}
	return answer, details
}

// Document returns the outcomes with the win rates, scores or ranks, and the items to ask a person about first: those
// without a verdict to keep, then those in a language that is rare among the measured ones, which also come first among
// the former. Verdicts to keep follow, the least confident first, if confidence finds errors.
func (r *Result) Document() doc.Document {
	var first []Row
	for _, x := range r.Verdicts {
		switch {
		case x.ReasonToAskPerson != "":
		case x.Language != "":
			x.ReasonToAskPerson = phrases.Sentence("judge.rare-language")
		case x.Confidence != nil && r.confidencePredictsAccuracy:
			x.ReasonToAskPerson = phrases.Sentence("judge.unsure", *x.Confidence)
		default:
			continue
		}
		first = append(first, x)
	}
	results := &doc.Table{
		RowHead: "outcome",
		Columns: doc.ColumnsOfKind(doc.ColumnNumber, "items", "verdicts, %", "corrected, %"),
		Board:   r.Ranking != nil,
	}
	for i, name := range append(r.ResponseNames, reasonInconsistent, labels.Tie, reasonNoVerdict) {
		row := doc.Row{Name: name, Cells: doc.Cells(r.Counts[name])}
		if i < len(r.Ranking) {
			row.Ranks = r.Ranking[i].Ranks
			row.Cells = append(row.Cells, doc.NumberCell(r.Ranking[i].WinProbability))
			results.Columns[1].Name = phrases.Sentence("judge.against", r.ResponseNames[0])
		}
		if i < len(r.ResponseNames) || r.Counts[name] > 0 {
			results.Add(row)
		}
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
		return cmp.Or(strings.Compare(b.Recommendation, a.Recommendation),
			strings.Compare(a.Language+a.ReasonToAskPerson, b.Language+b.ReasonToAskPerson))
	})
	top := first[:min(6, len(first))]
	ask := &doc.Table{RowHead: "item", Columns: doc.ColumnsOfKind(doc.ColumnWords, "why", "language")}
	for _, x := range top {
		ask.Add(doc.WordRow(x.Item, x.ReasonToAskPerson, x.Language))
	}
	d := doc.Document{Title: r.Judge, Blocks: []doc.Block{
		{Table: results, Notes: doc.WarningNotes(r.Warnings)},
		{Title: phrases.Sentence("judge.ask", len(top), len(first)), ShowTitle: top != nil, Table: ask},
	}}
	d.Answer, d.Also = r.answer()
	d.Also = phrases.Sentence("judge.file", d.Also, r.File)
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
		consistent := ""
		if x.Consistent != nil {
			consistent = strconv.FormatBool(*x.Consistent)
		}
		cells = append(cells, []string{
			x.Item, x.Verdict, consistent, table.CSVNumber(x.Confidence, 4), x.Recommendation, x.ReasonToAskPerson, x.Language,
		})
		_ = json.NewEncoder(&lines).Encode(x) // texts, numbers: cannot fail
	}
	if format == ".csv" {
		return table.WriteCSV(w, cells)
	}
	_, err := lines.WriteTo(w)
	return err
}
