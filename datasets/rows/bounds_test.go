package rows

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// endless is a file of one line that has no end, as far as anybody reads it.
type endless struct{ read int }

func (e *endless) Size() int64 { return 1 << 40 }

func (e *endless) ReadAt(p []byte, _ int64) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	e.read += len(p)
	return len(p), nil
}

// TestALineThatNeverEnds: no more of it is read than a row may have, and it is said which line it is.
func TestALineThatNeverEnds(t *testing.T) {
	limited(t, 4<<20, 1<<20, 1<<16)
	for name, read := range map[string]func(in *endless) error{
		"one after the other": func(in *endless) error { return each(in, func(int, []byte) error { return nil }) },
		"on all processors": func(in *endless) error {
			start := strings.NewReader(strings.Repeat("{}\n", 3))
			return EachLine(io.MultiReader(start, reader(in)), func([]byte) int { return 0 }, func(Line[int]) error { return nil })
		},
	} {
		in := new(endless)
		err := read(in)
		var at *LineError
		if !errors.As(err, &at) || !strings.Contains(err.Error(), "the line is longer than 1 MiB") {
			t.Errorf("%s: %v", name, err)
		} else if want := map[string]int{"one after the other": 1, "on all processors": 4}[name]; at.Line != want {
			t.Errorf("%s: line %d, want %d", name, at.Line, want)
		}
		if in.read > 1<<20+4*batchBytes {
			t.Errorf("%s: %d bytes were read", name, in.read)
		}
	}
}

// TestManyLongLines: those that are as long as a row may be are read one after the other, and take the memory of a few.
func TestManyLongLines(t *testing.T) {
	limited(t, 1<<40, 4<<20, 1<<16)
	line := append(bytes.Repeat([]byte("x"), 4<<20-1), '\n')
	var lines []io.Reader
	for range 50 {
		lines = append(lines, bytes.NewReader(line))
	}
	most, n := uint64(0), 0
	runtime.GC()
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	err := EachLine(io.MultiReader(lines...), func([]byte) int { return 0 }, func(l Line[int]) error {
		n++
		runtime.GC()
		runtime.ReadMemStats(&now)
		most = max(most, now.HeapAlloc)
		return nil
	})
	if err != nil || n != 50 {
		t.Fatalf("%d lines, %v", n, err)
	}
	if more := int64(most) - int64(before.HeapAlloc); more > 32<<20 {
		t.Errorf("50 lines of 4 MiB took %d MiB", more>>20)
	}
}

// forged is a file whose only page says that it unpacks to little.
func forged(t *testing.T, file []byte) []byte {
	t.Helper()
	page := bytes.NewReader(file[4:])
	var h format.PageHeader
	var protocol thrift.CompactProtocol
	if err := thrift.NewDecoder(protocol.NewReader(page)).Decode(&h); err != nil {
		t.Fatal(err)
	}
	// A number is written as a varint of twice itself.
	real := binary.AppendUvarint(nil, uint64(h.UncompressedPageSize)*2)
	said := binary.AppendUvarint(nil, 2<<20+2)
	at := bytes.Index(file, real)
	if at < 0 || at > len(file)-page.Len() || len(real) != len(said) {
		t.Fatalf("the size is at %d", at)
	}
	return slices.Concat(file[:at], said, file[at+len(real):])
}

// TestParquetThatStandsForMuch: pages, rows and cells of a small file that stand for much more are refused before they are in
// memory.
func TestParquetThatStandsForMuch(t *testing.T) {
	type texts struct {
		Text string `parquet:"text,zstd"`
	}
	type gzipped struct {
		Text string `parquet:"text,gzip"`
	}
	type brotlied struct {
		Text string `parquet:"text,brotli"`
	}
	type snappied struct {
		Text string `parquet:"text,snappy"`
	}
	type flags struct {
		Flags []bool `parquet:"flags,list,zstd"`
	}
	type two struct {
		A []bool `parquet:"a,list,zstd"`
		B []bool `parquet:"b,list,zstd"`
	}
	type words struct {
		Words []string `parquet:"words,list,dict,zstd"`
	}
	many := make([]string, 2000)
	for i := range many {
		many[i] = strings.Repeat("y", 100<<10)
	}
	var long bytes.Buffer // a page for each row
	w := parquet.NewGenericWriter[texts](&long, parquet.PageBufferSize(1<<20), parquet.SkipPageBounds("text"), parquet.DataPageStatistics(false))
	for range 24 {
		if _, err := w.Write([]texts{{strings.Repeat("x", 2<<20)}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	cell := strings.Repeat("x", 24<<20)
	bare := []parquet.WriterOption{parquet.SkipPageBounds("text"), parquet.DataPageStatistics(false)}
	const less = "bytes, and it unpacks to more"
	for name, c := range map[string]struct {
		file []byte
		want string // "" where it is read
		most int    // MiB
	}{
		"one cell":               {parquetOf(t, []texts{{strings.Repeat("x", 24<<20)}}, parquet.SkipPageBounds("text"), parquet.DataPageStatistics(false)), "the column text: a page of ", 4},
		"one cell, forged":       {forged(t, parquetOf(t, []texts{{cell}}, bare...)), less, 16},
		"one of gzip, forged":    {forged(t, parquetOf(t, []gzipped{{cell}}, bare...)), less, 16},
		"one of brotli, forged":  {forged(t, parquetOf(t, []brotlied{{cell}}, bare...)), less, 16},
		"one of snappy, forged":  {forged(t, parquetOf(t, []snappied{{cell}}, bare...)), less, 16},
		"one row of many cells":  {parquetOf(t, []flags{{make([]bool, 4<<20)}}), "values, more than", 4},
		"one row of two columns": {parquetOf(t, []two{{make([]bool, 150_000), make([]bool, 150_000)}}), "it is longer than 4 MiB", 24},
		"one word many times":    {parquetOf(t, []words{{many}}), "row 1: reading Parquet: it is longer than 4 MiB", 16},
		"many long rows":         {long.Bytes(), "", 300},
	} {
		t.Run(name, func(t *testing.T) {
			limited(t, 1<<30, 4<<20, 1<<20)
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			out := new(Spool)
			defer out.Close()
			err := parquetLines(bytes.NewReader(c.file), out)
			runtime.ReadMemStats(&after)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v, want %s", err, c.want)
			}
			if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > uint64(c.most) {
				t.Errorf("a file of %d KiB took %d MiB", len(c.file)>>10, took)
			}
		})
	}
}
