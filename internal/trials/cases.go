package trials

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"
)

// RunCases runs the test cases of a file in testdata, as subtests. A case is a paragraph: a line with its name, input
// lines for run, and the lines that run must return, indented. go test -update writes the indented lines. A paragraph
// that begins with "#" is a comment.
func RunCases(t *testing.T, file string, run func(t *testing.T, input []string) (results []string)) {
	raw, err := os.ReadFile(filepath.Join("testdata", file))
	assert.NilError(t, err)
	var written []string
	for paragraph := range strings.SplitSeq(strings.TrimSpace(string(raw)), "\n\n") {
		if strings.HasPrefix(paragraph, "#") {
			written = append(written, paragraph)
			continue
		}
		var lines []string
		for line := range strings.SplitSeq(paragraph, "\n") {
			if !strings.HasPrefix(line, "  ") {
				lines = append(lines, line)
			}
		}
		t.Run(lines[0], func(t *testing.T) {
			for _, result := range run(t, lines[1:]) {
				lines = append(lines, "  "+result)
			}
		})
		written = append(written, strings.Join(lines, "\n"))
	}
	golden.Assert(t, strings.Join(written, "\n\n")+"\n", file)
}

// RemoveEqualMembers removes from object the members that are equal in usual, so that a test shows only differences; a
// member that only usual has is set to null.
func RemoveEqualMembers(usual, object map[string]any) {
	for key, value := range usual {
		if member, ok := object[key]; !ok {
			object[key] = nil
		} else if reflect.DeepEqual(member, value) {
			delete(object, key)
		}
	}
}
