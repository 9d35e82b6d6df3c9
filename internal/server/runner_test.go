package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"gavel/internal/server/jobs"
	"gavel/judging"
)

// fakeRunner starts what it is told to, and makes nothing.
type fakeRunner struct {
	mu      sync.Mutex
	jobs    []jobs.Job
	deleted []string
	said    map[string]judging.About
	fails   error
	panics  string
}

func (f *fakeRunner) Offer(_ context.Context, protocol string) (jobs.Offer, error) {
	return jobs.Offer{
		Protocol: "pairwise", Protocols: []jobs.NamedAbout{{Name: "pairwise", About: "two responses"}}, Datasets: []jobs.NamedAbout{{Name: "sample", About: "pairs"}},
		Endpoints: []jobs.EndpointOffer{{ID: "sim", About: "simulated", Models: []string{"coin"}}},
		Fields:    []jobs.Field{{Name: "limit", Label: "Only the first items", About: "only the first", Kind: "number", Part: "what"}, {Name: "constrain", About: "held", Kind: "switch", Part: "how"}, {Name: "think", About: "how", Kind: "choice", Values: []string{"auto", "off"}, Default: "auto", Part: "how"}},
	}, f.fails
}

func (f *fakeRunner) Plan(_ context.Context, o jobs.JobRequest) (jobs.Planned, error) {
	return jobs.Planned{Stages: []jobs.PlannedStage{{Run: "planned-" + o.Get("model"), Rows: []jobs.PlanRow{{Name: "judgments", Value: "10"}}, Numbers: map[string]int{"judgments": 10, "calls": 7, "cached": 3}, Seconds: new(120.0), Time: "about 2 min, by earlier runs", Messages: []jobs.PlanMessage{{Role: "user", Text: "which?"}}}}}, f.fails
}

func (f *fakeRunner) Start(_ context.Context, o jobs.JobRequest) (jobs.Job, error) {
	return f.begin(jobs.Job{ID: "job1", Request: o})
}

func (f *fakeRunner) begin(j jobs.Job) (jobs.Job, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fails != nil {
		return jobs.Job{}, f.fails
	}
	j.State, j.Runs, j.Log, j.Started = jobs.Preparing, []string{}, []string{}, begun
	f.jobs = append(f.jobs, j)
	return j, nil
}

func (f *fakeRunner) Resume(_ context.Context, run string) (jobs.Job, error) {
	return f.begin(jobs.Job{ID: "job3", Resumes: run, Request: jobs.JobRequest{}})
}

func (f *fakeRunner) PlanSuite(_ context.Context, o jobs.JobRequest) (jobs.SuitePlanned, error) {
	p := jobs.SuitePlanned{Suite: "planned", Above: []string{}, Plan: map[string]any{"cells": 4}, Notes: []string{"noted"}}
	if strings.Contains(o.Get("file"), "limits") {
		p.Above = []string{"9 calls, the limit is 1"}
	}
	return p, f.fails
}

func (f *fakeRunner) StartSuite(_ context.Context, o jobs.JobRequest) (jobs.Job, error) {
	return f.begin(jobs.Job{ID: "job2", Suite: "planned", Request: o})
}

func (f *fakeRunner) ResumeSuite(ctx context.Context, folder, file string) (jobs.Job, error) {
	return f.StartSuite(ctx, jobs.JobRequest{"folder": {folder}, "file": {file}})
}

func (f *fakeRunner) Stop(id string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.jobs {
		if f.jobs[i].ID == id {
			f.jobs[i].State = jobs.Stopping
		}
	}
	return f.fails
}

func (f *fakeRunner) Jobs() []jobs.Job {
	if f.panics != "" {
		panic(f.panics)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.jobs)
}

func (f *fakeRunner) DeleteSuite(folder string) error {
	f.deleted = append(f.deleted, "suite "+folder)
	return f.fails
}

func (f *fakeRunner) Describe(run string, said judging.About) error {
	f.said = map[string]judging.About{run: said}
	return f.fails
}

func (f *fakeRunner) Delete(run string) error {
	f.deleted = append(f.deleted, run)
	return f.fails
}

// running are the options of a server that makes runs.
func running(r RunMaker) func(*Options) { return func(o *Options) { o.Runner = r } }

func (s *site) post(target string, form url.Values) (code int, page, to string) {
	s.t.Helper()
	w := s.ask("POST", target, form.Encode(), asForm)
	return w.Code, w.Body.String(), w.Header().Get("Location")
}

func TestStartForm(t *testing.T) {
	fake := &fakeRunner{}
	s := newSite(t, t.TempDir(), running(fake))
	if page := s.get("/start"); strings.Contains(page, `id="action-start"`) {
		t.Error("it can be started before it is planned")
	}
	form := url.Values{"protocol": {"pairwise"}, "endpoint": {"sim"}, "model": {"coin"}, "dataset": {"sample"}, "limit": {"5"}, "constrain": {"true"}, "action": {"plan"}}
	code, page, _ := s.post("/start", form)
	says(t, page, "This takes 7 calls, about 2 min.", "Nothing has been asked yet", "planned-coin", "judgments 10", "Start", "7 calls, 3 from the cache · time about 2 min, by earlier runs", "Only the first items --limit")
	if code != 200 || len(fake.jobs) != 0 {
		t.Errorf("planning: %d, %d jobs", code, len(fake.jobs))
	}
	if got := attr(byID(t, page, "limit"), "value"); got != "5" {
		t.Errorf("the form forgot its limit: %q", got)
	}
	checked := false
	for _, a := range byID(t, page, "constrain").Attr {
		checked = checked || a.Key == "checked"
	}
	if !checked {
		t.Error("the form forgot its switch")
	}
	form.Set("action", "start")
	if code, _, to := s.post("/start", form); code != 303 || to != "/jobs/job1" || fake.jobs[0].Request.Get("limit") != "5" {
		t.Errorf("starting: %d to %q, order %v", code, to, fake.jobs)
	}
	says(t, s.get("/"), "coin on sample: preparing")
	says(t, s.get("/jobs/job1"), "The run is being prepared", "preparing")
	if code, _, to := s.post("/jobs/job1/stop", url.Values{}); code != 303 || to != "/jobs/job1" || fake.jobs[0].State != jobs.Stopping {
		t.Errorf("stopping: %d to %q", code, to)
	}
	fake.fails = errors.New("the disk is full")
	if code, page, _ := s.post("/start", form); code != 500 {
		t.Errorf("a failure: %d %s", code, page)
	}
}

func TestDeleteNeedsConfirmation(t *testing.T) {
	dir := t.TempDir()
	makePairs(t, "coin", dir, "a")
	fake := &fakeRunner{}
	s := newSite(t, dir, running(fake))
	says(t, s.get("/runs/a"), "Delete this run")
	if code, _, _ := s.post("/runs/a/delete", url.Values{"confirm": {"b"}}); code != 400 || len(fake.deleted) != 0 {
		t.Errorf("without: %d, deleted %v", code, fake.deleted)
	}
	if code, _, to := s.post("/runs/a/delete", url.Values{"confirm": {"a"}}); code != 303 || to != "/runs" || len(fake.deleted) != 1 {
		t.Errorf("with: %d, deleted %v", code, fake.deleted)
	}
	if code, _, _ := s.post("/runs/none/delete", url.Values{"confirm": {"none"}}); code != 404 {
		t.Errorf("of no run: %d", code)
	}
}

func TestWithoutARunnerRunsAreOnlyShown(t *testing.T) {
	s := newSite(t, t.TempDir(), nil)
	s.answers(501, "/start", "/jobs", "/api/v1/offer", "/api/v1/jobs")
	if page := s.get("/"); strings.Contains(page, `href="/start"`) {
		t.Error("the page offers to start a run")
	}
}

func TestOrders(t *testing.T) {
	fake := &fakeRunner{}
	s := newSite(t, t.TempDir(), running(fake))
	post := func(body string) (int, string) {
		w := s.ask("POST", "/api/v1/start", body, asJSON)
		return w.Code, w.Body.String()
	}
	if code, text := post(`{"model":"m","limit":5,"constrain":true,"group":["a","b"]}`); code != 202 {
		t.Fatalf("%d %s", code, text)
	}
	got, _ := json.Marshal(fake.jobs[0].Request)
	if want := `{"constrain":["true"],"group":["a","b"],"limit":["5"],"model":["m"]}`; string(got) != want {
		t.Errorf("order %s, want %s", got, want)
	}
	for _, bad := range []string{"", "[]", "null x", `{"a":{"b":1}}`, `{"a":null}`, `{"a":[[1]]}`, `{} {}`} {
		if code, _ := post(bad); code != 400 {
			t.Errorf("%s: %d", bad, code)
		}
	}
}
