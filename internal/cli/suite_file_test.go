package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

const suiteHead = "judges:\n- {model: coin, backend: sim}\nconditions:\n"

// TestSuiteErrors: what cannot be is said with file and line, and what to try. testdata/suite-errors.txtar has the
// suites, each under its error; here are those that are long.
func TestSuiteErrors(t *testing.T) {
	home(t)
	cases := txtar.Parse([]byte(read(t, filepath.Join(sourceDir, "testdata/suite-errors.txtar")))).Files
	for _, tt := range append(cases, []txtar.File{
		{Name: "s.yaml: is not UTF-8", Data: []byte("name: \xff\n")},
		{Name: "s.yaml:1004: the matrix has more than 2000 cells", Data: []byte("defaults: {dataset: sample}\njudges:\n" + repeated(1001, "- {model: coin, backend: sim, name: j%d}\n") + "conditions: [{protocol: [pairwise, reversed]}]\n")},
		{Name: "s.yaml:2: this list has 2001 entries, and may have 2000", Data: []byte("judges:\n" + repeated(2001, "- {model: m%d}\n"))},
		{Name: "s.yaml:4: the matrix has more than 2000 cells", Data: []byte(suiteHead + "- {protocol: pairwise, dataset: sample, seed: [" + repeated(101, "1%d, ") + "], limit: [" + repeated(101, "1%d, ") + "]}\n")},
		{Name: "the settings of all cells have more than 16777216 bytes together", Data: []byte("judges:\n- {name: j, backend: sim, model: &m " + strings.Repeat("x", 1<<19) + "}\n" + repeated(40, "- {name: j%d, backend: sim, model: *m}\n") + "conditions: [{protocol: pairwise, dataset: sample}]\n")},
		{Name: "s.yaml:6: this list has 2001 entries", Data: []byte(suiteHead + "- protocol: pairwise\n  dataset: sample\n  seed: [" + repeated(2001, "%d, ") + "]\n")},
		{Name: "s.yaml:6: this list has 2001 entries", Data: []byte(suiteHead + "- protocol: pairwise\n  dataset: sample\n  group: [[a], [" + repeated(2001, "%d, ") + "]]\n")},
		{Name: "the settings of all cells have more than 16777216 bytes together", Data: []byte(suiteHead + "- {name: c, protocol: pairwise, dataset: sample, group: &g " + strings.Repeat("x", 1<<19) + "}\n" + repeated(40, "- {name: c%[1]d, protocol: pairwise, dataset: sample, seed: %[1]d, group: *g}\n"))},
		{Name: "s.yaml: has more than 1048576 bytes", Data: []byte("# " + strings.Repeat("x", 1<<20))},
	}...) {
		write(t, "s.yaml", string(tt.Data))
		stderr := ends(t, exitUsage, tt.Name, "suite", "plan", "s.yaml")
		if !strings.HasPrefix(stderr, "gavel: s.yaml:") || strings.Count(stderr, "\n") != 1 {
			t.Errorf("not one line of the file: %s", stderr)
		}
	}
	ends(t, exitError, "gone.yaml", "suite", "run", "gone.yaml")
	if done("runs") {
		t.Error("a file that cannot be left a folder")
	}
}

// repeated is a line once for each number.
func repeated(n int, line string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, line, i)
	}
	return b.String()
}
