//go:build !linux

package main

import "time"

func delay(d time.Duration) { time.Sleep(d) }

func processor() time.Duration { return 0 }
