// Package licences tests that a release includes the licences of all its components.
package licences

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

func TestPackagesHaveTheLicencesOfTheirModules(t *testing.T) {
	out, err := exec.Command("bash", "../release.sh", "licences").Output()
	if errors.Is(err, exec.ErrNotFound) || runtime.GOOS != "linux" {
		t.Skip("releases are made on Linux")
	}
	if n := bytes.Count(out, []byte("\n"+strings.Repeat("=", 78)+"\n")); err != nil || n < 30 {
		t.Errorf("the licences of %d modules: %v", n, err)
	}
	if bytes.Contains(out, []byte("GNU GENERAL PUBLIC LICENSE\n")) {
		t.Error("the GPL is among the licences")
	}
}

func TestEveryKindOfPackageHasThem(t *testing.T) {
	const file = "dist-files/THIRD_PARTY_LICENSES"
	var release struct {
		Archives []struct{ Files []any }
		NFPMs    []struct{ Contents []struct{ Src string } } `yaml:"nfpms"`
		Dockers  []struct {
			Files []string `yaml:"extra_files"`
		} `yaml:"dockers_v2"`
	}
	if err := yaml.Unmarshal([]byte(source(t, ".goreleaser.yaml")), &release); err != nil {
		t.Fatal(err)
	}
	packed := func(kind string, files []string) {
		for _, want := range []string{"NOTICE", file} {
			has := false
			for _, pattern := range files {
				matches, err := filepath.Match(pattern, want)
				has = has || matches && err == nil
			}
			if !has {
				t.Errorf("%s: no %s", kind, want)
			}
		}
	}
	for _, a := range release.Archives {
		var files []string
		for _, f := range a.Files {
			if fields, ok := f.(map[string]any); ok {
				f = fields["src"]
			}
			files = append(files, f.(string))
		}
		packed("archive", files)
	}
	for _, p := range release.NFPMs {
		var files []string
		for _, c := range p.Contents {
			files = append(files, c.Src)
		}
		packed("deb and rpm", files)
	}
	for _, d := range release.Dockers {
		packed("image", d.Files)
	}
	if len(release.Archives)*len(release.NFPMs)*len(release.Dockers) != 1 {
		t.Error("another kind of package: hold it to its licences, too")
	}
	if !strings.Contains(source(t, "scripts/packaging/Dockerfile"), "COPY LICENSE NOTICE "+file) {
		t.Error("the image does not copy them")
	}
	if !strings.Contains(source(t, "scripts/release.sh"), "licences >"+file) {
		t.Error("nothing writes them")
	}
}

func source(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
