package jobs

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"gavel/datasets"
	"gavel/judging"
)

// The judge of a run is sent an edited prompt, once, with the run's parameters; nothing of it is stored.
func TestAskAgain(t *testing.T) {
	var asked atomic.Int64
	var last atomic.Value
	model := newModel(t, func(r *http.Request) {
		if r.Method == http.MethodPost {
			body, _ := io.ReadAll(r.Body)
			asked.Add(1)
			last.Store(string(body))
		}
	})
	r := newRunner(t, Options{BaseURLs: []string{model.URL}})
	order := JobRequest{"protocol": {"pairwise"}, "endpoint": {model.URL}, "model": {"tiny"}, "dataset": {"sample"}, "limit": {"1"}, "max-tokens": {"77"}}
	if _, err := r.Start(t.Context(), order); err != nil {
		t.Fatal(err)
	}
	within(t, "the run", r.Wait)
	dir := filepath.Join("runs", filepath.FromSlash(r.Jobs()[0].Run()))
	a := againOf(t, dir, "Say [[A>B]]")
	before, begun := files(t, "."), asked.Load()
	rec, err := r.AskAgain(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	if sent := last.Load().(string); asked.Load() != begun+1 || !strings.Contains(sent, "Say [[A\\u003eB]]") && !strings.Contains(sent, "Say [[A>B]]") || !strings.Contains(sent, "77") {
		t.Errorf("%d requests, the last: %s", asked.Load()-begun, sent)
	}
	if rec.Outcome != judging.Decided || rec.Presentation != a.Shown.Index {
		t.Errorf("record %+v", rec)
	}
	if after := files(t, "."); after != before {
		t.Errorf("files before:\n%s\nand after:\n%s", before, after)
	}

	for range askAtOnce {
		r.asks <- struct{}{}
	}
	refused := func(when string, status int, say string) {
		t.Helper()
		var at *RequestError
		if _, err := r.AskAgain(t.Context(), a); !errors.As(err, &at) || at.Status() != status || !strings.Contains(err.Error(), say) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", when, err)
		}
	}
	refused("too many", http.StatusConflict, "2 judgments are being asked for already")
	<-r.asks
	m := *a.Manifest
	m.Imported = "replies.jsonl"
	whole := a.Manifest
	a.Manifest = &m
	refused("imported", http.StatusConflict, "imported")
	m.Imported, m.Spec.Model.Identity = "", "another"
	refused("another model", http.StatusBadGateway, "now serves another model")
	a.Manifest = whole
	model.Close()
	refused("a dead server", http.StatusBadGateway, "no server answers at "+model.URL)
}

// againOf is the first judgment of a run, with a prompt of its own.
func againOf(t *testing.T, dir, user string) judging.Again {
	t.Helper()
	m, err := judging.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	asker, err := judging.AskerOf(m)
	if err != nil {
		t.Fatal(err)
	}
	line, err := os.ReadFile(filepath.Join(dir, judging.ItemsFile))
	if err != nil {
		t.Fatal(err)
	}
	var item datasets.Item
	if item, err = judging.ItemOf(m, bytes.TrimSpace(line)); err != nil {
		t.Fatal(err)
	}
	return judging.Again{Manifest: m, Asker: judging.Edited(asker, "", user), Item: item, Shown: asker.Presentations(item)[1]}
}

// files lists what is in a folder, with sizes.
func files(t *testing.T, dir string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			out.WriteString(path + " " + info.ModTime().String() + "\n")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}
