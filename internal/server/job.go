package server

import (
	"net/http"

	"gavel/internal/server/failure"
	"gavel/internal/server/jobs"
	"gavel/internal/server/markup"
)

// JobsView lists the jobs.
type JobsView struct {
	Jobs []jobs.Job `json:"jobs"`
}

func (s *Server) jobsView(*http.Request) (JobsView, error) {
	return JobsView{Jobs: append([]jobs.Job{}, s.jobs()...)}, nil
}

// JobView is a job with how far its run is.
type JobView struct {
	Job      jobs.Job  `json:"job"`
	Progress *Progress `json:"progress,omitempty"`
}

func (s *Server) jobView(r *http.Request) (v JobView, err error) {
	id := r.PathValue("job")
	job := s.lastJob(func(j jobs.Job) bool { return j.ID == id })
	if job == nil {
		return v, failure.NotFound("there is no job %q; "+
			"the server forgets jobs when it ends, but keeps their runs", markup.Shortened(id, 100))
	}
	v.Job = *job
	if name := v.Job.Run(); name != "" {
		if p, err := s.progressOf(r.Context(), name); err == nil {
			v.Progress = &p
		}
	}
	return v, nil
}

// toRuns leads to the runs: those in progress are among them.
func (*Server) toRuns(*http.Request) (to string, err error) { return "/", nil }

// followJob leads to what a job makes. As long as there is nothing of it, the page says how far the job is.
func (s *Server) followJob(w http.ResponseWriter, r *http.Request) error {
	v, err := s.jobView(r)
	if err != nil {
		return err
	}
	to := ""
	if v.Job.Suite != "" && s.isSuite(v.Job.Suite) == nil {
		to = SuiteHead{Folder: v.Job.Suite}.URL()
	} else if v.Progress != nil {
		to = runURL(v.Job.Run())
	}
	if to == "" {
		s.render(w, r, http.StatusOK, "job", v)
		return nil
	}
	return seeOther(w, r, to)
}

func (s *Server) stopForm(r *http.Request) (to string, err error) {
	_, err = s.stop(r)
	return jobURL(r.PathValue("job")), err
}

func (s *Server) stop(r *http.Request) (JobView, error) {
	if err := s.opts.Runner.Stop(r.PathValue("job")); err != nil {
		return JobView{}, err
	}
	return s.jobView(r)
}
