package trials

import (
	"os"

	"golang.org/x/sys/unix"
)

// UseMemoryFiles moves temporary files of the tests to a memory file system with enough space, if there is one: the
// tests of the commands then need a third less system time.
func UseMemoryFiles() {
	const dir, room = "/dev/shm", 4 << 30
	var st unix.Statfs_t
	if os.Getenv("TMPDIR") != "" || unix.Statfs(dir, &st) != nil || st.Bavail*uint64(st.Bsize) < room {
		return
	}
	if unix.Access(dir, unix.W_OK) == nil {
		os.Setenv("TMPDIR", dir)
	}
}
