package judging

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"gavel/backends"
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

// waitingFile has the judgments that wait for checks: they are no records yet, and a kill does not lose them. Of two
// lines of one judgment the last counts, and neither where there is a record of it.
const waitingFile = ".unverified.jsonl"

// Hold keeps a judgment on disk until Settled.
func (d *Dir) Hold(r *Record) error {
	d.holding.Lock()
	defer d.holding.Unlock()
	if d.held.file == nil {
		if err := d.held.open(filepath.Join(d.Path, waitingFile)); err != nil {
			return err
		}
	}
	return d.held.write(r)
}

// Settled ends Hold: all that was held is a record now, or is made again.
func (d *Dir) Settled() error {
	if d.held.file == nil {
		return nil
	}
	err := errors.Join(d.flush(), d.held.close())
	d.held.file = nil
	if err != nil {
		return err
	}
	return os.Remove(d.held.path)
}

// readWaiting finds the judgments that waited when an earlier try was killed, and takes the unverified records for
// such; not those that are seen to stand by now, or are asked again.
func (d *Dir) readWaiting(unverified []*Record, again func(*Record) bool, seen *Completed) error {
	path := filepath.Join(d.Path, waitingFile)
	var all []*Record
	err := ReadRecords(path, func(r *Record) error {
		if !seen.Has(r.Item, r.Presentation, r.Repetition) {
			all = append(all, r)
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, r := range slices.Backward(append(all, unverified...)) {
		if seen.Has(r.Item, r.Presentation, r.Repetition) {
			continue
		}
		seen.Add(r)
		if !again(r) {
			r.Unverified = false
			d.Waiting = append(d.Waiting, r)
		}
	}
	if len(d.Waiting) == 0 && err == nil {
		err = os.Remove(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
