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

// Cases runs the cases of a file in testdata. A case is a paragraph: a line with its name, lines that are passed to
// run, and, indented, the lines that run must return. go test -update writes these. A paragraph that begins with "#" is
// a comment.
func Cases(t *testing.T, file string, run func(t *testing.T, given []string) (results []string)) {
	raw, err := os.ReadFile(filepath.Join("testdata", file))
	assert.NilError(t, err)
	var written []string
	for paragraph := range strings.SplitSeq(strings.TrimSpace(string(raw)), "\n\n") {
		if strings.HasPrefix(paragraph, "#") {
			written = append(written, paragraph)
			continue
		}
		var given []string
		for line := range strings.SplitSeq(paragraph, "\n") {
			if !strings.HasPrefix(line, "  ") {
				given = append(given, line)
			}
		}
		t.Run(given[0], func(t *testing.T) {
			for _, result := range run(t, given[1:]) {
				given = append(given, "  "+result)
			}
		})
		written = append(written, strings.Join(given, "\n"))
	}
	golden.Assert(t, strings.Join(written, "\n\n")+"\n", file)
}

// TakeUsual removes the members of a JSON object that are as in usual; a member that only usual has becomes null.
func TakeUsual(usual, object map[string]any) {
	for key, value := range usual {
		if is, told := object[key]; !told {
			object[key] = nil
		} else if reflect.DeepEqual(is, value) {
			delete(object, key)
		}
	}
}
