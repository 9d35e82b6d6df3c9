package labels

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"gavel/datasets"
	"gavel/judging"
	"gavel/scoring"
)

// ContestedFile stands in a folder of runs: which labels of datasets people say are wrong. Its lines are labels of which
// `contested` is true, or `undo`.
const ContestedFile = "contested.jsonl"

// Contested is what the labels said to be wrong are: notes by item and SHA-256 of its line.
type Contested map[string]map[string]string

// ReadContested reads such a file; one that is not there has none.
func ReadContested(path string) (Contested, error) {
	all, err := readAll(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
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

// Contest adds a line that says that the label of an item is wrong or, with undo, no longer.
func Contest(w io.Writer, item, sum, note string, undo bool) error {
	line, err := json.Marshal(Label{Item: item, SHA256: sum, Note: note, Contested: !undo, Undo: undo})
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
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
