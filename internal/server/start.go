package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"gavel/internal/phrases"
	"gavel/internal/report/table"
	"gavel/internal/server/failure"
	"gavel/internal/server/jobs"
	"gavel/internal/server/markup"
)

// startView holds the form that starts a run, with the values that a person has chosen, and the plan of the run if they
// asked for one.
type startView struct {
	jobs.Offer
	Order jobs.JobRequest // values of the form's fields
	Plan  *jobs.Planned   // nil before the person asks for a plan
	Error string          // why the run cannot be planned or started
}

// Inputs returns the fields of the form with their values.
func (v startView) Inputs() (all []fieldView) {
	for _, f := range v.Fields {
		field := fieldView{FormField: f, Value: f.Default}
		if v.Order.Has(f.Name) {
			field.Value = v.Order.Get(f.Name)
		}
		all = append(all, field)
	}
	return all
}

// Says returns a sentence on what to do next, or on the calls and time that the planned run takes.
func (v startView) Says() string {
	if v.Plan == nil {
		return phrases.Sentence("start.choose")
	}
	calls := 0
	for _, stage := range v.Plan.Stages {
		calls += stage.Numbers["calls"]
	}
	stage := v.Plan.Stages[0]
	time, _, _ := strings.Cut(stage.Time, ",")
	takes := table.CountWithNoun(calls, "call")
	switch {
	case calls == 0:
		return phrases.Sentence("start.nothing")
	case len(v.Plan.Stages) > 1:
		return phrases.Sentence("start.several", takes, len(v.Plan.Stages))
	case stage.Seconds == nil:
		return phrases.Sentence("start.unknown-time", takes)
	case *stage.Seconds == 0:
		return phrases.Sentence("start.no-server", takes)
	}
	return phrases.Sentence("start.takes", takes, time)
}

// newRunOffer returns the choices for a new run of the protocol that a request names.
func (s *Server) newRunOffer(r *http.Request) (jobs.Offer, error) {
	return s.Runner.Offer(r.Context(), r.URL.Query().Get("protocol"))
}

// startView returns the form that starts a run, filled in from the query of the address.
func (s *Server) startView(r *http.Request) (startView, error) {
	o, err := s.newRunOffer(r)
	return startView{Offer: o, Order: jobs.JobRequest(r.URL.Query())}, err
}

// startForm plans or starts the run that a posted form describes.
func (s *Server) startForm(w http.ResponseWriter, r *http.Request) (err error) {
	request := jobs.JobRequest(r.PostForm)
	action := r.PostForm.Get("action")
	delete(request, "action")
	v, status := startView{Order: request}, http.StatusOK
	switch action {
	case "start":
		var job jobs.Job
		job, err = s.Runner.Start(r.Context(), request)
		if err == nil {
			return seeOther(w, r, jobURL(job.ID))
		}
	case "plan":
		var plan jobs.Planned
		plan, err = s.Runner.Plan(r.Context(), request)
		if err == nil {
			v.Plan = &plan
		}
	default:
		return failure.BadRequest("the form's action %q is unknown: use plan or start", markup.MakeVisible(action))
	}
	if err != nil {
		v.Error, status = err.Error(), failure.Status(err)
	}
	v.Offer, err = s.Runner.Offer(r.Context(), request.Get("protocol"))
	if err != nil {
		return err
	}
	s.render(w, r, status, "start", v)
	return nil
}

// readJobRequest reads the body of a call of the API: one JSON object whose values are texts, numbers, true, false, or
// lists of them.
func readJobRequest(r *http.Request) (jobs.JobRequest, error) {
	var values map[string]any
	dec := json.NewDecoder(r.Body)
	dec.UseNumber()
	if err := dec.Decode(&values); err != nil || dec.More() {
		return nil, failure.BadRequest("expected one JSON object")
	}
	out := jobs.JobRequest{}
	for name, v := range values {
		list, isList := v.([]any)
		if !isList {
			list = []any{v}
		}
		for _, v := range list {
			switch v.(type) {
			case string, json.Number, bool:
				out[name] = append(out[name], fmt.Sprint(v))
			default:
				return nil, failure.BadRequest("%q: expected a text, a number, true or false, or a list of them",
					markup.MakeVisible(name))
			}
		}
	}
	return out, nil
}

// withJobRequest returns a function for [apiRoute] that reads a job request from the body and passes it to do, a method
// of the server's RunMaker.
func withJobRequest[V any](
	s *Server, do func(RunMaker, context.Context, jobs.JobRequest) (V, error),
) func(*http.Request) (V, error) {
	return func(r *http.Request) (out V, err error) {
		o, err := readJobRequest(r)
		if err != nil {
			return out, err
		}
		return do(s.Runner, r.Context(), o)
	}
}

// fieldView holds a field of the form that starts a run, with its value.
type fieldView struct {
	jobs.FormField
	Value string
}
