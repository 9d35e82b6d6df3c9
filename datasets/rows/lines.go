package rows

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
)

// Line is one line of a file, as it was parsed.
type Line[T any] struct {
	Value  T
	Number int    // from 1
	Offset int64  // of its first byte
	Text   []byte // with the newline, if it has one; valid until use returns
}

// batchBytes is about how much text is parsed at a time.
const batchBytes = 64 << 10

type batch[T any] struct {
	lines  []Line[T]
	bytes  int
	parsed chan struct{} // closed when it is
	used   chan struct{} // closed when it is
}

// large is a batch after which no other is read until it was used: many long lines take no more memory than one.
func (b *batch[T]) large() bool { return b.bytes > 1<<20 }

// EachLine reads r to its end, parses its lines on all processors and hands them to use in their order. A line that is
// longer than any row may be is a [LineError]. parse is called from many goroutines; use is not. The first error of use
// ends it.
func EachLine[T any](r io.Reader, parse func(line []byte) T, use func(Line[T]) error) error {
	stop := make(chan struct{})
	order := make(chan *batch[T], 2*runtime.GOMAXPROCS(0)) // which bounds how many are parsed at once
	var readErr error
	var wg sync.WaitGroup
	defer wg.Wait()
	defer close(stop)
	wg.Go(func() {
		defer close(order)
		readErr = readBatches(r, func(b *batch[T]) bool {
			select {
			case order <- b:
			case <-stop:
				return false
			}
			wg.Go(func() {
				for i := range b.lines {
					b.lines[i].Value = parse(b.lines[i].Text)
				}
				close(b.parsed)
			})
			if !b.large() {
				return true
			}
			select {
			case <-b.used:
				return true
			case <-stop:
				return false
			}
		})
	})
	for b := range order {
		<-b.parsed
		for _, line := range b.lines {
			if err := use(line); err != nil {
				return err
			}
		}
		close(b.used)
	}
	return readErr
}

// readBatches cuts r into batches of whole lines until send says no.
func readBatches[T any](r io.Reader, send func(*batch[T]) bool) error {
	in := bufio.NewReaderSize(r, batchBytes)
	var offset int64
	number := 0
	for {
		text := make([]byte, 0, batchBytes+batchBytes/4)
		var ends []int
		var err error
		for err == nil && len(text) < batchBytes {
			begin := len(text)
			text, err = appendLine(text, in)
			if len(text) > begin {
				ends = append(ends, len(text))
			}
		}
		b := &batch[T]{bytes: len(text), parsed: make(chan struct{}), used: make(chan struct{})}
		begin := 0
		for _, end := range ends {
			number++
			b.lines = append(b.lines, Line[T]{Number: number, Offset: offset, Text: text[begin:end]})
			offset += int64(end - begin)
			begin = end
		}
		if len(b.lines) > 0 && !send(b) {
			return nil
		}
		switch err {
		case nil:
		case io.EOF:
			return nil
		case errTooLong:
			return tooLongLine(number + 1)
		default:
			return err
		}
	}
}

var errTooLong = errors.New("longer than any row may be")

func tooLongLine(number int) error {
	return &LineError{number, fmt.Errorf("the line is longer than %d MiB: is a line break missing?", unpacking.row>>20)}
}

// appendLine appends up to and with the next newline; of a line that is too long, nothing.
func appendLine(text []byte, in *bufio.Reader) ([]byte, error) {
	begin := len(text)
	for {
		part, err := in.ReadSlice('\n')
		if len(text)-begin+len(part) > unpacking.row {
			return text[:begin], errTooLong
		}
		text = append(text, part...)
		if err != bufio.ErrBufferFull {
			return text, err
		}
	}
}

// Blank tells whether a line has nothing on it.
func Blank(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 }
