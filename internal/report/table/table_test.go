package table

import (
	"bytes"
	"encoding/csv"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"gavel/scoring"
)

// foul are words of others that must not do anything when printed.
var foul = map[string]string{
	"ANSI colour":        "\x1b[31mred\x1b[0m",
	"terminal title":     "\x1b]0;owned\x07",
	"C1 control":         "\u009b31m",
	"carriage return":    "safe\rowned",
	"backspace":          "no\b\byes",
	"NUL":                "a\x00b",
	"delete":             "a\x7fb",
	"line break":         "one\ntwo",
	"tab":                "one\ttwo",
	"bidi override":      "abc\u202edcba",
	"bidi isolate":       "\u2066abc\u2069",
	"right-to-left mark": "a\u200fb",
	"invalid UTF-8":      "a\xff\xfeb",
}

func TestClean(t *testing.T) {
	for name, s := range foul {
		got := SanitizeLine(s)
		if strings.IndexFunc(got, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }) >= 0 || !strings.Contains(got, "\uFFFD") {
			t.Errorf("%s: %q becomes %q", name, s, got)
		}
	}
	for _, s := range []string{"", "qwen3:8b", "résumé 模型 😀", "a|b*c_d<e>`f`", "العربية"} {
		if got := SanitizeLine(s); got != s {
			t.Errorf("%q becomes %q", s, got)
		}
	}
}

// Wherever foul words stand in a table, no format prints them as they are.
func TestFormatsAreClean(t *testing.T) {
	for name, s := range foul {
		table := Table{Title: s, Columns: TextColumns("plain").AddNumberColumns(s), Rows: [][]string{{"x", s}}, Notes: []string{s}}
		for format, write := range map[string]Writer{"text": Text, "markdown": Markdown, "csv": CSV} {
			got := string(print(t, write, []Table{table}))
			for _, r := range got {
				if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
					t.Errorf("%s, %s: %q is printed", name, format, r)
					break
				}
			}
		}
	}
}

// A table keeps its shape whatever its cells hold.
func TestCellsKeepTheTablesShape(t *testing.T) {
	for _, cell := range []string{"a|b", "a\nb", "a\\|b", `a\`, "`|`", "<br>", "<img src=x onerror=alert(1)>", "[x](javascript:alert(1))", "*a* _b_"} {
		table := Table{Columns: TextColumns("n", cell), Rows: [][]string{{"1", cell}, {cell, "2"}}}
		lines := strings.Split(strings.TrimSpace(string(print(t, Markdown, []Table{table}))), "\n")
		if len(lines) != 4 {
			t.Errorf("%q: %d lines of Markdown, want 4:\n%s", cell, len(lines), strings.Join(lines, "\n"))
		}
		for _, l := range lines {
			if n := strings.Count(escaped.ReplaceAllString(l, ""), "|"); n != 3 {
				t.Errorf("%q: %d columns in %s", cell, n-1, l)
			}
			if strings.Contains(l, "<") || strings.Contains(l, "](") {
				t.Errorf("%q: HTML or a link in %s", cell, l)
			}
		}
		if n := strings.Count(string(print(t, Text, []Table{table})), "\n"); n != 5 {
			t.Errorf("%q: %d lines of text, want 5", cell, n)
		}
	}
}

var escaped = regexp.MustCompile(`\\.`)

func TestCSVCellsAreNoFormulas(t *testing.T) {
	for _, c := range []struct{ cell, want, reason string }{
		{"=1+1", "'=1+1", ""},
		{"+1+1", "'+1+1", ""},
		{"-1+1", "'-1+1", ""},
		{"@SUM(A1)", "'@SUM(A1)", ""},
		{"=HYPERLINK(\"http://x\")", "'=HYPERLINK(\"http://x\")", ""},
		{"-12.5", "-12.5", "a number"},
		{"+3", "+3", "a number"},
		{"-1e9", "-1e9", "a number"},
		{"a=b", "a=b", "not at the start"},
		{"", "", ""},
		{"\t=1", "\uFFFD=1", "the tab is gone"},
		{"say \"x\", then", "say \"x\", then", "quoted by the format"},
	} {
		var b bytes.Buffer
		if err := CSV(&b, Table{Columns: []Column{{Name: "a"}, {Name: c.cell}}, Rows: [][]string{{"x", c.cell}}}); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&b).ReadAll()
		if err != nil || len(rows) != 2 || rows[0][1] != c.want || rows[1][1] != c.want {
			t.Errorf("%q becomes %q, want %q %s (%v)", c.cell, rows, c.want, c.reason, err)
		}
	}
}

func TestNumbers(t *testing.T) {
	result := func(unit, mode string, value float64, ends ...float64) scoring.Result {
		x := scoring.Result{Unit: unit, Mode: mode, Value: &value}
		if len(ends) == 2 {
			x.Low, x.High = &ends[0], &ends[1]
		}
		return x
	}
	difference := scoring.Result{Mode: scoring.ModeDifference}
	for _, c := range []struct {
		name, got, want string
	}{
		{"two decimals", Fixed(new(58.0), 2), "58.00"},
		{"rounded", Fixed(new(65.7143), 2), "65.71"},
		{"none", Fixed(nil, 2), "n/a"},
		{"infinite", Fixed(new(math.Inf(1)), 2), "n/a"},
		{"plus", Signed(new(1.005), difference, 2), "+1.00"},
		{"minus", Signed(new(-7.5), difference, 2), "-7.50"},
		{"no difference", Signed(new(0.0), difference, 2), "0.00"},
		{"no number", Signed(nil, difference, 2), "n/a"},
		{"p", PValue(new(0.0923)), "0.0923"},
		{"small p", PValue(new(0.000061)), "<0.0001"},
		{"p of one", PValue(new(1.0)), "1.0000"},
		{"no p", PValue(nil), ""},
		{"whole", CSVNumber(new(58.0), 4), "58"},
		{"no zeros", CSVNumber(new(57.5), 4), "57.5"},
		{"all places", CSVNumber(new(65.7143), 4), "65.7143"},
		{"hundreds stay", CSVNumber(new(100.0), 0), "100"},
		{"null", CSVNumber(nil, 4), ""},
		{"interval", Interval(new(1.0), new(0.5), new(2.0), 2, 1), "1.00 [0.5, 2.0]"},
		{"half an interval", Interval(new(1.0), new(0.5), nil, 2, 1), "1.00"},
		{"of nothing", Interval(nil, new(0.5), new(2.0), 2, 1), "n/a"},
		{"percent", WithInterval(result("", "", 62.5, 50, 75)), "62.5 [50.0, 75.0]"},
		{"in few digits", RoundedInterval(result("", "", 57.6, 52.4, 62.5)), "58 [52, 62]"},
		{"a score in few digits", RoundedInterval(result(scoring.UnitScore, "", 0.754, 0.5, 1)), "0.75 [0.50, 1.00]"},
		{"a difference in few digits", RoundedInterval(result("", scoring.ModeDifference, 4.3, -0.4, 9.6)), "+4 [0, +10]"},
		{"hardly a difference", ResultValue(result("", scoring.ModeDifference, -0.04)), "0.0"},
		{"as papers print it", WithInterval(result(scoring.UnitScore, "", 0.75, 0.5, 1)), "0.7500 [0.500, 1.000]"},
		{"difference", WithInterval(result("", scoring.ModeDifference, 5, -1, 11)), "+5.0 [-1.0, +11.0]"},
		{"count", WithInterval(result(scoring.UnitCount, "", 4)), "4"},
		{"undefined", WithInterval(scoring.Result{}), "n/a"},
		{"one", CountWithNoun(1, "judge"), "1 judge"},
		{"none of them", CountWithNoun(0, "judge"), "0 judges"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}

func TestRemarks(t *testing.T) {
	var r Remarks
	r.Add("a", "few")
	r.Add("b", "")
	r.Add("c", "none")
	r.Add("d", "few")
	r.Add("a", "few")
	if got := strings.Join(r.Lines(), "; "); got != "a, d: few; c: none" {
		t.Errorf("%q", got)
	}
}

func TestEmptyTable(t *testing.T) {
	if got := string(print(t, Text, []Table{{Title: "title", Notes: []string{"note"}}})); got != "title\n note\n\n" {
		t.Errorf("text %q", got)
	}
	plain := Table{Columns: TextColumns("", ""), NoHeadingRule: true, Rows: [][]string{{"a", "b"}}}
	if got := string(print(t, Markdown, []Table{plain})); !strings.HasPrefix(got, "|  |  |\n| --- | --- |\n| a | b |\n") {
		t.Errorf("a table without names of columns: %q", got)
	}
	if got := string(print(t, Markdown, []Table{{Title: "title"}})); got != "**title**  \n\n\n\n" {
		t.Errorf("markdown %q", got)
	}
}

func print(t *testing.T, write Writer, tables []Table) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, table := range tables {
		if err := write(&b, table); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// broken fails after so many bytes, as a full disk does.
type broken struct{ left int }

func (b *broken) Write(p []byte) (int, error) {
	if len(p) > b.left {
		n := b.left
		b.left = 0
		return n, io.ErrShortWrite
	}
	b.left -= len(p)
	return len(p), nil
}

func TestWriteErrorsAreReported(t *testing.T) {
	for name, write := range map[string]Writer{"text": Text, "markdown": Markdown, "csv": CSV} {
		var whole bytes.Buffer
		if err := write(&whole, wide); err != nil {
			t.Fatal(err)
		}
		for _, left := range []int{0, whole.Len() / 2, whole.Len() - 1} {
			if err := write(&broken{left}, wide); err == nil {
				t.Errorf("%s: no error with room for %d of %d bytes", name, left, whole.Len())
			}
		}
		if err := write(&broken{whole.Len()}, wide); err != nil {
			t.Errorf("%s: %v with room for all", name, err)
		}
	}
}

// CSV writes a table as it stands.
func CSV(w io.Writer, t Table) error {
	rows := [][]string{nil}
	for _, c := range t.Columns {
		rows[0] = append(rows[0], c.Name)
	}
	return WriteCSV(w, append(rows, t.Rows...))
}

// Text prints a table as text with lines of any length.
var Text = TerminalWriter(0)
