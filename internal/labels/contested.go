package labels

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"gavel/datasets"
	"gavel/internal/disk"
	"gavel/judging"
	"gavel/scoring"

	"github.com/gofrs/flock"
)

// ContestedFile stands in a folder of runs: which labels of datasets people say are wrong. Its lines are labels of
// which `contested` is true, or `undo`.
const ContestedFile = "contested.jsonl"

// Contested is what the labels said to be wrong are: notes by item and SHA-256 of its line.
type Contested map[string]map[string]string

// mostContested is how long the file may become, in bytes: the server holds what it says in memory.
const mostContested = 16 << 20

// ReadContested reads such a file; one that is not there has none. A last line that was not
// finished counts for nothing.
func ReadContested(path string) (Contested, error) {
	f, _, err := disk.Open(nil, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return DecodeContested(path, f)
}

// DecodeContested is ReadContested of a file that is open; path is what errors call it.
func DecodeContested(path string, r io.Reader) (Contested, error) {
	text, err := io.ReadAll(io.LimitReader(r, 2*mostContested))
	if err != nil {
		return nil, err
	}
	if len(text) == 2*mostContested { // a line can lead above what may be written
		return nil, fmt.Errorf("%s is longer than %d MiB: gavel did not write that", path, 2*mostContested>>20)
	}
	all, _, err := ownLines(path, text)
	if err != nil {
		return nil, err
	}
	c := Contested{}
	for _, l := range all {
		switch {
		case l.Undo:
			delete(c[l.Item], l.SHA256)
		case l.Contested:
			if c[l.Item] == nil {
				c[l.Item] = map[string]string{}
			}
			c[l.Item][l.SHA256] = l.Note
		}
	}
	return c, nil
}

// Contest adds a line to the file in a folder of runs, which says that the label of an item is wrong or, with undo,
// no longer. No link leads it elsewhere, and who else writes to it is waited for, but not for ever.
func Contest(runs *os.Root, item, sum, note string, undo bool) (err error) {
	const lockFile = "." + ContestedFile + ".lock"
	if err := disk.Plain(runs.Name(), ContestedFile, lockFile); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(runs.Name(), lockFile), flock.SetPermissions(0o644))
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if _, err := lock.TryLockContext(ctx, 5*time.Millisecond); err != nil {
		return fmt.Errorf("%s cannot be locked, perhaps another gavel writes to it: %w", ContestedFile, err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	if info, err := runs.Stat(ContestedFile); err == nil && info.Size() > mostContested {
		return fmt.Errorf("%s is longer than %d MiB: correct the dataset, then remove it", ContestedFile, mostContested>>20)
	}
	open := func(flag int) (*os.File, error) { return runs.OpenFile(ContestedFile, flag, 0o644) }
	l, _, _, err := openLog(open, ContestedFile)
	if err != nil {
		return err
	}
	return l.write(Label{Item: item, SHA256: sum, Note: note, Contested: !undo, Undo: undo})
}

// In are the items of a run whose label is contested.
func (c Contested) In(dir string) (map[string]bool, error) {
	found := map[string]bool{}
	if len(c) == 0 {
		return found, nil
	}
	set, err := datasets.OpenFile(filepath.Join(dir, judging.ItemsFile))
	if err != nil {
		return nil, err
	}
	defer set.Close()
	for item, sums := range c {
		i, is := set.IDs().Find(item)
		if !is {
			continue
		}
		raw, err := set.Raw(i)
		if err != nil {
			return nil, err
		}
		if _, is := sums[Sum(raw)]; is {
			found[item] = true
		}
	}
	return found, nil
}

// ScoreWithout scores a run without the items whose labels a file says are wrong. A file that is not there is an error.
func ScoreWithout(run *scoring.Run, path string, o scoring.Options) (rep scoring.Report, err error) {
	if _, err := os.Stat(path); err != nil {
		return rep, fmt.Errorf("contested labels: %w", err)
	}
	c, err := ReadContested(path)
	if err != nil {
		return rep, err
	}
	leave, err := c.In(run.Dir)
	if err != nil {
		return rep, err
	}
	less, err := scoring.LoadWithout(run.Dir, o.Reading, leave)
	if err != nil {
		return rep, err
	}
	less.CountMissing(o.Missing)
	rep = less.Score(o.Bootstrap)
	rep.Run, rep.Contested, rep.Ledger = run.Dir, new(len(leave)), less.Ledger()
	rep.Dataset += fmt.Sprintf(", %d contested left out", len(leave))
	return rep, nil
}
