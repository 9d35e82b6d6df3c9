package judging_test

import (
	"os"
	"path/filepath"
	"testing"

	"gavel/judging"
	"gavel/protocols/protocoltest"
)

// TestATryThatCannotBeginTookRecordsOut: records to be asked again stay in the file until the run goes on, so that a try
// that ends before changes nothing that was paid for.
func TestATryThatCannotBeginTookRecordsOut(t *testing.T) {
	dir := protocoltest.PairsRun(t, "run", 3, func(_, _ int) string { return "A" })
	m, err := judging.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, judging.RecordsFile)
	content := func() string {
		t.Helper()
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	before := content()
	open := func() (d *judging.Dir, stand int) {
		t.Helper()
		n := 0
		d, _, err := judging.OpenDir(dir, m, func(*judging.Record) bool {
			n++
			return n == 2
		}, func(*judging.Record) error {
			stand++
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return d, stand
	}
	d, stand := open()
	d.Close()
	if content() != before || stand != 5 {
		t.Errorf("%d of 6 records stand, and the file changed: %t", stand, content() != before)
	}
	d, _ = open()
	if err := d.Start(m); err != nil {
		t.Fatal(err)
	}
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
