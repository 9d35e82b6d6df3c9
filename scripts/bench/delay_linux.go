package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// sleepPrecisely waits precisely: time.Sleep may take a millisecond longer, which is two percent of a measured 50 ms.
func sleepPrecisely(d time.Duration) {
	until := time.Now().Add(d)
	for rest := d; rest > 0; rest = time.Until(until) {
		ts := unix.NsecToTimespec(int64(rest))
		unix.Nanosleep(&ts, nil)
	}
}

// cpuTime returns the CPU time of this process.
func cpuTime() time.Duration {
	var used unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
