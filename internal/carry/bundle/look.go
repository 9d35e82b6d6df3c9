package bundle

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
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

// look reads a file of the bundle to its end, refuses one that is not what its name says, and returns its SHA-256.
func (in *importing) look(name string, text io.Reader) (sum []byte, err error) {
	h := sha256.New()
	text = io.TeeReader(text, h)
	switch file := path.Base(strings.TrimSuffix(name, packed)); {
	case !strings.HasPrefix(name, runsFolder+"/"):
	case file == judging.RecordsFile || file == judging.ItemsFile:
		err = judging.EachStored(text, lineOfJSON, func(line judging.StoredLine[bool]) error {
			if line.Err != nil {
				return fmt.Errorf("line %d: %w", line.Number, line.Err)
			}
			return nil
		})
	default:
		err = oneOfJSON(text)
	}
	if err == nil {
		_, err = io.Copy(io.Discard, text)
	}
	return h.Sum(nil), err
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
