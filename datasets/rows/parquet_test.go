package rows

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
)

func parquetOf[T any](t testing.TB, rows []T, options ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, options...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// rowLines returns the rows of a Parquet file as lines.
func rowLines(t testing.TB, file []byte) []string {
	t.Helper()
	out := new(Spool)
	if err := parquetLines(bytes.NewReader(file), out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(out.mem), "\n")
	return lines[:len(lines)-1]
}

func TestParquetRows(t *testing.T) {
	type message struct {
		Content string  `parquet:"content"`
		Role    *string `parquet:"role,optional"`
	}
	type deep struct {
		Names  []string  `parquet:"names,list"`
		Lists  [][]int64 `parquet:"lists,list"`
		Talk   []message `parquet:"talk,list"`
		Bare   []int32   `parquet:"bare"`
		Groups []message `parquet:"groups"`
		Own    *message  `parquet:"own,optional"`
	}
	user := "user"
	type flat struct {
		Z  string    `parquet:"z"`
		A  *int64    `parquet:"a,optional"`
		D  string    `parquet:"d,dict"`
		F  float64   `parquet:"f"`
		G  float32   `parquet:"g"`
		B  bool      `parquet:"b"`
		U  uint64    `parquet:"u"`
		U4 uint32    `parquet:"u4"`
		I4 int32     `parquet:"i4"`
		R  []byte    `parquet:"r"`
		I  [16]byte  `parquet:"i,uuid"`
		T  time.Time `parquet:"t,timestamp(microsecond)"` // left out, as the next
		Y  int32     `parquet:"y,date"`
	}
	seven := int64(-7)
	full := flat{
		Z: "\"\\\n\r\t\x01é\u2028<&>", A: &seven, D: "d", F: 0.1, G: 0.1, B: true, U: math.MaxUint64, U4: math.MaxUint32, I4: -5,
		T: time.Date(2024, 2, 29, 1, 2, 3, 4000, time.UTC), Y: 19782, R: []byte("\xff\x00"), I: [16]byte{1, 2, 15: 16},
	}
	for name, tc := range map[string]struct {
		file []byte
		want []string
	}{
		"flat": {parquetOf(t, []flat{full, {F: math.NaN(), G: float32(math.Inf(-1)), T: time.Unix(0, 0)}, {F: 1e300, G: 3, T: time.Unix(-1, 0), R: []byte("text")}}), []string{
			`{"z":"\"\\\n\r\t\u0001é` + "\u2028" + `<&>","a":-7,"d":"d","f":0.1,"g":0.1,"b":true,"u":18446744073709551615,"u4":4294967295,"i4":-5,"r":"/wA=","i":"01020000-0000-0000-0000-000000000010"}`,
			`{"z":"","a":null,"d":"","f":null,"g":null,"b":false,"u":0,"u4":0,"i4":0,"r":"","i":"00000000-0000-0000-0000-000000000000"}`,
			`{"z":"","a":null,"d":"","f":1e+300,"g":3,"b":false,"u":0,"u4":0,"i4":0,"r":"text","i":"00000000-0000-0000-0000-000000000000"}`,
		}},
		"nested": {parquetOf(t, []deep{
			{Names: []string{"a", "", "c"}, Lists: [][]int64{{1, 2}, {}, {3}}, Talk: []message{{"hi", &user}, {"ho", nil}}, Bare: []int32{4, 5}, Groups: []message{{"x", nil}, {"y", &user}}, Own: &message{"own", nil}},
			{},
			{Names: []string{"z"}, Bare: []int32{6}, Lists: [][]int64{{}}},
		}), []string{
			`{"names":["a","","c"],"lists":[[1,2],[],[3]],"talk":[{"content":"hi","role":"user"},{"content":"ho","role":null}],"bare":[4,5],"groups":[{"content":"x","role":null},{"content":"y","role":"user"}],"own":{"content":"own","role":null}}`,
			`{"names":[],"lists":[],"talk":[],"bare":[],"groups":[],"own":null}`,
			`{"names":["z"],"lists":[[]],"talk":[],"bare":[6],"groups":[],"own":null}`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			got := rowLines(t, tc.file)
			if strings.Join(got, "\n") != strings.Join(tc.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tc.want, "\n"))
			}
			for _, line := range got {
				if !json.Valid([]byte(line)) {
					t.Errorf("not JSON: %s", line)
				}
			}
		})
	}
}

// Lists as other writers have them: every level optional, as Arrow writes, and
// under other names.
func TestParquetLists(t *testing.T) {
	text := func() parquet.Node { return parquet.String() }
	arrow := parquet.Optional(parquet.List(parquet.Optional(text())))
	for name, tc := range map[string]struct {
		node parquet.Node
		rows []parquet.Row
		want string
	}{
		"null, empty, null inside": {arrow, []parquet.Row{
			{parquet.NullValue().Level(0, 0, 0)}, {parquet.NullValue().Level(0, 1, 0)},
			{parquet.NullValue().Level(0, 2, 0), parquet.ValueOf("b").Level(1, 3, 0), parquet.NullValue().Level(1, 2, 0)},
		}, `{"c":null} {"c":[]} {"c":[null,"b",null]}`},
		"a list of no name": {&listNode{parquet.Group{"bag": parquet.Repeated(parquet.Group{"array_element": parquet.Optional(text())})}}, []parquet.Row{
			{parquet.ValueOf("a").Level(0, 2, 0), parquet.NullValue().Level(1, 1, 0)},
		}, `{"c":["a",null]}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := strings.Join(rowLines(t, parquetOfNode(t, tc.node, tc.rows)), " "); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func parquetOfNode(t *testing.T, node parquet.Node, rows []parquet.Row) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewWriter(&b, parquet.NewSchema("rows", parquet.Group{"c": node}))
	if _, err := w.WriteRows(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestParquetColumnsThatAreNotRead: they are left out, and the others are read.
func TestParquetColumnsThatAreNotRead(t *testing.T) {
	text := parquet.String()
	entries := parquet.Map(text, parquet.Leaf(parquet.DoubleType))
	for name, node := range map[string]parquet.Node{
		"a map":                    entries,
		"a map in a list":          parquet.List(entries),
		"a decimal":                parquet.Decimal(2, 18, parquet.Int64Type),
		"a time of old writers":    parquet.Leaf(parquet.Int96Type),
		"no group around elements": &listNode{parquet.Group{"element": parquet.Repeated(text)}},
		"elements of two fields":   &listNode{parquet.Group{"bag": parquet.Repeated(parquet.Group{"k": text, "l": text})}},
	} {
		f, err := openParquet(bytes.NewReader(parquetOfNode(t, parquet.Group{"in": node, "text": text}, nil)))
		if err != nil {
			t.Fatal(err)
		}
		if column := newColumn(f.Root()).children[0]; len(column.children) != 1 || column.children[0].name != "text" {
			t.Errorf("%s: %+v", name, column.children)
		}
	}
}

// listNode is a group annotated LIST with any content.
type listNode struct{ parquet.Group }

func (listNode) Type() parquet.Type { return parquet.List(parquet.String()).Type() }

// parquetPair is a row of JudgeBench in Parquet.
type parquetPair struct {
	PairID   string  `parquet:"pair_id"`
	Source   string  `parquet:"source,dict"`
	Question string  `parquet:"question"`
	A        string  `parquet:"response_A"`
	B        string  `parquet:"response_B"`
	Label    *string `parquet:"label,optional"`
}

func parquetPairs(n int) []parquetPair {
	rows := make([]parquetPair, n)
	label := "A>B"
	for i := range rows {
		rows[i] = parquetPair{"p" + strconv.Itoa(i), "mmlu-pro-law", "Which one?", "The first.", "The second.", &label}
	}
	return rows
}

// Every way to write the same rows reads the same.
func TestParquetPairs(t *testing.T) {
	const n = 1000
	v1, v2 := parquet.DataPageVersion(1), parquet.DataPageVersion(2)
	for name, options := range map[string][]parquet.WriterOption{
		"plain":            {},
		"pages of v1":      {v1},
		"small pages":      {parquet.PageBufferSize(100), v2},
		"row groups":       {parquet.MaxRowsPerRowGroup(64), v1},
		"a row in a group": {parquet.MaxRowsPerRowGroup(1)},
		"snappy":           {parquet.Compression(&parquet.Snappy), v1},
		"zstd":             {parquet.Compression(&parquet.Zstd), v2},
		"gzip":             {parquet.Compression(&parquet.Gzip)},
		"brotli":           {parquet.Compression(&parquet.Brotli)},
	} {
		t.Run(name, func(t *testing.T) {
			file := parquetOf(t, parquetPairs(n), options...)
			lines := rowLines(t, file)
			if len(lines) != n || lines[n-1] != `{"pair_id":"p999","source":"mmlu-pro-law","question":"Which one?","response_A":"The first.","response_B":"The second.","label":"A>B"}` {
				t.Errorf("%d rows, the last is %s", len(lines), lines[len(lines)-1])
			}
		})
	}
}

func TestBrokenParquet(t *testing.T) {
	rows := parquetPairs(3)
	whole := string(parquetOf(t, rows, parquet.MaxRowsPerRowGroup(2)))
	for name, tc := range map[string]struct{ content, want string }{
		"cut":             {whole[:len(whole)/2], "the file is cut short, its footer is missing: get it again"},
		"its first bytes": {"PAR1", "the file is cut short: get it again"},
		"text":            {"PAR1" + `{"pair_id":"one"}`, "the file is cut short, its footer is missing: get it again"},
		"encrypted":       {"PARE" + strings.Repeat("\x00", 20) + "PARE", "the file is encrypted"},
		"footer of all":   {"PAR1\xff\xff\xff\xffPAR1", "the file is cut short, its footer is missing: get it again"},
		"LZ4":             {string(parquetOf(t, rows, parquet.Compression(&parquet.Lz4Raw))), "LZ4 is not supported: write the file with snappy or zstd"},
	} {
		t.Run(name, func(t *testing.T) {
			fails(t, tc.content, "FILE: reading Parquet: "+tc.want)
		})
	}
	limited(t, 1<<20, 50, 1<<20)
	fails(t, whole, "FILE: row 1: reading Parquet: it is longer than 0 MiB")
}

// A file damaged anywhere is an error of one line or reads as something; it
// never ends the program.
func TestDamagedParquet(t *testing.T) {
	whole := parquetOf(t, parquetPairs(4), parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(2))
	limited(t, 1<<20, 1<<16, 1<<20)
	broken := 0
	for i := range whole {
		damaged := bytes.Clone(whole)
		damaged[i] ^= []byte{0x01, 0xff}[i%2]
		err := parquetLines(bytes.NewReader(damaged), new(Spool))
		if err == nil {
			continue
		}
		broken++
		if strings.ContainsAny(err.Error(), "\r\n") {
			t.Errorf("byte %d: %q", i, err)
		}
	}
	if broken < len(whole)/3 {
		t.Errorf("of %d damaged files only %d are broken", len(whole), broken)
	}
}

// Rows that the footer promises and the data has not are missed.
func TestParquetRowsMissing(t *testing.T) {
	whole := parquetOf(t, parquetPairs(4), parquet.MaxRowsPerRowGroup(2))
	for i := len(whole) - 9; i > 0; i-- {
		damaged := bytes.Clone(whole)
		if damaged[i] ^= 2; whole[i] != 8 { // 4, as the footer writes it; 5 or 3 after
			continue
		}
		err := parquetLines(bytes.NewReader(damaged), new(Spool))
		if err != nil && strings.Contains(err.Error(), "the footer says 5 rows, the data has 4") {
			return
		}
	}
	t.Error("no count of rows in the footer is compared with the data")
}

func FuzzParquet(f *testing.F) {
	f.Add(parquetOf(f, parquetPairs(2)))
	f.Add(parquetOf(f, parquetPairs(5), parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(2)))
	f.Add([]byte("PAR1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		out := new(Spool)
		defer out.Close()
		if err := parquetLines(bytes.NewReader(data), out); err != nil {
			return
		}
		for _, line := range strings.SplitAfter(string(out.mem), "\n") {
			if line != "" && (line[0] != '{' || line[len(line)-1] != '\n') {
				t.Errorf("not a row: %q", line)
			}
		}
	})
}
