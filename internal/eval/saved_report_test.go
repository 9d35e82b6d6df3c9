package eval

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"gavel/internal/disk"
	"gavel/judging"
	"gavel/protocols/pairwise"
	"gavel/scoring"
)

// TestFinishedRunIsNotReadAgain: the same command takes what a complete run came to as it kept it, and reads the
// records where anything of the run is not as it was. Which of the two it did is told by a mark in what was saved.
func TestFinishedRunIsNotReadAgain(t *testing.T) {
	const mark = "kept"
	edit := func(name string, change func(string) string) func(dir string) {
		return func(dir string) {
			path := filepath.Join(dir, name)
			b, err := os.ReadFile(path)
			assert.NilError(t, err)
			assert.NilError(t, os.WriteFile(path, []byte(change(string(b))), 0o644))
		}
	}
	replaced := func(old, replacement string) func(string) string {
		return func(s string) string {
			assert.Assert(t, strings.Contains(s, old), "%s has no %s", s[:min(len(s), 200)], old)
			return strings.Replace(s, old, replacement, 1)
		}
	}
	for _, tc := range []struct {
		name    string
		more    map[string][]string // in the second request
		judge   string              // its name there
		between func(dir string)
		saved   bool
	}{
		{name: "the same", saved: true},
		{name: "another time limit", more: map[string][]string{"timeout": {"3m"}}, saved: true},
		{name: "a record is gone", between: edit(judging.RecordsFile, func(s string) string { return s[strings.Index(s, "\n")+1:] })},
		{name: "an item is changed", between: edit(judging.ItemsFile, func(s string) string { return s + "\n" })},
		{name: "no results", between: func(dir string) { assert.NilError(t, os.Remove(filepath.Join(dir, judging.ResultsFile))) }},
		{name: "another version scored it", between: edit(reportFile, replaced(`"scoring": `, `"scoring": 1`))},
		{name: "damaged", between: edit(reportFile, func(s string) string { return s[1:] })},
		{name: "another name", judge: "Ann"},
		{name: "ask again", more: map[string][]string{"ask-again": {"true"}}},
		{name: "a rule", more: map[string][]string{"until": {"strict>=20"}}},
		{name: "not complete", between: edit(judging.ManifestFile, replaced(`"complete"`, `"incomplete"`))},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			maker := &Maker{Getenv: os.Getenv, Now: time.Now, Version: "test"}
			run := func(more map[string][]string, judge string) scoring.Report {
				fields := map[string][]string{"backend": {"sim"}, "model": {"accuracy=0.9"}, "dataset": {"sample"}, "out": {dir}}
				for name, values := range more {
					fields[name] = values
				}
				r, err := ParseRequest(pairwise.Protocol, fields)
				assert.NilError(t, err)
				r.JudgeName = judge
				reports, err := maker.Run(context.Background(), r)
				assert.NilError(t, err)
				return reports[0]
			}
			first := run(nil, "")
			edit(reportFile, replaced(`"says": "`, `"says": "`+mark))(dir)
			if tc.between != nil {
				tc.between(dir)
			}
			second := run(tc.more, tc.judge)
			text, ok := strings.CutPrefix(second.Says, mark)
			if ok != tc.saved {
				t.Errorf("the report says %q", second.Says)
			}
			if second.Says = text; tc.saved {
				a, _ := json.Marshal(first)
				b, _ := json.Marshal(second)
				assert.Equal(t, string(a), string(b))
			}
		})
	}
}

// TestUnservedRunIsReadAgain: of a run with verdicts that the server did not give nothing is saved.
func TestUnservedRunIsReadAgain(t *testing.T) {
	dir := t.TempDir()
	m := judging.NewManifest("test", judging.Spec{Protocol: pairwise.Protocol.Name})
	m.Status = judging.Complete
	assert.NilError(t, judging.WriteJSON(filepath.Join(dir, judging.ManifestFile), m))
	p := &runState{out: dir, job: &judging.RunJob{Manifest: m}}
	var there []bool
	for _, refused := range []int{0, 1} {
		p.saveReport(&scoring.Run{Unserved: judging.Unserved{Refused: refused}}, &scoring.Report{})
		there = append(there, disk.Exists(filepath.Join(dir, reportFile)))
	}
	if !slices.Equal(there, []bool{true, false}) {
		t.Errorf("kept: %v", there)
	}
}
