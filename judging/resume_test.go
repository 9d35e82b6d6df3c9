package judging

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/backends"
	"gavel/judging/judgingtest"
)

// makeRun makes a run in a directory, or goes on with it, asking a right judge;
// it stops after so many calls, and every seventh call fails the first time.
func makeRun(t *testing.T, path string, stopAfter int) (calls int, err error) {
	t.Helper()
	stop := make(chan struct{})
	j, _ := newJob(t, judgingtest.Pairs(t, 12), nil)
	j.Client = judgingtest.Script(func(_ context.Context, req backends.Request) (backends.Response, error) {
		if calls++; calls == stopAfter {
			close(stop)
		}
		if stopAfter > 0 && calls%7 == 0 {
			return backends.Response{}, errors.New("refused")
		}
		return judgingtest.Reply(judgingtest.RightLabel(req))
	})
	j.Stop, j.Completed = stop, Completed{}
	j.Manifest = testManifest()
	d, err := OpenDir(path, j.Manifest, failedAgain, func(r *Record) error { j.Completed.Add(r); return nil })
	assert.NilError(t, err)
	defer d.Close()
	assert.NilError(t, d.StartWithItems(j.Manifest, noItems))
	j.Write = d.Write
	return calls, j.Run(t.Context())
}

func sortedRecords(t *testing.T, path string) []string {
	t.Helper()
	lines := strings.SplitAfter(readAll(t, filepath.Join(path, RecordsFile)), "\n")
	slices.Sort(lines)
	return lines
}

// Stopped, killed in the middle of a line and failing now and then, a run comes
// to the same records as one that nothing disturbed.
func TestResumedRunIsTheUndisturbedOne(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "whole")
	if _, err := makeRun(t, whole, 0); err != nil {
		t.Fatal(err)
	}
	for _, after := range []int{1, 2, 7, 8, 15, 23, 24} {
		path := filepath.Join(t.TempDir(), "run")
		if _, err := makeRun(t, path, after); !errors.Is(err, ErrStopped) {
			t.Fatal(err)
		}
		records := filepath.Join(path, RecordsFile)
		info, err := os.Stat(records)
		assert.NilError(t, err)
		assert.NilError(t, os.Truncate(records, info.Size()-9))
		if _, err := makeRun(t, path, 0); err != nil {
			t.Fatal(err)
		}
		if got, want := sortedRecords(t, path), sortedRecords(t, whole); !slices.Equal(got, want) {
			t.Errorf("stopped after %d calls: %d lines, want %d, or they differ", after, len(got), len(want))
		}
		if calls, err := makeRun(t, path, 0); err != nil || calls != 0 {
			t.Errorf("a whole run asked %d times more, %v", calls, err)
		}
	}
}
