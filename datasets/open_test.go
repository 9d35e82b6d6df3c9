package datasets

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// Whether or not items are kept, they are what their lines say, and whoever changes one changes no other's.
func TestItemsAreTheirLines(t *testing.T) {
	for _, length := range []int{10, inMemoryBytes} {
		long := with("response_A", strings.Repeat("a", length))
		s := open(t, write(t, "pairs.jsonl", lines(pair("one"), pair("two", long))))
		if (s.items != nil) != (length < inMemoryBytes) {
			t.Errorf("an answer of %d bytes: kept: %v", length, (s.items != nil))
		}
		for i := range s.Len() {
			got := item(t, s, i)
			want, err := s.format.Parse(got.Raw)
			want.Line = i + 1
			want.Raw = got.Raw
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("item %d of a file of %d bytes is not its line: %v", i, length, err)
			}
			got.Candidates[0].Text = "changed"
			if item(t, s, i).Candidates[0].Text == "changed" {
				t.Errorf("a change of item %d is kept", i)
			}
		}
	}
}

func TestBadFiles(t *testing.T) {
	good := pair("one")
	for name, tc := range map[string]struct{ content, want string }{
		"zip":             {"PK\x03\x04" + good, "FILE: unpacking the zip file, after 0 bytes: it ends too early: get the file again"},
		"tar":             {good[:100] + strings.Repeat("\x00", 157) + "ustar", "FILE: the file is a tar archive: unpack it first"},
		"empty":           {"", "FILE: the file is empty; expected " + anyFormat()},
		"blank lines":     {"\n  \r\n\n", "FILE: the file is empty; expected " + anyFormat()},
		"gzip of nothing": {gzipOf(t, ""), "FILE: the file is empty; expected " + anyFormat()},
		"one byte":        {"x", "FILE:1: not a JSON object (no usable line among 1; expected " + anyFormat() + ")"},
		"200,000 columns": {
			strings.Repeat("name,", 200_000) + "\n1\n",
			"FILE:1: the header row is longer than 128 KiB: " +
				"leave columns out, or end a quoted name",
		},
		"JSON over lines": {
			"{\n\"pair_id\": \"one\"\n}\n",
			"FILE:1: broken JSON at byte 1: unexpected end of JSON input (no usable line among 3; expected " + anyFormat() + ")",
		},
		"gzip of bad lines": {
			gzipOf(t, "\n{\n"),
			"FILE:2: broken JSON at byte 1: unexpected end of JSON input (no usable line among 1; expected " + anyFormat() + ")",
		},
		"gzip cut": {gzipOf(t, good)[:5], "FILE: unpacking the gzip file, after 0 bytes: " +
			"it ends too early: get the file again"},
		"not UTF-8": {strings.Replace(good, "Which", "Wh\xefch", 1), "FILE:1: not UTF-8: save the file as UTF-8 " +
			"(no usable line among 1; expected " + JudgeBenchFormat.About + ")"},
		"a return in a text": {strings.Replace(good, "Which one?", "Which\rone?", 1),
			`FILE:1: broken JSON at byte 73: invalid character '\r' in string literal (no usable line among 1; expected ` +
				anyFormat() + ")"},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, "pairs.jsonl", tc.content)
			_, err := OpenFile(path)
			oneLine(t, err, path, tc.want)
		})
	}
}

func TestNoFile(t *testing.T) {
	dir := t.TempDir()
	_, err := OpenFile(dir)
	oneLine(t, err, dir, "FILE: is a directory; name the .jsonl file in it")

	_, err = OpenFile(filepath.Join(dir, "none.jsonl"))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if _, err := os.Stat(os.DevNull); err == nil {
		_, err := OpenFile(os.DevNull)
		oneLine(t, err, os.DevNull, "FILE: is not a regular file; items are read on demand, so save it to a file first")
	}
}

func TestLines(t *testing.T) {
	long := strings.Repeat("long ", 1<<20) // 5 MiB: longer than any buffer
	breaks := "a\r\nb\rc\n\u2028"
	for name, tc := range map[string]struct {
		content string
		texts   []string // of response A
	}{
		"no newline at the end": {pair("a") + "\n" + pair("b"), []string{"The first.", "The first."}},
		"CRLF line ends":        {pair("a") + "\r\n" + pair("b") + "\r\n", []string{"The first.", "The first."}},
		"returns inside data":   {pair("a", with("response_A", breaks)) + "\r\n", []string{breaks}},
		"longer than a buffer":  {lines(pair("a"), pair("b", with("response_A", long)), pair("c")), []string{"The first.", long, "The first."}},
		"long and unfinished":   {pair("b", with("response_A", long)), []string{long}},
		"white space around":    {"  " + pair("a") + "\t \n", []string{"The first."}},
		"empty answer":          {pair("a", with("response_A", "")), []string{""}},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, write(t, "pairs.jsonl", tc.content))
			if s.Len() != len(tc.texts) || s.Skipped != 0 {
				t.Fatalf("%d items, %d skipped, want %d, 0", s.Len(), s.Skipped, len(tc.texts))
			}
			for i, want := range tc.texts {
				got := item(t, s, i)
				if got.Candidates[0].Text != want {
					t.Errorf("item %d: answer A has %d bytes, want %d", i, len(got.Candidates[0].Text), len(want))
				}
				if bytes.ContainsAny(got.Raw, "\r\n") || !strings.Contains(tc.content, string(got.Raw)) {
					t.Errorf("item %d: Raw is not the line as published", i)
				}
			}
		})
	}
}

func TestFileChangedWhileReading(t *testing.T) {
	before := lines(pair("one"), pair("two"))
	for name, after := range map[string]string{
		"emptied":         "",
		"shortened":       before[:len(before)-10],
		"another id":      lines(pair("one"), pair("six")),
		"line moved":      lines(pair("one", with("question", "Which one is it?")), pair("two")),
		"label turned":    lines(pair("one"), pair("two", with("label", "B>A"))),
		"no longer JSON":  strings.Repeat("x", len(before)),
		"answer reworded": lines(pair("one"), pair("two", with("response_B", "The zecond."))),
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, "pairs.jsonl", before)
			s := open(t, path)
			if err := os.WriteFile(path, []byte(after), 0o644); err != nil {
				t.Fatal(err)
			}
			const want = "FILE:2: the file changed while it was being read"
			_, err := s.Item(1)
			oneLine(t, err, path, want)
			_, err = s.Raw(1)
			oneLine(t, err, path, want)
		})
	}
}

func TestBase(t *testing.T) {
	for path, want := range map[string]string{
		"pairs.jsonl":           "pairs",
		"/data/my.pairs.jsonl":  "my.pairs",
		"pairs":                 "pairs",
		"../x/judgebench-gpt4o": "judgebench-gpt4o",
		"d/dataset=judgebench,response_model=gpt-4o-2024-05-13.jsonl":               "judgebench-gpt-4o-2024-05-13",
		"dataset=judgebench,response_model=claude-3-5-sonnet-20240620.jsonl":        "judgebench-claude-3-5-sonnet-20240620",
		"dataset=judgebench,response_model=gpt-4o,judge_name=a,judge_model=b.jsonl": "judgebench-gpt-4o",
	} {
		if got := ShortName(path); got != want {
			t.Errorf("Base(%q) = %q, want %q", path, got, want)
		}
	}
}

// However it is packed, a file has the same items, and the SHA-256 of what was
// packed.
func TestPackedFiles(t *testing.T) {
	first := pair("one", with("question", "a\n[b] \"é\"\u2028"))
	two := lines(first, "", pair("two"))
	array := "[" + first + ",\n" + pair("two") + "]"
	for name, tc := range map[string]struct {
		content string
		second  int // line
	}{
		"plain": {two, 3}, "gzip": {gzipOf(t, two), 3}, "array": {array, 2}, "gzip of an array": {gzipOf(t, array), 2},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, "whatever", tc.content)
			s := open(t, path)
			if s.Len() != 2 || s.Skipped != 0 || s.SHA256 != HexSum([]byte(tc.content)) || s.Format != "judgebench" || s.Path != path {
				t.Fatalf("%d items, %d skipped, SHA-256 %s, format %s", s.Len(), s.Skipped, s.SHA256, s.Format)
			}
			if got := item(t, s, 0); got.ID != "one" || got.Line != 1 || got.Question != "a\n[b] \"é\"\u2028" {
				t.Errorf("%+v", got)
			}
			if got := item(t, s, 1); got.ID != "two" || got.Line != tc.second || bytes.ContainsAny(got.Raw, "\r\n") {
				t.Errorf("%+v", got)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestCategory(t *testing.T) {
	for source, want := range map[string]string{
		"mmlu-pro-computer science": "Knowledge",
		"mmlu-pro":                  "Knowledge",
		"livebench-reasoning":       "Reasoning",
		"livebench-math":            "Math",
		"livecodebench":             "Coding",
		"livebench":                 "livebench",
		"our mmlu-pro":              "our mmlu-pro",
		"Math":                      "Math",
		"":                          "(no source)",
	} {
		assert.Equal(t, category(source), want)
	}
	want := []string{
		"Knowledge", "Reasoning", "Math", "Coding", "(no source)", "2 options", "3 options", "10 options", "20 options", "law",
		"q", "q02", "q2", "q2b", "q10", "q10a",
	}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, CompareGroups)
	assert.DeepEqual(t, got, want)
}
