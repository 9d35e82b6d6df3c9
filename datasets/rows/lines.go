package rows

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
)

// Line is one line of a file with its parsed value.
type Line[T any] struct {
	Value  T
	Number int    // number of the line, from 1
	Offset int64  // bytes before the line
	Text   []byte // with the newline, if the line has one; valid until the function that received the line returns
}

// batchBytes is roughly the number of bytes that each processor parses at a time.
const batchBytes = 64 << 10

// EachLine reads r to its end, parses its lines on all processors and passes them to use in order. A line above the
// size limit of a row is a [LineError]. parse is called from many goroutines, use from one, whose first error ends it.
func EachLine[T any](r io.Reader, parse func(line []byte) T, use func(Line[T]) error) error {
	in := bufio.NewReaderSize(r, batchBytes)
	number := 0
	var offset int64
	var text []byte
	var err error
	for err == nil {
		text = text[:0]
		var ends []int
		for err == nil && len(text) < batchBytes*runtime.GOMAXPROCS(0) {
			text, err = appendLine(text, in)
			ends = append(ends, len(text))
		}
		var lines []Line[T]
		begin := 0
		for _, end := range ends {
			if end > begin {
				number++
				lines = append(lines, Line[T]{Number: number, Offset: offset, Text: text[begin:end]})
				offset += int64(end - begin)
			}
			begin = end
		}
		parseAll(lines, parse)
		for _, line := range lines {
			if err := use(line); err != nil {
				return err
			}
		}
	}
	switch err {
	case io.EOF:
		return nil
	case errTooLong:
		return &LineError{number + 1,
			fmt.Errorf("the line is longer than %d MiB: is a line break missing?", unpackLimits.row>>20)}
	}
	return err
}

// parseAll sets the values of lines, which it parses on all processors.
func parseAll[T any](lines []Line[T], parse func(line []byte) T) {
	var workers sync.WaitGroup
	for part := range slices.Chunk(lines, 1+len(lines)/runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for i := range part {
				part[i].Value = parse(part[i].Text)
			}
		})
	}
	workers.Wait()
}

var errTooLong = errors.New("longer than any row may be")

// appendLine appends a line of in to text, with its newline; nothing if the line is too long.
func appendLine(text []byte, in *bufio.Reader) ([]byte, error) {
	begin := len(text)
	for {
		part, err := in.ReadSlice('\n')
		if len(text)-begin+len(part) > unpackLimits.row {
			return text[:begin], errTooLong
		}
		text = append(text, part...)
		if err != bufio.ErrBufferFull {
			return text, err
		}
	}
}

// Blank reports whether a line is empty or white space.
func Blank(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 }
