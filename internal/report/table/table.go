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

// Table holds rows of words and numbers with a title and notes, to be printed by a [Writer].
type Table struct {
	Title   string
	Columns Columns
	Rows    [][]string
	Notes   []string
	// NoHeadingRule tables have no rule below the headings, and no line of headings if all are empty.
	NoHeadingRule bool
	tight         bool // one space between columns instead of two
	// Commands are printed at the end, each on a line of its own, so that it can be copied whole.
	Commands []string
}

// AddRow appends a row.
func (t *Table) AddRow(cells ...string) { t.Rows = append(t.Rows, cells) }

// AddNotes appends notes.
func (t *Table) AddNotes(lines ...string) { t.Notes = append(t.Notes, lines...) }

// Column holds the heading of a column.
type Column struct {
	Name         string
	Right        bool // it holds numbers, aligned to the right
	DropPriority int  // order in which a narrow terminal leaves columns out, 1 first; 0: last, if at all
}

// Columns holds the columns of a table, from left to right.
type Columns []Column

// TextColumns returns columns of words with these headings.
func TextColumns(names ...string) Columns { return Columns{}.AddTextColumns(names...) }

// AddTextColumns returns c followed by columns of words with these headings.
func (c Columns) AddTextColumns(names ...string) Columns { return c.with(false, names) }

// AddNumberColumns returns c followed by columns of numbers with these headings.
func (c Columns) AddNumberColumns(names ...string) Columns { return c.with(true, names) }

// with returns c followed by columns with these headings; right aligns them to the right.
func (c Columns) with(right bool, names []string) Columns {
	for _, name := range names {
		c = append(c, Column{Name: name, Right: right})
	}
	return c
}

// Writer prints tables in one format.
type Writer func(w io.Writer, t Table) error

// WriteTables prints the tables one after the other.
func (write Writer) WriteTables(w io.Writer, tables []Table) error {
	for _, t := range tables {
		if err := write(w, t); err != nil {
			return err
		}
	}
	return nil
}

// body returns the headings and rows of a table as lines, no longer than columns characters if possible.
func body(t Table, columns int) []string {
	if len(t.Rows) == 0 {
		return nil
	}
	widest := t.limits(columns)
	t.Columns = slices.Clone(t.Columns)
	for i := range t.Columns {
		t.Columns[i].Name = t.wrappedHead(i)
	}
	tw := fillTable(t, func(cell string) string {
		return strings.ReplaceAll(protectPercent(SanitizeLine(cell)), headBreak, "\n")
	}, widest)
	tw.SetStyle(pretty.StyleLight)
	tw.Style().Options.DrawBorder = false
	tw.Style().Options.SeparateColumns = false
	tw.Style().Format.Header = text.FormatDefault
	if t.NoHeadingRule {
		tw.Style().Options.SeparateHeader = false
		tw.Style().Box.PaddingLeft = ""
		tw.Style().Box.PaddingRight = strings.Repeat(" ", t.space())
	}
	lines := strings.Split(restorePercent(tw.Render()), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return lines
}

// shortHead is the width in characters up to which a heading is never broken into two lines.
const shortHead = 8

// wrappedHead returns the heading of column i, broken into two lines with headBreak if it is wider than the cells
// below.
func (t Table) wrappedHead(i int) string {
	name := SanitizeLine(t.Columns[i].Name)
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

// headBreak stands for the end of a line within a heading.
const headBreak = "\uE001"

// percentPlaceholder stands for " %" while lines are being broken, so that no line ends between a number and its unit.
const percentPlaceholder = "\uE000%"

// protectPercent replaces " %" by percent.
func protectPercent(s string) string { return strings.ReplaceAll(s, " %", percentPlaceholder) }

// restorePercent replaces percent by " %".
func restorePercent(s string) string { return strings.ReplaceAll(s, percentPlaceholder, " %") }

// Markdown prints a table as GitHub's Markdown.
func Markdown(w io.Writer, t Table) error {
	var b strings.Builder
	for line := range strings.Lines(t.Title) {
		fmt.Fprintf(&b, "**%s**  \n", escapeMarkdown(strings.TrimSuffix(line, "\n")))
	}
	if t.Title != "" {
		b.WriteString("\n")
	}
	if len(t.Rows) > 0 {
		t.NoHeadingRule = false // without a header it is no table of Markdown
		b.WriteString(fillTable(t, escapeCell, nil).RenderMarkdown() + "\n")
	}
	for _, n := range t.Notes {
		b.WriteString("\n- " + escapeMarkdown(n))
	}
	for _, c := range t.Commands {
		b.WriteString("\n    " + SanitizeLine(c) + "\n")
	}
	_, err := io.WriteString(w, b.String()+"\n\n")
	return err
}

// fillTable fills a table of the library go-pretty. cell makes words safe for the format. widest has the widths to
// which columns are wrapped, by index.
func fillTable(t Table, cell func(string) string, widest map[int]int) pretty.Writer {
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
	if !t.NoHeadingRule || slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Name != "" }) {
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

// SanitizeLine makes words of others, such as names of models, safe to print on one line: it replaces control
// characters, escape sequences, and marks of the direction of writing.
func SanitizeLine(s string) string {
	return lineBreakReplacer.Replace(ReplaceControls(s))
}

// lineBreakReplacer replaces line breaks and tabs by the replacement character.
var lineBreakReplacer = strings.NewReplacer("\n", "\uFFFD", "\t", "\uFFFD")

// ReplaceControls replaces characters that would control a terminal or change the direction of writing. Line breaks and
// tabs stay.
func ReplaceControls(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return '\uFFFD'
		}
		return r
	}, text)
}

// markdownEscaper escapes the characters that have a meaning in Markdown, except |.
var markdownEscaper = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "<", "&lt;", "`", "\\`", "](", `]\(`)

// escapeCell makes words plain text in a cell of a Markdown table; go-pretty escapes |.
func escapeCell(s string) string { return markdownEscaper.Replace(SanitizeLine(s)) }

// escapeMarkdown makes words plain text in Markdown outside of tables.
func escapeMarkdown(s string) string { return strings.ReplaceAll(escapeCell(s), "|", `\|`) }

// WriteCSV writes rows as CSV, with cells that spreadsheets do not take for formulas.
func WriteCSV(w io.Writer, rows [][]string) error {
	safe := make([][]string, len(rows))
	for i, row := range rows {
		for _, cell := range row {
			safe[i] = append(safe[i], escapeFormula(SanitizeLine(cell)))
		}
	}
	return csv.NewWriter(w).WriteAll(safe)
}

// escapeFormula puts an apostrophe in front of a cell that a spreadsheet would take for a formula. Numbers stay.
func escapeFormula(cell string) string {
	if cell == "" || !strings.ContainsRune("=+-@", rune(cell[0])) {
		return cell
	}
	if _, err := strconv.ParseFloat(cell, 64); err == nil {
		return cell
	}
	return "'" + cell
}
