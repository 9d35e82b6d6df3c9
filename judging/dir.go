package judging

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/gofrs/flock"

	"gavel/internal/codec"
	"gavel/internal/disk"
)

// Files of a run directory.
const (
	ManifestFile = "run.json"      // the [Manifest]
	RecordsFile  = "records.jsonl" // a [Record] per line
	ItemsFile    = "items.jsonl"   // the dataset's lines of the items that the run uses, in order
	ResultsFile  = "results.json"  // the scores of the records
	lockFile     = ".lock"         // locked by the process that writes to the directory
)

// RunFiles lists the names of a run's files.
var RunFiles = []string{ManifestFile, RecordsFile, ItemsFile, ResultsFile, AboutFile}

// Dir writes a run directory and holds its lock.
type Dir struct {
	Path                 string
	lock                 *flock.Flock
	invalidRecordNumbers map[int]bool // numbers, from 1, of the records that RemoveInvalidRecords removes
	// WaitingJudgments holds judgments of an earlier try that need a check of which model the server serves: those that
	// waited for one when the try was killed, and records marked unverified.
	WaitingJudgments []*Record
	waitingMu        sync.Mutex   // held while waitingWriter is opened or written to
	waitingWriter    recordWriter // writes waitingFile; its file is nil before the first WriteWaiting
	recordWriter                  // writes RecordsFile
}

// ErrOtherRun marks OpenDir's error for a directory that holds another run.
var ErrOtherRun = errors.New("holds another run")

// OtherRun returns the error for a directory at path that holds the run old instead of m. It lists their differences.
func OtherRun(path string, old, m *Manifest) error {
	return fmt.Errorf("%s: %w (%s): name another folder with --out",
		path, ErrOtherRun, strings.Join(old.Spec.Differences(m.Spec), "; "))
}

// OpenDir opens a run directory for writing, creates it if needed, and takes its lock. If the directory holds a run, it
// must be the run of m: OpenDir then calls done for every valid record. Records for which retry returns true, and
// unverified ones, are not valid: Start or Sweep removes both from the file, and Waiting holds the unverified ones.
func OpenDir(path string, m *Manifest, retry func(*Record) bool, done func(*Record) error) (*Dir, error) {
	return OpenDirReadingRecords(path, m, retry, readNoValue, func(r *Record, _ struct{}) error { return done(r) })
}

// OpenDirReadingRecords works like OpenDir, but read makes a value of each record, in parallel, which done receives;
// see [ReadRecordsWithValues].
func OpenDirReadingRecords[T any](
	path string, m *Manifest, retry func(*Record) bool, read func(*Record) (T, error), done func(*Record, T) error,
) (*Dir, error) {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, fmt.Errorf("cannot make the run's folder: %w; name another with --out", err)
	}
	if _, err := os.Stat(filepath.Join(path, ManifestFile)); errors.Is(err, fs.ErrNotExist) {
		if err := mustBeFree(path); err != nil { // before it leaves a lock file in a folder of another program
			return nil, err
		}
	}
	if err := CheckRegularFiles(path); err != nil {
		return nil, err
	}
	d := &Dir{Path: path, lock: flock.New(filepath.Join(path, lockFile))}
	locked, err := d.lock.TryLock()
	if disk.LocksUnsupported(err) {
		locked, err = true, nil
	} else if locked {
		waitingWriter, _ := d.lock.Stat()
		current, _ := os.Stat(d.lock.Path())
		locked = os.SameFile(waitingWriter, current) // if not, Abandon of the previous holder has removed the file
	}
	if err != nil {
		return nil, fmt.Errorf("cannot write to the run's folder: %w; name another with --out", err)
	}
	if !locked {
		d.lock.Close()
		return nil, fmt.Errorf("%s: another gavel is writing to this run; "+
			"wait for it, or name another folder with --out", path)
	}
	disk.Sweep(path, RunFiles...)
	err = d.checkSameRun(m)
	if err == nil {
		err = eachStoredRecord(d, retry, read, done)
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// CheckRegularFiles returns an error if a file that a run in the folder path appends to is a link or not regular.
func CheckRegularFiles(path string) error {
	return disk.CheckRegular(path, lockFile, RecordsFile, waitingFile)
}

// checkSameRun returns an error if the folder holds another run than m. If it holds m, resume sets m.Altered to the
// names of the files that another program changed.
func (d *Dir) checkSameRun(m *Manifest) error {
	old, err := ReadManifest(d.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case old.ID != m.ID:
		return OtherRun(d.Path, old, m)
	}
	m.Altered, err = old.AlteredFiles(nil, d.Path)
	return err
}

// WriteRun writes the directory of a run whose records are all known, for example an imported one. each passes the
// lines of the items to its argument. Existing files of the same run are replaced. The run gets the status of m once
// all records are on disk.
func WriteRun(path string, m *Manifest, records []*Record, each func(line func([]byte) error) error) error {
	d, err := OpenDir(path, m, func(*Record) bool { return true }, func(*Record) error { return nil })
	if err != nil {
		return err
	}
	defer d.Close()
	m.Altered = slices.DeleteFunc(m.Altered, func(name string) bool { return name == RecordsFile })
	started := *m
	started.Status = Running
	if err := d.StartWithItems(&started, each); err != nil {
		return err
	}
	for _, r := range records {
		r.SetRun(m)
		if err := d.Write(r); err != nil {
			return err
		}
	}
	return d.WriteManifest(m)
}

// StartWithItems calls Start and WriteItems.
func (d *Dir) StartWithItems(m *Manifest, each func(line func([]byte) error) error) error {
	if err := d.Start(m); err != nil {
		return err
	}
	return d.WriteItems(each)
}

// Start writes the manifest, removes the records that OpenDir found invalid and opens records.jsonl for new ones.
// Before Start, a new run has only its folder and lock, and an old one keeps all records.
func (d *Dir) Start(m *Manifest) error {
	if err := d.WriteManifest(m); err != nil {
		return err
	}
	for _, r := range d.WaitingJudgments { // before an unverified record is swept
		if err := d.WriteWaiting(r); err != nil {
			return err
		}
	}
	err := d.RemoveInvalidRecords()
	if err != nil {
		return err
	}
	return d.open(filepath.Join(d.Path, RecordsFile))
}

// mustBeFree returns an error for a folder, without a run, that has visible files: they belong to another program.
func mustBeFree(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			return fmt.Errorf("%s: is not empty and holds no run (there is %s but no %s): name another folder with --out",
				path, e.Name(), ManifestFile)
		}
	}
	return nil
}

// RemoveInvalidRecords rewrites records.jsonl in one step, without the records that OpenDir found invalid.
func (d *Dir) RemoveInvalidRecords() error {
	if len(d.invalidRecordNumbers) == 0 {
		return nil
	}
	path := filepath.Join(d.Path, RecordsFile)
	err := disk.Write(path, func(w io.Writer) error {
		enc := codec.NewEncoder(w)
		n := 0
		return ReadRecords(path, func(r *Record) error {
			n++
			if d.invalidRecordNumbers[n] {
				return nil
			}
			return enc.Encode(r)
		})
	})
	d.invalidRecordNumbers = nil
	return withFullDiskNote(err)
}

// eachStoredRecord calls done for each valid record of the folder, with the value that read makes of it. It marks
// duplicates and records to ask again for RemoveInvalidRecords. It ignores an unfinished last line: Start removes it.
func eachStoredRecord[T any](
	d *Dir, retry func(*Record) bool, read func(*Record) (T, error), done func(*Record, T) error,
) error {
	var completed Completed
	var unverified []*Record
	n := 0
	d.invalidRecordNumbers = map[int]bool{}
	err := ReadRecordsWithValues(filepath.Join(d.Path, RecordsFile), read, func(r *Record, value T) error {
		n++
		if retry(r) || r.Unverified || !completed.Add(r) {
			d.invalidRecordNumbers[n] = true
			if r.Unverified {
				unverified = append(unverified, r)
			}
			return nil
		}
		return done(r, value)
	})
	if err != nil && (n > 0 || !errors.Is(err, fs.ErrNotExist)) {
		return err
	}
	return d.readWaiting(unverified, retry, &completed)
}

// completeLength returns the length of a file, in bytes, up to and including its last newline. At most one unfinished
// line follows.
func completeLength(path string) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	last := []byte{0}
	end, err := f.Seek(0, io.SeekEnd)
	for err == nil && end > 0 {
		_, err = f.ReadAt(last, end-1)
		if last[0] == '\n' {
			break
		}
		end--
	}
	return end, err
}

// Write checks a record as ReadRecords would, then appends it. Once Write has returned, the record survives a kill, and
// a second later a power cut.
func (d *Dir) Write(r *Record) error {
	if err := r.check(); err != nil {
		return fmt.Errorf("protocol %s made a record of item %s that cannot be scored: %w", r.Protocol, r.Item, err)
	}
	return d.recordWriter.write(r)
}

// WriteItems writes items.jsonl in one step if it does not exist; each passes its lines to its argument. If a run next
// to this one has the same items, the two share one file where the file system has hard links. WriteItems may be called
// while records are written, but after Start: items without a manifest could belong to another run. If a kill ends
// WriteItems, the next try of the run calls it again.
func (d *Dir) WriteItems(each func(line func([]byte) error) error) error {
	path := filepath.Join(d.Path, ItemsFile)
	if disk.Exists(path) {
		return nil
	}
	err := disk.Write(path, func(w io.Writer) error {
		return each(func(line []byte) error {
			_, err := fmt.Fprintf(w, "%s\n", line)
			return err
		})
	})
	if err != nil {
		return withFullDiskNote(err)
	}
	return linkItemsFile(d.Path)
}

// linkItemsFile replaces a folder's items.jsonl by a hard link to an identical file in a sibling folder, if any.
func linkItemsFile(dir string) error {
	path := filepath.Join(dir, ItemsFile)
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	runs := filepath.Dir(filepath.Clean(dir))
	siblings, _ := os.ReadDir(runs)
	sum, err := hashFiles(nil, dir, ItemsFile)
	if err != nil {
		return err
	}
	for _, e := range siblings {
		donor := filepath.Join(runs, e.Name())
		current, err := os.Lstat(filepath.Join(donor, ItemsFile))
		if err != nil || !e.IsDir() || !current.Mode().IsRegular() ||
			current.Size() != info.Size() || os.SameFile(current, info) {
			continue
		}
		other, err := hashFiles(nil, donor, ItemsFile)
		link := filepath.Join(dir, "."+ItemsFile+"-0") // a name of unfinished files, which [disk.Sweep] removes
		if err == nil && maps.Equal(sum, other) && os.Link(filepath.Join(donor, ItemsFile), link) == nil {
			return os.Rename(link, path)
		}
	}
	return nil
}

// WriteManifest writes run.json after it has flushed all records to disk. Unless the run is still Running, it adds the
// hashes of the run's files.
func (d *Dir) WriteManifest(m *Manifest) error {
	if err := d.flush(); err != nil {
		return err
	}
	written := *m
	written.Files = nil
	if m.Status != Running {
		var err error
		written.Files, err = hashFiles(nil, d.Path, hashedFiles...)
		if err != nil {
			return err
		}
	}
	return WriteJSON(filepath.Join(d.Path, ManifestFile), written)
}

// Abandon closes a directory in which no run was started, and removes it if this Dir created it.
func (d *Dir) Abandon() {
	if _, err := os.Stat(filepath.Join(d.Path, ManifestFile)); errors.Is(err, fs.ErrNotExist) {
		os.Remove(d.lock.Path()) // before the unlock, so that a process waiting for the lock sees that the file is gone
		defer os.Remove(d.Path)  // fails, as it should, if the folder is not empty
	}
	d.Close()
}

// Close flushes and closes the files of records, and releases the lock.
func (d *Dir) Close() error {
	return errors.Join(d.recordWriter.close(), d.waitingWriter.close(), d.lock.Unlock())
}

// WriteJSON writes v to a file in one step: a reader sees the old file or the new one, never half of it.
func WriteJSON(path string, v any) error {
	return withFullDiskNote(disk.Write(path, func(w io.Writer) error { return codec.WriteIndented(w, v) }))
}

// withFullDiskNote adds to the error of a full disk that the records written so far are safe.
func withFullDiskNote(err error) error {
	if DiskFull(err) {
		return fmt.Errorf("%w; what is written is kept", err)
	}
	return err
}

// Differences lists the values in which two specs differ, such as "prompt.name: sop, now direct". It leaves out the
// texts and the origin of prompts.
func (s Spec) Differences(now Spec) []string {
	a, b := flattenSpec(s), flattenSpec(now)
	both := maps.Clone(a)
	maps.Copy(both, b)
	var out []string
	for k := range both {
		if !reflect.DeepEqual(a[k], b[k]) && k != "prompt.system" && k != "prompt.origin" &&
			!strings.HasPrefix(k, "prompt.texts") {
			out = append(out, fmt.Sprintf("%s: %v, now %v", k, orNone(a[k]), orNone(b[k])))
		}
	}
	slices.Sort(out)
	return out
}

// orNone returns v, or "(none)" for nil and "".
func orNone(v any) any {
	if v == nil || v == "" {
		return "(none)"
	}
	return v
}

// flattenSpec returns the values in a spec's JSON by their keys, such as "prompt.name".
func flattenSpec(s Spec) map[string]any {
	raw, _ := json.Marshal(s) // strings and numbers alone: cannot fail
	var tree map[string]any
	json.Unmarshal(raw, &tree)
	flat := map[string]any{}
	var walk func(prefix string, v any)
	walk = func(prefix string, v any) {
		if m, ok := v.(map[string]any); ok {
			for k, v := range m {
				walk(strings.TrimPrefix(prefix+"."+k, "."), v)
			}
			return
		}
		flat[prefix] = v
	}
	walk("", tree)
	return flat
}
