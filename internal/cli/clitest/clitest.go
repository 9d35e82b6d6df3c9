// Package clitest lets a test binary be gavel, so that a test which needs a process of its own builds nothing.
package clitest

import (
	"io"
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
	return path, copyFile(path, self)
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}
