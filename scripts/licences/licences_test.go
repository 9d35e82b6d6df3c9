package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

func TestPackagesHaveTheLicencesOfTheirModules(t *testing.T) {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	modules, err := linked()
	if err != nil {
		t.Fatal(err)
	}
	if len(modules) < 30 {
		t.Errorf("%d modules", len(modules))
	}
	for _, m := range modules {
		if !strings.Contains(b.String(), "\n"+m.name+"\n") {
			t.Errorf("%s is linked, and its licence is not there", m.name)
		}
	}
	if strings.Contains(b.String(), "GNU GENERAL PUBLIC LICENSE\n") {
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
			if of, is := f.(map[string]any); is {
				f = of["src"]
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
	if !strings.Contains(source(t, "scripts/release.sh"), "go run ./scripts/licences >"+file) {
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
