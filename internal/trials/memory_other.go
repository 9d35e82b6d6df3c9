//go:build !linux

package trials

// InMemory does nothing on this system.
func InMemory() {}
