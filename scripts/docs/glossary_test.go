package main

import (
	"os"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/judging"
	"gavel/scoring"
)

// TestGlossaryIsCurrent compares docs/glossary.md with the protocols' terms; scripts/docs.sh writes it.
func TestGlossaryIsCurrent(t *testing.T) {
	page, err := os.ReadFile(root + "/docs/glossary.md")
	assert.NilError(t, err)
	copied := t.TempDir()
	assert.NilError(t, os.CopyFS(copied+"/docs", os.DirFS(root+"/docs")))
	assert.NilError(t, writeGlossary(copied))
	now, err := os.ReadFile(copied + "/docs/glossary.md")
	if err != nil || string(now) != string(page) {
		t.Error("docs/glossary.md is not current: scripts/docs.sh")
	}
	for _, p := range judging.Protocols() {
		for _, term := range scoring.MetricsOf(p.Name) {
			if term.Plain == "" || term.Source == "" {
				t.Errorf("%s: %s has no plain words, or no source", p.Name, term.Metric)
			}
			if !strings.Contains(string(page), "`"+term.Metric+"`") {
				t.Errorf("%s: %s is not in docs/glossary.md", p.Name, term.Metric)
			}
		}
	}
}
