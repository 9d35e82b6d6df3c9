package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"gavel/internal/doc"
	"gavel/internal/phrases"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// JudgeCost holds the costs of a judge: of one run, or of all its runs in a suite.
type JudgeCost struct {
	Judge  string          `json:"judge"`
	Ledger *scoring.Ledger `json:"ledger"`
}

// costBlocks returns a table of the costs of judges; nothing if no costs are known.
func costBlocks(rows []JudgeCost) []doc.Block {
	rows = slices.DeleteFunc(slices.Clone(rows), func(p JudgeCost) bool { return p.Ledger == nil })
	if len(rows) == 0 {
		return nil
	}
	t := &doc.Table{RowHead: "judge", Columns: doc.ColumnsOfKind(doc.ColumnInteger,
		"calls", "tokens read", "generated", "seconds", "joules", "price", "decided items", "correct for 1,000")}
	b := doc.Block{
		ID: "costs", Title: "Cost", About: "in brackets: per decided item",
		Surfaces: doc.SurfaceAllButShort, FoldLabel: "Cost",
		Chart: doc.ChartTableWithTerms, Table: t, Notes: []doc.Note{doc.PhraseNote("cost.columns")},
	}
	var withoutCache []string // judges whose servers do not report prompt caches
	for _, row := range rows {
		p := row.Ledger
		each := cmp.Or(p.PerItem, &scoring.CostPerItem{})
		cell := func(whole *float64, places int, each *float64, decimals int) doc.Value {
			if whole == nil {
				return doc.TextCell("")
			}
			text := table.Fixed(whole, places)
			if p.PerItem != nil && each != nil {
				text += " (" + table.Fixed(each, decimals) + ")"
			}
			return doc.TextCell(text)
		}
		count := func(n int, each float64, decimals int) doc.Value {
			return cell(new(float64(n)), 0, &each, decimals)
		}
		t.Add(doc.Row{Name: row.Judge, Cells: doc.Cells(
			count(p.Calls, each.Calls, 1), count(p.ReadTokens(), each.ReadTokens, 0),
			count(p.ReplyTokens, each.ReplyTokens, 0), cell(&p.Seconds, 1, &each.Seconds, 2),
			cell(p.Joules, 0, each.Joules, 1), cell(p.Price, 2, each.Price, 4),
			strconv.Itoa(p.DecidedItems), cell(p.RightPerThousandTokens, 2, nil, 0),
		)})
		if p.CachedTokens == nil && p.PromptTokens > 0 {
			withoutCache = append(withoutCache, row.Judge)
		}
		if details := tokenDetails(p); len(details) > 0 {
			b.AddPlainNotes(textIf(len(rows) > 1, row.Judge+": ") + strings.Join(details, "; "))
		}
	}
	t.DropEmpty()
	switch note := phrases.Sentence("cost.no-prompt-cache"); {
	case len(withoutCache) == len(rows):
		b.AddPlainNotes(note)
	case len(withoutCache) > 0:
		b.AddPlainNotes(strings.Join(withoutCache, ", ") + ": " + note)
	}
	return []doc.Block{b}
}
