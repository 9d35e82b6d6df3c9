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

// processor is the time that this process has had of the processors.
func processor() time.Duration {
	var used unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
