package server

import (
	"cmp"
	"context"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"gavel/datasets"
	"gavel/internal/report"
	"gavel/internal/report/table"
	"gavel/judging"
	"gavel/scoring"
)

// board is the leaderboard: judges down, datasets across, one number in all cells.
type board struct {
	Protocol, Name, About string // of the number
	Unit                  string
	Term                  table.Explained // the name, with what it means
	Protocols, Metrics    []boardChoice
	Columns               []boardColumn
	Judges                BoardHead
	Rows                  []boardRow
	More                  int    // judges that are not shown
	MoreLink              string // to show them
	Left                  int    // datasets that are not shown
	Lettered, Pending     bool   // some judges have letters; they follow
	Tests                 string // what Holm's correction is over
	Company               bool   // there is a published number
	Shards                int    // runs that are left out, each a part of another
}

// boardChoice is another leaderboard.
type boardChoice struct {
	Name, Link string
	N          int // runs
	Chosen     bool
}

// BoardHead is a column that the leaderboard can be sorted by.
type BoardHead struct{ Name, Link, Sort string }

// boardColumn is a dataset with what its judges are held against.
type boardColumn struct {
	BoardHead
	Coins, Letters  string
	Best            *boardCell
	Published       *datasets.Published
	PublishedNumber string

	key  string
	runs []RunRow // the one of each judge
}

// boardRow is a judge: a model, asked in one way.
type boardRow struct {
	Model, How string
	Simulated  bool
	Cells      []*boardCell // one for each column; nil: there is no run

	key string
}

// boardCell is a judge's number on a dataset.
type boardCell struct {
	RunHead
	Value, Count string
	Diagnosis    *scoring.Diagnosis
	Letters      string
	More         int // other runs of the same judge

	number report.Number
	row    RunRow
}

// How much of a leaderboard a page shows.
const (
	boardRows    = 50
	boardAllRows = 1000
	boardColumns = 8
)

// numberKey names a number in an address.
func numberKey(x scoring.Result) string {
	if x.Mode == "" {
		return x.Metric
	}
	return x.Metric + "/" + x.Mode
}

// board lays the runs out that the filter takes; all are what they are held against. nil where none has a number.
func (s *Server) board(ctx context.Context, all, taken []RunRow, f *runsFilter) *board {
	whole := func(runs []RunRow) []RunRow {
		return slices.DeleteFunc(slices.Clone(runs), func(r RunRow) bool { return r.Shard != "" })
	}
	b := &board{Shards: len(taken)}
	all, taken = whole(all), whole(taken)
	b.Shards -= len(taken)
	runs := b.choose(taken, f)
	if len(runs) == 0 {
		return nil
	}
	rows, columns := map[string]*boardRow{}, map[string]*boardColumn{}
	cells := map[[2]string]*boardCell{}
	for _, r := range runs {
		row := &boardRow{Model: r.Model, How: how(r), Simulated: r.Simulated, key: r.Model + "\x00" + how(r)}
		column := &boardColumn{BoardHead: BoardHead{Name: r.Dataset}, key: r.Dataset + "\x00" + r.data}
		if rows[row.key] == nil {
			rows[row.key] = row
		}
		if columns[column.key] == nil {
			columns[column.key] = column
		}
		cell, at := newCell(r, f.Metric), [2]string{row.key, column.key}
		if old := cells[at]; old != nil {
			if cell.over(old) {
				old, cell = cell, old
			}
			old.More += cell.More + 1
			cell = old
		}
		cells[at] = cell
	}
	for at, cell := range cells {
		columns[at[1]].runs = append(columns[at[1]].runs, cell.row)
	}
	b.lay(columns, f)
	of := map[string][]*RunRow{} // by column
	for i, r := range all {
		if key := r.Dataset + "\x00" + r.data; r.Protocol == b.Protocol && columns[key] != nil {
			of[key] = append(of[key], &all[i])
		}
	}
	for i := range b.Columns {
		b.Columns[i].company(of[b.Columns[i].key], b.Protocol, f.Metric)
		b.Company = b.Company || b.Columns[i].Published != nil
	}
	s.letter(ctx, b, cells, f)
	for _, row := range rows {
		for _, c := range b.Columns {
			row.Cells = append(row.Cells, cells[[2]string{row.key, c.key}])
		}
		if slices.ContainsFunc(row.Cells, func(c *boardCell) bool { return c != nil }) {
			b.Rows = append(b.Rows, *row)
		}
	}
	b.sort(f)
	return b
}

// choose takes the runs of the protocol and with the number that the filter asks for, or of those that most runs have.
func (b *board) choose(taken []RunRow, f *runsFilter) (runs []RunRow) {
	count := map[string]int{}
	for _, r := range taken {
		if len(r.numbers) > 0 {
			count[r.Protocol]++
		}
	}
	for _, p := range f.Protocols {
		if n := count[p]; n > count[b.Protocol] {
			b.Protocol = p
		}
	}
	for _, p := range f.Protocols {
		if count[p] > 0 || f.Protocol != "" && p != f.Protocol {
			b.Protocols = append(b.Protocols, boardChoice{
				Name:   p,
				N:      count[p],
				Link:   f.link("protocol", p, "metric", "", "by", ""),
				Chosen: p == b.Protocol,
			})
		}
	}
	var numbers []report.Number
	for _, r := range taken {
		for _, n := range r.numbers {
			if r.Protocol == b.Protocol && !slices.ContainsFunc(numbers, func(o report.Number) bool {
				return numberKey(o.Result) == numberKey(n.Result)
			}) {
				numbers = append(numbers, n)
			}
		}
	}
	chosen := slices.IndexFunc(numbers, func(n report.Number) bool { return numberKey(n.Result) == f.Metric })
	if chosen < 0 && len(numbers) > 0 {
		chosen, f.Metric = 0, numberKey(numbers[0].Result)
	}
	for i, n := range numbers {
		b.Metrics = append(b.Metrics, boardChoice{
			Name:   named(n),
			Link:   f.link("metric", numberKey(n.Result), "by", ""),
			Chosen: i == chosen,
		})
		if i == chosen {
			b.Name = named(n)
			b.About = n.About
			b.Unit = n.Unit
			b.Term = table.Explained{Text: b.Name, Term: table.Explain(report.Terms(b.Protocol), n.Metric).Term}
		}
	}
	for _, r := range taken {
		if n := r.number(f.Metric); r.Protocol == b.Protocol && n != nil && n.Value != nil { // no value: of no whole item
			runs = append(runs, r)
		}
	}
	return runs
}

// Explanation of the number; "" where nothing explains it.
func (b *board) Explanation() (template.HTML, error) {
	if b.Term.Term == nil {
		return "", nil
	}
	return table.Explanations([]scoring.Term{*b.Term.Term})
}

// named is a number in plain words, with what tables call it.
func named(n report.Number) string {
	if n.Name == n.Metric {
		return strings.TrimSpace(n.Metric + " " + n.Mode)
	}
	return n.Name
}

// number of a run by its key.
func (r RunRow) number(key string) *report.Number {
	if i := slices.IndexFunc(r.numbers, func(n report.Number) bool { return numberKey(n.Result) == key }); i >= 0 {
		return &r.numbers[i]
	}
	return nil
}

// how a model was asked.
func how(r RunRow) string {
	return strings.TrimSuffix(r.Prompt+", "+r.Settings, ", ")
}

func newCell(r RunRow, key string) *boardCell {
	n := *r.number(key)
	return &boardCell{
		RunHead:   r.RunHead,
		Value:     table.Whole(n.Result),
		Count:     n.Count(),
		Diagnosis: r.Diagnosis,
		number:    n,
		row:       r,
	}
}

// over tells whether a run stands for its judge in place of another: a complete one, then the larger, then the newer.
func (c *boardCell) over(other *boardCell) bool {
	whole := func(c *boardCell) int { return int(scoring.One(c.Status == judging.Complete)) }
	return cmp.Or(whole(c)-whole(other), c.number.N-other.number.N, c.Started.Compare(other.Started)) > 0
}

// lay gives the columns their order: the dataset with the most judges first.
func (b *board) lay(columns map[string]*boardColumn, f *runsFilter) {
	names := map[string]int{}
	for _, c := range columns {
		names[c.Name]++
		b.Columns = append(b.Columns, *c)
	}
	slices.SortFunc(b.Columns, func(x, y boardColumn) int {
		return cmp.Or(len(y.runs)-len(x.runs), strings.Compare(x.key, y.key))
	})
	b.Left = len(b.Columns) - boardColumns
	if b.Left > 0 {
		b.Columns = b.Columns[:boardColumns]
	}
	for i := range b.Columns {
		c := &b.Columns[i]
		if names[c.Name] > 1 { // files that differ under one name
			c.Name += fmt.Sprintf(" (%.8s)", c.key[strings.Index(c.key, "\x00")+1:])
		}
		slices.SortFunc(c.runs, func(x, y RunRow) int { return strings.Compare(x.Name, y.Name) })
	}
	if !slices.ContainsFunc(b.Columns, func(c boardColumn) bool {
		return strings.TrimPrefix(f.By, "-") == c.Name
	}) && strings.TrimPrefix(f.By, "-") != "judge" {
		f.By = b.Columns[0].Name
	}
	b.Judges = f.head("judge", "Judge", "ascending", "descending")
	for i := range b.Columns {
		b.Columns[i].BoardHead = f.head(b.Columns[i].Name, b.Columns[i].Name, "descending", "ascending")
	}
}

// head of a column; first is how it is sorted at first.
func (f *runsFilter) head(by, name, first, then string) BoardHead {
	h := BoardHead{Name: name, Link: f.link("by", by)}
	switch f.By {
	case by:
		h.Sort, h.Link = first, f.link("by", "-"+by)
	case "-" + by:
		h.Sort = then
	}
	return h
}

// company is what the judges of a column are held against: coins, the best run here, and what is published.
func (c *boardColumn) company(all []*RunRow, protocol, key string) {
	var coins []string
	headline := false
	for _, r := range all {
		n := r.number(key)
		if n == nil {
			continue
		}
		if n.Coins != nil {
			at := table.Whole(scoring.Result{Value: n.Coins, Unit: n.Unit})
			coins = append(coins, at)
		}
		headline = numberKey(r.numbers[0].Result) == key
		if headline && n.Value != nil && (c.Best == nil || *n.Value > *c.Best.number.Value) {
			c.Best = newCell(*r, key)
		}
	}
	slices.Sort(coins)
	coins = slices.Compact(coins)
	if len(coins) > 0 {
		c.Coins = coins[0]
		if len(coins) > 1 {
			c.Coins += " to " + coins[len(coins)-1]
		}
	}
	for _, p := range datasets.PublishedOn(datasetOf(c.key)) {
		if p.Protocol == protocol && p.Metric == key {
			c.Published, c.PublishedNumber = &p, table.Whole(scoring.Result{Value: &p.Value})
		}
	}
}

func datasetOf(key string) string { return key[:strings.Index(key, "\x00")] }

// sort sorts the judges by a column, those without a run in it last, and shows the first of them.
func (b *board) sort(f *runsFilter) {
	by, reversed := strings.CutPrefix(f.By, "-")
	at := slices.IndexFunc(b.Columns, func(c boardColumn) bool { return c.Name == by })
	slices.SortFunc(b.Rows, func(x, y boardRow) int { return strings.Compare(x.key, y.key) })
	if at >= 0 {
		slices.SortStableFunc(b.Rows, func(x, y boardRow) int {
			cx, cy := x.Cells[at], y.Cells[at]
			if cx == nil || cy == nil {
				return int(scoring.One(cx == nil) - scoring.One(cy == nil))
			}
			if order := cmp.Compare(*cy.number.Value, *cx.number.Value); !reversed {
				return order
			}
			return cmp.Compare(*cx.number.Value, *cy.number.Value)
		})
	} else if reversed {
		slices.Reverse(b.Rows)
	}
	most := boardRows
	if f.All {
		most = boardAllRows
	}
	b.More = len(b.Rows) - most
	if b.More > 0 {
		b.Rows, b.MoreLink = b.Rows[:most], f.link("rows", "all")
	}
}
