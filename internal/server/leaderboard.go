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

// leaderboard has judges down, datasets across, and one number in all cells. Judges stand in the order of the first
// dataset.
type leaderboard struct {
	Protocol, Name, About string // of the number
	Unit                  string
	Term                  table.Explained // the name, with what it means
	Protocols, Metrics    []boardChoice
	Columns               []boardColumn
	Rows                  []boardRow
	More                  int    // judges that are not shown
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

// boardColumn is a dataset with what its judges are held against.
type boardColumn struct {
	Name            string
	Coins, Letters  string
	Published       *datasets.Published
	PublishedNumber string

	key  datasetKey
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
	boardRows    = 100
	boardColumns = 8
)

// numberKey names a number in an address.
func numberKey(x scoring.Result) string {
	if x.Mode == "" {
		return x.Metric
	}
	return x.Metric + "/" + x.Mode
}

// leaderboard lays the runs out that the filter takes; all are what they are held against. nil where none has a number.
func (s *Server) leaderboard(ctx context.Context, all, taken []RunRow, f *runsFilter) *leaderboard {
	whole := func(runs []RunRow) []RunRow {
		return slices.DeleteFunc(slices.Clone(runs), func(r RunRow) bool { return r.Shard != "" })
	}
	b := &leaderboard{Shards: len(taken)}
	all, taken = whole(all), whole(taken)
	b.Shards -= len(taken)
	runs := b.choose(taken, f)
	if len(runs) == 0 {
		return nil
	}
	rows := map[string]*boardRow{}
	columns := map[datasetKey]*boardColumn{}
	cells := map[cellKey]*boardCell{}
	for _, r := range runs {
		at := cellKey{judge: r.Model + "\x00" + how(r), dataset: r.column()}
		if rows[at.judge] == nil {
			rows[at.judge] = &boardRow{Model: r.Model, How: how(r), Simulated: r.Simulated, key: at.judge}
		}
		if columns[at.dataset] == nil {
			columns[at.dataset] = &boardColumn{Name: r.Dataset, key: at.dataset}
		}
		cell := newCell(r, f.Metric)
		if old := cells[at]; old != nil {
			if !cell.over(old) {
				cell = old
			}
			cell.More = old.More + 1
		}
		cells[at] = cell
	}
	for at, cell := range cells {
		columns[at.dataset].runs = append(columns[at.dataset].runs, cell.row)
	}
	b.lay(columns)
	for i := range b.Columns {
		b.Columns[i].company(all, b.Protocol, f.Metric)
		b.Company = b.Company || b.Columns[i].Published != nil
	}
	s.letter(ctx, b, cells, f)
	for _, row := range rows {
		for _, c := range b.Columns {
			row.Cells = append(row.Cells, cells[cellKey{judge: row.key, dataset: c.key}])
		}
		if slices.ContainsFunc(row.Cells, func(c *boardCell) bool { return c != nil }) {
			b.Rows = append(b.Rows, *row)
		}
	}
	b.sort()
	return b
}

// choose takes the runs of the protocol and with the number that the filter asks for, or of those that most runs have.
func (b *leaderboard) choose(taken []RunRow, f *runsFilter) (runs []RunRow) {
	count := map[string]int{}
	for _, r := range taken {
		if len(r.numbers) > 0 {
			count[r.Protocol]++
		}
	}
	for _, p := range f.Choices["protocol"] {
		if n := count[p]; n > count[b.Protocol] {
			b.Protocol = p
		}
	}
	for _, p := range f.Choices["protocol"] {
		if count[p] > 0 || f.Protocol != "" && p != f.Protocol {
			b.Protocols = append(b.Protocols, boardChoice{
				Name:   p,
				N:      count[p],
				Link:   f.link("protocol", p, "metric", ""),
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
			Link:   f.link("metric", numberKey(n.Result)),
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
func (b *leaderboard) Explanation() (template.HTML, error) {
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

// datasetKey tells datasets apart: files may differ under one name.
type datasetKey struct{ name, sha256 string }

// cellKey is the place of a cell.
type cellKey struct {
	judge   string
	dataset datasetKey
}

func (r RunRow) column() datasetKey { return datasetKey{name: r.Dataset, sha256: r.data} }

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
func (b *leaderboard) lay(columns map[datasetKey]*boardColumn) {
	names := map[string]int{}
	for _, c := range columns {
		names[c.Name]++
		b.Columns = append(b.Columns, *c)
	}
	slices.SortFunc(b.Columns, func(x, y boardColumn) int {
		return cmp.Or(len(y.runs)-len(x.runs), strings.Compare(x.key.name, y.key.name),
			strings.Compare(x.key.sha256, y.key.sha256))
	})
	b.Left = len(b.Columns) - boardColumns
	if b.Left > 0 {
		b.Columns = b.Columns[:boardColumns]
	}
	for i := range b.Columns {
		c := &b.Columns[i]
		if names[c.Name] > 1 { // files that differ under one name
			c.Name += fmt.Sprintf(" (%.8s)", c.key.sha256)
		}
		slices.SortFunc(c.runs, func(x, y RunRow) int { return strings.Compare(x.Name, y.Name) })
	}
}

// company is what the judges of a column are held against: coins, and what is published.
func (c *boardColumn) company(all []RunRow, protocol, key string) {
	var coins []string
	for _, r := range all {
		n := r.number(key)
		if r.Protocol == protocol && r.column() == c.key && n != nil && n.Coins != nil {
			coins = append(coins, table.Whole(scoring.Result{Value: n.Coins, Unit: n.Unit}))
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
	for _, p := range datasets.PublishedOn(c.key.name) {
		if p.Protocol == protocol && p.Metric == key {
			c.Published, c.PublishedNumber = &p, table.Whole(scoring.Result{Value: &p.Value})
		}
	}
}

// sort sorts the judges by the first column, those without a run in it last, and leaves the first of them.
func (b *leaderboard) sort() {
	slices.SortFunc(b.Rows, func(x, y boardRow) int {
		cx, cy := x.Cells[0], y.Cells[0]
		if cx == nil || cy == nil {
			return cmp.Or(int(scoring.One(cx == nil)-scoring.One(cy == nil)), strings.Compare(x.key, y.key))
		}
		return cmp.Or(cmp.Compare(*cy.number.Value, *cx.number.Value), strings.Compare(x.key, y.key))
	})
	b.More = max(0, len(b.Rows)-boardRows)
	b.Rows = b.Rows[:len(b.Rows)-b.More]
}
