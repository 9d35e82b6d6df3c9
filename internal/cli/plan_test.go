package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/golden"
)

// TestPlan: the whole output, to the byte.
func TestPlan(t *testing.T) {
	home(t)
	var all strings.Builder
	for _, flags := range []string{"--detect 10", "--detect 5 --pairs 350 --json", "--pairs 620 --detect 2.5 --discordant 20 --power 90 --alpha 0.01", "--pairs 1865 --csv", "--pairs 3 --markdown"} {
		fmt.Fprintf(&all, "$ gavel plan %s\n%s\n", flags, mustCall(t, append([]string{"plan"}, strings.Fields(flags)...)...))
	}
	golden.Assert(t, all.String(), filepath.Join(sourceDir, "testdata", "plan.txt"))
	for args, want := range map[string]string{
		"":                           "say --detect POINTS or --pairs N",
		"--detect 31":                "--detect 31: expected points above 0 and at most the 30 of --discordant",
		"--detect 0":                 "--detect 0",
		"--detect NaN":               "--detect NaN",
		"--pairs 0":                  "--pairs 0: it must be at least 1",
		"--pairs 5 --discordant 101": "--discordant 101",
		"--pairs 5 --power 100":      "--power 100",
		"--pairs 5 --alpha 1":        "--alpha 1",
		"--pairs 5 more":             `unexpected argument "more"`,
	} {
		stdout, stderr, code := call(t, append([]string{"plan"}, strings.Fields(args)...)...)
		if code != 2 || stdout != "" || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("gavel plan %s: exit status %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
	}
}

// TestCompareMargin: the flags, and what is said of runs that are the same.
func TestCompareMargin(t *testing.T) {
	home(t)
	for _, name := range []string{"a", "b"} {
		mustCall(t, "run", "pairwise", "--backend", "sim", "--model", "accuracy=0.9,seed=1", "--dataset", "sample", "--out", name)
	}
	shows(t, "strict: the same within 10 points\n", "compare", "a", "b", "--margin", "10", "--rounds", "100")
	shows(t, `"verdict": "cannot say" … "changed_with_order": [`, "compare", "a", "b", "--margin", "3", "--json", "--rounds", "100")
	if out := mustCall(t, "compare", "a", "b", "--json", "--rounds", "100"); strings.Contains(out, "within") {
		t.Error(out)
	}
	for args, want := range map[string]string{"--margin 0": "--margin 0: expected points above 0", "--margin -3": "--margin -3", "--margin 3 --csv": "not CSV"} {
		if _, stderr, code := call(t, append([]string{"compare", "a", "b"}, strings.Fields(args)...)...); code != 2 || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit status %d: %s", args, code, stderr)
		}
	}
}
