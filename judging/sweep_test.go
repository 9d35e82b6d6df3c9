package judging_test

import (
	"os"
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/judging"
	"gavel/protocols/protocoltest"
)

// TestATryThatCannotBeginTookRecordsOut: records to be asked again stay in the file until the run goes on, so that a
// try that ends before changes nothing that was paid for.
func TestATryThatCannotBeginTookRecordsOut(t *testing.T) {
	dir := protocoltest.PairsRun(t, "run", 3, func(_, _ int) string { return "A" })
	m, err := judging.ReadManifest(dir)
	assert.NilError(t, err)
	path := filepath.Join(dir, judging.RecordsFile)
	content := func() string {
		t.Helper()
		b, err := os.ReadFile(path)
		assert.NilError(t, err)
		return string(b)
	}
	before := content()
	open := func() (d *judging.Dir, valid int) {
		t.Helper()
		n := 0
		d, err := judging.OpenDir(dir, m, func(*judging.Record) bool {
			n++
			return n == 2
		}, func(*judging.Record) error {
			valid++
			return nil
		})
		assert.NilError(t, err)
		return d, valid
	}
	d, valid := open()
	d.Close()
	if content() != before || valid != 5 {
		t.Errorf("%d of 6 records stand, and the file changed: %t", valid, content() != before)
	}
	d, _ = open()
	assert.NilError(t, d.Start(m))
	d.Close()
	n := 0
	err = judging.ReadRecords(path, func(*judging.Record) error {
		n++
		return nil
	})
	if err != nil || n != 5 {
		t.Errorf("%d records, %v", n, err)
	}
}
