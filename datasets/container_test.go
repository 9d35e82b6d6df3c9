package datasets

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func gzipOf(t testing.TB, content string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func zstdOf(t testing.TB, content string) string {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(w.EncodeAll([]byte(content), nil))
}

// limited unpacks within other bounds for the time of a test.
func limited(t *testing.T, total int64, row, memory int) {
	before := unpacking
	unpacking.total, unpacking.row, unpacking.memory = total, row, memory
	t.Cleanup(func() { unpacking = before })
}

// However it is packed, a file has the same items.
func TestContainers(t *testing.T) {
	two := lines(pair("one", with("question", "a\n[b] \"é\"\u2028")), "", pair("two"))
	array := "\n [\t" + pair("one", with("question", "a\n[b] \"é\"\u2028")) + ",\r\n" + strings.ReplaceAll(pair("two"), ",", ",\n  ") + "]\n"
	for name, tc := range map[string]struct {
		content string
		lines   [2]int
	}{
		"plain":             {two, [2]int{1, 3}},
		"gzip":              {gzipOf(t, two), [2]int{1, 3}},
		"gzip of members":   {gzipOf(t, two[:50]) + gzipOf(t, "") + gzipOf(t, two[50:]), [2]int{1, 3}},
		"zstd":              {zstdOf(t, two), [2]int{1, 3}},
		"zstd of frames":    {zstdOf(t, two[:50]) + zstdOf(t, two[50:]), [2]int{1, 3}},
		"array":             {array, [2]int{1, 2}},
		"gzip of an array":  {gzipOf(t, array), [2]int{1, 2}},
		"zstd of an array":  {zstdOf(t, array), [2]int{1, 2}},
		"no newline at end": {gzipOf(t, strings.TrimSuffix(two, "\n")), [2]int{1, 3}},
	} {
		for _, memory := range []int{32 << 20, 1} { // in memory, and in a file
			t.Run(name, func(t *testing.T) {
				limited(t, 1<<20, 1<<16, memory)
				path := write(t, "whatever", tc.content)
				s := open(t, path)
				sum := sha256.Sum256([]byte(tc.content))
				if s.Len() != 2 || s.Skipped != 0 || s.SHA256 != hex.EncodeToString(sum[:]) || s.Format != "judgebench" || s.Path != path {
					t.Fatalf("%d items, %d skipped, SHA-256 %s, format %s", s.Len(), s.Skipped, s.SHA256, s.Format)
				}
				for i, id := range []string{"one", "two"} {
					it := item(t, s, i)
					if it.ID != id || it.Line != tc.lines[i] || bytes.ContainsAny(it.Raw, "\r\n") {
						t.Errorf("item %d: %q of line %d, %q", i, it.ID, it.Line, it.Raw)
					}
				}
				if it := item(t, s, 0); it.Question != "a\n[b] \"é\"\u2028" {
					t.Errorf("question %q", it.Question)
				}
			})
		}
	}
}

func TestBrokenContainers(t *testing.T) {
	good := pair("one")
	many := gzipOf(t, strings.Join(pairs(300), "\n"))
	manyZ := zstdOf(t, strings.Join(pairs(300), "\n"))
	wrong := []byte(many)
	wrong[len(wrong)-6] ^= 1 // the checksum
	for name, tc := range map[string]struct{ content, want string }{
		"gzip cut":              {many[:len(many)/2], "FILE: unpacking the gzip file, after N bytes: it ends too early: get the file again"},
		"gzip cut in its head":  {many[:5], "FILE: unpacking the gzip file, after N bytes: it ends too early: get the file again"},
		"gzip of other bytes":   {string(wrong), "FILE: unpacking the gzip file, after N bytes: gzip: invalid checksum"},
		"gzip and more":         {many + "more", "FILE: unpacking the gzip file, after N bytes: it ends too early: get the file again"},
		"not gzip after all":    {"\x1f\x8b\x08" + good, "FILE: unpacking the gzip file, after N bytes: it ends too early: get the file again"},
		"zstd cut":              {manyZ[:len(manyZ)/2], "FILE: unpacking the zstd file, after N bytes: it ends too early: get the file again"},
		"zstd of nothing":       {"\x28\xb5\x2f\xfd", "FILE: unpacking the zstd file, after N bytes: it ends too early: get the file again"},
		"gzip of gzip":          {gzipOf(t, many), "FILE: the file is compressed twice: unpack it once"},
		"gzip of zip":           {gzipOf(t, "PK\x03\x04"), "FILE: the file is a zip archive: unpack it first"},
		"gzip of nothing":       {gzipOf(t, ""), "FILE: the file is empty; expected " + anyFormat()},
		"gzip of a bad line":    {gzipOf(t, good+"\n{"), ""},
		"gzip of bad lines":     {gzipOf(t, "\n{\n"), "FILE:2: broken JSON at byte 1: unexpected end of JSON input (no usable line among 1; expected " + anyFormat() + ")"},
		"array without end":     {"[" + good + ",", "FILE: row 2 of the JSON array: the file ends in the middle: get it again"},
		"array without bracket": {"[" + good, "FILE: the JSON array has no end: the file ends in the middle: get it again"},
		"array cut in a row":    {"[" + good + "," + good[:40], "FILE: row 2 of the JSON array: the file ends in the middle: get it again"},
		"array of arrays":       {"[" + good + ",[1]]", "FILE: row 2 of the JSON array is an array, not an object"},
		"array of strings":      {`["a"]`, "FILE: row 1 of the JSON array is a string, not an object"},
		"array of numbers":      {`[-1]`, "FILE: row 1 of the JSON array is a number, not an object"},
		"array of null":         {`[null]`, "FILE: row 1 of the JSON array is null, not an object"},
		"array of booleans":     {`[ false]`, "FILE: row 1 of the JSON array is a boolean, not an object"},
		"array of nothing":      {`[]`, "FILE: the file is empty; expected " + anyFormat()},
		"array and more":        {"[" + good + "]\n" + good, "FILE: there is more after the end of the JSON array"},
		"arrays, one a line":    {"[1]\n[2]\n", "FILE: row 1 of the JSON array is a number, not an object"},
		"array, a bad row":      {`[{"pair_id":1}]`, "FILE: row 1: key \"pair_id\" is of type number, expected string (no usable row among 1; expected " + anyFormat() + ")"},
		"array, an id twice":    {"[" + good + "," + pair("two") + "," + good + "]", `FILE: row 3: duplicate id "one", first seen in row 1: remove one of the two rows`},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, "pairs.jsonl", tc.content)
			s, err := OpenFile(path)
			if tc.want == "" {
				if err != nil || s.Len() != 1 || s.Skipped != 1 {
					t.Fatal(err)
				}
				oneLine(t, s.Bad[0], path, "FILE:2: broken JSON at byte 1: unexpected end of JSON input")
				s.Close()
				return
			}
			if err != nil {
				err = withoutBytes{err}
			}
			oneLine(t, err, path, tc.want)
		})
	}
}

// withoutBytes hides how far a decoder came.
type withoutBytes struct{ error }

func (e withoutBytes) Error() string {
	before, after, found := strings.Cut(e.error.Error(), "after ")
	if _, rest, ok := strings.Cut(after, " bytes"); found && ok {
		return before + "after N bytes" + rest
	}
	return e.error.Error()
}

// anyFormat is what a file of no known format is told to hold.
func anyFormat() string { return new(Set).expected() }

// A few bytes that stand for many are refused before they fill memory or disk.
func TestBombs(t *testing.T) {
	limited(t, 4<<20, 1<<20, 1<<16)
	long := pair("long", with("question", strings.Repeat("x", 1<<20)))
	for name, tc := range map[string]struct{ content, want string }{
		"many lines":          {gzipOf(t, strings.Repeat("\n", 5<<20)), "FILE: unpacking the gzip file, after N bytes: it unpacks to more than 4 MiB: unpack it by hand, if it is to be trusted"},
		"many lines, zstd":    {zstdOf(t, strings.Repeat("\n", 5<<20)), "FILE: unpacking the zstd file, after N bytes: it unpacks to more than 4 MiB: unpack it by hand, if it is to be trusted"},
		"one line":            {gzipOf(t, pair("one")+"\n"+long), "FILE: row 2 is longer than 1 MiB"},
		"one row":             {"[" + pair("one") + "," + long + "]", "FILE: row 2 is longer than 1 MiB"},
		"spaces between rows": {"[" + pair("one") + "," + strings.Repeat(" ", 2<<20) + pair("two") + "]", "FILE: row 2 is longer than 1 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, "x", tc.content)
			_, err := OpenFile(path)
			if err != nil {
				err = withoutBytes{err}
			}
			oneLine(t, err, path, tc.want)
		})
	}
	plain := open(t, write(t, "x", long))
	if plain.Len() != 1 {
		t.Error("a long line of a plain file, which is no bomb, is refused")
	}
}

// What is unpacked to a temporary file is gone when the set is closed, or could
// not be opened.
func TestTemporaryFileIsRemoved(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Setenv("TMP", t.TempDir())
	}
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	limited(t, 1<<20, 1<<20, 1)
	s, err := OpenFile(write(t, "x.gz", gzipOf(t, lines(pairs(100)...))))
	if err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "gavel-*")); runtime.GOOS != "windows" && len(left) > 0 {
		t.Errorf("a crash now would leave %q behind, %v", left, err)
	}
	if it := item(t, s, 99); it.ID != "p099" {
		t.Error(it.ID)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := s.Item(3); err == nil {
		t.Error("a closed set is read")
	}
	if _, err := OpenFile(write(t, "x.gz", gzipOf(t, "{}\n{}\n"))); err == nil {
		t.Error("no error")
	}
	left, err := os.ReadDir(dir)
	for _, e := range left {
		if strings.HasPrefix(e.Name(), "gavel-") {
			t.Errorf("left behind: %s, %v", e.Name(), err)
		}
	}
}
