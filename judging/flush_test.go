package judging

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gotest.tools/v3/assert"
)

// lossyFile drops what was not flushed when the power goes.
type lossyFile struct {
	written, onDisk []byte
	flushes         int
	broken          error
}

func (f *lossyFile) Write(b []byte) (int, error) {
	f.written = append(f.written, b...)
	return len(b), nil
}
func (f *lossyFile) Truncate(n int64) error { f.written = f.written[:n]; return nil }
func (f *lossyFile) Close() error           { return nil }
func (f *lossyFile) Sync() error {
	f.flushes++
	f.onDisk = bytes.Clone(f.written)
	return f.broken
}

// TestPowerCutLosesASecond: of the records a power cut takes those of the last second at most, and none is flushed for
// which another was less than a second before.
func TestPowerCutLosesASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := new(lossyFile)
		w := recordWriter{file: f}
		write := func(i int) {
			t.Helper()
			assert.NilError(t, w.write(recordOf(fmt.Sprint("p", i), 0, Decided)))
		}
		var before []int // bytes written by the end of each tenth of a second
		for i := range 100 {
			write(i)
			before = append(before, len(f.written))
			time.Sleep(100 * time.Millisecond)
			synctest.Wait()
			if old := i - 10; old >= 0 && len(f.onDisk) < before[old] {
				t.Fatalf("%d bytes are on disk, of the %d that were written a second ago", len(f.onDisk), before[old])
			}
		}
		if f.flushes > 10 {
			t.Errorf("%d flushes in 10 s", f.flushes)
		}
		time.Sleep(2 * time.Second) // a judge that thinks
		synctest.Wait()
		if done := f.flushes; !bytes.Equal(f.onDisk, f.written) {
			t.Error("the last record is not on disk while the next is waited for")
		} else if time.Sleep(time.Minute); f.flushes != done {
			t.Error("flushed with nothing written")
		}
		write(100)
		if err := w.close(); err != nil || !bytes.Equal(f.onDisk, f.written) {
			t.Errorf("closed with %d of %d bytes on disk, %v", len(f.onDisk), len(f.written), err)
		}
	})
}

// A disk that refuses what it took is an error of the next record, and of the end.
func TestFlushFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &lossyFile{broken: errors.New("input/output error")}
		d := Dir{Path: "r", recordWriter: recordWriter{path: "r/records.jsonl", file: f}}
		assert.NilError(t, d.Write(recordOf("p1", 0, Decided)))
		time.Sleep(time.Second)
		synctest.Wait()
		for _, err := range []error{d.Write(recordOf("p2", 0, Decided)), d.WriteManifest(nil)} {
			if err == nil || !strings.Contains(err.Error(), "records.jsonl: input/output error") {
				t.Errorf("%v", err)
			}
		}
		if d.recordWriter.close() == nil {
			t.Error("closed as if nothing were lost")
		}
	})
}

// TestManifestAfterRecords: whatever run.json says, what it counts on is on disk before it.
func TestManifestAfterRecords(t *testing.T) {
	d := startedDir(t, runWith(t))
	d.file.Close()
	f := new(lossyFile)
	d.file = f
	assert.NilError(t, d.Write(recordOf("p1", 0, Decided)))
	if err := d.WriteManifest(testManifest()); err != nil || len(f.onDisk) == 0 {
		t.Errorf("%d bytes of records are on disk, %v", len(f.onDisk), err)
	}
}

// TestImportCutOff: a run of which all is known is complete once its records stand, and not before; what a killed
// process left is gone at the next start.
func TestImportCutOff(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run")
	m := testManifest()
	m.Status, m.Judgments = Complete, 2
	status := func() string {
		t.Helper()
		now, err := ReadManifest(path)
		assert.NilError(t, err)
		return now.Status
	}
	records := []*Record{recordOf("p1", 0, Decided), recordOf("p2", 0, Decided)}
	cut := errors.New("killed")
	if err := WriteRun(path, m, records, func(func([]byte) error) error { return cut }); !errors.Is(err, cut) ||
		status() != Running {
		t.Errorf("cut off before its records stand: %v, %s", err, status())
	}
	litter := filepath.Join(path, ".items.jsonl-2481")
	assert.NilError(t, os.WriteFile(litter, []byte("half"), 0o600))
	if err := WriteRun(path, m, records, func(line func([]byte) error) error { return line([]byte("{}")) }); err != nil || status() != Complete {
		t.Errorf("%v, %s", err, status())
	}
	if _, err := os.Stat(litter); err == nil {
		t.Errorf("%s is still there", litter)
	}
}

// BenchmarkRecords measures the time of a record: flushed every second, with each record, and never.
func BenchmarkRecords(b *testing.B) {
	r := recordOf("p1", 0, Decided)
	r.Replies[0].Text = strings.Repeat("long ", 400)
	for _, how := range []string{"every second", "each", "never"} {
		b.Run(how, func(b *testing.B) {
			file, err := os.Create(filepath.Join(b.TempDir(), RecordsFile))
			if err != nil {
				b.Fatal(err)
			}
			w := recordWriter{file: file}
			if how == "never" {
				w.flushTimer = time.NewTimer(time.Hour)
			}
			for b.Loop() {
				if err := w.write(r); err != nil {
					b.Fatal(err)
				}
				if how == "each" {
					w.flush()
				}
			}
			w.close()
		})
	}
}
