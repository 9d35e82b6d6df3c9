//go:build !windows

package cli

import "golang.org/x/sys/unix"

// openFiles returns the number of files and connections that this process may have open at once (ulimit -n).
func openFiles() int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return enoughFiles
	}
	return int(min(uint64(limit.Cur), enoughFiles))
}
