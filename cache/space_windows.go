package cache

import (
	"io/fs"

	"golang.org/x/sys/windows"
)

// freeSpace returns the bytes that an ordinary user may still write to dir's disk.
func freeSpace(dir string) (uint64, error) {
	p, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var free uint64
	err = windows.GetDiskFreeSpaceEx(p, &free, nil, nil)
	return free, err
}

// bytesOnDisk returns the length of a file, in place of the space that it occupies.
func bytesOnDisk(info fs.FileInfo) int64 { return info.Size() }
