package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/semver"
)

// TestDependencies: docs/dependencies.md has each module of the binary once, and none that is not in it; of those with
// known defects it is a version without.
func TestDependencies(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}} {{.Version}}{{end}}", "gavel/cmd/gavel")
	list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := slices.Compact(slices.Sorted(strings.Lines(string(out))))
	page := read(t, filepath.Join(sourceDir, "..", "..", "docs", "dependencies.md"))
	now, removed, ok := strings.Cut(page, "## What left")
	if !ok {
		t.Fatal("the page does not say what left")
	}
	rows := regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(now, -1)
	var entries, linked []string
	for _, r := range rows {
		entries = append(entries, r[1])
	}
	minimum := map[string]string{"golang.org/x/image": "v0.45.0", "go.opentelemetry.io/otel": "v1.44.0", "github.com/buger/jsonparser": "v1.1.2"}
	for _, line := range modules {
		path, version, _ := strings.Cut(strings.TrimSpace(line), " ")
		if version == "" { // gavel itself
			continue
		}
		linked = append(linked, path)
		if want := minimum[path]; want != "" && semver.Compare(version, want) < 0 {
			t.Errorf("%s is %s, which has known defects: take %s or later", path, version, want)
		}
		if strings.Contains(removed, "`"+path+"`") {
			t.Errorf("%s left, and is in the binary", path)
		}
	}
	slices.Sort(entries)
	slices.Sort(linked)
	for _, m := range linked {
		if !slices.Contains(entries, m) {
			t.Errorf("%s is in the binary: say in docs/dependencies.md why", m)
		}
	}
	for _, m := range entries {
		if !slices.Contains(linked, m) {
			t.Errorf("docs/dependencies.md has %s, which is not in the binary", m)
		}
	}
	if len(entries) != len(slices.Compact(entries)) {
		t.Error("docs/dependencies.md has a module twice")
	}
}
