package bundle

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"path"
	"strings"

	"gavel/judging"
)

// The records of a judge whose replies are all alike pack to a thirteenth. A bundle that stands for far more has to be
// allowed by a person.
const (
	usualRatio = 256
	freeMiB    = 64 // that any bundle may unpack to
)

// limit is how many bytes the files of the bundle may unpack to together.
func (in *importing) limit() (bytes int64, why string, err error) {
	info, err := in.bundle.file.Stat()
	if err != nil {
		return 0, "", err
	}
	if mib := freeMiB + usualRatio*info.Size()>>20; in.MaxMiB == DefaultMaxMiB && mib < in.MaxMiB {
		return mib << 20, fmt.Sprintf(", which is %d MiB and %d times its size", freeMiB, usualRatio), nil
	}
	return in.MaxMiB << 20, "", nil
}

// counted is a text with how much of it was read, and the SHA-256 of that.
type counted struct {
	text io.Reader
	sum  hash.Hash
	n    int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.text.Read(p)
	c.n += int64(n)
	c.sum.Write(p[:n])
	return n, err
}

// look reads a file of the bundle to its end, and refuses one that is not what its name says.
func (in *importing) look(name string, text io.Reader) (n int64, sum [sha256.Size]byte, err error) {
	c := &counted{text: text, sum: sha256.New()}
	switch file := path.Base(strings.TrimSuffix(name, packed)); {
	case name == repliesFile+packed:
		found := 0
		err = eachReply(c, func([32]byte, remembered) error { found++; return nil })
		if err == nil && found != in.bundle.Index.Replies {
			err = fmt.Errorf("it has %d replies, and %s says %d", found, indexFile, in.bundle.Index.Replies)
		}
	case !strings.HasPrefix(name, runsFolder+"/"):
	case file == judging.RecordsFile || file == judging.ItemsFile:
		err = judging.EachStored(c, lineOfJSON, func(line judging.StoredLine[bool]) error {
			if line.Err != nil {
				return fmt.Errorf("line %d: %w", line.Number, line.Err)
			}
			return nil
		})
	default:
		err = oneOfJSON(c)
	}
	if err == nil {
		_, err = io.Copy(io.Discard, c)
	}
	return c.n, [sha256.Size]byte(c.sum.Sum(nil)), err
}

func lineOfJSON(line []byte) (bool, error) {
	if line[0] != '{' || !json.Valid(line) {
		return false, errors.New("it is no JSON object")
	}
	return true, nil
}

// mostJSON bounds what is held in memory of a file that is one value.
const mostJSON = 64 << 20

func oneOfJSON(text io.Reader) error {
	whole, err := io.ReadAll(io.LimitReader(text, mostJSON+1))
	switch {
	case err != nil:
		return err
	case len(whole) > mostJSON:
		return fmt.Errorf("it is longer than %d MiB", mostJSON>>20)
	case !json.Valid(whole):
		return errors.New("it is no JSON")
	}
	return nil
}

// eachReply reads the lines of replies.jsonl.
func eachReply(text io.Reader, use func(key [32]byte, m remembered) error) error {
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, mostLine)
	n := 1
	for ; lines.Scan(); n++ {
		var m remembered
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		raw, err := hex.DecodeString(m.Key)
		if err != nil || len(raw) != 32 {
			return fmt.Errorf("line %d: %q is not a key", n, m.Key)
		}
		if err := use([32]byte(raw), m); err != nil {
			return err
		}
	}
	err := lines.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		err = fmt.Errorf("longer than %d MiB", mostLine>>20)
	}
	if err != nil {
		return fmt.Errorf("line %d: %w", n, err)
	}
	return nil
}
