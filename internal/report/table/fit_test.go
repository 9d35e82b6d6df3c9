package table

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// wide is a table as comparisons of runs with long names are.
var wide = Table{
	Title:   "A = " + strings.Repeat("term ", 40) + "\nshort",
	Columns: TextColumns("metric", "mode", "group").AddNumberColumns("a long heading", "95 % interval", "noise floor", "McNemar p").AddTextColumns("in words"),
	Rows: [][]string{
		{"strict", "", "overall", "n11", "[-40.62, +3.12]", "x13", "p14", strings.Repeat("many words ", 12)},
		{"first-position", "", "Knowledge", "n21", "[-250.00, +50.00]", "x23", "p24", "few"},
		{"short"}, // a row may end early
	},
	Notes: []string{strings.Repeat("note ", 50)},
}

func fitted(t *testing.T, table Table, write Writer) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, table); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Every line fits, every number stands there, and whatever part of a table a
// number is in, its row can be told.
func TestTextWithin(t *testing.T) {
	for _, columns := range []int{60, 80, 100, 132} {
		text := fitted(t, wide, TerminalWriter(columns))
		for line := range strings.Lines(text) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > columns {
				t.Errorf("%d columns: a line of %d: %s", columns, n, line)
			}
			for _, number := range []string{"n21", "+50.00", "x23", "p24"} {
				if strings.Contains(line, number) && !strings.Contains(line, "first-position") {
					t.Errorf("%d columns: whose is %s? %s", columns, number, line)
				}
			}
		}
		for word, times := range map[string]int{"term": 40, "note": 50, "many": 12, "n11": 1, "n21": 1, "-40.62": 1, "x13": 1, "p24": 1, "few": 1, "mode": 0} {
			if got := strings.Count(text, word); got != times {
				t.Errorf("%d columns: %q stands there %d times, want %d:\n%s", columns, word, got, times, text)
			}
		}
	}
}

// What fits is printed as it always is, and so is everything where there is no
// terminal.
func TestTextThatFits(t *testing.T) {
	for _, columns := range []int{0, 1000} {
		if got, want := fitted(t, wide, TerminalWriter(columns)), fitted(t, wide, Text); got != want {
			t.Errorf("%d columns:\n%s\nwant\n%s", columns, got, want)
		}
	}
	for _, odd := range []Table{
		{}, {Title: "no rows", Columns: TextColumns("a")},
		{Columns: Columns{}.AddNumberColumns("n"), Rows: [][]string{{"1"}}},
	} {
		if got, want := fitted(t, odd, TextWriter(5)), fitted(t, odd, Text); got != want && odd.Title == "" {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestSpareColumns: a narrow terminal is not shown columns that can be spared, the first named first, nor numbers for
// which there is no room, and says which; a wide one and a file are.
func TestSpareColumns(t *testing.T) {
	spared := Table{
		Columns: Columns{{Name: "name"}, {Name: "size", Right: true, DropPriority: 1}, {Name: "state"}, {Name: "about", DropPriority: 2}},
		Rows:    [][]string{{"a name", "1000000000", "here", strings.Repeat("word ", 8)}},
	}
	numbers := Table{Columns: TextColumns("name").AddNumberColumns("first", "second").AddTextColumns("answer"), Rows: [][]string{{"n", "1", "2", "yes"}}}
	for _, c := range []struct {
		columns     int
		table       Table
		heads, left string
	}{
		{columns: 0, table: spared, heads: "name size state about"},
		{columns: 80, table: spared, heads: "name size state about"},
		{columns: 65, table: spared, heads: "name state about", left: "size"},
		{columns: 30, table: spared, heads: "name state", left: "size, about"},
		{columns: 30, table: numbers, heads: "name first second answer"},
		{columns: 22, table: numbers, heads: "name first answer", left: "second"},
		{columns: 15, table: numbers, heads: "name answer", left: "second, first"},
		{columns: 3, table: numbers, heads: "name answer", left: "second, first"},
	} {
		text := fitted(t, c.table, TextWriter(c.columns))
		first, _, _ := strings.Cut(text, "\n")
		if got := strings.Join(strings.Fields(first), " "); got != c.heads {
			t.Errorf("%d columns show %q, want %q", c.columns, got, c.heads)
		}
		if got := strings.Join(strings.Fields(text), " "); strings.Contains(got, "hidden (narrow terminal): "+c.left+";") != (c.left != "") {
			t.Errorf("%d columns, without %q: %s", c.columns, c.left, text)
		}
	}
}
