package labels

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"gavel/datasets"
)

// TestDeskFullDisk: what cannot be written is not kept, and said.
func TestDeskFullDisk(t *testing.T) {
	set, err := datasets.FromLines("x", "questions", [][]byte{[]byte(`{"id":"p","question":"q","response_a":"1","response_b":"2","gold":"A"}`)})
	assert.NilError(t, err)
	d, err := OpenDesk(set, DeskOptions{Path: filepath.Join(t.TempDir(), "l.jsonl"), Now: time.Now})
	assert.NilError(t, err)
	turn, err := d.Next("ann")
	assert.NilError(t, err)
	open := d.file.open
	d.file.open = func(flag int) (*os.File, error) { // of which a disk takes as little as one that is full
		if flag&os.O_APPEND != 0 {
			flag = os.O_RDONLY
		}
		return open(flag)
	}
	assert.ErrorContains(t, d.Say("ann", Answer{At: turn.At, Sum: turn.Sum, Choice: "1"}), "this label was not saved")
	again, err := d.Next("ann")
	assert.NilError(t, err)
	assert.Equal(t, again.At, turn.At) // it is asked for again
	d.file.open = open
	assert.NilError(t, d.Say("ann", Answer{At: turn.At, Sum: turn.Sum, Choice: "1"}))
	assert.NilError(t, d.Close())
	f, err := Read(d.o.Path)
	assert.NilError(t, err)
	assert.Equal(t, len(f.Labels), 1)
}

// TestLabelsOfAFileReplacedMidway: of a file that is replaced between two looks at it, the label goes into the new one; where
// that never ends, it was not saved, and that is said.
func TestLabelsOfAFileReplacedMidway(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l.jsonl")
	often := 0
	l, _, err := openLabelFile(func(flag int) (*os.File, error) {
		f, err := os.OpenFile(path, flag, 0o644)
		if often > 0 && flag&os.O_APPEND != 0 {
			often--
			assert.NilError(t, os.Remove(path))
		}
		return f, err
	}, path)
	assert.NilError(t, err)
	often = 1
	assert.NilError(t, l.add(Label{Item: "a", Labeller: "ann", Label: "A", SHA256: "s"}))
	often = mostReplaced
	assert.ErrorIs(t, l.add(Label{Item: "b", Labeller: "ann", Label: "A", SHA256: "s"}), ErrChanged)
	assert.NilError(t, l.add(Label{Item: "c", Labeller: "ann", Label: "A", SHA256: "s"}))
	f, err := Read(path)
	assert.NilError(t, err)
	assert.Equal(t, len(f.Labels), 2)
	assert.Equal(t, f.Labels[1].Item, "c")
}

// TestLabelsWhileOthersAppend: another program appends at the moment in which a label is written, before it or after it.
// The label stands in the file once, and that of the other is taken up; so it is where the other's line is not finished.
func TestLabelsWhileOthersAppend(t *testing.T) {
	const other = `{"item":"o","labeller":"bob","label":"B","sha256":"s"}` + "\n"
	for name, c := range map[string]struct {
		flag    int // of the opening that the other is quicker than
		text    string
		adopted int
	}{
		"before":     {os.O_APPEND, other, 2},
		"after":      {0, other, 2},
		"unfinished": {0, other[:20], 1},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "l.jsonl")
			armed := false
			wrote := false
			l, _, err := openLabelFile(func(flag int) (*os.File, error) {
				if armed && !wrote && flag&os.O_APPEND == c.flag && (c.flag != 0 || size(t, path) > 60) {
					wrote = true
					f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
					assert.NilError(t, err)
					_, err = f.WriteString(c.text)
					assert.NilError(t, errors.Join(err, f.Close()))
				}
				return os.OpenFile(path, flag, 0o644)
			}, path)
			assert.NilError(t, err)
			var adopted []Label
			l.adopt = func(all []Label) error { adopted = all; return nil }
			assert.NilError(t, l.add(Label{Item: "a", Labeller: "ann", Label: "A", SHA256: "s"}))
			armed = true
			label := Label{Item: "b", Labeller: "ann", Label: "A", SHA256: "s"}
			assert.NilError(t, l.add(label))
			assert.Assert(t, wrote)
			assert.Equal(t, len(adopted), c.adopted)
			text, err := os.ReadFile(path)
			assert.NilError(t, err)
			assert.Equal(t, strings.Count(string(text), `"item":"b"`), 1, string(text))
			if c.text == other {
				assert.NilError(t, l.add(Label{Item: "c", Labeller: "ann", Label: "A", SHA256: "s"}))
				f, err := Read(path)
				assert.NilError(t, err)
				assert.Equal(t, len(f.Labels), 4)
			}
		})
	}
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	assert.NilError(t, err)
	return info.Size()
}
