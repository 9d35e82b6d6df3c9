package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"gavel/internal/report/table"
	"gavel/scoring"
)

// costRow is a ledger, and whose.
type costRow struct {
	name string
	*scoring.Ledger
}

// costs is a table of what runs or judges cost, head being what a row is; none where nobody paid.
func costs(head string, rows []costRow) []table.Table {
	rows = slices.DeleteFunc(slices.Clone(rows), func(p costRow) bool { return p.Ledger == nil })
	if len(rows) == 0 {
		return nil
	}
	t := table.Table{
		Title:   "cost (in brackets: per decided item)",
		Columns: table.Left(head).Right("calls", "tokens read", "generated", "seconds"),
		Notes: []string{"seconds: in which a judgment was being made; right for 1,000: " +
			"items right by the headline, per 1,000 tokens that the judge generated"},
	}
	var untold []string // whose servers do not say what they had in their prompt caches
	joules, price := rows[0].Joules != nil, rows[0].Price != nil
	if joules {
		t.Columns = t.Columns.Right("joules")
	}
	if price {
		t.Columns = t.Columns.Right("price")
	}
	t.Columns = t.Columns.Right("decided items", "right for 1,000")
	for _, p := range rows {
		each := cmp.Or(p.Each, &scoring.Each{})
		of := func(whole string, each float64, decimals int) string {
			if p.Each == nil {
				return whole
			}
			return whole + " (" + strconv.FormatFloat(each, 'f', decimals, 64) + ")"
		}
		row := []string{p.name, of(strconv.Itoa(p.Calls), each.Calls, 1),
			of(strconv.Itoa(p.ReadTokens()), each.ReadTokens, 0),
			of(strconv.Itoa(p.ReplyTokens), each.ReplyTokens, 0), of(table.Fixed(&p.Seconds, 1), each.Seconds, 2)}
		zero := new(float64)
		if joules {
			row = append(row, of(table.Fixed(p.Joules, 0), *cmp.Or(each.Joules, zero), 1))
		}
		if price {
			row = append(row, of(table.Fixed(p.Price, 2), *cmp.Or(each.Price, zero), 4))
		}
		t.Row(append(row, strconv.Itoa(p.DecidedItems), table.Fixed(p.PerThousand, 2))...)
		if p.CachedTokens == nil && p.PromptTokens > 0 {
			untold = append(untold, p.name)
		}
		if said := strings.Join(beside(p.Ledger), "; "); said != "" && len(rows) > 1 {
			t.Note(p.name + ": " + said)
		} else if said != "" {
			t.Note(said)
		}
	}
	switch said := "the server does not say what its prompt cache had, so all of the prompts' tokens count as read"; {
	case len(untold) == len(rows):
		t.Note(said)
	case len(untold) > 0:
		t.Note(strings.Join(untold, ", ") + ": " + said)
	}
	return []table.Table{t}
}

// beside says what the numbers of a ledger do not, as far as servers tell.
func beside(l *scoring.Ledger) (said []string) {
	number := func(n int) string { return humanize.Comma(int64(n)) }
	if l.CachedTokens != nil {
		said = append(said, fmt.Sprintf("read %s of %s prompt tokens, %s from cache",
			number(l.ReadTokens()), number(l.PromptTokens), number(*l.CachedTokens)))
		if l.IdealTokens != nil {
			said = append(said, "an ideal cache would leave "+number(*l.IdealTokens))
		}
	}
	if l.ThoughtTokens != nil {
		thought := fmt.Sprintf("%s of %s tokens were thinking", number(*l.ThoughtTokens), number(l.GeneratedTokens))
		if l.ThoughtEach != nil {
			thought += fmt.Sprintf(", %s for each verdict", table.Fixed(l.ThoughtEach, 0))
		}
		said = append(said, thought)
	}
	if l.Remembered > 0 {
		said = append(said, table.Count(l.Remembered, "reply")+" from gavel's own cache, paid for before")
	}
	if l.Beside > 0 {
		said = append(said, table.Count(l.Beside, "request")+
			" beside the calls: which model is served, how long a prompt is")
	}
	return said
}

// Costs of the runs, a row each.
func (s Scores) Costs() []table.Table {
	rows := make([]costRow, len(s.Runs))
	for i, name := range runNames(s.Runs) {
		rows[i] = costRow{name, s.Runs[i].Ledger}
	}
	return costs("run", rows)
}
