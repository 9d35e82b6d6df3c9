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
	path := filepath.Join(t.TempDir(), "f")
	old := syscall.Umask(0o077)
	err := Write(path, wrote("x"))
	syscall.Umask(old)
	info, serr := os.Stat(path)
	if err != nil || serr != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v %v", err, serr, info)
	}
}
