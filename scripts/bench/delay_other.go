//go:build !linux

package main

import "time"

func sleepPrecisely(d time.Duration) { time.Sleep(d) }

// cpuTime returns 0: the CPU time is measured on Linux only.
func cpuTime() time.Duration { return 0 }
