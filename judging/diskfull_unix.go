//go:build unix

package judging

import (
	"errors"
	"syscall"
)

// DiskFull reports whether an error means that the disk is full, or that the user's quota or the file's limit is
// reached.
func DiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}
