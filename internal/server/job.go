package server

import (
	"net/http"

	"gavel/internal/server/failure"
	"gavel/internal/server/jobs"
	"gavel/internal/server/markup"
)

// JobsView holds the jobs of this server: the runs and suites that it makes or has made since it started.
type JobsView struct {
	Jobs []jobs.Job `json:"jobs"`
}

// jobsView returns all jobs, the newest first.
func (s *Server) jobsView(*http.Request) (JobsView, error) {
	return JobsView{Jobs: append([]jobs.Job{}, s.jobs()...)}, nil
}

// JobView holds a job, with the progress of the run that it makes now.
type JobView struct {
	Job      jobs.Job  `json:"job"`
	Progress *Progress `json:"progress,omitempty"`
}

// jobView returns the job that a request names.
func (s *Server) jobView(r *http.Request) (v JobView, err error) {
	id := r.PathValue("job")
	job := s.lastMatchingJob(func(j jobs.Job) bool { return j.ID == id })
	if job == nil {
		return v, failure.NotFound("there is no job %q; "+
			"the server forgets jobs when it ends, but keeps their runs", markup.Shorten(id, 100))
	}
	v.Job = *job
	if name := v.Job.Run(); name != "" {
		if p, err := s.progressOf(r.Context(), name); err == nil {
			v.Progress = &p
		}
	}
	return v, nil
}

// redirectToRuns redirects the address /jobs to the first page, which lists the jobs and the newest runs.
func (*Server) redirectToRuns(*http.Request) (to string, err error) { return "/", nil }

// redirectToJobResult redirects to the page of the suite or run that a job makes. Before that exists, it shows the
// job's own page.
func (s *Server) redirectToJobResult(w http.ResponseWriter, r *http.Request) error {
	v, err := s.jobView(r)
	if err != nil {
		return err
	}
	switch {
	case v.Job.Suite != "" && s.checkSuiteFolder(v.Job.Suite) == nil:
		return seeOther(w, r, SuiteHead{Folder: v.Job.Suite}.URL())
	case v.Progress != nil:
		return seeOther(w, r, runURL(v.Job.Run()))
	}
	s.render(w, r, http.StatusOK, "job", v)
	return nil
}

// stopForm stops the job that a request names, and returns the address of the job.
func (s *Server) stopForm(r *http.Request) (to string, err error) {
	_, err = s.stop(r)
	return jobURL(r.PathValue("job")), err
}

// stop stops the job that a request names: gently, and at once when it is stopped again.
func (s *Server) stop(r *http.Request) (JobView, error) {
	if err := s.Runner.Stop(r.PathValue("job")); err != nil {
		return JobView{}, err
	}
	return s.jobView(r)
}
