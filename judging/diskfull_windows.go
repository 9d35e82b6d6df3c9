package judging

import (
	"errors"

	"golang.org/x/sys/windows"
)

// DiskFull tells whether an error is that of a disk that is full, or of one on which the user may have no more.
func DiskFull(err error) bool {
	for _, full := range []error{
		windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL, windows.ERROR_DISK_QUOTA_EXCEEDED,
	} {
		if errors.Is(err, full) {
			return true
		}
	}
	return false
}
