package server

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gavel/internal/server/jobs"
)

type document struct {
	OpenAPI    string
	Paths      map[string]map[string]operation
	Components struct{ Schemas map[string]*schema }
}

type operation struct {
	Parameters []struct {
		Name, In string
		Required bool
	}
	RequestBody *struct {
		Content map[string]struct{ Schema *schema }
	}
	Responses map[string]struct {
		Content map[string]struct{ Schema *schema }
	}
}

type schema struct {
	Ref                  string `json:"$ref"`
	Type                 kinds
	Properties           map[string]*schema
	Required             []string
	AdditionalProperties json.RawMessage
	Items                *schema
	AnyOf                []*schema
}

func (s *schema) UnmarshalJSON(text []byte) error {
	if string(text) == "true" { // anything
		return nil
	}
	type plain schema
	return json.Unmarshal(text, (*plain)(s))
}

// kinds are the types that a schema allows: one, or a list of them.
type kinds []string

func (k *kinds) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*k = kinds{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(k))
}

func readDocument(t *testing.T, s *site) document {
	t.Helper()
	var d document
	s.data("/api/v1/openapi.json", &d)
	return d
}

// The document names every route of the API, with its parameters, and no other.
func TestOpenAPIHasTheRoutes(t *testing.T) {
	s := newSite(t, t.TempDir(), nil)
	d := readDocument(t, s)
	if !strings.HasPrefix(d.OpenAPI, "3.") {
		t.Errorf("version %q", d.OpenAPI)
	}
	var want, got []string
	for _, r := range allRoutes {
		if strings.Contains(r.pattern, " /api/") {
			method, path, _ := strings.Cut(r.pattern, " ")
			want = append(want, strings.ToLower(method)+" "+path)
		}
	}
	for path, operations := range d.Paths {
		for method, op := range operations {
			got = append(got, method+" "+path)
			var inPath []string
			for _, p := range op.Parameters {
				if p.In == "path" {
					inPath = append(inPath, "{"+p.Name+"}")
				}
			}
			for part := range strings.SplitSeq(path, "/") {
				if strings.HasPrefix(part, "{") && !slices.Contains(inPath, part) {
					t.Errorf("%s %s: its parameter %s is not described", method, path, part)
				}
			}
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		t.Errorf("the document has\n%s\nthe server has\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
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
	d := readDocument(t, s)
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
		answer, ok := d.Paths[path][method].Responses[code]
		if !ok {
			t.Errorf("%s: no answer %s in the document", path, code)
			return
		}
		var v any
		must(t, json.Unmarshal(w.Body.Bytes(), &v))
		d.hold(t, target, answer.Content["application/json"].Schema, v)
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

// hold compares a value with its schema.
func (d document) hold(t *testing.T, where string, s *schema, v any) {
	t.Helper()
	if s == nil {
		t.Errorf("%s: no schema", where)
		return
	}
	if s.Ref != "" {
		d.hold(t, where, d.Components.Schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")], v)
		return
	}
	if v == nil {
		nullable := func(s *schema) bool { return slices.Contains(s.Type, "null") }
		if !nullable(s) && !slices.ContainsFunc(s.AnyOf, nullable) {
			t.Errorf("%s: null", where)
		}
		return
	}
	for _, other := range s.AnyOf {
		if other.Ref != "" {
			d.hold(t, where, other, v)
			return
		}
	}
	is := map[string]bool{}
	switch v := v.(type) {
	case string:
		is["string"] = true
	case bool:
		is["boolean"] = true
	case float64:
		is["number"], is["integer"] = true, v == float64(int64(v))
	case []any:
		is["array"] = true
		for i, x := range v {
			d.hold(t, fmt.Sprintf("%s[%d]", where, i), s.Items, x)
		}
	case map[string]any:
		is["object"] = true
		d.holdObject(t, where, s, v)
	}
	if s.Type != nil && !slices.ContainsFunc(s.Type, func(kind string) bool { return is[kind] }) {
		t.Errorf("%s: %.60v is no %s", where, v, s.Type)
	}
}

func (d document) holdObject(t *testing.T, where string, s *schema, v map[string]any) {
	t.Helper()
	for _, key := range s.Required {
		if _, ok := v[key]; !ok {
			t.Errorf("%s: no %q", where, key)
		}
	}
	for key, x := range v {
		known := s.Properties[key]
		switch more := string(s.AdditionalProperties); {
		case known != nil:
			d.hold(t, where+"."+key, known, x)
		case more == "false":
			t.Errorf("%s: %q is not in the document", where, key)
		case more != "":
			extra := new(schema)
			must(t, json.Unmarshal(s.AdditionalProperties, extra))
			d.hold(t, where+"."+key, extra, x)
		}
	}
}
