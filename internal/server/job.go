package server

import (
	"net/http"
	"slices"

	"gavel/internal/server/failure"
	"gavel/internal/server/jobs"
	"gavel/internal/server/markup"
)

// jobURL is where a job is followed: it leads to the page of its run or suite once there is one.
func jobURL(id string) string { return "/jobs/" + escaped(id) }

// jobs are those of this server, the newest first.
func (s *Server) jobs() []jobs.Job {
	if s.opts.Runner == nil {
		return nil
	}
	return s.opts.Runner.Jobs()
}

// activeJobs are those at work.
func (s *Server) activeJobs() []jobs.Job {
	return slices.DeleteFunc(s.jobs(), func(j jobs.Job) bool { return !j.Active() })
}

// pendingJobs are those that no run's page shows: they are being prepared, or failed before that.
func (s *Server) pendingJobs() []jobs.Job {
	return slices.DeleteFunc(s.jobs(), func(j jobs.Job) bool {
		return len(j.Runs) > 0 || !j.Active() && j.Error == ""
	})
}

// lastJob is the newest one that is said to be looked for; nil where there is none.
func (s *Server) lastJob(is func(jobs.Job) bool) *jobs.Job {
	all := s.jobs()
	if i := slices.IndexFunc(all, is); i >= 0 {
		return &all[i]
	}
	return nil
}

// JobsView lists the jobs.
type JobsView struct {
	Jobs []jobs.Job `json:"jobs"`
}

func (s *Server) jobsView(*http.Request) (JobsView, error) {
	return JobsView{append([]jobs.Job{}, s.jobs()...)}, nil
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
		if p, err := s.status(r.Context(), name); err == nil {
			v.Progress = &p
		}
	}
	return v, nil
}

// toRuns leads to the runs: those in progress are among them.
func (s *Server) toRuns(w http.ResponseWriter, r *http.Request) error {
	return seeOther(w, r, "/")
}

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
		s.pages.render(w, r, http.StatusOK, "job", v)
		return nil
	}
	return seeOther(w, r, to)
}

func (s *Server) stopForm(w http.ResponseWriter, r *http.Request) error {
	if _, err := s.stop(r); err != nil {
		return err
	}
	return seeOther(w, r, jobURL(r.PathValue("job")))
}

func (s *Server) stop(r *http.Request) (JobView, error) {
	if err := s.opts.Runner.Stop(r.PathValue("job")); err != nil {
		return JobView{}, err
	}
	return s.jobView(r)
}
