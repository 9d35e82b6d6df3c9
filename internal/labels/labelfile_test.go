package labels

import (
	"fmt"
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
	open := d.file.openFile
	// a file that is open for reading takes no more bytes, like a full disk
	d.file.openFile = func() (*os.File, error) { return os.Open(d.Path) }
	assert.ErrorContains(t, d.Submit("ann", PersonLabel{ItemIndex: turn.At, ItemSHA256: turn.Sum, Choice: "1"}), "this label was not saved")
	nextTurn, err := d.Next("ann")
	assert.NilError(t, err)
	assert.Equal(t, nextTurn.At, turn.At) // it is asked for again
	d.file.openFile = open
	assert.NilError(t, d.Submit("ann", PersonLabel{ItemIndex: turn.At, ItemSHA256: turn.Sum, Choice: "1"}))
	assert.NilError(t, d.Close())
	f, err := Read(d.Path)
	assert.NilError(t, err)
	assert.Equal(t, len(f.Labels), 1)
}

// TestDeskPipe: a pipe is refused, and not read until an end that does not come.
func TestDeskPipe(t *testing.T) {
	r, w, err := os.Pipe()
	assert.NilError(t, err)
	defer r.Close()
	defer w.Close()
	d := &Desk{DeskOptions: DeskOptions{Path: fmt.Sprintf("/dev/fd/%d", r.Fd())}}
	_, err = d.openFile()
	assert.Assert(t, err != nil)
}
