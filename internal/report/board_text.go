package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"gavel/internal/report/table"
	"gavel/scoring"
)

// BoardColumn is a number that a board shows beside the headline, in the unit of its metric.
type BoardColumn struct {
	Heads [2]string // one above the other
	Of    func(r *scoring.Report) scoring.Result
}

// ColumnOf is a column of a metric over all items.
func ColumnOf(first, second, metric string) BoardColumn {
	return BoardColumn{
		Heads: [2]string{first, second},
		Of:    func(r *scoring.Report) scoring.Result { return r.Overall(metric) },
	}
}

// boardColumn is a column of a board as it is printed.
type boardColumn struct {
	heads [2]string
	right bool
	cells []string
}

func (c *boardColumn) width() int {
	n := 0
	for _, cell := range append(slices.Clone(c.cells), c.heads[:]...) {
		n = max(n, text.StringWidthWithoutEscSequences(cell))
	}
	return n
}

// Ranks are the ranks that a judge may have: "1–3", or one of them.
func (s Standing) Ranks() string {
	switch {
	case s.First == 0:
		return ""
	case s.First == s.Last:
		return fmt.Sprint(s.First)
	}
	return fmt.Sprintf("%d–%d", s.First, s.Last)
}

// stripWidth is how many characters a drawn interval has.
const stripWidth = 16

// Strip draws a value and its interval on the scale of its unit: ···━●━······
func Strip(x scoring.Result) string {
	if x.Value == nil {
		return ""
	}
	axis := valueAxis(x.Unit)
	at := func(v float64) int {
		return min(stripWidth-1, max(0, int((v-axis.Min)/(axis.Max-axis.Min)*stripWidth)))
	}
	line := slices.Repeat([]rune{'·'}, stripWidth)
	if x.Low != nil && x.High != nil {
		for i := at(*x.Low); i <= at(*x.High); i++ {
			line[i] = '━'
		}
	}
	line[at(*x.Value)] = '●'
	return string(line)
}

// stripHead is the scale above drawn intervals.
func stripHead(axis Axis) string {
	format := func(v float64) string { return fmt.Sprintf("%g", v) }
	low := format(axis.Min)
	middle := format((axis.Min + axis.Max) / 2)
	high := format(axis.Max)
	return fmt.Sprintf("%-*s%-*s%*s", stripWidth/2-1, low, stripWidth/2-2, middle, 3, high)
}

// columns of the board: rank, name, level, headline, what is drawn of it, and what its protocol shows beside.
func (b Board) columns() (all []boardColumn, drawn boardColumn) {
	rank := boardColumn{heads: [2]string{"rank", ""}}
	name := boardColumn{heads: [2]string{"judge", ""}}
	level := boardColumn{heads: [2]string{"good for", ""}}
	value := boardColumn{heads: inTwo(b.headline())}
	for _, r := range b.Rows {
		rank.cells = append(rank.cells, r.Ranks())
		name.cells = append(name.cells, table.Clean(r.Name))
		level.cells = append(level.cells, table.Level(r.Level))
		value.cells = append(value.cells, table.Roughly(r.Headline))
		drawn.cells = append(drawn.cells, Strip(r.Headline))
	}
	all = []boardColumn{rank, name, level, value}
	if len(b.Rows) == 0 {
		return all, drawn
	}
	drawn.heads[1] = stripHead(valueAxis(b.Rows[0].Headline.Unit))
	for _, c := range b.beside() {
		column := boardColumn{heads: c.Heads, right: true}
		for _, r := range b.Rows {
			x := c.Of(r.Report)
			column.cells = append(column.cells, table.Rough(x.Value, x))
		}
		all = append(all, column)
	}
	return all, drawn
}

// beside are the columns that its protocol shows beside the headline.
func (b Board) beside() []BoardColumn {
	if len(b.Rows) == 0 {
		return nil
	}
	r := b.Rows[0].Report
	return slices.DeleteFunc(slices.Clone(layoutOf(r.Protocol).Board), func(c BoardColumn) bool {
		return c.Of(r).Metric == b.Metric
	})
}

// inTwo breaks words in the middle.
func inTwo(words string) (lines [2]string) {
	at := -1
	for i, r := range words {
		if r == ' ' && (at < 0 || max(i, len(words)-i) < max(at, len(words)-at)) {
			at = i
		}
	}
	if at < 0 {
		return [2]string{words, ""}
	}
	return [2]string{words[:at], words[at+1:]}
}

// mark writes the marks of judges behind the numbers of a column.
func (b Board) mark(c *boardColumn) {
	widest := 0
	for _, r := range b.Rows {
		widest = max(widest, text.StringWidthWithoutEscSequences(r.Mark))
	}
	c.cells = slices.Clone(c.cells)
	for i, r := range b.Rows {
		c.cells[i] += text.Pad(r.Mark, widest, ' ')
	}
}

// Places of columns.
const (
	nameColumn  = 1
	valueColumn = 3
)

// How narrow the names of judges may become before a column is left out, where half of the longest is less, and in the
// end.
const (
	narrowName    = 14
	narrowestName = 12
)

// WriteText prints the board for a terminal of so many columns, 0 where it may have any width. What does not fit is
// left out, the drawing first, then the last columns.
func (b Board) WriteText(w io.Writer, columns int) error {
	all, drawn := b.columns()
	value := all[valueColumn]
	all[valueColumn] = value.beside(drawn, b.headline())
	// room is what is left for the names
	room := func() int {
		left := columns
		for i := range all {
			if i != nameColumn {
				left -= all[i].width() + 1
			}
		}
		return left
	}
	names := all[nameColumn].width()
	least := min(names, max(narrowName, (names+1)/2))
	fits := func() bool { return columns <= 0 || room() >= least }
	if !fits() {
		all[valueColumn] = value
	}
	for !fits() && len(all) > valueColumn+1 {
		all = all[:len(all)-1]
	}
	if columns > 0 {
		names = max(narrowestName, min(names, room()))
	}
	b.mark(&all[len(all)-1])
	var lines strings.Builder
	for i := range 2 {
		var heads []string
		for _, c := range all {
			heads = append(heads, c.heads[i])
		}
		fmt.Fprintln(&lines, table.Faint(w, rowOf(all, heads, names)))
	}
	for i := range b.Rows {
		parts := strings.Split(text.WrapSoft(all[nameColumn].cells[i], names), "\n")
		var cells []string
		for k, c := range all {
			if k == nameColumn {
				cells = append(cells, parts[0])
				continue
			}
			cells = append(cells, c.cells[i])
		}
		fmt.Fprintln(&lines, rowOf(all, cells, names))
		for _, part := range parts[1:] {
			fmt.Fprintf(&lines, "%*s%s\n", all[0].width()+1, "", strings.TrimSpace(part))
		}
	}
	_, err := io.WriteString(w, lines.String())
	return err
}

// beside is a column with what is drawn of it, under a head that reaches over both.
func (c boardColumn) beside(drawn boardColumn, head string) boardColumn {
	width := 0
	for _, cell := range c.cells {
		width = max(width, text.StringWidthWithoutEscSequences(cell))
	}
	both := boardColumn{heads: [2]string{head, strings.Repeat(" ", width+1) + drawn.heads[1]}}
	for i, cell := range c.cells {
		both.cells = append(both.cells, text.Pad(cell, width+1, ' ')+drawn.cells[i])
	}
	return both
}

// rowOf is a line of cells, names so wide.
func rowOf(columns []boardColumn, cells []string, names int) string {
	var line strings.Builder
	for i, c := range columns {
		width := c.width()
		if i == nameColumn {
			width = names
		}
		align := text.AlignLeft
		if c.right {
			align = text.AlignRight
		}
		line.WriteString(align.Apply(cells[i], width) + " ")
	}
	return strings.TrimRight(line.String(), " ")
}

// headline is what the board's number is called.
func (b Board) headline() string {
	if len(b.Rows) == 0 {
		return b.Metric
	}
	return ScoreName(b.Rows[0].Report, b.Metric)
}

// ScoreName returns the name of the metric that judges are ranked by.
func ScoreName(r *scoring.Report, metric string) string {
	if r.Preferences {
		return WithPeople
	}
	term, _ := scoring.TermIn(Terms(r.Protocol), metric)
	return cmp.Or(term.Name, metric)
}

// table is the board as other tables are printed.
func (b Board) table() table.Table {
	t := table.Table{Plain: true, Columns: table.Left("rank", "judge", "good for", b.headline())}
	beside := b.beside()
	for i, c := range beside {
		t.Columns = t.Columns.Right(strings.TrimSpace(c.Heads[0] + " " + c.Heads[1]))
		if i > 0 { // the first stays
			t.Columns[len(t.Columns)-1].Spare = len(beside) - i
		}
	}
	for _, r := range b.Rows {
		row := []string{r.Ranks(), r.Name, table.Level(r.Level), table.Roughly(r.Headline)}
		for _, c := range beside {
			row = append(row, given(c.Of(r.Report)))
		}
		t.Row(row...)
	}
	t.Note("every way to count: --full")
	return t
}
