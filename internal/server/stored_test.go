package server

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gavel/judging"
	"gavel/scoring"
)

const oldSentence = "calls every answer by its old name"

// The page of a run whose results.json is of an earlier gavel has the words of this one, and the list has its numbers
// before anybody opened the page.
func TestStoredRunsAreToldInTodaysWords(t *testing.T) {
	dir := t.TempDir()
	makePairs(t, "right", dir, "run")
	today := newSite(t, dir, nil).get("/runs/run")
	path := filepath.Join(dir, "run", judging.ResultsFile)
	raw, err := os.ReadFile(path)
	must(t, err)
	results := map[string]any{}
	must(t, json.Unmarshal(raw, &results))
	delete(results, "scoring") // as at 0f9829d
	results["diagnosis"].(map[string]any)["text"] = oldSentence
	results["warnings"] = []string{oldSentence}
	old, err := json.Marshal(results)
	must(t, err)
	write(t, path, string(old))
	s := newSite(t, dir, nil)
	var list runsView
	s.data("/api/v1/runs", &list)
	if len(list.Runs) != 1 || list.Runs[0].Headline == nil || list.Runs[0].Diagnosis.Text == oldSentence {
		t.Errorf("the list of runs has no numbers of it, or its old words: %+v", list.Runs)
	}
	page := s.get("/runs/run")
	if strings.Contains(page, oldSentence) || textOf(parse(t, page)) != textOf(parse(t, today)) {
		t.Error("the page has the words of the gavel that made the run")
	}

	results["scoring"] = scoring.Version
	now, err := json.Marshal(results)
	must(t, err)
	write(t, path, string(now))
	says(t, newSite(t, dir, nil).get("/runs/run"), oldSentence) // read, and not scored again
}

// A run's page says which of its files somebody changed.
func TestRunPageSaysWhatWasAltered(t *testing.T) {
	const warning = "changed after the run wrote it: texts, labels or replies may not be those of the run"
	for _, file := range []string{judging.ItemsFile, judging.RecordsFile} {
		dir := t.TempDir()
		makePairs(t, "right", dir, "run")
		if page := newSite(t, dir, nil).get("/runs/run"); strings.Contains(page, warning) {
			t.Fatal("a run that nobody touched is said to be altered")
		}
		path := filepath.Join(dir, "run", file)
		info, err := os.Stat(path)
		must(t, err)
		raw, err := os.ReadFile(path)
		must(t, err)
		write(t, path, string(bytes.ReplaceAll(raw, []byte("Math"), []byte("Maths"))))
		must(t, os.Chtimes(path, info.ModTime(), info.ModTime())) // as a tool that synchronizes folders does
		says(t, newSite(t, dir, nil).get("/runs/run"), file+" "+warning)
	}
}

// What a repeated run took as it was is said of it from then on.
func TestRunPageSaysWhatOnceWasAltered(t *testing.T) {
	dir := t.TempDir()
	makePairs(t, "right", dir, "run")
	changeManifest(t, dir+"/run", func(m *judging.Manifest) { m.Altered = []string{judging.ItemsFile} })
	must(t, os.Remove(filepath.Join(dir, "run", judging.ResultsFile)))
	says(t, newSite(t, dir, nil).get("/runs/run"), "items.jsonl changed after the run wrote it")
}
