package datasets

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestGoodFile(t *testing.T) {
	second := pair("two", with("label", "B>A"), with("source", "our-own"), with("reason", "an unknown key"))
	content := lines(pair("one", with("response_A", "a longer answer")), "", second)
	path := write(t, "pairs.jsonl", content)
	s := open(t, path)

	sum := sha256.Sum256([]byte(content))
	if s.Len() != 2 || s.Skipped != 0 || s.SHA256 != hex.EncodeToString(sum[:]) || s.Format != "judgebench" {
		t.Errorf("got %d items, %d skipped, SHA-256 %s, format %s", s.Len(), s.Skipped, s.SHA256, s.Format)
	}
	if want := len("Which one?" + "a longer answer" + "The second."); s.Longest != want {
		t.Errorf("Longest = %d, want %d", s.Longest, want)
	}
	it := item(t, s, 1)
	if it.ID != "two" || it.Gold != 1 || it.Group != "our-own" || it.Line != 3 || string(it.Raw) != second {
		t.Errorf("second item: %+v", it)
	}
	if a, b := it.Candidates[0], it.Candidates[1]; a != (Candidate{ID: "A", Model: "m", Text: "The first."}) || b != (Candidate{ID: "B", Model: "m", Text: "The second."}) {
		t.Errorf("candidates: %+v", it.Candidates)
	}
	if it := item(t, s, 0); it.Gold != 0 || it.Group != "Knowledge" || it.Line != 1 {
		t.Errorf("first item: %+v", it)
	}
}

// Whether or not items are kept, they are what their lines say, and whoever changes one changes no other's.
func TestItemsAreTheirLines(t *testing.T) {
	for _, length := range []int{10, keptBytes} {
		long := with("response_A", strings.Repeat("a", length))
		s := open(t, write(t, "pairs.jsonl", lines(pair("one"), pair("two", long))))
		if s.Kept() != (length < keptBytes) {
			t.Errorf("an answer of %d bytes: kept: %v", length, s.Kept())
		}
		for i := range s.Len() {
			it := item(t, s, i)
			want, err := s.format.Parse(it.Raw)
			want.Line = i + 1
			want.Raw = it.Raw
			if err != nil || !reflect.DeepEqual(it, want) {
				t.Errorf("item %d of a file of %d bytes is not its line: %v", i, length, err)
			}
			it.Candidates[0].Text = "changed"
			if item(t, s, i).Candidates[0].Text == "changed" {
				t.Errorf("a change of item %d is kept", i)
			}
		}
	}
}

func TestBadFiles(t *testing.T) {
	good := pair("one")
	for name, tc := range map[string]struct{ content, want string }{
		"zip":             {"PK\x03\x04" + good, "FILE: the file is a zip archive: unpack it first"},
		"tar":             {good[:100] + strings.Repeat("\x00", 157) + "ustar", "FILE: the file is a tar archive: unpack it first"},
		"empty":           {"", "FILE: the file is empty; expected " + anyFormat()},
		"blank lines":     {"\n  \r\n\n", "FILE: the file is empty; expected " + anyFormat()},
		"one byte":        {"x", "FILE:1: not a JSON object (no usable line among 1; expected " + anyFormat() + ")"},
		"CSV":             {"pair_id,label\nx,A>B\n", "FILE: columns found: [\"label\" \"pair_id\"]; no known format has these: say which is which, as in --field question=COLUMN,response_a=COLUMN,response_b=COLUMN,label=COLUMN"},
		"tabs":            {"pair_id\tlabel\n", "FILE: the file is empty; expected " + anyFormat()},
		"200,000 columns": {strings.Repeat("name,", 200_000) + "\n1\n", "FILE:1: the names of the columns are longer than 128 KiB, which no table of items needs: leave columns out, or end a quoted name"},
		"unknown columns": {`{"text":"q","x\n1":"a","x2":"b","w":"A"}`, "FILE: columns found: [\"text\" \"w\" \"x\\n1\" \"x2\"]; no known format has these: say which is which, as in --field question=COLUMN,response_a=COLUMN,response_b=COLUMN,label=COLUMN"},
		"JSON over lines": {"{\n\"pair_id\": \"one\"\n}\n", "FILE:1: broken JSON at byte 1: unexpected end of JSON input (no usable line among 3; expected " + anyFormat() + ")"},
		"UTF-16":          {"\xff\xfe{\x00\"\x00", "FILE:1: broken JSON at byte 2: unexpected end of JSON input (no usable line among 1; expected " + anyFormat() + ")"},
		"all lines bad":   {lines(pair("one", with("label", "A=B")), "{"), "FILE:1: label \"A=B\" is neither \"A>B\" nor \"B>A\" (no usable line among 2; expected " + JudgeBench.About + ")"},
		"duplicate id":    {lines(good, pair("two"), "", good), "FILE:4: duplicate id \"one\", first seen in line 1: remove one of the two lines"},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, "pairs.jsonl", tc.content)
			_, err := OpenFile(path)
			oneLine(t, err, path, tc.want)
			if _, err := inMemory(path, []byte(tc.content)); err == nil {
				t.Error("the same bytes in memory are accepted")
			}
		})
	}
}

func TestDuplicateNamesBothLines(t *testing.T) {
	_, err := inMemory("built in", []byte(lines(pair("x"), pair("y"), pair("x"))))
	if want := `built in:3: duplicate id "x", first seen in line 1: remove one of the two lines`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
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
		oneLine(t, err, os.DevNull, "FILE: is not a regular file; items are read when they are asked for, so save it to a file first")
	}
}

func TestBadLinesAreSkippedAndNamed(t *testing.T) {
	for name, tc := range map[string]struct{ line, want string }{
		"broken JSON":      {pair("x")[:20], "broken JSON at byte 20: unexpected end of JSON input"},
		"two objects":      {pair("x") + pair("y"), "broken JSON at byte 176: invalid character '{' after top-level value"},
		"raw return":       {strings.Replace(pair("x"), "Which one?", "Which\rone?", 1), `broken JSON at byte 71: invalid character '\r' in string literal`},
		"not UTF-8":        {strings.Replace(pair("x"), "Which", "Wh\xefch", 1), "not UTF-8: save the file in that encoding"},
		"label A=B":        {pair("x", with("label", "A=B")), `label "A=B" is neither "A>B" nor "B>A"`},
		"label of spaces":  {pair("x", with("label", " A>B")), `label " A>B" is neither "A>B" nor "B>A"`},
		"label null":       {pair("x", with("label", nil)), `key "label" is missing`},
		"no pair_id":       {pair("x", without("pair_id")), `key "pair_id" is missing`},
		"no question":      {pair("x", without("question")), `key "question" is missing`},
		"no response_A":    {pair("x", without("response_A")), `key "response_A" is missing`},
		"no response_B":    {pair("x", without("response_B")), `key "response_B" is missing`},
		"no label":         {pair("x", without("label")), `key "label" is missing`},
		"empty pair_id":    {pair(""), `"pair_id" is empty`},
		"number for text":  {pair("x", with("question", 7)), `key "question" is of type number, expected string`},
		"object for text":  {pair("x", with("response_A", map[string]any{"text": "a"})), `key "response_A" is of type object, expected string`},
		"null":             {"null", `key "pair_id" is missing`},
		"number":           {"12", "not a JSON object"},
		"string of commas": {`"a,b"`, "not a JSON object; it looks like CSV, but its first line is no row of plain names: leave out {}[]<> and line breaks there"},
		"HTML":             {"<!DOCTYPE html>", "not a JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, "pairs.jsonl", lines(pair("one"), tc.line, pair("three")))
			s := open(t, path)
			if s.Len() != 2 || s.Skipped != 1 || len(s.Bad) != 1 {
				t.Fatalf("%d items, %d skipped, %d named; want 2, 1, 1", s.Len(), s.Skipped, len(s.Bad))
			}
			oneLine(t, s.Bad[0], path, "FILE:2: "+tc.want)
			if it := item(t, s, 1); it.ID != "three" || it.Line != 3 {
				t.Errorf("the line after it reads as %q of line %d", it.ID, it.Line)
			}
		})
	}
}

func TestManyBadLinesAreCountedButNotAllKept(t *testing.T) {
	s, err := inMemory("x", []byte(strings.Repeat("{\n", 1000)+pair("one")))
	if err != nil || s.Skipped != 1000 || len(s.Bad) != maxSkipped || s.Bad[maxSkipped-1].Line != maxSkipped {
		t.Errorf("skipped %d, kept %d, %v", s.Skipped, len(s.Bad), err)
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
				it := item(t, s, i)
				if it.Candidates[0].Text != want {
					t.Errorf("item %d: answer A has %d bytes, want %d", i, len(it.Candidates[0].Text), len(want))
				}
				if bytes.ContainsAny(it.Raw, "\r\n") || !strings.Contains(tc.content, string(it.Raw)) {
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
		if got := Base(path); got != want {
			t.Errorf("Base(%q) = %q, want %q", path, got, want)
		}
	}
}

// The first good line decides for the whole file.
func TestFormatIsFoundFromTheFirstGoodLine(t *testing.T) {
	before := Formats
	t.Cleanup(func() { Formats = before })
	const word, words = `{"word":"a"}`, `{"word":"a","another":"b"}`
	Formats = append([]Format{JudgeBench}, Format{Name: "words", About: "one word a line", Keys: []string{"word"}, Parse: func(line []byte) (Item, error) {
		if bytes.Count(line, []byte(":")) > 1 {
			return Item{}, errors.New("more than a word")
		}
		return Item{ID: string(line), Question: string(line)}, nil
	}})
	for name, tc := range map[string]struct{ content, format, bad string }{
		"the first's":        {lines(pair("one"), word), "judgebench", `FILE:2: key "pair_id" is missing`},
		"the second's":       {lines(word, pair("one")), "words", "FILE:2: more than a word"},
		"after a bad line":   {lines(words, word), "words", "FILE:1: more than a word"},
		"no line of its own": {lines(words, "{"), "", "FILE:1: more than a word (no usable line among 2; expected one word a line)"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := inMemory("FILE", []byte(tc.content))
			if err != nil {
				s = new(Set)
			} else {
				err = s.Bad[0]
				if it := item(t, s, 0); s.Len() != 1 || it.ID != s.ID(0) {
					t.Errorf("%d items, the first reads as %q", s.Len(), it.ID)
				}
			}
			oneLine(t, err, "FILE", tc.bad)
			if s.Format != tc.format {
				t.Errorf("format %q, want %q", s.Format, tc.format)
			}
		})
	}
}
