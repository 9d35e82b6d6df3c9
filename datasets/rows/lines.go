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
	text  []byte
	lines []Line[T]
	done  chan struct{} // closed when it is parsed
	used  chan struct{} // closed when it is used
}

// large is a batch after which no other is read until it was used: many long lines take no more memory than one.
func (b *batch[T]) large() bool { return len(b.text) > 1<<20 }

// EachLine reads r to its end, parses its lines on all processors and hands them to use in their order. A line that is
// longer than any row may be is a [LineError]. parse is called from many goroutines; use is not. The first error of use
// ends it. No value may hold on to its line, whose memory the next ones are read into.
func EachLine[T any](r io.Reader, parse func(line []byte) T, use func(Line[T]) error) error {
	stop := make(chan struct{})
	workers := runtime.GOMAXPROCS(0)
	work := make(chan *batch[T], workers)
	order := make(chan *batch[T], 2*workers)
	free := make(chan *batch[T], 2*workers) // batches that were used, to be filled again
	var readErr error
	var wg sync.WaitGroup
	defer wg.Wait()
	defer close(stop)
	wg.Go(func() {
		defer close(order)
		defer close(work)
		readErr = readBatches(r, free, func(b *batch[T]) bool {
			for _, to := range []chan *batch[T]{order, work} {
				select {
				case to <- b:
				case <-stop:
					return false
				}
			}
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
	for range workers {
		wg.Go(func() {
			for b := range work {
				for i := range b.lines {
					b.lines[i].Value = parse(b.lines[i].Text)
				}
				close(b.done)
			}
		})
	}
	for b := range order {
		<-b.done
		for _, line := range b.lines {
			if err := use(line); err != nil {
				return err
			}
		}
		close(b.used)
		if b.large() {
			continue
		}
		select {
		case free <- b:
		default:
		}
	}
	return readErr
}

// readBatches cuts r into batches of whole lines until send says no.
func readBatches[T any](r io.Reader, free <-chan *batch[T], send func(*batch[T]) bool) error {
	in := bufio.NewReaderSize(r, batchBytes)
	var offset int64
	number := 0
	var ends []int
	for {
		b := emptyBatch(free)
		ends = ends[:0]
		var err error
		for err == nil && len(b.text) < batchBytes {
			b.text, err = appendLine(b.text, in)
			if n := len(b.text); n > 0 && (len(ends) == 0 || n > ends[len(ends)-1]) {
				ends = append(ends, n)
			}
		}
		begin := 0
		for _, end := range ends {
			number++
			b.lines = append(b.lines, Line[T]{Number: number, Offset: offset, Text: b.text[begin:end]})
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

func emptyBatch[T any](free <-chan *batch[T]) *batch[T] {
	select {
	case b := <-free:
		clear(b.lines) // what they hold is not needed any more
		return &batch[T]{text: b.text[:0], lines: b.lines[:0], done: make(chan struct{}), used: make(chan struct{})}
	default:
		return &batch[T]{text: make([]byte, 0, batchBytes+batchBytes/4), done: make(chan struct{}), used: make(chan struct{})}
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
