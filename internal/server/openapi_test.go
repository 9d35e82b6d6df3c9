package server

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"gavel/internal/server/jobs"
)

// answerSchema is the schema of an answer in the description of the API.
func answerSchema(t *testing.T, document, path, method, code string) *jsonschema.Resolved {
	t.Helper()
	var d struct {
		OpenAPI string
		Paths   map[string]map[string]struct {
			Responses map[string]struct {
				Content map[string]struct{ Schema *jsonschema.Schema }
			}
		}
		Components struct{ Schemas map[string]*jsonschema.Schema }
	}
	must(t, json.Unmarshal([]byte(strings.ReplaceAll(document, "#/components/schemas/", "#/$defs/")), &d))
	schema := d.Paths[path][method].Responses[code].Content["application/json"].Schema
	if schema == nil || !strings.HasPrefix(d.OpenAPI, "3.") {
		t.Fatalf("%s %s: no answer %s in the document", method, path, code)
	}
	schema.Defs = d.Components.Schemas
	resolved, err := schema.Resolve(nil)
	must(t, err)
	return resolved
}

// What the server answers is what the document says, to the last key.
func TestOpenAPIHasTheAnswers(t *testing.T) {
	dir := sampleRuns(t)
	g := newGrowing(t, filepath.Join(dir, "growing"))
	g.append(g.lines[:6]...)
	write(t, filepath.Join(dir, "bad", "run.json"), "{")
	shard(t, filepath.Join(dir, "part"), "coin")
	fake := &fakeRunner{jobs: []jobs.Job{{ID: "job1", State: jobs.Running, Runs: []string{"growing"}, Log: []string{"said"}, Request: jobs.JobRequest{"model": {"coin"}}, Started: begun}}}
	s := newSite(t, dir, running(fake))
	document := s.get("/api/v1/openapi.json")
	check := func(method, path, target, body string, status int) {
		t.Helper()
		w := s.ask(strings.ToUpper(method), target, body, asJSON)
		if w.Code != status {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
			return
		}
		code := fmt.Sprint(status)
		if status >= 400 {
			code = "default"
		}
		var v any
		must(t, json.Unmarshal(w.Body.Bytes(), &v))
		if err := answerSchema(t, document, path, method, code).Validate(v); err != nil {
			t.Errorf("%s: %v", target, err)
		}
	}
	get := func(path, target string, status int) { t.Helper(); check("get", path, target, "", status) }
	get("/api/v1/runs", "/api/v1/runs", 200)
	get("/api/v1/runs", "/api/v1/runs?limit=1&offset=1", 200)
	get("/api/v1/runs", "/api/v1/runs?sort=odd", 400)
	for _, run := range []string{"pairs-a", "again", "numbers", "options", "growing", "deep%2Fanswer"} {
		get("/api/v1/runs/{run}", "/api/v1/runs/"+run, 200)
		get("/api/v1/runs/{run}/status", "/api/v1/runs/"+run+"/status", 200)
		get("/api/v1/runs/{run}/items", "/api/v1/runs/"+run+"/items?q=a&page=1", 200)
		var list ItemsView
		s.data("/api/v1/runs/"+run+"/items", &list)
		get("/api/v1/runs/{run}/items/{item}", "/api/v1/runs/"+run+"/items/"+escaped(list.Items[0].ID), 200)
	}
	get("/api/v1/runs/{run}", "/api/v1/runs/none", 404)
	get("/api/v1/compare", "/api/v1/compare?a=pairs-a&b=pairs-b", 200)
	get("/api/v1/compare/item", "/api/v1/compare/item?a=pairs-a&b=pairs-b&item=sample-math-01", 200)
	get("/api/v1/offer", "/api/v1/offer", 200)
	get("/api/v1/jobs", "/api/v1/jobs", 200)
	get("/api/v1/jobs/{job}", "/api/v1/jobs/job1", 200)
	check("post", "/api/v1/plan", "/api/v1/plan", `{"model":"m"}`, 200)
	check("post", "/api/v1/start", "/api/v1/start", `{"model":"m"}`, 202)
	suiteOf(t, dir, "suite")
	write(t, filepath.Join(dir, "torn", "suite.json"), "{")
	s.runs.Forget()
	get("/api/v1/suites", "/api/v1/suites", 200)
	get("/api/v1/suites/{suite}", "/api/v1/suites/suite", 200)
	get("/api/v1/suites/{suite}", "/api/v1/suites/torn", 422)
	check("post", "/api/v1/suites/plan", "/api/v1/suites/plan", `{"file":"limits"}`, 200)
	check("post", "/api/v1/suites/plan", "/api/v1/suites/plan", `{"file":"x"}`, 200)
	check("post", "/api/v1/suites/{suite}/delete", "/api/v1/suites/suite/delete", `{"confirm":"suite"}`, 200)
	check("post", "/api/v1/suites/{suite}/delete", "/api/v1/suites/suite/delete", `{"confirm":"other"}`, 400)
	check("post", "/api/v1/suites/start", "/api/v1/suites/start", `{"file":"x","yes":true}`, 202)
	check("post", "/api/v1/jobs/{job}/stop", "/api/v1/jobs/job1/stop", `{}`, 202)
	check("post", "/api/v1/runs/{run}/delete", "/api/v1/runs/numbers/delete", `{"confirm":"numbers"}`, 200)
	check("post", "/api/v1/runs/{run}/delete", "/api/v1/runs/numbers/delete", `{"confirm":"other"}`, 400)
}
