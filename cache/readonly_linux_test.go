package cache

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// asNobody runs f without the right to write where others may not. For root
// that takes another user's rights, in all threads, for that long.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Geteuid() == 0 {
		if err := syscall.Seteuid(65534); err != nil {
			t.Skip("root may write anywhere, and cannot give that up here: ", err)
		}
		defer func() {
			if err := syscall.Seteuid(0); err != nil {
				panic(err)
			}
		}()
	}
	f()
}

func TestReadOnlyFolder(t *testing.T) {
	base := t.TempDir()
	if err := os.Chmod(filepath.Dir(base), 0o755); err != nil { // for nobody to see what is below
		t.Fatal(err)
	}
	used := filepath.Join(base, "used")
	s, _ := open(t, used)
	shut(t, s)
	empty := filepath.Join(base, "empty")
	if err := os.Mkdir(empty, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{used, empty, base} {
		if err := os.Chmod(dir, 0o555); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(dir, 0o755) })
	}
	asNobody(t, func() {
		for name, dir := range map[string]string{"used before": used, "empty": empty, "not there": filepath.Join(base, "new")} {
			s, err := Open(dir, Options{MinFree: 1})
			if err == nil {
				s.Close()
				t.Errorf("%s: opened", name)
				continue
			}
			for _, want := range []string{dir, "permission denied", "--cache", "--no-cache"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %q is not in: %v", name, want, err)
				}
			}
		}
	})
}
