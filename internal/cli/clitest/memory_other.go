//go:build !linux

package clitest

// InMemory leaves temporary files where the system has them.
func InMemory() error { return nil }
