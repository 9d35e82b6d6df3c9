package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/golden"
)

// TestDemo: the whole output, to the byte, and twice the same.
func TestDemo(t *testing.T) {
	allRounds(t)
	home(t)
	out := mustCall(t, "demo", "--out", "d")
	golden.Assert(t, out, filepath.Join(sourceDir, "testdata", "demo.txt"))
	if again := mustCall(t, "demo"); again != out {
		t.Error("a second demo differs")
	}
	runs, err := filepath.Glob("d/*/results.json")
	if err != nil || len(runs) != 14 {
		t.Fatalf("%d runs kept, want 14 (%v)", len(runs), err)
	}
	for _, path := range runs {
		if !strings.Contains(read(t, path), "simulated judge") {
			t.Errorf("%s does not say that it is simulated", path)
		}
		if !strings.Contains(read(t, filepath.Join(filepath.Dir(path), "run.json")), `"simulated": true`) {
			t.Errorf("run.json beside %s does not say that it is simulated", path)
		}
	}
	if mustCall(t, "demo", "--out", "d") != out {
		t.Error("a demo into the same folder differs")
	}
	if _, err := os.Stat(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "gavel")); err == nil {
		t.Error("the demo touched the cache")
	}
}

// TestHelp: every command has help, with purpose and use, and exits with 0.
func TestHelp(t *testing.T) {
	home(t)
	for _, page := range pages(newApp(newEnv(nil, os.Stdout, os.Stderr)))[1:] {
		line := strings.TrimPrefix(page.Name, "gavel ")
		out := mustCall(t, append(strings.Fields(line), "--help")...)
		if again := mustCall(t, append([]string{"help"}, strings.Fields(line)...)...); again != out {
			t.Errorf("gavel help %s differs from gavel %s --help", line, line)
		}
		if !strings.Contains(out, "USAGE:") || !strings.Contains(out, "gavel") {
			t.Errorf("gavel %s --help:\n%s", line, out)
		}
	}
}
