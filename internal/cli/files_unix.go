//go:build !windows

package cli

import "golang.org/x/sys/unix"

// maxOpenFiles returns how many files and connections this process may have open (ulimit -n), at most enoughOpenFiles.
func maxOpenFiles() int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return enoughOpenFiles
	}
	return int(min(uint64(limit.Cur), enoughOpenFiles))
}
