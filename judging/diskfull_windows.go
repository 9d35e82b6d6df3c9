package judging

import (
	"errors"

	"golang.org/x/sys/windows"
)

// DiskFull reports whether an error means that the disk is full or the user's quota is reached.
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
