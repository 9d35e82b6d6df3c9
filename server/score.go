package server

import (
	"html/template"
	"time"

	"gavel/judging"
	"gavel/report"
	"gavel/scoring"
	"gavel/server/kept"
)

// scored is what a run comes to.
type scored struct {
	rep          *scoring.Report
	answer, rest template.HTML // its page: what it comes to, and the rest
	pictures     report.Pictures
}

// numbers of a run: those that the run itself wrote, or, where it wrote none, as an imported one, those that its
// records come to. A run that is being made has none yet.
func (s *Server) numbers(run string, m *judging.Manifest) (scored, error) {
	if m.Status == judging.Running {
		return scored{}, nil
	}
	now := s.runs.Stamps(run)
	return kept.Made(&s.scoring, s.scores, run, now, func() (v scored, err error) {
		if v.rep = s.runs.Written(run, m, now); v.rep == nil {
			if v.rep, err = s.runs.Score(run, m); err != nil {
				return v, err
			}
		}
		v.rep.Run = run
		v.answer, v.rest, v.pictures, err = report.Results(report.Run{Report: *v.rep, Metadata: scoring.Metadata(m), Size: m.Model.Parameters}, "/runs/"+escaped(run)+"/figures/")
		return v, err
	})
}

// stalledAfter is how long a run may be silent before it is said to be: longer than a call may take by default.
const stalledAfter = 15 * time.Minute
