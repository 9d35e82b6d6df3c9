//go:build !linux

package main

import "time"

func delay(d time.Duration) { time.Sleep(d) }

// processor returns 0: the CPU time is measured on Linux only.
func processor() time.Duration { return 0 }
