package cli

import (
	"debug/buildinfo"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/semver"
)

// TestDependencies: docs/dependencies.md has each module of the binary once, and none that is not in it; of those with
// known defects it is a version without, and there is one YAML.
func TestDependencies(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the page is of the binary for Linux")
	}
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := read(t, filepath.Join(sourceDir, "..", "..", "docs", "dependencies.md"))
	now, left, ok := strings.Cut(page, "## What left")
	if !ok {
		t.Fatal("the page does not say what left")
	}
	rows := regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(now, -1)
	var listed, linked, yaml []string
	for _, r := range rows {
		listed = append(listed, r[1])
	}
	least := map[string]string{"golang.org/x/image": "v0.45.0", "go.opentelemetry.io/otel": "v1.44.0", "github.com/buger/jsonparser": "v1.1.2"}
	for _, m := range info.Deps {
		linked = append(linked, m.Path)
		if want := least[m.Path]; want != "" && semver.Compare(m.Version, want) < 0 {
			t.Errorf("%s is %s, which has known defects: take %s or later", m.Path, m.Version, want)
		}
		if strings.Contains(m.Path, "yaml") {
			yaml = append(yaml, m.Path)
		}
		if strings.Contains(left, "`"+m.Path+"`") {
			t.Errorf("%s left, and is in the binary", m.Path)
		}
	}
	slices.Sort(listed)
	slices.Sort(linked)
	for _, m := range linked {
		if !slices.Contains(listed, m) {
			t.Errorf("%s is in the binary: say in docs/dependencies.md why", m)
		}
	}
	for _, m := range listed {
		if !slices.Contains(linked, m) {
			t.Errorf("docs/dependencies.md has %s, which is not in the binary", m)
		}
	}
	if len(listed) != len(slices.Compact(listed)) {
		t.Error("docs/dependencies.md has a module twice")
	}
	if len(yaml) != 1 {
		t.Errorf("there is more than one YAML in the binary: %v", yaml)
	}
}
