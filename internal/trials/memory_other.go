//go:build !linux

package trials

// UseMemoryFiles does nothing on this system.
func UseMemoryFiles() {}
