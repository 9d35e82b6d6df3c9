package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The file that init writes runs as it is, and is not written twice.
func TestInit(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.yaml")
	ends(t, 0, "next: gavel suite plan ", "init", file)
	stdout, stderr, code := call(t, "suite", "plan", file)
	if code != 0 || !strings.Contains(stdout, "careful") {
		t.Errorf("the plan: exit %d\n%s%s", code, stdout, stderr)
	}
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, stderr, code = call(t, "init", file)
	if text, _ := os.ReadFile(file); code != exitError || !strings.Contains(stderr, "exists") || string(text) != "mine" {
		t.Errorf("a second time: exit %d, %s", code, stderr)
	}
}
