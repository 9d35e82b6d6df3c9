// Package table writes tables of words as text, Markdown and CSV, and numbers as words.
package table

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	pretty "github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Table holds rows of words and numbers, with notes under it.
type Table struct {
	Title   string
	Columns Columns
	Rows    [][]string
	Notes   []string
	// Plain tables are printed without a rule, and without heads where none has a name.
	Plain bool
	tight bool // one space between columns, not two
	// Commands stand beneath the rest, each on a line of its own, so that it can be copied whole.
	Commands []string
}

// Row adds a row.
func (t *Table) Row(cells ...string) { t.Rows = append(t.Rows, cells) }

// Note adds notes.
func (t *Table) Note(lines ...string) { t.Notes = append(t.Notes, lines...) }

// Column holds a heading; numbers are aligned to the right.
type Column struct {
	Name  string
	Right bool
	Spare int // what a narrow terminal is not shown: 1 before 2; 0 always stays
}

// Columns of a table, from left to right.
type Columns []Column

// Left returns columns of words.
func Left(names ...string) Columns { return Columns{}.Left(names...) }

// Right returns columns of numbers.
func Right(names ...string) Columns { return Columns{}.Right(names...) }

// Left adds columns of words.
func (c Columns) Left(names ...string) Columns { return c.with(false, names) }

// Right adds columns of numbers.
func (c Columns) Right(names ...string) Columns { return c.with(true, names) }

func (c Columns) with(right bool, names []string) Columns {
	for _, name := range names {
		c = append(c, Column{Name: name, Right: right})
	}
	return c
}

// Writer prints tables in one format.
type Writer func(w io.Writer, t Table) error

// Each prints one table after the other.
func (write Writer) Each(w io.Writer, tables []Table) error {
	for _, t := range tables {
		if err := write(w, t); err != nil {
			return err
		}
	}
	return nil
}

// body returns the lines of a table's rows, at most columns wide if that can be.
func body(t Table, columns int) []string {
	if len(t.Rows) == 0 {
		return nil
	}
	widest := t.limits(columns)
	t.Columns = slices.Clone(t.Columns)
	for i := range t.Columns {
		t.Columns[i].Name = t.wrappedHead(i)
	}
	tw := layout(t, func(cell string) string { return strings.ReplaceAll(unbroken(Clean(cell)), headBreak, "\n") }, widest)
	tw.SetStyle(pretty.StyleLight)
	tw.Style().Options.DrawBorder = false
	tw.Style().Options.SeparateColumns = false
	tw.Style().Format.Header = text.FormatDefault
	if t.Plain {
		tw.Style().Options.SeparateHeader = false
		tw.Style().Box.PaddingLeft = ""
		tw.Style().Box.PaddingRight = strings.Repeat(" ", t.space())
	}
	lines := strings.Split(loosened(tw.Render()), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return lines
}

// shortHead is the width up to which names of columns are never broken.
const shortHead = 8

// wrappedHead breaks the name of a column into two lines where it is wider than the cells beneath it.
func (t Table) wrappedHead(i int) string {
	name := Clean(t.Columns[i].Name)
	cells := t.cellWidth(i)
	best := name
	width := text.StringWidthWithoutEscSequences(name)
	for at, c := range name {
		if c != ' ' || width <= max(cells, shortHead) || strings.Contains(name, "  ") {
			continue
		}
		w := max(text.StringWidthWithoutEscSequences(name[:at]), text.StringWidthWithoutEscSequences(name[at+1:]))
		if w < width {
			best, width = name[:at]+headBreak+name[at+1:], w
		}
	}
	return best
}

// headBreak stands for the end of a line in the name of a column.
const headBreak = "\uE001"

// percent stands for " %" while lines are broken, so that a number and its unit stay on one line.
const percent = "\uE000%"

func unbroken(s string) string { return strings.ReplaceAll(s, " %", percent) }

func loosened(s string) string { return strings.ReplaceAll(s, percent, " %") }

// Markdown prints a GitHub table.
func Markdown(w io.Writer, t Table) error {
	var b strings.Builder
	for line := range strings.Lines(t.Title) {
		fmt.Fprintf(&b, "**%s**  \n", escapeMarkdown(strings.TrimSuffix(line, "\n")))
	}
	if t.Title != "" {
		b.WriteString("\n")
	}
	if len(t.Rows) > 0 {
		t.Plain = false // without a header it is no table of Markdown
		b.WriteString(layout(t, escapeCell, nil).RenderMarkdown() + "\n")
	}
	for _, n := range t.Notes {
		b.WriteString("\n- " + escapeMarkdown(n))
	}
	for _, c := range t.Commands {
		b.WriteString("\n    " + Clean(c) + "\n")
	}
	_, err := io.WriteString(w, b.String()+"\n\n")
	return err
}

// layout fills a table with words made safe by cell. Those of the columns named in widest are wrapped.
func layout(t Table, cell func(string) string, widest map[int]int) pretty.Writer {
	tw := pretty.NewWriter()
	header := make(pretty.Row, len(t.Columns))
	var configs []pretty.ColumnConfig
	for i, c := range t.Columns {
		header[i] = cell(c.Name)
		config := pretty.ColumnConfig{
			Number:           i + 1,
			WidthMax:         widest[i],
			WidthMaxEnforcer: text.WrapSoft,
			VAlignHeader:     text.VAlignBottom,
		}
		if c.Right {
			config.Align, config.AlignHeader = text.AlignRight, text.AlignRight
		}
		configs = append(configs, config)
	}
	if !t.Plain || slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Name != "" }) {
		tw.AppendHeader(header)
	}
	tw.SetColumnConfigs(configs)
	for _, r := range t.Rows {
		row := make(pretty.Row, len(r))
		for i, c := range r {
			row[i] = cell(c)
		}
		tw.AppendRow(row)
	}
	return tw
}

// Clean makes foreign words, such as model names and paths, safe to print: no control characters, no escape sequences,
// no marks that turn the direction of writing.
func Clean(s string) string {
	return inLine.Replace(ReplaceControls(s))
}

var inLine = strings.NewReplacer("\n", "\uFFFD", "\t", "\uFFFD")

// ReplaceControls replaces the characters that would steer a terminal. Line breaks and tabs stay.
func ReplaceControls(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return '\uFFFD'
		}
		return r
	}, text)
}

var markdown = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "<", "&lt;", "`", "\\`", "](", `]\(`)

// escapeCell makes words plain text in a cell, where the table's writer escapes the pipes.
func escapeCell(s string) string { return markdown.Replace(Clean(s)) }

func escapeMarkdown(s string) string { return strings.ReplaceAll(escapeCell(s), "|", `\|`) }

// WriteCSV writes rows with cells that a spreadsheet will not take for formulas.
func WriteCSV(w io.Writer, rows [][]string) error {
	safe := make([][]string, len(rows))
	for i, row := range rows {
		for _, cell := range row {
			safe[i] = append(safe[i], inert(Clean(cell)))
		}
	}
	return csv.NewWriter(w).WriteAll(safe)
}

// inert puts an apostrophe before a cell that would be a formula; numbers stay.
func inert(cell string) string {
	if cell == "" || !strings.ContainsRune("=+-@", rune(cell[0])) {
		return cell
	}
	if _, err := strconv.ParseFloat(cell, 64); err == nil {
		return cell
	}
	return "'" + cell
}
