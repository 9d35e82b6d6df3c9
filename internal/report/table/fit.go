package table

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/text"
)

// How narrow a column of words may become: before the table is broken or columns are left out, and in the end.
const (
	narrow    = 40
	narrowest = 16
)

// TextWithin prints for a terminal of so many columns. Lines of words are wrapped, and so are cells of words. Of a
// table that is too wide nevertheless columns are left out, and named beneath. A terminal of 0 columns has room for
// anything.
func TextWithin(columns int) Writer {
	if columns <= 0 {
		return Text
	}
	return func(w io.Writer, t Table) error {
		part, left := t.fit(columns)
		if len(left) > 0 {
			t.Notes = slices.Concat(t.Notes, []string{leftOut(left)})
		}
		return write(w, t, columns, []Table{part})
	}
}

// Stacked is TextWithin that leaves nothing out: a table that is too wide goes on beneath itself, with the words that
// its rows begin with again.
func Stacked(columns int) Writer {
	if columns <= 0 {
		return Text
	}
	return func(w io.Writer, t Table) error {
		return write(w, t, columns, parts(t, columns))
	}
}

// leftOut says which columns are.
func leftOut(names []string) string {
	const most = 6
	text := strings.Join(names[:min(most, len(names))], ", ")
	if n := len(names) - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return "left out for want of room: " + text + "; --full or a wider terminal shows them"
}

// fit leaves columns out until the others fit: those without a word, those to spare, and in the end numbers from the
// right. left are the names of those that say something.
func (t Table) fit(columns int) (fitted Table, left []string) {
	if len(t.Rows) == 0 || sum(widthsOf(t)) <= columns {
		return t, nil
	}
	fitted = t.withoutEmpty()
	fitted.tight = fitted.Plain
	drop := func(i int) {
		if name := fitted.Columns[i].Name; strings.ContainsFunc(name, unicode.IsLetter) { // not the scale of a drawing
			left = append(left, name)
		}
		fitted = fitted.where(func(k int) bool { return k != i })
	}
	for i := fitted.spare(); i > 0 && sum(fitted.leastWidths(narrow)) > columns; i = fitted.spare() {
		drop(i)
	}
	for sum(fitted.leastWidths(narrowest)) > columns {
		last := len(fitted.Columns) - 1
		for last > 0 && !fitted.Columns[last].Right {
			last--
		}
		if last < 1 {
			break
		}
		drop(last)
	}
	return fitted, left
}

// spare is the place of the column that is left out first; 0 where none can be.
func (t Table) spare() (first int) {
	for i, c := range t.Columns {
		if i > 0 && c.Spare > 0 && (first == 0 || c.Spare < t.Columns[first].Spare) {
			first = i
		}
	}
	return first
}

// write prints the lines of a table, laid out in parts; columns is 0 where lines may have any length.
func write(w io.Writer, t Table, columns int, parts []Table) error {
	var lines []string
	hanging := "    "
	if len(t.Columns) == 0 { // sentences
		hanging = ""
	}
	if t.Title != "" {
		for line := range strings.Lines(t.Title) {
			first := len(lines) == 0
			for _, l := range wrapped("", hanging, Clean(strings.TrimSuffix(line, "\n")), columns) {
				if first {
					l = Bold(w, l)
				}
				lines = append(lines, l)
			}
		}
	}
	for i, part := range parts {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, body(part, columns)...)
	}
	for _, n := range t.Notes {
		for _, l := range wrapped(" ", "    ", Clean(n), columns) {
			lines = append(lines, Faint(w, l))
		}
	}
	for _, c := range t.Commands {
		lines = append(lines, "      "+Clean(c))
	}
	_, err := fmt.Fprintln(w, strings.Join(append(lines, ""), "\n"))
	return err
}

// wrapped breaks a line between words; what goes on stands at hanging.
func wrapped(indent, hanging, line string, columns int) []string {
	line = indent + line
	if columns == 0 || text.StringWidthWithoutEscSequences(line) <= columns {
		return []string{line}
	}
	var lines []string
	begun := indent
	for word := range strings.SplitSeq(unbroken(line[len(indent):]), " ") {
		longer := begun + " " + word
		switch {
		case begun == indent:
			begun += word
		case text.StringWidthWithoutEscSequences(longer) <= columns:
			begun = longer
		default:
			lines = append(lines, loosened(strings.TrimRight(begun, " ")))
			begun = indent + hanging + word
		}
	}
	return append(lines, loosened(strings.TrimRight(begun, " ")))
}

// parts are tables that fit, with the columns of one that may not.
func parts(t Table, columns int) []Table {
	if len(t.Rows) == 0 {
		return []Table{t}
	}
	if sum(widthsOf(t)) > columns {
		t = t.withoutEmpty()
	}
	widths := t.leastWidths(narrow)
	keys := keyColumns(t, widths, columns)
	var all []Table
	chosen, width := []int(nil), 0
	for i := keys; i < len(t.Columns); i++ {
		if len(chosen) > 0 && width+widths[i] > columns {
			all = append(all, t.only(keys, chosen))
			chosen = nil
		}
		if len(chosen) == 0 {
			width = sum(widths[:keys])
		}
		chosen = append(chosen, i)
		width += widths[i]
	}
	return append(all, t.only(keys, chosen))
}

// leastWidths are those of a table whose words are wrapped in columns so narrow.
func (t Table) leastWidths(narrow int) []int {
	widths := widthsOf(t)
	for i, c := range t.Columns {
		if !c.Right {
			widths[i] = min(widths[i], narrow)
		}
	}
	return widths
}

// keyColumns counts the columns that begin every part: the words before the
// first number, or the first alone where those take half of the room.
func keyColumns(t Table, widths []int, columns int) int {
	keys := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Right })
	if keys <= 0 || sum(widths[:keys]) > columns/2 {
		return min(1, len(t.Columns))
	}
	return keys
}

// limits are the columns of words that are wrapped for a table to fit, the
// widest first, and how wide their words may be.
func limits(t Table, columns int) map[int]int {
	widths := widthsOf(t)
	words := func(i int) bool { return !t.Columns[i].Right && widths[i] > narrowest }
	out := map[int]int{}
	for sum(widths) > columns {
		widest := -1
		for i := range widths {
			if words(i) && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		widths[widest] = max(narrowest, widths[widest]-(sum(widths)-columns))
		out[widest] = widths[widest] - 2
	}
	return out
}

// withoutEmpty is the table without the columns that say nothing in any row.
func (t Table) withoutEmpty() Table {
	return t.where(func(i int) bool {
		return slices.ContainsFunc(t.Rows, func(r []string) bool { return cellOf(r, i) != "" })
	})
}

// where is the table with its first column and those of the others that stay.
func (t Table) where(stays func(column int) bool) Table {
	var chosen []int
	for i := 1; i < len(t.Columns); i++ {
		if stays(i) {
			chosen = append(chosen, i)
		}
	}
	return t.only(min(1, len(t.Columns)), chosen)
}

// only is the table with its first columns and some of the others.
func (t Table) only(keys int, chosen []int) Table {
	part := Table{Columns: slices.Clone(t.Columns[:keys]), Plain: t.Plain, tight: t.tight}
	for _, i := range chosen {
		part.Columns = append(part.Columns, t.Columns[i])
	}
	for _, r := range t.Rows {
		row := slices.Clone(r[:min(keys, len(r))])
		for _, i := range chosen {
			row = append(row, cellOf(r, i))
		}
		part.Rows = append(part.Rows, row)
	}
	return part
}

// widthsOf are the columns' widths on a terminal, with the space on both sides.
func widthsOf(t Table) []int {
	widths := make([]int, len(t.Columns))
	for i := range t.Columns {
		for line := range strings.SplitSeq(t.wrappedHead(i), headBreak) {
			widths[i] = max(widths[i], text.StringWidthWithoutEscSequences(line))
		}
		for _, r := range t.Rows {
			widths[i] = max(widths[i], text.StringWidthWithoutEscSequences(Clean(cellOf(r, i))))
		}
		widths[i] += t.space()
	}
	return widths
}

// space is how many characters stand between columns.
func (t Table) space() int {
	if t.tight {
		return 1
	}
	return 2
}

// cellOf a row, which may end early.
func cellOf(row []string, i int) string {
	if i < len(row) {
		return row[i]
	}
	return ""
}

func sum(all []int) (n int) {
	for _, x := range all {
		n += x
	}
	return n
}
