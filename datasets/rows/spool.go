package rows

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
)

// unpackLimits limits the size of unpacked files. A few KiB of gzip or Parquet can expand to terabytes, so sizes are
// counted during writing, not taken from the file. The published files are far smaller: the largest, all of OASST1's
// trees, unpacks to less than 1 GiB.
var unpackLimits = struct {
	total  int64 // bytes of a whole file
	row    int   // bytes of one row
	memory int   // bytes held in memory; the rest goes to a temporary file
}{
	total:  4 << 30,
	row:    64 << 20,
	memory: 32 << 20,
}

func errLongFile() error {
	return fmt.Errorf("it unpacks to more than %d MiB: if you trust it, unpack it by hand", unpackLimits.total>>20)
}

// Spool holds the lines of an unpacked file: in memory if they are few, as in nearly all published files, else in a
// temporary file, so that memory does not grow with the answers.
type Spool struct {
	mem    []byte        // the content, while file is nil
	file   *os.File      // the temporary file; nil while the content fits in memory
	writer *bufio.Writer // writes to file
	size   int64         // bytes written
}

func (s *Spool) Write(p []byte) (int, error) {
	s.size += int64(len(p))
	if s.size > unpackLimits.total {
		return 0, errLongFile()
	}
	if s.file == nil {
		if len(s.mem)+len(p) <= unpackLimits.memory {
			s.mem = append(s.mem, p...)
			return len(p), nil
		}
		if err := s.spill(); err != nil {
			return 0, err
		}
	}
	return s.writer.Write(p)
}

// spill moves the content from memory to a temporary file.
func (s *Spool) spill() error {
	f, err := os.CreateTemp("", "gavel-*.jsonl")
	if err != nil {
		return err
	}
	os.Remove(f.Name()) // so that a crash leaves nothing behind; if an open file cannot be removed, Close removes it
	s.file, s.writer = f, bufio.NewWriterSize(f, batchBytes)
	_, err = s.writer.Write(s.mem)
	s.mem = nil
	return err
}

// Done ends writing. Before Done, the spool cannot be read.
func (s *Spool) Done() error {
	if s.writer == nil {
		return nil
	}
	return s.writer.Flush()
}

// Size returns the number of bytes written.
func (s *Spool) Size() int64 { return s.size }

// ReadAt implements io.ReaderAt. It may be called from many goroutines, after Done.
func (s *Spool) ReadAt(p []byte, offset int64) (int, error) {
	if s.file != nil {
		return s.file.ReadAt(p, offset)
	}
	return bytes.NewReader(s.mem).ReadAt(p, offset)
}

// Close removes the temporary file, if there is one.
func (s *Spool) Close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	os.Remove(s.file.Name()) // mostly removed already
	return err
}
