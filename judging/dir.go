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
	ManifestFile = "run.json"
	RecordsFile  = "records.jsonl"
	ItemsFile    = "items.jsonl"  // the dataset's own lines, those used, in order
	ResultsFile  = "results.json" // what the records come to
	lockFile     = ".lock"
)

// RunFiles are the files of a run.
var RunFiles = []string{ManifestFile, RecordsFile, ItemsFile, ResultsFile, AboutFile}

// Dir is a run directory that is open for writing.
type Dir struct {
	Path    string
	lock    *flock.Flock
	dropped map[int]bool // records to leave out, by their numbers from 1
	// Waiting are the judgments that waited for checks when an earlier try was killed, and its unverified records.
	Waiting []*Record
	holding sync.Mutex
	held    recordWriter // its file is nil before the first Hold
	recordWriter
}

// ErrOtherRun is wrapped by OpenDir's error when the directory holds another run.
var ErrOtherRun = errors.New("holds another run")

// OtherRun is the error of a directory that holds another run than m, with what differs.
func OtherRun(path string, old, m *Manifest) error {
	return fmt.Errorf("%s: %w (%s): name another folder with --out",
		path, ErrOtherRun, strings.Join(old.Spec.Differences(m.Spec), "; "))
}

// OpenDir opens a run directory for writing and takes its lock; it makes the directory where it is missing. If it
// already holds a run, that must be the same one: then the manifest found is returned, and done is called for every
// record that stands. Records that again approves do not: they stay in the file until Start, or Sweep, takes them out.
// Nor do unverified ones: they are Waiting.
func OpenDir(path string, m *Manifest, again func(*Record) bool, done func(*Record) error) (*Dir, *Manifest, error) {
	return OpenDirBy(path, m, again, nothing, func(r *Record, _ struct{}) error { return done(r) })
}

// OpenDirBy is OpenDir for those who make something of each record alone before done takes it; see [ReadRecordsBy].
func OpenDirBy[T any](
	path string, m *Manifest, again func(*Record) bool, read func(*Record) (T, error), done func(*Record, T) error,
) (*Dir, *Manifest, error) {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, nil, fmt.Errorf("cannot make the run's folder: %w; name another with --out", err)
	}
	if _, err := os.Stat(filepath.Join(path, ManifestFile)); errors.Is(err, fs.ErrNotExist) {
		if err := mustBeFree(path); err != nil { // before a lock is left in a folder of somebody else's
			return nil, nil, err
		}
	}
	if err := Plain(path); err != nil {
		return nil, nil, err
	}
	d := &Dir{Path: path, lock: flock.New(filepath.Join(path, lockFile))}
	got, err := d.lock.TryLock()
	if disk.NoLocks(err) {
		got, err = true, nil
	} else if got {
		held, _ := d.lock.Stat()
		there, _ := os.Stat(d.lock.Path())
		got = os.SameFile(held, there) // else who had it before has removed it, see Abandon
	}
	if err != nil {
		return nil, nil, fmt.Errorf("cannot write to the run's folder: %w; name another with --out", err)
	}
	if !got {
		d.lock.Close()
		return nil, nil, fmt.Errorf("%s: another gavel is writing to this run; "+
			"wait for it, or name another folder with --out", path)
	}
	disk.Sweep(path, RunFiles...)
	old, err := d.resume(m)
	if err == nil {
		err = look(d, again, read, done)
	}
	if err != nil {
		d.Close()
		return nil, nil, err
	}
	return d, old, nil
}

// Plain refuses a folder of which a file that a run writes to is a link, or no file.
func Plain(path string) error { return disk.Plain(path, lockFile, RecordsFile, waitingFile) }

// resume is the manifest that the folder holds; nil where there is none.
func (d *Dir) resume(m *Manifest) (*Manifest, error) {
	old, err := ReadManifest(d.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case old.ID != m.ID:
		return nil, OtherRun(d.Path, old, m)
	}
	m.Altered, err = old.EverAltered(nil, d.Path)
	return old, err
}

// WriteRun makes the directory of a run of which all is known: each hands every line of its items to its argument.
// What is there of the same run is made anew. The run is complete, or whatever m says, once its records stand.
func WriteRun(path string, m *Manifest, records []*Record, each func(line func([]byte) error) error) error {
	d, _, err := OpenDir(path, m, func(*Record) bool { return true }, func(*Record) error { return nil })
	if err != nil {
		return err
	}
	defer d.Close()
	m.Altered = slices.DeleteFunc(m.Altered, func(name string) bool { return name == RecordsFile })
	begun := *m
	begun.Status = Running
	if err := d.Begin(&begun, each); err != nil {
		return err
	}
	for _, r := range records {
		r.Belong(m)
		if err := d.Write(r); err != nil {
			return err
		}
	}
	return d.WriteManifest(m)
}

// Begin is Start and WriteItems.
func (d *Dir) Begin(m *Manifest, each func(line func([]byte) error) error) error {
	if err := d.Start(m); err != nil {
		return err
	}
	return d.WriteItems(each)
}

// Start writes the manifest and makes the directory ready for records. Until then nothing but the folder and its lock
// was made, and no record was taken out.
func (d *Dir) Start(m *Manifest) error {
	if err := d.WriteManifest(m); err != nil {
		return err
	}
	for _, r := range d.Waiting { // before an unverified record is swept
		if err := d.Hold(r); err != nil {
			return err
		}
	}
	err := d.Sweep()
	if err != nil {
		return err
	}
	return d.open(filepath.Join(d.Path, RecordsFile))
}

// mustBeFree refuses a folder with files of somebody else's in it.
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

// Sweep writes the records anew, in one step, without those that do not stand.
func (d *Dir) Sweep() error {
	if len(d.dropped) == 0 {
		return nil
	}
	path := filepath.Join(d.Path, RecordsFile)
	err := disk.Write(path, func(w io.Writer) error {
		enc := codec.NewEncoder(w)
		n := 0
		return ReadRecords(path, func(r *Record) error {
			n++
			if d.dropped[n] {
				return nil
			}
			return enc.Encode(r)
		})
	})
	d.dropped = nil
	return kept(err)
}

// look reads the records that stand. It leaves records to ask again, and doubled ones, to Sweep, and an unfinished last
// line to Start.
func look[T any](
	d *Dir, again func(*Record) bool, read func(*Record) (T, error), done func(*Record, T) error,
) error {
	var seen Completed
	var unverified []*Record
	n := 0
	d.dropped = map[int]bool{}
	err := ReadRecordsBy(filepath.Join(d.Path, RecordsFile), read, func(r *Record, made T) error {
		n++
		if again(r) || r.Unverified || seen.Has(r.Item, r.Presentation, r.Repetition) {
			d.dropped[n] = true
			if r.Unverified {
				unverified = append(unverified, r)
			}
			return nil
		}
		seen.Add(r)
		return done(r, made)
	})
	if err != nil && (n > 0 || !errors.Is(err, fs.ErrNotExist)) {
		return err
	}
	return d.readWaiting(unverified, again, &seen)
}

// wholeLines returns the length of a file up to and with its last newline. At most one unfinished line follows.
func wholeLines(path string) (int64, error) {
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

// Write appends a record, which it first holds to what ReadRecords will take. A kill does not lose it once Write has
// returned, nor does a power cut a second later.
func (d *Dir) Write(r *Record) error {
	if err := r.check(); err != nil {
		return fmt.Errorf("protocol %s made a record of item %s that cannot be scored: %w", r.Protocol, r.Item, err)
	}
	return d.recordWriter.write(r)
}

// WriteItems writes items.jsonl, in one step, if it is not there already; each hands every line of it to its argument.
// Where a run beside this one has the same items, the two share one file, as far as the file system has hard links. It
// may be called while records are written, and after Start alone: items without a manifest may be of another run.
// Where it was not finished, whoever goes on with the run calls it again.
func (d *Dir) WriteItems(each func(line func([]byte) error) error) error {
	path := filepath.Join(d.Path, ItemsFile)
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	err := disk.Write(path, func(w io.Writer) error {
		return each(func(line []byte) error {
			if _, err := w.Write(line); err != nil {
				return err
			}
			_, err := w.Write([]byte{'\n'})
			return err
		})
	})
	if err != nil {
		return kept(err)
	}
	return shareItems(d.Path)
}

// shareItems makes items.jsonl of a folder a hard link to an identical file in a folder beside it, if there is one.
func shareItems(dir string) error {
	path := filepath.Join(dir, ItemsFile)
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	runs := filepath.Dir(filepath.Clean(dir))
	beside, _ := os.ReadDir(runs)
	sum, err := sums(nil, dir, ItemsFile)
	if err != nil {
		return err
	}
	for _, e := range beside {
		donor := filepath.Join(runs, e.Name())
		there, err := os.Lstat(filepath.Join(donor, ItemsFile))
		if err != nil || !e.IsDir() || !there.Mode().IsRegular() || there.Size() != info.Size() || os.SameFile(there, info) {
			continue
		}
		other, err := sums(nil, donor, ItemsFile)
		link := filepath.Join(dir, "."+ItemsFile+"-0") // a name of unfinished files, which [disk.Sweep] removes
		if err == nil && maps.Equal(sum, other) && os.Link(filepath.Join(donor, ItemsFile), link) == nil {
			return os.Rename(link, path)
		}
	}
	return nil
}

// WriteManifest writes run.json, which may count on the records: they are on disk before it. Of a run that has ended it
// says what its files are.
func (d *Dir) WriteManifest(m *Manifest) error {
	if err := d.flush(); err != nil {
		return err
	}
	written := *m
	written.Files = nil
	if m.Status != Running {
		var err error
		written.Files, err = sums(nil, d.Path, summed...)
		if err != nil {
			return err
		}
	}
	return WriteJSON(filepath.Join(d.Path, ManifestFile), written)
}

// Abandon is Close for a directory in which nothing was begun: if this made it, it is gone again.
func (d *Dir) Abandon() {
	if _, err := os.Stat(filepath.Join(d.Path, ManifestFile)); errors.Is(err, fs.ErrNotExist) {
		os.Remove(d.lock.Path()) // while it is held, so that whoever has it open sees that it is gone
		defer os.Remove(d.Path)  // fails, as it should, where something is in it
	}
	d.Close()
}

// Close releases the directory.
func (d *Dir) Close() error {
	return errors.Join(d.recordWriter.close(), d.held.close(), d.lock.Unlock())
}

// WriteJSON writes v to a file in one step: a reader sees the old one or the new one, never half of it.
func WriteJSON(path string, v any) error {
	return kept(disk.Write(path, func(w io.Writer) error { return codec.WriteIndented(w, v) }))
}

// kept says of a run on a full disk that nothing of it is lost.
func kept(err error) error {
	if DiskFull(err) {
		return fmt.Errorf("%w; what is written is kept", err)
	}
	return err
}

// Differences lists what two specs disagree on, as "prompt.name: sop, now direct".
func (s Spec) Differences(now Spec) []string {
	a, b := flatten(s), flatten(now)
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

func orNone(v any) any {
	if v == nil || v == "" {
		return "(none)"
	}
	return v
}

func flatten(s Spec) map[string]any {
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
