package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"gavel/internal/report"
	"gavel/internal/server/failure"
	"gavel/internal/server/jobs"
	"gavel/internal/server/markup"
	"gavel/judging"
)

// Runner makes runs. Its methods may be called from many goroutines. An error with a method Status() int is answered
// with that HTTP status; it is in words for whoever asked.
type Runner interface {
	// Offer is what can be chosen from for runs of a protocol, the first where it is "".
	Offer(ctx context.Context, protocol string) (jobs.Offer, error)
	// Plan says what a run would ask, and asks nothing.
	Plan(ctx context.Context, o jobs.JobRequest) (jobs.Planned, error)
	// Start begins to make a run, or to go on with one.
	Start(ctx context.Context, o jobs.JobRequest) (jobs.Job, error)
	// Resume begins to go on with a run of the folder.
	Resume(ctx context.Context, run string) (jobs.Job, error)
	// AskAgain asks the judge of a run for one judgment, and stores nothing.
	AskAgain(ctx context.Context, a judging.Again) (*judging.Record, error)
	// PlanSuite says what a suite would ask, and asks nothing.
	PlanSuite(ctx context.Context, o jobs.JobRequest) (jobs.SuitePlanned, error)
	// StartSuite begins to make the runs of a suite, or to go on with them.
	StartSuite(ctx context.Context, o jobs.JobRequest) (jobs.Job, error)
	// ResumeSuite begins to go on with the suite of a folder, whose file has this text.
	ResumeSuite(ctx context.Context, folder, file string) (jobs.Job, error)
	// Stop ends a job gently: what is in flight is waited for and kept.
	Stop(id string) error
	// Jobs lists what was started, the newest first.
	Jobs() []jobs.Job
	// Describe keeps what people say of a run.
	Describe(run string, said judging.About) error
	// Delete removes a run that nobody is writing to.
	Delete(run string) error
	// DeleteSuite removes a suite with all runs in its folder.
	DeleteSuite(folder string) error
}

// runnerTable are the routes that need a runner. They are there without one too, and say so.
func (s *Server) runnerTable() []route {
	run, suite := deletion{what: "run", name: "name", list: "/", do: s.delete}, deletion{
		what: "suite",
		name: "folder",
		list: "/suites",
		do:   s.deleteSuite,
	}
	routes := []route{
		{pattern: "GET /start", handle: page(s, "start", s.startView)},
		{pattern: "POST /start", handle: s.startForm},
		{pattern: "GET /jobs", handle: page(s, "jobs", s.jobsView)},
		{pattern: "GET /jobs/{job}", handle: page(s, "job", s.jobView)},
		{pattern: "POST /jobs/{job}/stop", handle: s.stopForm},
		{pattern: "POST /runs/{run}/resume", handle: s.resumeForm},
		{pattern: "GET /runs/{run}/ask", handle: page(s, "ask", s.askView)},
		{pattern: "POST /runs/{run}/ask", handle: s.askForm, stream: true},
		{pattern: "GET /runs/{run}/delete", handle: page(s, "delete", s.deleteView)},
		{pattern: "POST /runs/{run}/delete", handle: run.form},
		{pattern: "POST /runs/{run}/about", handle: s.describe},

		{pattern: "POST /suites/{suite}/resume", handle: s.resumeSuite},
		{pattern: "GET /suites/{suite}/delete", handle: page(s, "delete-suite", s.deleteSuiteView)},
		{pattern: "POST /suites/{suite}/delete", handle: suite.form},

		{pattern: "GET /api/v1/offer", handle: data(s.offerData)},
		{pattern: "POST /api/v1/plan", handle: answerTo(s, Runner.Plan)},
		{pattern: "POST /api/v1/start", handle: answerTo(s, Runner.Start)},
		{pattern: "POST /api/v1/suites/plan", handle: answerTo(s, Runner.PlanSuite)},
		{pattern: "POST /api/v1/suites/start", handle: answerTo(s, Runner.StartSuite)},
		{pattern: "POST /api/v1/suites/{suite}/delete", handle: suite.data},
		{pattern: "GET /api/v1/jobs", handle: data(s.jobsView)},
		{pattern: "GET /api/v1/jobs/{job}", handle: data(s.jobView)},
		{pattern: "POST /api/v1/jobs/{job}/stop", handle: s.stopData},
		{pattern: "POST /api/v1/runs/{run}/delete", handle: run.data},
	}
	if s.opts.Runner == nil {
		for i := range routes {
			routes[i].handle = func(http.ResponseWriter, *http.Request) error { return errNoRunner }
		}
	}
	return routes
}

var errNoRunner = failure.New(http.StatusNotImplemented,
	"this server only shows runs: it cannot start, stop or delete them")

// activeJobs are those at work.
func (s *Server) activeJobs() []jobs.Job {
	if s.opts.Runner == nil {
		return nil
	}
	return slices.DeleteFunc(s.opts.Runner.Jobs(), func(j jobs.Job) bool { return !j.Active() })
}

// startView is the form that starts a run, with its plan where there is one.
type startView struct {
	jobs.Offer
	Order jobs.JobRequest
	Plan  *jobs.Planned
	Error string
}

func (s *Server) offerData(r *http.Request) (jobs.Offer, error) {
	return s.opts.Runner.Offer(r.Context(), r.URL.Query().Get("protocol"))
}

func (s *Server) startView(r *http.Request) (startView, error) {
	o, err := s.offerData(r)
	return startView{Offer: o, Order: jobs.JobRequest(r.URL.Query())}, err
}

// startForm plans what a form asks for, or starts it.
func (s *Server) startForm(w http.ResponseWriter, r *http.Request) (err error) {
	run := s.opts.Runner
	request := jobs.JobRequest(r.PostForm)
	action := r.PostForm.Get("action")
	delete(request, "action")
	v, status := startView{Order: request}, http.StatusOK
	switch action {
	case "start":
		var job jobs.Job
		job, err = run.Start(r.Context(), request)
		if err == nil {
			return toJob(w, r, job.ID)
		}
	case "plan":
		var plan jobs.Planned
		plan, err = run.Plan(r.Context(), request)
		if err == nil {
			v.Plan = &plan
		}
	default:
		return failure.Bad("the form's action %q is unknown: use plan or start", markup.Visible(action))
	}
	if err != nil {
		v.Error, status = err.Error(), failure.Status(err)
	}
	v.Offer, err = run.Offer(r.Context(), request.Get("protocol"))
	if err != nil {
		return err
	}
	s.pages.render(w, r, status, "start", v)
	return nil
}

// JobsView lists the jobs.
type JobsView struct {
	Jobs []jobs.Job `json:"jobs"`
}

func (s *Server) jobsView(*http.Request) (JobsView, error) {
	return JobsView{append([]jobs.Job{}, s.opts.Runner.Jobs()...)}, nil
}

// JobView is a job with how far its run is.
type JobView struct {
	Job      jobs.Job  `json:"job"`
	Progress *Progress `json:"progress,omitempty"`
}

func (s *Server) jobView(r *http.Request) (JobView, error) {
	id := r.PathValue("job")
	all := s.opts.Runner.Jobs()
	i := slices.IndexFunc(all, func(j jobs.Job) bool { return j.ID == id })
	if i < 0 {
		return JobView{}, failure.New(http.StatusNotFound, "there is no job %q; "+
			"the server forgets jobs when it ends, but keeps their runs", markup.Shortened(id, 100))
	}
	v := JobView{Job: all[i]}
	if name := v.Job.Run(); name != "" {
		if p, err := s.status(r.Context(), name); err == nil {
			v.Progress = &p
		}
	}
	return v, nil
}

func (s *Server) stopForm(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("job")
	if err := s.opts.Runner.Stop(id); err != nil {
		return err
	}
	return toJob(w, r, id)
}

func toJob(w http.ResponseWriter, r *http.Request, id string) error {
	http.Redirect(w, r, "/jobs/"+escaped(id), http.StatusSeeOther)
	return nil
}

func (s *Server) stopData(w http.ResponseWriter, r *http.Request) error {
	if err := s.opts.Runner.Stop(r.PathValue("job")); err != nil {
		return err
	}
	v, err := s.jobView(r)
	if err != nil {
		return err
	}
	return writeData(w, http.StatusAccepted, v)
}

func (s *Server) deleteView(r *http.Request) (RunHead, error) {
	name := r.PathValue("run")
	m, err := s.runs.Manifest(name)
	if err != nil {
		return RunHead{}, err
	}
	return headOf(name, m), nil
}

func (s *Server) delete(name string) error {
	if _, err := s.runs.Manifest(name); err != nil {
		return err
	}
	if err := s.opts.Runner.Delete(name); err != nil {
		return err
	}
	s.runs.Drop(name)
	return nil
}

// deletion deletes a run or a suite whose name is said once more.
type deletion struct {
	what, name, list string // what it is, how it is named, and where the others are listed
	do               func(name string) error
}

func (d deletion) form(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue(d.what)
	if r.PostForm.Get("confirm") != name {
		return failure.Bad("to delete the %s, confirm it", d.what)
	}
	if err := d.do(name); err != nil {
		return err
	}
	http.Redirect(w, r, d.list, http.StatusSeeOther)
	return nil
}

func (d deletion) data(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue(d.what)
	o, err := readJobRequest(r)
	if err != nil {
		return err
	}
	if o.Get("confirm") != name {
		return failure.Bad("to delete the %s, send {\"confirm\": %s} with its %s", d.what, strings.ToUpper(d.name), d.name)
	}
	if err := d.do(name); err != nil {
		return err
	}
	return writeData(w, http.StatusOK, map[string]string{"deleted": name})
}

// readJobRequest reads what a program asks for: one JSON object, whose values are texts,
// numbers, truth values, or lists of them.
func readJobRequest(r *http.Request) (jobs.JobRequest, error) {
	var values map[string]any
	dec := json.NewDecoder(r.Body)
	dec.UseNumber()
	if err := dec.Decode(&values); err != nil || dec.More() {
		return nil, failure.Bad("expected one JSON object")
	}
	out := jobs.JobRequest{}
	for name, v := range values {
		list, many := v.([]any)
		if !many {
			list = []any{v}
		}
		for _, v := range list {
			switch v.(type) {
			case string, json.Number, bool:
				out[name] = append(out[name], fmt.Sprint(v))
			default:
				return nil, failure.Bad("%q: expected a text, a number, true or false, or a list of them", markup.Visible(name))
			}
		}
	}
	return out, nil
}

func writeData(w http.ResponseWriter, status int, v any) error {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	return report.WriteJSON(w, v)
}

// answerTo answers with what a runner makes of a job request.
func answerTo[V any](
	s *Server, make func(Runner, context.Context, jobs.JobRequest) (V, error),
) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		o, err := readJobRequest(r)
		if err != nil {
			return err
		}
		v, err := make(s.opts.Runner, r.Context(), o)
		if err != nil {
			return err
		}
		status := http.StatusOK
		if job, is := any(v).(jobs.Job); is {
			w.Header().Set("Location", "/api/v1/jobs/"+escaped(job.ID))
			status = http.StatusAccepted
		}
		return writeData(w, status, v)
	}
}
