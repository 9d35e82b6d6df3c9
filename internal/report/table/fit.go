package table

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/text"
)

// Widths of a column of words, in characters.
const (
	minTextColumn        = 40          // least width before the table is split or loses columns
	lastResortTextColumn = 16          // least width if nothing else helps
	unlimited            = math.MaxInt // width of a terminal without a limit
)

// TextWriter returns a Writer of text for a terminal of this many columns; 0 means any width. It wraps sentences and
// cells of words. If a table is still too wide, it leaves columns out and names them in a note.
func TextWriter(columns int) Writer {
	columns = maxLineLength(columns)
	return func(w io.Writer, t Table) error {
		part, hidden := t.fit(columns)
		if len(hidden) > 0 {
			t.Notes = slices.Concat(t.Notes, []string{hiddenNote(hidden)})
		}
		return write(w, t, columns, []Table{part})
	}
}

// TerminalWriter returns a Writer of text for a terminal of this many columns; 0 means any width. It leaves nothing
// out: a table that is too wide continues below itself, where each row begins with its first words again.
func TerminalWriter(columns int) Writer {
	columns = maxLineLength(columns)
	return func(w io.Writer, t Table) error { return write(w, t, columns, t.splitByWidth(columns)) }
}

// maxLineLength returns the length of the longest line on a terminal of this many columns; 0 means any length.
func maxLineLength(columns int) int {
	if columns <= 0 {
		return unlimited
	}
	return columns
}

// hiddenNote returns the note that names the columns left out.
func hiddenNote(names []string) string {
	const limit = 6
	text := strings.Join(names[:min(limit, len(names))], ", ")
	if n := len(names) - limit; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return "hidden (narrow terminal): " + text + "; --format full or a wider terminal shows them"
}

// fit leaves columns of the table out until it fits into this many terminal columns: first those with empty cells only,
// then those that dispensable names. hidden has the headings of the latter.
func (t Table) fit(columns int) (fitted Table, hidden []string) {
	if len(t.Rows) == 0 || sum(t.widths(unlimited)) <= columns {
		return t, nil
	}
	fitted = t.withoutEmpty()
	fitted.tight = t.NoHeadingRule
	for {
		next := fitted.leastImportantColumn(columns)
		if next == 0 {
			return fitted, hidden
		}
		name := fitted.Columns[next].Name
		if strings.ContainsFunc(name, unicode.IsLetter) { // not the scale of a drawing
			hidden = append(hidden, name)
		}
		fitted = fitted.pick(func(i int) bool { return i != next })
	}
}

// leastImportantColumn returns the index of the column to leave out next: by Spare, or else the last column of numbers.
// It returns 0 if the table fits, or if no column may go.
func (t Table) leastImportantColumn(columns int) (place int) {
	if sum(t.widths(minTextColumn)) > columns {
		for i, c := range t.Columns {
			if i > 0 && c.DropPriority > 0 && (place == 0 || c.DropPriority < t.Columns[place].DropPriority) {
				place = i
			}
		}
	}
	if place > 0 || sum(t.widths(lastResortTextColumn)) <= columns {
		return place
	}
	place = len(t.Columns) - 1
	for place > 0 && !t.Columns[place].Right {
		place--
	}
	return place
}

// write prints title, notes and commands of t, and between them the rows of parts, into which t was split.
func write(w io.Writer, t Table, columns int, parts []Table) error {
	var lines []string
	hanging := "    "
	if len(t.Columns) == 0 { // sentences
		hanging = ""
	}
	for line := range strings.Lines(t.Title) {
		first := len(lines) == 0
		for _, l := range wrapped("", hanging, SanitizeLine(strings.TrimSuffix(line, "\n")), columns) {
			if first {
				l = Bold(w, l)
			}
			lines = append(lines, l)
		}
	}
	for i, part := range parts {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, body(part, columns)...)
	}
	for _, n := range t.Notes {
		for _, l := range wrapped(" ", "    ", SanitizeLine(n), columns) {
			lines = append(lines, Faint(w, l))
		}
	}
	for _, c := range t.Commands {
		lines = append(lines, "      "+SanitizeLine(c))
	}
	_, err := fmt.Fprintln(w, strings.Join(append(lines, ""), "\n"))
	return err
}

// wrapped breaks a line between words, so that it fits into this many columns. Each line begins with indent, those
// after the first also with hanging.
func wrapped(indent, hanging, line string, columns int) []string {
	line = indent + line
	if text.StringWidthWithoutEscSequences(line) <= columns {
		return []string{line}
	}
	var lines []string
	current := indent
	for word := range strings.SplitSeq(protectPercent(line[len(indent):]), " ") {
		longer := current + " " + word
		switch {
		case current == indent:
			current += word
		case text.StringWidthWithoutEscSequences(longer) <= columns:
			current = longer
		default:
			lines = append(lines, restorePercent(strings.TrimRight(current, " ")))
			current = indent + hanging + word
		}
	}
	return append(lines, restorePercent(strings.TrimRight(current, " ")))
}

// splitByWidth splits a table into tables with fewer columns that fit into this many terminal columns.
func (t Table) splitByWidth(columns int) (all []Table) {
	if len(t.Rows) == 0 {
		return []Table{t}
	}
	if sum(t.widths(unlimited)) > columns {
		t = t.withoutEmpty()
	}
	widths := t.widths(minTextColumn)
	keys := t.keyColumnCount(widths, columns)
	from := keys
	width := sum(widths[:keys])
	for i := keys; i < len(t.Columns); i++ {
		if i > from && width+widths[i] > columns {
			all = append(all, t.pick(func(k int) bool { return k < keys || from <= k && k < i }))
			from = i
			width = sum(widths[:keys])
		}
		width += widths[i]
	}
	return append(all, t.pick(func(k int) bool { return k < keys || from <= k }))
}

// keyColumnCount returns the number of columns that begin every part of a split table: those of words before the first
// number, or only the first column if they take more than half of the terminal's columns.
func (t Table) keyColumnCount(widths []int, columns int) int {
	keys := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Right })
	if keys <= 0 || sum(widths[:keys]) > columns/2 {
		return min(1, len(t.Columns))
	}
	return keys
}

// limits returns the widths to which columns of words must be wrapped so that the table fits, by index; columns that
// need no wrapping are missing.
func (t Table) limits(columns int) map[int]int {
	widths := t.widths(unlimited)
	out := map[int]int{}
	for sum(widths) > columns {
		widest := -1
		for i, c := range t.Columns {
			if !c.Right && widths[i] > lastResortTextColumn && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		widths[widest] = max(lastResortTextColumn, widths[widest]-(sum(widths)-columns))
		out[widest] = widths[widest] - 2
	}
	return out
}

// withoutEmpty returns the table without the columns in which all cells are empty. The first column stays.
func (t Table) withoutEmpty() Table {
	return t.pick(func(i int) bool {
		return i == 0 || slices.ContainsFunc(t.Rows, func(r []string) bool { return cellOf(r, i) != "" })
	})
}

// pick returns the table with those columns for whose index takes returns true.
func (t Table) pick(takes func(column int) bool) Table {
	part := Table{NoHeadingRule: t.NoHeadingRule, tight: t.tight, Rows: make([][]string, len(t.Rows))}
	for i, c := range t.Columns {
		if !takes(i) {
			continue
		}
		part.Columns = append(part.Columns, c)
		for k, r := range t.Rows {
			part.Rows[k] = append(part.Rows[k], cellOf(r, i))
		}
	}
	return part
}

// widths returns the width of each column in characters, with the space between columns. Columns of words count as
// limit at most.
func (t Table) widths(limit int) []int {
	widths := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		width := t.cellWidth(i)
		for line := range strings.SplitSeq(t.wrappedHead(i), headBreak) {
			width = max(width, text.StringWidthWithoutEscSequences(line))
		}
		widths[i] = width + t.space()
		if !c.Right {
			widths[i] = min(widths[i], limit)
		}
	}
	return widths
}

// cellWidth returns the width in characters of the widest cell of a column.
func (t Table) cellWidth(column int) (width int) {
	for _, r := range t.Rows {
		width = max(width, text.StringWidthWithoutEscSequences(SanitizeLine(cellOf(r, column))))
	}
	return width
}

// space returns the number of spaces between columns.
func (t Table) space() int {
	if t.tight {
		return 1
	}
	return 2
}

// cellOf returns cell i of a row; "" if the row ends before it.
func cellOf(row []string, i int) string {
	if i < len(row) {
		return row[i]
	}
	return ""
}

// sum returns the sum of all.
func sum(all []int) (n int) {
	for _, x := range all {
		n += x
	}
	return n
}
