//go:build !windows

package disk

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestUmask: a file has no more permissions than its user gives.
func TestUmask(t *testing.T) {
	at := filepath.Join(t.TempDir(), "f")
	old := syscall.Umask(0o077)
	err := Write(at, wrote("x"))
	syscall.Umask(old)
	info, serr := os.Stat(at)
	if err != nil || serr != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v %v", err, serr, info)
	}
}

// TestSweepOfOthers: what TempDir made for another user stays.
func TestSweepOfOthers(t *testing.T) {
	dir := t.TempDir()
	at := filepath.Join(dir, "gavel-test-1")
	if err := os.Mkdir(at, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(at, alive), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(at, os.Geteuid()+1, -1); err != nil {
		t.Skip(err)
	}
	SweepTempDirs(dir, "gavel-test-")
	if _, err := os.Stat(at); err != nil {
		t.Error(err)
	}
	if err := os.Chown(at, os.Geteuid(), -1); err != nil {
		t.Fatal(err)
	}
	SweepTempDirs(dir, "gavel-test-")
	if _, err := os.Stat(at); err == nil {
		t.Error("one's own stays too")
	}
}
