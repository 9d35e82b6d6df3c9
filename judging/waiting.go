package judging

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"gavel/backends"
	"gavel/internal/codec"
	"gavel/internal/disk"
)

// Await adds a check that a judgment waits for.
func (r *Record) Await(check *backends.IdentityCheck) { r.checks = append(r.checks, check) }

// Waits reports whether a judgment waits for checks.
func (r *Record) Waits() bool { return len(r.checks) > 0 }

// Checked calls f when all checks of a judgment have ended, with the worst of their errors.
func (r *Record) Checked(f func(error)) { checked(r.checks, nil, f) }

func checked(checks []*backends.IdentityCheck, worst error, f func(error)) {
	if len(checks) == 0 {
		f(worst)
		return
	}
	checks[0].Then(func(err error) {
		if errors.As(err, new(*backends.ModelChangedError)) {
			worst = err
		}
		checked(checks[1:], cmp.Or(worst, err), f)
	})
}

// SetAside makes a failed judgment of one that another model answered. Its replies stay in the record.
func (r *Record) SetAside(why error) {
	r.Take(Silent(Failed))
	r.Probabilities = nil
	r.Error = fmt.Sprintf("set aside: %v", why)
}

// waitingFile has the judgments that wait for checks: they are no records yet, and a kill does not lose them. Of two lines
// of one judgment the last counts.
const waitingFile = ".unverified.jsonl"

// waitingRecords are the judgments that wait for checks, and their file.
type waitingRecords struct {
	mu      sync.Mutex
	records map[*Record]bool
	lines   int           // of the file
	file    *recordWriter // nil before the first
}

// Hold keeps a judgment on disk until Release, beside the records.
func (d *Dir) Hold(r *Record) error {
	d.waits.mu.Lock()
	defer d.waits.mu.Unlock()
	if d.waits.file == nil {
		file, size, err := d.appendTo(waitingFile)
		if err != nil {
			return err
		}
		d.waits.file = &recordWriter{file: file, size: size}
	}
	d.waits.records[r] = true
	d.waits.lines++
	if err := d.waits.file.write(r); err != nil {
		return kept(disk.Writing(filepath.Join(d.Path, waitingFile), err))
	}
	return nil
}

// Release ends Hold: the judgment is a record now, or is made again.
func (d *Dir) Release(r *Record) error {
	d.waits.mu.Lock()
	defer d.waits.mu.Unlock()
	delete(d.waits.records, r)
	if n := len(d.waits.records); n > 0 && d.waits.lines < 2*n+1000 {
		return nil
	}
	return d.rewriteWaiting()
}

// Waiting lists the judgments that wait for checks.
func (d *Dir) Waiting() (records []*Record) {
	d.waits.mu.Lock()
	defer d.waits.mu.Unlock()
	for r := range d.waits.records {
		records = append(records, r)
	}
	return records
}

// rewriteWaiting writes the file anew with the judgments that still wait, once the records of the others are on disk.
func (d *Dir) rewriteWaiting() error {
	err := d.flush()
	if d.waits.file != nil {
		err = errors.Join(err, d.waits.file.close())
	}
	if err != nil {
		return err
	}
	d.waits.file = nil
	d.waits.lines = len(d.waits.records)
	path := filepath.Join(d.Path, waitingFile)
	if d.waits.lines == 0 {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	return kept(disk.Write(path, func(w io.Writer) error {
		enc := codec.NewEncoder(w)
		for r := range d.waits.records {
			if err := enc.Encode(r); err != nil {
				return err
			}
		}
		return nil
	}))
}

// readWaiting finds the judgments that waited when an earlier try was killed, and takes the unverified records for such;
// not those that stand by now or are asked again.
func (d *Dir) readWaiting(unverified []*Record, again func(*Record) bool, stand *Completed) error {
	type key struct {
		item                     string
		presentation, repetition int
	}
	last := map[key]*Record{}
	note := func(r *Record) error {
		last[key{r.Item, r.Presentation, r.Repetition}] = r
		return nil
	}
	for _, r := range unverified {
		note(r)
	}
	err := ReadRecords(filepath.Join(d.Path, waitingFile), note)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	d.waits.records = map[*Record]bool{}
	for _, r := range last {
		if !again(r) && !stand.Has(r.Item, r.Presentation, r.Repetition) {
			r.Unverified = false
			d.waits.records[r] = true
		}
	}
	return nil
}
