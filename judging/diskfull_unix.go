//go:build unix

package judging

import (
	"errors"
	"syscall"
)

// DiskFull tells whether an error is that of a disk that is full, or of one on which the user may have no
// more, or no larger file.
func DiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}
