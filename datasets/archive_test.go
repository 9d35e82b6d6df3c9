package datasets

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"

	"gavel/internal/codec"
)

// testCase is a folder of an archive in testdata/open: a file, the options to open it, and the result.
type testCase struct {
	name, file, content string
	options             OpenOptions
}

// readCases reads the cases of an archive and keeps its input files.
func readCases(t testing.TB, path string) (archive *txtar.Archive, cases []testCase) {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	assert.NilError(t, err)
	var o OpenOptions
	for _, f := range archive.Files {
		name, file, _ := strings.Cut(f.Name, "/")
		switch file {
		case "want":
		case "options":
			assert.NilError(t, json.Unmarshal(f.Data, &o))
		default:
			if k, ok := Lookup(name); ok {
				o.Mapping = k.Mapping
				o.Groups = k.Groups
			}
			cases = append(cases, testCase{name: name, file: file, content: string(f.Data), options: o})
			o = OpenOptions{}
		}
	}
	return archive, cases
}

func archives(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/open/*.txt")
	assert.NilError(t, err)
	return paths
}

// TestOpenedFiles: files become what the archives say; go test ./datasets -update writes that anew.
func TestOpenedFiles(t *testing.T) {
	for _, path := range archives(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			archive, cases := readCases(t, path)
			now := &txtar.Archive{Comment: archive.Comment}
			for _, c := range cases {
				for _, f := range archive.Files {
					if f.Name == c.name+"/options" || f.Name == c.name+"/"+c.file {
						now.Files = append(now.Files, f)
					}
				}
				now.Files = append(now.Files, txtar.File{Name: c.name + "/want", Data: []byte(c.opened(t))})
			}
			golden.AssertBytes(t, txtar.Format(now), "open/"+filepath.Base(path))
		})
	}
}

// opened describes the set that the file becomes, with its path as FILE.
func (c testCase) opened(t *testing.T) string {
	path := write(t, c.file, c.content)
	var out strings.Builder
	printf := func(format string, args ...any) {
		text := strings.ReplaceAll(fmt.Sprintf(format, args...), path, "FILE")
		assert.Assert(t, !strings.ContainsAny(text, "\r\n"), "longer than a line: %q", text)
		fmt.Fprintln(&out, text)
	}
	s, err := openFileWith(path, c.options)
	if err != nil {
		printf("error: %v", err)
		return out.String()
	}
	defer s.Close()
	assert.Equal(t, s.FileSHA256(), HexSum([]byte(c.content)))
	printf("%d items of %s", s.Len(), s.Format)
	for _, line := range s.Remarks() {
		printf("%s", line)
	}
	for _, it := range items(t, s) {
		raw := string(it.Raw)
		it.Raw = nil
		text, err := codec.Marshal(it)
		assert.NilError(t, err)
		var fields map[string]any
		assert.NilError(t, json.Unmarshal(text, &fields))
		maps.DeleteFunc(fields, func(_ string, v any) bool { return v == nil || v == "" })
		text, err = codec.Marshal(fields)
		assert.NilError(t, err)
		printf("%s", text)
		if !strings.Contains(c.content, raw) {
			printf("  by the line %s", raw)
		}
	}
	sameAgain(t, s)
	return out.String()
}

// sameAgain: each item is one, and the lines of all, as a run keeps them in items.jsonl, are the same items.
func sameAgain(t *testing.T, s *Set) {
	t.Helper()
	var raw []string
	for i, it := range items(t, s) {
		isItem(t, it)
		assert.Assert(t, it.ID == s.ItemID(i) && it.Group == s.GroupOf(i), "%+v is %s of %s", it, s.ItemID(i), s.GroupOf(i))
		raw = append(raw, string(it.Raw))
	}
	reread, err := openBytes("items.jsonl", []byte(lines(raw...)), OpenOptions{Turns: s.OpenOptions.Turns})
	assert.NilError(t, err)
	defer reread.Close()
	assert.Assert(t, reread.Len() == s.Len() && reread.Skipped == 0, "%d items of %d", reread.Len(), s.Len())
	for i, other := range items(t, reread) {
		got := item(t, s, i)
		got.Line, other.Line = 0, 0
		if !reflect.DeepEqual(got, other) {
			t.Errorf("%+v\nis, by its own line,\n%+v", got, other)
		}
	}
}

// isItem checks what every item is.
func isItem(t *testing.T, got Item) {
	t.Helper()
	last := ""
	for i, c := range got.Candidates {
		if c.ID <= last || c.Unrelated != (got.Shape == ShapeOptions && c.ID == unrelatedID && i == 0) {
			t.Errorf("candidates %+v", got.Candidates)
		}
		last = c.ID
	}
	n := len(got.Candidates)
	bad := got.ID == "" || got.Group == "" || got.Gold < NoGold || got.Gold >= n
	switch got.Shape {
	case ShapePair:
		bad = bad || n != 2
	case ShapeChoice:
		bad = bad || n < 2 || got.Gold == NoGold
	case ShapeNumber:
		bad = bad || n > 0 || got.Answer == ""
	case ShapePreference:
		bad = bad || n != 3
	case ShapeJudgment:
		bad = bad || n != 2 || got.Answered == nil
	case ShapeOptions:
		bad = bad || n < 2 || got.Gold >= 0 && got.Candidates[got.Gold].Rank == nil
		line, err := EncodeOptions(got)
		assert.NilError(t, err)
		back, err := parseOptions(line)
		assert.NilError(t, err)
		assert.Assert(t, sameItem(got, back) && !strings.ContainsAny(string(line), "\r\n"), "%s", line)
	case ShapeResponse:
		bad = bad || n != 1 || got.Gold != NoGold || got.People != nil && !(got.People.Mean() > -100)
	default:
		bad = true
	}
	if bad {
		t.Errorf("not an item: %+v", got)
	}
}

// TestPublishedFiles: the published files, each with the SHA-256 of all its items, are what testdata/published.txt
// says, and what the registry does.
func TestPublishedFiles(t *testing.T) {
	const data = "../../shared/data"
	if _, err := os.Stat(data); err != nil {
		t.Skip("the published files are not here: ", data)
	}
	var out strings.Builder
	for _, f := range []struct {
		pattern, dataset string
		options          OpenOptions
	}{
		{pattern: "gsm8k/test.jsonl", dataset: "gsm8k"},
		{pattern: "judgebench/data/*gpt-4o*.jsonl", dataset: "judgebench-gpt4o"},
		{pattern: "judgebench/data/*claude*.jsonl", dataset: "judgebench-claude"},
		{pattern: "judgebench/outputs/*.jsonl"},
		{pattern: "llmbar/Dataset/LLMBar/*/*/dataset.json"},
		{pattern: "llmbar/Dataset/LLMBar/Natural/dataset.json", dataset: "llmbar-natural"},
		{pattern: "mmlu-pro/data/test-*.parquet", dataset: "mmlu-pro"},
		{pattern: "mmlu-pro/data/validation-*.parquet"},
		{pattern: "mt-bench/human_judgments/human.jsonl"},
		{pattern: "oasst1/en-validation.jsonl"},
		{pattern: "oasst1/trees/*.jsonl"},
		{pattern: "oasst1/trees/*.jsonl", options: OpenOptions{Lang: "all"}},
		{pattern: "oasst1/trees/*.jsonl", options: OpenOptions{Lang: "xx"}},
		{pattern: "rm-bench/chat_filtered.json", dataset: "rm-bench-chat"},
		{pattern: "rm-bench/code_filtered.json", dataset: "rm-bench-code"},
		{pattern: "rm-bench/safety-refuse_filtered.json", dataset: "rm-bench-safety-refuse"},
		{pattern: "rm-bench/safety-response_filtered.json", dataset: "rm-bench-safety-response"},
	} {
		paths, err := filepath.Glob(filepath.Join(data, f.pattern))
		assert.NilError(t, err)
		for _, path := range paths {
			fmt.Fprintf(&out, "%s %s\n", strings.TrimPrefix(path, data+"/"), f.options.Lang)
			s, err := openFileWith(path, f.options)
			if err != nil {
				fmt.Fprintf(&out, "  error: %s\n", strings.ReplaceAll(err.Error(), path, "FILE"))
				continue
			}
			sum := sha256.New()
			for _, it := range items(t, s) {
				assert.NilError(t, codec.NewEncoder(sum).Encode(it))
			}
			summary, err := s.Summarize(Entry{})
			assert.NilError(t, err)
			for _, row := range summary.Rows[1:] {
				fmt.Fprintf(&out, "  %s: %s\n", row[0], row[1])
			}
			fmt.Fprintf(&out, "  SHA-256 of its items: %x\n", sum.Sum(nil))
			for _, note := range summary.Notes {
				fmt.Fprintf(&out, "  %s\n", strings.ReplaceAll(note, path, "FILE"))
			}
			sameAgain(t, s)
			if f.dataset != "" {
				k, _ := Lookup(f.dataset)
				info, err := os.Stat(path)
				if err != nil || k.Rows != s.Len() || !slices.Contains([]string{k.SHA256, k.Copy}, s.SHA256) ||
					k.Bytes > 0 && k.Bytes != info.Size() {
					t.Errorf("the registry has %+v; the file %d items, SHA-256 %s", k, s.Len(), s.SHA256)
				}
			}
			s.Close()
		}
	}
	golden.Assert(t, out.String(), "published.txt")
}
