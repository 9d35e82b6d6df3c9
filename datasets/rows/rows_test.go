package rows

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestEach: however rows are packed, they are handed on with their numbers.
func TestEach(t *testing.T) {
	const lines = "{\"a\": 1}\n\n  \n{\"a\": \"x\\ny\"}"
	const array = "\n [\n  {\"a\": 1},\n  {\"a\":\n \"x\\ny\"}\n]\n"
	parquet, err := os.ReadFile("../../../shared/data/mmlu-pro/data/validation-00000-of-00001.parquet")
	for _, c := range []struct{ name, text, want string }{
		{"lines", lines, `1:{"a": 1} 4:{"a": "x\ny"}`},
		{"lines with carriage returns", strings.ReplaceAll(lines, "\n", "\r\n"), `1:{"a": 1} 4:{"a": "x\ny"}`},
		{"an array", array, `1:{"a":1} 2:{"a":"x\ny"}`},
		{"gzip", gzipOf(t, lines), `1:{"a": 1} 4:{"a": "x\ny"}`},
		{"zstd of an array", zstdOf(t, array), `1:{"a":1} 2:{"a":"x\ny"}`},
		{"zip of an array", zipOf(t, "folder/x.JSON", array, "__MACOSX/x.json", "", "readme.txt", ""), `1:{"a":1} 2:{"a":"x\ny"}`},
		{"words are rows too", "hello\n", "1:hello"},
		{"nothing", "", ""},
	} {
		var got []string
		err := EachRow(write(t, "rows", c.text), func(row int, text []byte) error {
			got = append(got, fmt.Sprintf("%d:%s", row, text))
			return nil
		})
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
	stop := errors.New("enough")
	n := 0
	if err := EachRow(write(t, "rows", lines), func(int, []byte) error { n++; return stop }); !errors.Is(err, stop) || n != 1 {
		t.Errorf("after %d rows: %v", n, err)
	}
	if err := EachRow(write(t, "rows", array[:len(array)-4]), func(int, []byte) error { return nil }); err == nil || !strings.Contains(err.Error(), "ends in the middle") {
		t.Errorf("half an array: %v", err)
	}
	if err := EachRow(t.TempDir(), nil); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("a folder: %v", err)
	}
	if err != nil {
		t.Skip("no Parquet file in ../shared/data")
	}
	rows := 0
	if err := EachRow(write(t, "rows", string(parquet)), func(_ int, text []byte) error {
		rows++
		if !strings.HasPrefix(string(text), `{"question_id":`) {
			t.Errorf("%.80s", text)
		}
		return nil
	}); err != nil || rows != 70 {
		t.Errorf("%d rows of Parquet, %v", rows, err)
	}
}

// TestEachIsBounded: what comes out of an archive keeps to the bounds.
func TestEachIsBounded(t *testing.T) {
	limited(t, 1000, 100, 50)
	none := func(int, []byte) error { return nil }
	for name, text := range map[string]string{
		"a long line":        strings.Repeat("x", 200),
		"a long row":         "[" + `"` + strings.Repeat("x", 5000) + `"]`,
		"many lines":         strings.Repeat("{}\n", 500),
		"an array of many":   "[" + strings.Repeat(`{"a":1},`, 500) + "{}]",
		"an array of no end": "[" + strings.Repeat(`{"a":1},`, 50),
	} {
		if err := EachRow(write(t, "x.zip", zipOf(t, "x.json", text)), none); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
