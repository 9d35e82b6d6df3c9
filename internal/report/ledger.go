package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"gavel/internal/doc"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// costRow is a ledger, and whose.
type costRow struct {
	name string
	*scoring.Ledger
}

// costBlocks is a table of what runs or judges cost, head being what a row is; none where nobody paid.
func costBlocks(head string, rows []costRow) []doc.Block {
	rows = slices.DeleteFunc(slices.Clone(rows), func(p costRow) bool { return p.Ledger == nil })
	if len(rows) == 0 {
		return nil
	}
	t := &doc.Table{First: head, Columns: doc.Columns(doc.Whole,
		"calls", "tokens read", "generated", "seconds", "joules", "price", "decided items", "correct for 1,000")}
	b := doc.Block{
		ID: "costs", Title: "Cost", About: "in brackets: per decided item", In: doc.Full | doc.Page, Fold: "Cost",
		Chart: doc.Numbers, Table: t, Notes: []doc.Note{doc.Say("cost.columns")},
	}
	var untold []string // whose servers do not report prompt caches
	for _, p := range rows {
		each := cmp.Or(p.Each, &scoring.Each{})
		of := func(whole *float64, places int, each *float64, decimals int) doc.Value {
			if whole == nil {
				return doc.Text("")
			}
			text := table.Fixed(whole, places)
			if p.Each != nil && each != nil {
				text += " (" + table.Fixed(each, decimals) + ")"
			}
			return doc.Text(text)
		}
		count := func(n int, each float64, decimals int) doc.Value {
			return of(new(float64(n)), 0, &each, decimals)
		}
		t.Add(doc.Row{Name: p.name, Cells: doc.Cells(
			count(p.Calls, each.Calls, 1), count(p.ReadTokens(), each.ReadTokens, 0),
			count(p.ReplyTokens, each.ReplyTokens, 0), of(&p.Seconds, 1, &each.Seconds, 2),
			of(p.Joules, 0, each.Joules, 1), of(p.Price, 2, each.Price, 4),
			strconv.Itoa(p.DecidedItems), of(p.PerThousand, 2, nil, 0),
		)})
		if p.CachedTokens == nil && p.PromptTokens > 0 {
			untold = append(untold, p.name)
		}
		if said := strings.Join(beside(p.Ledger), "; "); said != "" && len(rows) > 1 {
			b.Plain(p.name + ": " + said)
		} else if said != "" {
			b.Plain(said)
		}
	}
	t.DropEmpty()
	switch said := doc.Phrase("cost.no-prompt-cache"); {
	case len(untold) == len(rows):
		b.Plain(said)
	case len(untold) > 0:
		b.Plain(strings.Join(untold, ", ") + ": " + said)
	}
	return []doc.Block{b}
}

// Costs returns what the runs cost, a row each.
func (s Scores) Costs() doc.Document { return doc.Document{Blocks: s.costs()} }

func (s Scores) costs() []doc.Block {
	rows := make([]costRow, len(s.Runs))
	for i, name := range runNames(s.Runs) {
		rows[i] = costRow{name: name, Ledger: s.Runs[i].Ledger}
	}
	return costBlocks("judge", rows)
}
