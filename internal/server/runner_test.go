package server

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"sync"

	"gavel/internal/server/jobs"
	"gavel/judging"
)

// fakeRunner starts what it is told to, and makes nothing.
type fakeRunner struct {
	mu      sync.Mutex
	jobs    []jobs.Job
	deleted []string
	abouts  map[string]judging.RunDescription
	fails   error
	panics  string
}

func (f *fakeRunner) Offer(_ context.Context, protocol string) (jobs.Offer, error) {
	return jobs.Offer{
		Protocol: "pairwise", Protocols: []jobs.NamedAbout{{Name: "pairwise", About: "two responses"}}, Datasets: []jobs.NamedAbout{{Name: "sample", About: "pairs"}},
		Endpoints: []jobs.EndpointOffer{{ID: "sim", About: "simulated", Models: []string{"coin"}}},
		Fields:    []jobs.FormField{{Name: "limit", Label: "Only the first items", About: "only the first", Kind: "number", Part: "what"}, {Name: "constrain", About: "held", Kind: "switch", Part: "how"}, {Name: "think", About: "how", Kind: "choice", Values: []string{"auto", "off"}, Default: "auto", Part: "how"}},
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
	j.State, j.Runs, j.Log, j.Started = jobs.Preparing, []string{}, []string{}, testTime
	f.jobs = append(f.jobs, j)
	return j, nil
}

func (f *fakeRunner) Resume(_ context.Context, run string) (jobs.Job, error) {
	return f.begin(jobs.Job{ID: "job3", ResumedRun: run, Request: jobs.JobRequest{}})
}

func (f *fakeRunner) PlanSuite(_ context.Context, o jobs.JobRequest) (jobs.SuitePlanned, error) {
	p := jobs.SuitePlanned{Suite: "planned", ExceededLimits: []string{}, Plan: map[string]any{"cells": 4}, Notes: []string{"noted"}}
	if strings.Contains(o.Get("file"), "limits") {
		p.ExceededLimits = []string{"9 calls, the limit is 1"}
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

func (f *fakeRunner) Describe(run string, details judging.RunDescription) error {
	f.abouts = map[string]judging.RunDescription{run: details}
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
