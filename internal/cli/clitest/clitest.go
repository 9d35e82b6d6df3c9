// Package clitest lets a test binary be gavel, so that a test which needs a process of its own builds nothing.
package clitest

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// IsGavel reports whether this process was started by a path that Link returned. TestMain then calls cli.Main.
func IsGavel() bool {
	return strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") == "gavel"
}

// LinkGavel makes the running test binary available as a program named gavel in the folder dir, and
// returns the program's path.
func LinkGavel(dir string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "gavel")
	if runtime.GOOS != "windows" {
		return path, os.Symlink(self, path)
	}
	path += ".exe" // where links take a privilege
	program, err := os.ReadFile(self)
	if err != nil {
		return "", err
	}
	return path, os.WriteFile(path, program, 0o755)
}
