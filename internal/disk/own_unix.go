//go:build !windows

package disk

import (
	"io/fs"
	"os"
	"syscall"
)

// own tells whether a file is the user's own.
func own(info fs.FileInfo) bool {
	at, known := info.Sys().(*syscall.Stat_t)
	return !known || int(at.Uid) == os.Geteuid()
}
