package rows

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
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

// zipOf returns an archive of files, given as name and text in turn.
func zipOf(t testing.TB, namesAndTexts ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(namesAndTexts); i += 2 {
		w, err := z.Create(namesAndTexts[i])
		if err == nil {
			_, err = w.Write([]byte(namesAndTexts[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// limited unpacks within other bounds for the time of a test.
func limited(t *testing.T, total int64, row, memory int) {
	before := unpackLimits
	unpackLimits.total, unpackLimits.row, unpackLimits.memory = total, row, memory
	t.Cleanup(func() { unpackLimits = before })
}

// write writes a file of the test's own.
func write(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// fails wants an error of one line for a file, without how far a decoder came.
func fails(t *testing.T, content, want string) {
	t.Helper()
	path := write(t, "x", content)
	err := EachRow(path, func(int, []byte) error { return nil })
	if err == nil {
		t.Fatalf("no error, want %q", want)
	}
	got := strings.ReplaceAll(err.Error(), path, "FILE")
	if before, after, ok := strings.Cut(got, "after "); ok {
		if _, rest, ok := strings.Cut(after, " bytes"); ok {
			got = before + "after N bytes" + rest
		}
	}
	if got != want {
		t.Errorf("error is\n  %s\nwant\n  %s", got, want)
	}
}

const (
	firstRow = `{"id":"one","question":"a\n[b] \"é\" "}`
	two      = `{"id":"two"}`
)

// However it is packed, a file has the same rows.
func TestContainers(t *testing.T) {
	lines := firstRow + "\n\n" + two + "\n"
	array := "\n [\t" + firstRow + ",\r\n" + strings.ReplaceAll(two, ":", ":\n  ") + "]\n"
	ofLines, ofRows := "1:"+firstRow+" 3:"+two, "1:"+firstRow+" 2:"+two
	for name, tc := range map[string]struct{ content, want string }{
		"plain":             {lines, ofLines},
		"gzip":              {gzipOf(t, lines), ofLines},
		"gzip of members":   {gzipOf(t, lines[:20]) + gzipOf(t, "") + gzipOf(t, lines[20:]), ofLines},
		"zstd":              {zstdOf(t, lines), ofLines},
		"zstd of frames":    {zstdOf(t, lines[:20]) + zstdOf(t, lines[20:]), ofLines},
		"array":             {array, ofRows},
		"gzip of an array":  {gzipOf(t, array), ofRows},
		"zstd of an array":  {zstdOf(t, array), ofRows},
		"no newline at end": {gzipOf(t, strings.TrimSuffix(lines, "\n")), ofLines},
	} {
		for _, memory := range []int{32 << 20, 1} { // in memory, and in a file
			t.Run(name, func(t *testing.T) {
				limited(t, 1<<20, 1<<16, memory)
				var got []string
				err := EachRow(write(t, "whatever", tc.content), func(row int, text []byte) error {
					got = append(got, fmt.Sprintf("%d:%s", row, text))
					return nil
				})
				if err != nil || strings.Join(got, " ") != tc.want {
					t.Errorf("%q, %v", got, err)
				}
			})
		}
	}
}

func TestBrokenContainers(t *testing.T) {
	good := firstRow
	rows := strings.Repeat(firstRow+"\n", 300)
	zipped := gzipOf(t, rows)
	manyZ := zstdOf(t, rows)
	wrong := []byte(zipped)
	wrong[len(wrong)-6] ^= 1 // the checksum
	archive := zipOf(t, "rows.json", "["+strings.Repeat(firstRow+",", 300)+firstRow+"]")
	damaged := []byte(archive)
	damaged[60] ^= 0xff
	encrypted := []byte(archive)
	encrypted[strings.Index(archive, "PK\x01\x02")+8] |= 1 // the flags of the central header
	for name, tc := range map[string]struct{ content, want string }{
		"gzip cut":              {zipped[:len(zipped)/2], "FILE: unpacking the gzip file, after N bytes: it ends too early: get the file again"},
		"gzip cut in its head":  {zipped[:5], "FILE: unpacking the gzip file, after N bytes: it ends too early: get the file again"},
		"gzip of other bytes":   {string(wrong), "FILE: unpacking the gzip file, after N bytes: gzip: invalid checksum"},
		"gzip and more":         {zipped + "more", "FILE: unpacking the gzip file, after N bytes: it ends too early: get the file again"},
		"not gzip after all":    {"\x1f\x8b\x08" + good, "FILE: unpacking the gzip file, after N bytes: it ends too early: get the file again"},
		"zstd cut":              {manyZ[:len(manyZ)/2], "FILE: unpacking the zstd file, after N bytes: it ends too early: get the file again"},
		"zstd of nothing":       {"\x28\xb5\x2f\xfd", "FILE: unpacking the zstd file, after N bytes: it ends too early: get the file again"},
		"gzip of gzip":          {gzipOf(t, zipped), "FILE: the file is compressed twice: unpack it once"},
		"gzip of zip":           {gzipOf(t, zipOf(t, "x.json", "[]")), "FILE: the file is compressed twice: unpack it once"},
		"zip cut":               {archive[:len(archive)/2], "FILE: unpacking the zip file, after N bytes: it ends too early: get the file again"},
		"zip damaged":           {string(damaged), "FILE: unpacking the zip file, after N bytes: flate: corrupt input before offset 27"},
		"zip encrypted":         {string(encrypted), `FILE: unpacking the zip file, after N bytes: "rows.json" in it is encrypted: unpack it first`},
		"zip of nothing":        {zipOf(t), "FILE: unpacking the zip file, after N bytes: 0 .json files are in it: unpack it, and name one of them"},
		"zip of two files":      {zipOf(t, "a.json", "", "b.json", ""), "FILE: unpacking the zip file, after N bytes: 2 .json files are in it: unpack it, and name one of them"},
		"array without end":     {"[" + good + ",", "FILE: row 2 of the JSON array: the file ends in the middle: get it again"},
		"array without bracket": {"[" + good, "FILE: the JSON array has no end: the file ends in the middle: get it again"},
		"array cut in a row":    {"[" + good + "," + good[:40], "FILE: row 2 of the JSON array: the file ends in the middle: get it again"},
		"array of arrays":       {"[" + good + ",[1]]", "FILE: row 2 of the JSON array is an array, not an object"},
		"array of strings":      {`["a"]`, "FILE: row 1 of the JSON array is a string, not an object"},
		"array of numbers":      {`[-1]`, "FILE: row 1 of the JSON array is a number, not an object"},
		"array of null":         {`[null]`, "FILE: row 1 of the JSON array is null, not an object"},
		"array of booleans":     {`[ false]`, "FILE: row 1 of the JSON array is a boolean, not an object"},
		"array and more":        {"[" + good + "]\n" + good, "FILE: data follows the end of the JSON array"},
		"arrays, one a line":    {"[1]\n[2]\n", "FILE: row 1 of the JSON array is a number, not an object"},
	} {
		t.Run(name, func(t *testing.T) {
			fails(t, tc.content, tc.want)
		})
	}
}

// A few bytes that stand for many are refused before they fill memory or disk.
func TestBombs(t *testing.T) {
	limited(t, 4<<20, 1<<20, 1<<16)
	long := `{"id":"` + strings.Repeat("x", 1<<20) + `"}`
	for name, tc := range map[string]struct{ content, want string }{
		"many lines":          {gzipOf(t, strings.Repeat("\n", 5<<20)), "FILE: unpacking the gzip file, after N bytes: it unpacks to more than 4 MiB: if you trust it, unpack it by hand"},
		"many lines, zstd":    {zstdOf(t, strings.Repeat("\n", 5<<20)), "FILE: unpacking the zstd file, after N bytes: it unpacks to more than 4 MiB: if you trust it, unpack it by hand"},
		"one line":            {gzipOf(t, firstRow+"\n"+long), "FILE: line 2: the line is longer than 1 MiB: is a line break missing?"},
		"one plain line":      {firstRow + "\n" + long + "\n" + two, "FILE: line 2: the line is longer than 1 MiB: is a line break missing?"},
		"one row":             {"[" + firstRow + "," + long + "]", "FILE: row 2 is longer than 1 MiB"},
		"spaces between rows": {"[" + firstRow + "," + strings.Repeat(" ", 2<<20) + two + "]", "FILE: row 2 is longer than 1 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			fails(t, tc.content, tc.want)
		})
	}
}

// What is unpacked to a temporary file is gone when it is closed, or could not be
// unpacked to its end.
func TestTemporaryFileIsRemoved(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Setenv("TMP", t.TempDir())
	}
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	limited(t, 1<<20, 1<<20, 1)
	lines, _, err := Unpack(strings.NewReader(gzipOf(t, firstRow+"\n"+two)))
	if err != nil {
		t.Fatal(err)
	}
	if files, err := filepath.Glob(filepath.Join(dir, "gavel-*")); runtime.GOOS != "windows" && len(files) > 0 {
		t.Errorf("a crash now would leave %q behind, %v", files, err)
	}
	text := make([]byte, len(two))
	if _, err := lines.ReadAt(text, int64(len(firstRow)+1)); err != nil || string(text) != two {
		t.Errorf("%q, %v", text, err)
	}
	if err := lines.Close(); err != nil {
		t.Error(err)
	}
	if _, err := lines.ReadAt(text, 0); err == nil {
		t.Error("a closed spool is read")
	}
	if _, _, err := Unpack(strings.NewReader(gzipOf(t, "["+firstRow))); err == nil {
		t.Error("no error")
	}
	files, err := os.ReadDir(dir)
	for _, e := range files {
		if strings.HasPrefix(e.Name(), "gavel-") {
			t.Errorf("left behind: %s, %v", e.Name(), err)
		}
	}
}
