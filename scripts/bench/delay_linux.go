package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// delay waits as long as it says: time.Sleep may take a millisecond more, which
// at 50 ms would be two percent of what is measured.
func delay(d time.Duration) {
	until := time.Now().Add(d)
	for left := d; left > 0; left = time.Until(until) {
		ts := unix.NsecToTimespec(int64(left))
		unix.Nanosleep(&ts, nil)
	}
}
