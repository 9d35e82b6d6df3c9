package labels

import (
	"os"
	"path/filepath"
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
	open := d.log.open
	d.log.open = func(flag int) (*os.File, error) { // of which a disk takes as little as one that is full
		if flag&os.O_APPEND != 0 {
			flag = os.O_RDONLY
		}
		return open(flag)
	}
	assert.ErrorContains(t, d.Say("ann", Said{At: turn.At, Sum: turn.Sum, Choice: "1"}), "this label was not saved")
	again, err := d.Next("ann")
	assert.NilError(t, err)
	assert.Equal(t, again.At, turn.At) // it is asked for again
	d.log.open = open
	assert.NilError(t, d.Say("ann", Said{At: turn.At, Sum: turn.Sum, Choice: "1"}))
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
	l, _, _, err := openLog(func(flag int) (*os.File, error) {
		f, err := os.OpenFile(path, flag, 0o644)
		if often > 0 && flag&os.O_APPEND != 0 {
			often--
			assert.NilError(t, os.Remove(path))
		}
		return f, err
	}, path)
	assert.NilError(t, err)
	often = 1
	assert.NilError(t, l.write(Label{Item: "a", Labeller: "ann", Label: "A", SHA256: "s"}))
	often = mostReplaced
	assert.ErrorIs(t, l.write(Label{Item: "b", Labeller: "ann", Label: "A", SHA256: "s"}), ErrChanged)
	assert.NilError(t, l.write(Label{Item: "c", Labeller: "ann", Label: "A", SHA256: "s"}))
	f, err := Read(path)
	assert.NilError(t, err)
	assert.Equal(t, len(f.Labels), 2)
	assert.Equal(t, f.Labels[1].Item, "c")
}
