package trials

import (
	"os"

	"golang.org/x/sys/unix"
)

// InMemory has temporary files of the tests stand in memory, where there is a folder with room for that: the tests of
// the commands take the kernel a third less time there.
func InMemory() {
	const dir, room = "/dev/shm", 4 << 30
	var st unix.Statfs_t
	if os.Getenv("TMPDIR") != "" || unix.Statfs(dir, &st) != nil || st.Bavail*uint64(st.Bsize) < room {
		return
	}
	if unix.Access(dir, unix.W_OK) == nil {
		os.Setenv("TMPDIR", dir)
	}
}
