package report

import (
	"bytes"
	"encoding/csv"
	"regexp"
	"strings"
	"testing"
	"unicode"
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
		got := clean(s)
		if strings.IndexFunc(got, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }) >= 0 || !strings.Contains(got, "\uFFFD") {
			t.Errorf("%s: %q becomes %q", name, s, got)
		}
	}
	for _, s := range []string{"", "qwen3:8b", "résumé 模型 😀", "a|b*c_d<e>`f`", "العربية"} {
		if got := clean(s); got != s {
			t.Errorf("%q becomes %q", s, got)
		}
	}
}

// Wherever foul words stand in a table, no format prints them as they are.
func TestFormatsAreClean(t *testing.T) {
	for name, s := range foul {
		table := Table{Title: s, Columns: []Column{{"plain", false}, {s, true}}, Rows: [][]string{{"x", s}}, Notes: []string{s}}
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
		table := Table{Columns: []Column{{"n", false}, {cell, false}}, Rows: [][]string{{"1", cell}, {cell, "2"}}}
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
	for _, c := range []struct {
		name, got, want string
	}{
		{"two decimals", value(of(58)), "58.00"},
		{"rounded", value(of(65.7143)), "65.71"},
		{"none", value(nil), "n/a"},
		{"plus", signed(of(1.005)), "+1.00"},
		{"minus", signed(of(-7.5)), "-7.50"},
		{"no difference", signed(of(0)), "0.00"},
		{"no number", signed(nil), "n/a"},
		{"p", pvalue(of(0.0923)), "0.0923"},
		{"small p", pvalue(of(0.000061)), "<0.0001"},
		{"p of one", pvalue(of(1)), "1.0000"},
		{"no p", pvalue(nil), ""},
		{"whole", number(of(58), 4), "58"},
		{"no zeros", number(of(57.5), 4), "57.5"},
		{"all places", number(of(65.7143), 4), "65.7143"},
		{"hundreds stay", number(of(100), 0), "100"},
		{"null", number(nil, 4), ""},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}

func TestEmptyTable(t *testing.T) {
	if got := string(print(t, Text, []Table{{Title: "title", Notes: []string{"note"}}})); got != "title\n note\n\n" {
		t.Errorf("text %q", got)
	}
	if got := string(print(t, Markdown, []Table{{Title: "title"}})); got != "**title**  \n\n\n\n" {
		t.Errorf("markdown %q", got)
	}
}
