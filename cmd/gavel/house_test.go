package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mayImport says who may import whom: data flows one way.
var mayImport = map[string][]string{
	"datasets/rows":           nil,
	"datasets":                {"datasets/rows"},
	"backends":                nil,
	"cache":                   {"backends"},
	"judging":                 {"datasets", "datasets/rows", "backends"},
	"scoring/stats":           nil,
	"scoring":                 {"judging", "scoring/stats"},
	"report/table":            {"scoring"},
	"report/figure":           {"scoring", "report/table"},
	"report":                  {"scoring", "report/table", "report/figure"},
	"protocols/imports":       {"judging", "datasets", "datasets/rows"},
	"protocols/answer":        {"judging", "scoring", "report", "report/table", "report/figure", "protocols/imports", "datasets", "backends"},
	"protocols/pairwise":      {"judging", "scoring", "report", "report/table", "report/figure", "protocols/imports", "protocols/answer", "datasets", "backends"},
	"protocols/selfreference": {"judging", "scoring", "report", "report/table", "report/figure", "protocols/answer", "datasets", "backends"},
	"protocols/multioption":   {"judging", "scoring", "report", "report/table", "report/figure", "datasets", "backends"},
	"protocols":               {"judging", "scoring", "report", "protocols/answer", "protocols/pairwise", "protocols/selfreference", "protocols/multioption"},
	"eval":                    {"protocols", "protocols/answer", "judging", "scoring", "cache", "backends", "datasets"},
	"suite":                   {"eval", "report", "report/table", "scoring", "judging"},
	"bundle":                  {"eval", "cache", "judging", "datasets", "scoring"},
	"doctor":                  {"backends", "judging", "report/table"},
	"server/jobs":             {"eval", "suite", "report/table", "scoring", "judging", "datasets", "backends"},
	"server":                  {"server/jobs", "protocols", "judging", "scoring", "report", "report/table", "datasets"},
	"cmd/gavel": {"eval", "suite", "bundle", "doctor", "server", "server/jobs", "datasets", "backends", "cache", "judging", "scoring", "scoring/stats", "report", "report/table",
		"protocols/imports", "protocols/answer", "protocols/pairwise", "protocols/selfreference", "protocols/multioption"},
}

// TestImports compares the import lines with the table.
func TestImports(t *testing.T) {
	root := filepath.Join(sourceDir, "..", "..")
	for pkg, allowed := range mayImport {
		files, err := filepath.Glob(filepath.Join(root, pkg, "*.go"))
		if err != nil || len(files) == 0 {
			t.Errorf("%s: no files (%v)", pkg, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, spec := range parsed.Imports {
				path, _ := strconv.Unquote(spec.Path.Value)
				if ours, ok := strings.CutPrefix(path, "gavel/"); ok && !slices.Contains(allowed, ours) {
					t.Errorf("%s/%s imports %s: the flow is one way, see CONTRIBUTING.md", pkg, filepath.Base(file), ours)
				}
				if path == "os" && slices.Contains([]string{"scoring/stats", "report/table", "report/figure", "report"}, pkg) {
					t.Errorf("%s/%s imports os", pkg, filepath.Base(file))
				}
			}
		}
	}
	for _, dir := range []string{"datasets", "backends", "cache", "judging", "protocols", "scoring", "report", "eval", "suite", "bundle", "server"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text := read(t, path)
			for _, word := range []string{"os.Getenv", "os.Exit(", "time.Now()", "log."} {
				if strings.Contains(text, word) && !allowedUse(path, word) {
					t.Errorf("%s: %s belongs to cmd/gavel", path, word)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// allowedUse: backends and cache take the time that a call took; judging's clock
// has a default; net/http takes a logger, through which server hands on.
func allowedUse(path, word string) bool {
	dir := filepath.Base(filepath.Dir(path))
	return word == "time.Now()" && (dir == "backends" || dir == "cache") || word == "log." && filepath.Base(path) == "listen.go" && dir == "server"
}
