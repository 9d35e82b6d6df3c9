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

// AddIdentityCheck adds a check of which model the server serves: the judgment waits for its end.
func (r *Record) AddIdentityCheck(check *backends.IdentityCheck) {
	r.pendingIdentityChecks = append(r.pendingIdentityChecks, check)
}

// AwaitsChecks reports whether a judgment waits for checks.
func (r *Record) AwaitsChecks() bool { return len(r.pendingIdentityChecks) > 0 }

// WhenChecksEnd calls f when all checks of a judgment have ended: with the error of one that found another model, or
// else with the first error, or nil.
func (r *Record) WhenChecksEnd(f func(error)) { callAfterChecks(r.pendingIdentityChecks, nil, f) }

// callAfterChecks calls f when checks have ended, with worst or a worse error of theirs: one that found another model.
func callAfterChecks(checks []*backends.IdentityCheck, worst error, f func(error)) {
	if len(checks) == 0 {
		f(worst)
		return
	}
	checks[0].Then(func(err error) {
		if errors.As(err, new(*backends.ModelChangedError)) {
			worst = err
		}
		callAfterChecks(checks[1:], cmp.Or(worst, err), f)
	})
}

// MarkFailed turns a judgment that another model answered into a failed one. Its replies stay in the record.
func (r *Record) MarkFailed(why error) {
	r.SetVerdict(EmptyVerdict(Failed))
	r.Probabilities = nil
	r.Error = fmt.Sprintf("set aside: %v", why)
}

// waitingFile holds the judgments that wait for checks, so that a kill does not lose them; they are not records yet. Of
// two lines of one judgment the last counts, and neither if there is a record of it.
const waitingFile = ".unverified.jsonl"

// WriteWaiting writes a judgment that waits for checks to waitingFile, where it stays until Release.
func (d *Dir) WriteWaiting(r *Record) error {
	d.waitingMu.Lock()
	defer d.waitingMu.Unlock()
	if d.waitingWriter.file == nil {
		if err := d.waitingWriter.open(filepath.Join(d.Path, waitingFile)); err != nil {
			return err
		}
	}
	return d.waitingWriter.write(r)
}

// RemoveWaiting removes waitingFile: all judgments in it are records now, or will be asked again.
func (d *Dir) RemoveWaiting() error {
	if d.waitingWriter.file == nil {
		return nil
	}
	err := errors.Join(d.flush(), d.waitingWriter.close())
	d.waitingWriter.file = nil
	if err != nil {
		return err
	}
	return os.Remove(d.waitingWriter.path)
}

// readWaiting adds to Waiting the judgments that waited when an earlier try was killed, and the unverified records,
// except those that have a record in completed or for which retry returns true.
func (d *Dir) readWaiting(unverified []*Record, retry func(*Record) bool, completed *Completed) error {
	path := filepath.Join(d.Path, waitingFile)
	var all []*Record
	err := ReadRecords(path, func(r *Record) error {
		if !completed.Has(r.Item, r.Presentation, r.Repetition) {
			all = append(all, r)
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, r := range slices.Backward(append(all, unverified...)) {
		if completed.Add(r) && !retry(r) {
			r.Unverified = false
			d.WaitingJudgments = append(d.WaitingJudgments, r)
		}
	}
	if len(d.WaitingJudgments) == 0 && err == nil {
		err = os.Remove(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
