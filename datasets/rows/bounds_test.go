package rows

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// endlessLine is a source with a single line that never ends.
type endlessLine struct{ read int }

func (e *endlessLine) Size() int64 { return 1 << 40 }

func (e *endlessLine) ReadAt(p []byte, _ int64) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	e.read += len(p)
	return len(p), nil
}

// TestALineThatNeverEnds: no more of it is read than a row may have, and it is said which line it is.
func TestALineThatNeverEnds(t *testing.T) {
	limited(t, 4<<20, 1<<20, 1<<16)
	for name, read := range map[string]func(in *endlessLine) error{
		"one after the other": func(in *endlessLine) error {
			return eachUnpacked(in, func(int, []byte) error { return nil })
		},
		"on all processors": func(in *endlessLine) error {
			start := strings.NewReader(strings.Repeat("{}\n", 3))
			return EachLine(io.MultiReader(start, reader(in)),
				func([]byte) int { return 0 }, func(Line[int]) error { return nil })
		},
	} {
		in := new(endlessLine)
		err := read(in)
		var lineErr *LineError
		if !errors.As(err, &lineErr) || !strings.Contains(err.Error(), "the line is longer than 1 MiB") {
			t.Errorf("%s: %v", name, err)
		} else if want := map[string]int{"one after the other": 1, "on all processors": 4}[name]; lineErr.Line != want {
			t.Errorf("%s: line %d, want %d", name, lineErr.Line, want)
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
	peak, n := uint64(0), 0
	runtime.GC()
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	err := EachLine(io.MultiReader(lines...), func([]byte) int { return 0 }, func(l Line[int]) error {
		n++
		runtime.GC()
		runtime.ReadMemStats(&now)
		peak = max(peak, now.HeapAlloc)
		return nil
	})
	if err != nil || n != 50 {
		t.Fatalf("%d lines, %v", n, err)
	}
	if more := int64(peak) - int64(before.HeapAlloc); more > 32<<20 {
		t.Errorf("50 lines of 4 MiB took %d MiB", more>>20)
	}
}

// TestParquetThatStandsForMuch: a small file that unpacks to more than a file or a row may is refused.
func TestParquetThatStandsForMuch(t *testing.T) {
	limited(t, 8<<20, 1<<20, 1<<16)
	text := strings.Repeat("x", 100<<10)
	for want, rows := range map[string][]parquetPair{
		"reading Parquet: it unpacks to more than 8 MiB":         slices.Repeat([]parquetPair{{Question: text}}, 90),
		"row 82: reading Parquet: it unpacks to more than 8 MiB": slices.Repeat([]parquetPair{{Source: text}}, 90), // of words
		"row 1: reading Parquet: it is longer than 1 MiB":        {{Question: strings.Repeat("x", 1<<20)}},
	} {
		file := parquetOf(t, rows, parquet.Compression(&parquet.Zstd))
		if err := parquetLines(bytes.NewReader(file), new(Spool)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
