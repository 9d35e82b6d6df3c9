package eval_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gavel/internal/eval"
	"gavel/judging"
)

// A plan says how long it takes, from earlier runs of the same judge, or that nobody knows and how to find out.
func TestPlanSaysTime(t *testing.T) {
	runs := t.TempDir()
	plan := &eval.RunPlan{Manifest: &judging.Manifest{}, Plan: judging.CallPlan{Judgments: 700}, Request: eval.RunRequest{Endpoint: eval.Endpoint{BaseURLs: []string{"http://gpu:8080"}}}}
	plan.Manifest.Model.Name = "big judge"
	if _, ok := plan.Seconds(); ok || plan.Time() != "unknown: no earlier run of this judge; to measure it, first run it on a few items (--limit 5)" {
		t.Errorf("unmeasured: %q", plan.Time())
	}
	plan.Pace = &eval.JudgmentTime{Seconds: 1.5, Basis: "earlier runs"}
	if s, ok := plan.Seconds(); !ok || s != 1050 || plan.Time() != "about 18 min, by earlier runs" {
		t.Errorf("measured: %q", plan.Time())
	}
	plan.Plan.Cached = 700
	if s, ok := plan.Seconds(); !ok || s != 0 || plan.Time() != "none: no server is asked" {
		t.Errorf("all remembered: %g %q", s, plan.Time())
	}

	maker := newMaker(runs)
	r, _ := read(t, "pairwise --dataset sample --backend sim --model coin --limit 4")
	p, err := maker.Plan(t.Context(), r)
	if err != nil || p.Runs[0].Time() != "none: no server is asked" {
		t.Errorf("simulated: %v", err)
	}
	if p.Runs[0].Rows()[len(p.Runs[0].Rows())-2][0] != "time" {
		t.Errorf("its rows: %v", p.Runs[0].Rows())
	}

	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && r.URL.Path == "/v1/models" {
			fmt.Fprint(w, `{"data":[{"id":"tiny"}]}`)
		} else if r.Method == http.MethodPost && r.URL.Path == "/v1/chat/completions" {
			fmt.Fprint(w, `{"choices":[{"finish_reason":"stop","message":{"content":"[[A>B]]"}}],"usage":{"prompt_tokens":5000,"completion_tokens":5}}`)
		} else {
			http.NotFound(w, r)
		}
	}))
	defer model.Close()
	r, _ = read(t, "pairwise --dataset sample --no-cache --limit 2 --prompt direct --base-url "+model.URL)
	if _, err := maker.Run(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	r.Limit, r.PromptNameOrFile = 3, "sop"
	p, err = maker.Plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := p.Runs[0].Seconds(); !ok || s <= 0 || !strings.Contains(p.Runs[0].Time(), ", by earlier runs, other prompts") {
		t.Errorf("of a judge that was asked before: %s", p.Runs[0].Time())
	}
}
