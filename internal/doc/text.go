package doc

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"gavel/internal/report/table"
	"gavel/scoring"
)

// Widths of drawings on a terminal, in characters.
const (
	stripWidth      = 16 // of a number on an axis
	differenceWidth = 13 // of a difference; odd, so that 0 is in the middle
	raceBarWidth    = 14 // of the items that a judge was asked in a race
)

// Tables returns the blocks that appear on a surface as tables of words, with the answer as the first table.
func (d Document) Tables(on Surface) (all []table.Table) {
	answer := strings.TrimSpace(d.Answer + " " + d.Also)
	switch {
	case d.Level != "":
		all = append(all, table.Table{Title: d.Title})
		if answer != "" {
			t := table.Table{Columns: table.TextColumns("", ""), NoHeadingRule: true}
			t.AddRow(table.LevelWithSymbol(d.Level), answer)
			all = append(all, t)
		}
	case d.Title+answer != "":
		all = append(all, table.Table{Title: strings.TrimSpace(d.Title + "\n" + answer)})
	}
	for _, b := range d.Blocks {
		if !b.appearsOn(on) {
			continue
		}
		t := b.table(on)
		if len(t.Rows)+len(t.Notes)+len(t.Commands) > 0 || t.Title != "" && b.Table == nil {
			all = append(all, t)
		}
	}
	return all
}

// Document returns d itself, so that d can be printed like values that make a Document.
func (d Document) Document() Document { return d }

// Text prints the document for a terminal of this many columns; 0 means any width. full prints every block and column
// for texts.
func (d Document) Text(w io.Writer, columns int, full bool) error {
	on, writer := SurfaceShortText, table.TextWriter
	if full {
		on, writer = SurfaceFullText, table.TerminalWriter
	}
	return writer(columns).WriteTables(w, d.Tables(on))
}

// Markdown prints the document as Markdown.
func (d Document) Markdown(w io.Writer) error {
	return table.Writer(table.Markdown).WriteTables(w, d.Tables(SurfaceFullText))
}

// CSV prints the rows of the document's Sheet, or else of its first table, as CSV.
func (d Document) CSV(w io.Writer) error {
	rows := d.CSVRows
	for _, b := range d.Blocks {
		if rows == nil && b.Table != nil {
			rows = b.Table.CSVRows()
		}
	}
	return table.WriteCSV(w, rows)
}

// table returns the block as a table of words for a surface.
func (b Block) table(on Surface) table.Table {
	t := table.Table{NoHeadingRule: on == SurfaceShortText}
	if on != SurfaceShortText || b.ShowTitle {
		t.Title = b.Title
		if b.About != "" && b.Title != "" {
			t.Title += " · " + b.About
		}
	}
	if b.Table != nil && b.Chart == ChartStackedBar {
		b.addBarRows(&t)
	} else if b.Table != nil {
		b.Table.forSurface(on).addToTable(&t, on)
	}
	b.fillCommands(&t)
	if b.Verbatim != "" && on == SurfaceFullText {
		t.Commands = append(t.Commands, b.Verbatim)
	}
	for _, n := range b.Notes {
		if n.Code == WarningCode {
			t.AddNotes("! " + n.String())
		} else {
			t.AddNotes(n.String())
		}
	}
	return t
}

// maxInlineCommand is the length up to which commands stand beside their purpose on a line of 80 columns.
const maxInlineCommand = 47

// fillCommands adds the commands of the block beside their purpose. Long ones follow, each on a line of its own below
// its purpose, to be copied whole.
func (b Block) fillCommands(t *table.Table) {
	if len(b.Commands) == 0 {
		return
	}
	t.Columns = table.TextColumns("", "")
	width := 0
	for _, c := range b.Commands {
		if len(c.Line) <= maxInlineCommand {
			width = max(width, len(c.Line))
		}
	}
	for _, c := range b.Commands {
		if len(c.Line) > maxInlineCommand {
			t.Commands = append(t.Commands, c.Purpose+":", c.Line)
		} else {
			t.AddRow("", fmt.Sprintf("%-*s  %s", width, c.Line, c.Purpose))
		}
	}
	if len(t.Rows) == 0 {
		t.AddRow("", t.Commands[0])
		t.Commands = t.Commands[1:]
	}
	t.Rows[0][0] = "next"
}

// addBarRows adds a row to t for each part of the block's stacked bar, with its count and share.
func (b Block) addBarRows(t *table.Table) {
	parts := b.Table.barParts()
	total := 0
	for _, p := range parts {
		total += p.N
	}
	t.Columns = table.TextColumns(b.Table.RowHead).AddNumberColumns("n", "%")
	if slices.ContainsFunc(parts, func(p BarPart) bool { return p.Note != "" }) {
		t.Columns = t.Columns.AddTextColumns("")
	}
	for _, p := range parts {
		row := []string{p.Name, strconv.Itoa(p.N), fmt.Sprintf("%.0f", 100*float64(p.N)/float64(max(1, total))), p.Note}
		t.AddRow(row[:len(t.Columns)]...)
	}
}

// addToTable adds the columns and rows of the table to t as words for a surface.
func (from Table) addToTable(t *table.Table, on Surface) {
	hasCounts := on == SurfaceFullText && slices.ContainsFunc(from.Rows, func(r Row) bool { return r.N > 0 })
	if from.Board {
		t.Columns = t.Columns.AddTextColumns("rank")
	}
	t.Columns = t.Columns.AddTextColumns(from.RowHead)
	if hasCounts {
		t.Columns = t.Columns.AddNumberColumns("n")
	}
	for _, c := range from.Columns {
		t.Columns = append(t.Columns, c.heads(on)...)
	}
	for _, r := range from.Rows {
		row := []string{}
		if from.Board {
			row = append(row, r.rankRange())
		}
		row = append(row, r.name(on))
		if hasCounts {
			row = append(row, formatUnlessZero(r.N))
		}
		for i, v := range r.Cells {
			row = append(row, from.Columns[i].cells(v, on)...)
		}
		t.AddRow(row...)
	}
}

// formatUnlessZero returns n in digits; "" for 0.
func formatUnlessZero(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// name returns the name of the row on a surface, with its detail and a remark if the judge is simulated.
func (r Row) name(on Surface) string {
	name := r.Name
	if r.Detail != "" && (on == SurfaceFullText || r.Heading) {
		name += " · " + r.Detail
	}
	if r.Simulated && !strings.Contains(strings.ToLower(name), "sim") {
		name += " (simulated)"
	}
	return name
}

// rankRange returns the possible ranks of the row's judge: "1–3", or "2" if only one is possible; "" for none.
func (r Row) rankRange() string {
	switch first, last := r.Ranks[0], r.Ranks[1]; {
	case first == 0:
		return ""
	case first == last:
		return strconv.Itoa(first)
	default:
		return fmt.Sprintf("%d–%d", first, last)
	}
}

// hasDrawing reports whether a text for a surface draws the column's numbers on their axis.
func (c Column) hasDrawing(on Surface) bool {
	return on == SurfaceShortText && c.Axis != nil && c.Kind == ColumnNumber
}

// heads returns the heading of the column in a text, followed by that of its drawing if it has one.
func (c Column) heads(on Surface) table.Columns {
	name := c.Name
	if on == SurfaceShortText {
		name = cmp.Or(c.Short, name)
	}
	ofWords := []ColumnKind{ColumnWords, ColumnLevel, ColumnProgress, ColumnBar, ColumnLargeBar}
	isNumeric := !slices.Contains(ofWords, c.Kind) && !c.hasDrawing(on)
	heads := table.Columns{{Name: name, Right: isNumeric, DropPriority: c.HidePriority}}
	if c.hasDrawing(on) {
		heads = append(heads, table.Column{Name: c.Axis.terminalScaleLine(c.drawingWidth()), DropPriority: 1})
	}
	return heads
}

// drawingWidth returns the number of characters of the column's drawing.
func (c Column) drawingWidth() int {
	if c.Axis.Signed {
		return differenceWidth
	}
	return stripWidth
}

// cells returns the words for a value of the column in a text, followed by its drawing if the column has one.
func (c Column) cells(v Value, on Surface) []string {
	cells := []string{c.words(v, on)}
	if c.hasDrawing(on) {
		cells = append(cells, c.Axis.terminalStrip(v, c.drawingWidth()))
	}
	return cells
}

// words returns the words for a value of the column in a text for a surface.
func (c Column) words(v Value, on Surface) string {
	number := ""
	switch {
	case v.Level != "":
		return table.LevelWithSymbol(v.Level)
	case c.Kind == ColumnBar || c.Kind == ColumnLargeBar:
		return v.parts()
	case v.Value == nil:
		return cmp.Or(v.Text, map[bool]string{true: "", false: "–"}[c.Kind == ColumnWords || v.Metric == ""])
	case c.Kind == ColumnProgress:
		return c.raceBar(v)
	case v.Unit == scoring.UnitCount && v.Low == nil:
		number = humanize.Comma(int64(*v.Value))
	case c.Kind != ColumnNumber && c.Kind != ColumnShare && on == SurfaceShortText:
		number = table.Rounded(v.Value, v.Result)
	case c.Kind != ColumnNumber && c.Kind != ColumnShare && c.Kind != ColumnShareWithN:
		number = table.ResultValue(v.Result)
	case on == SurfaceShortText && v.ExtraDecimals > 0:
		number = table.Interval(v.Value, v.Low, v.High, v.ExtraDecimals, 0)
	case on == SurfaceShortText:
		number = table.RoundedInterval(v.Result)
	default:
		number = table.WithInterval(v.Result)
	}
	if c.Kind == ColumnShareWithN {
		return number
	}
	return strings.TrimSpace(number + " " + v.Text)
}

// parts returns the names and counts of a bar's parts, such as "right 12, wrong 3".
func (v Value) parts() string {
	var words []string
	for _, p := range v.Parts {
		if p.N > 0 {
			words = append(words, fmt.Sprintf("%s %d", p.Name, p.N))
		}
	}
	return strings.Join(words, ", ")
}

// raceBar draws in characters how many items a judge was asked in a race, and writes the number after it.
func (c Column) raceBar(v Value) string {
	n := int((raceBarWidth**v.Value + c.Axis.Max - 1) / c.Axis.Max)
	end := ""
	if v.Text != "" && n > 0 {
		n--
		end = "╸"
	}
	bar := strings.Repeat("━", n) + end
	return fmt.Sprintf("%s%s %*.0f", bar, strings.Repeat("·", max(0, raceBarWidth-len([]rune(bar)))),
		len(strconv.Itoa(int(c.Axis.Max))), *v.Value)
}

// CSVRows returns the rows of the table for a CSV file, its headings first. A column of numbers with intervals becomes
// three: the number, and the low and high ends of the interval.
func (from Table) CSVRows() [][]string {
	head := []string{from.RowHead}
	for _, c := range from.Columns {
		head = append(head, c.Name)
		if c.Kind == ColumnNumber {
			head = append(head, c.Name+" low", c.Name+" high")
		}
	}
	rows := [][]string{head}
	for _, r := range from.Rows {
		row := []string{r.Name}
		for i, v := range r.Cells {
			kind := from.Columns[i].Kind
			row = append(row, cmp.Or(table.CSVNumber(v.Value, 6), v.Text, string(v.Level), v.parts()))
			if kind == ColumnNumber {
				row = append(row, table.CSVNumber(v.Low, 6), table.CSVNumber(v.High, 6))
			}
		}
		rows = append(rows, append(row, make([]string, len(head)-len(row))...))
	}
	return rows
}
