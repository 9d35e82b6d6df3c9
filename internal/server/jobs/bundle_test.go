package jobs

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gavel/internal/carry/bundle"
	"gavel/internal/eval"
	"gavel/judging"
)

// What is handed out is the file that gavel bundle export writes, replies included.
func TestBundle(t *testing.T) {
	model := newModel(t, func(*http.Request) {})
	r := newRunner(t, Options{BaseURLs: []string{model.URL}})
	if _, err := r.Start(t.Context(), JobRequest{"protocol": {"pairwise"}, "endpoint": {model.URL}, "model": {"tiny"}, "dataset": {"sample"}, "limit": {"2"}}); err != nil {
		t.Fatal(err)
	}
	within(t, "the run", r.Wait)
	name := r.Jobs()[0].Run()
	dir := filepath.Join("runs", filepath.FromSlash(name))
	var got bytes.Buffer
	if err := r.Bundle(t.Context(), []string{name}, &got); err != nil {
		t.Fatal(err)
	}
	index, err := bundle.Export(t.Context(), r.within(eval.Quiet{}, nil), bundle.ExportRequest{Runs: []string{dir}, Out: "runs.tar"})
	if err != nil || index.Replies != 4 {
		t.Fatalf("%+v %v", index, err)
	}
	if want, err := os.ReadFile("runs.tar"); err != nil || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("%d bytes, gavel bundle export has %d: %v", got.Len(), len(want), err)
	}
	if _, err := bundle.Verify("runs.tar"); err != nil {
		t.Error(err)
	}
	refused := func(when, say string) {
		t.Helper()
		var none bytes.Buffer
		var at *RequestError
		if err := r.Bundle(t.Context(), []string{name}, &none); !errors.As(err, &at) || at.Status() != http.StatusConflict || !strings.Contains(err.Error(), say) || none.Len() > 0 {
			t.Errorf("%s: %v, %d bytes", when, err, none.Len())
		}
	}
	r.bundling <- struct{}{}
	refused("beside another", "another bundle is being made")
	<-r.bundling
	m, err := judging.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	m.Status = judging.Running
	if err := judging.WriteJSON(filepath.Join(dir, judging.ManifestFile), m); err != nil {
		t.Fatal(err)
	}
	refused("of a run that is being made", "is still in progress")
}

// TestBundleStaysInside: nothing but plain files of the folder of runs is bundled, and none is waited for.
func TestBundleStaysInside(t *testing.T) {
	r := newRunner(t, Options{NoCache: true})
	_, err := r.Start(t.Context(), JobRequest{"protocol": {"pairwise"}, "endpoint": {"sim"}, "model": {"coin"}, "dataset": {"sample"}, "limit": {"2"}})
	ok(t, err, os.WriteFile("secret", []byte("{}"), 0o600))
	within(t, "the run", r.Wait)
	run := r.Jobs()[0].Run()
	refused := func(what string) {
		t.Helper()
		var got bytes.Buffer
		within(t, what, func() { err = r.Bundle(t.Context(), []string{run}, &got) })
		var at *RequestError
		if !errors.As(err, &at) || got.Len() > 0 {
			t.Errorf("%s: %v, %d bytes", what, err, got.Len())
		}
	}
	for _, file := range []string{judging.AboutFile, judging.ResultsFile, judging.ItemsFile, judging.RecordsFile, judging.ManifestFile} {
		at := filepath.Join("runs", filepath.FromSlash(run), file)
		if err := os.Rename(at, "kept"); err != nil && file != judging.AboutFile {
			t.Fatal(err)
		}
		for _, to := range []string{"../../kept", "../../secret", "/dev/zero"} {
			if err := os.Symlink(to, at); err != nil {
				t.Skip(err)
			}
			refused(file + " that leads to " + to)
			ok(t, os.Remove(at))
		}
		ok(t, os.Mkdir(at, 0o755))
		refused(file + " that is a folder")
		ok(t, os.Remove(at))
		os.Rename("kept", at)
	}
	var got bytes.Buffer
	if err := r.Bundle(t.Context(), []string{run}, &got); err != nil || got.Len() == 0 {
		t.Errorf("as it was: %v", err)
	}
}
