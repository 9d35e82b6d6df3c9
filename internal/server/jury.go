package server

import (
	"slices"

	"context"
	"fmt"
	"path"

	"gavel/internal/doc"
	"gavel/internal/report"
	"gavel/internal/server/memo"
	"gavel/judging"
	"gavel/scoring"
)

// jury is what the jury of a run is worth beside its members; nil of another run, and where a member is not here.
func (s *Server) jury(ctx context.Context, name string, m *judging.Manifest) (*report.Jury, error) {
	jurors := report.Jurors(m)
	if jurors == nil {
		return nil, nil
	}
	members, err := s.membersOf(ctx, jurors)
	if err != nil || members == nil {
		return nil, err
	}
	names := judgeNames(members)
	all := append(namesOf(members), name)
	state := fmt.Sprint(names, s.state(all...))
	return memo.Get(ctx, s.memo, "jury "+name, state, func() (*report.Jury, error) {
		runs, err := s.load(all...)
		if err != nil {
			return nil, err
		}
		last := len(members)
		return report.NewJury(runs[last], runs[:last], names, scoring.DefaultOptions.Bootstrap)
	})
}

// membersOf are the runs of a jury's members, in their order; nil where one is not here.
func (s *Server) membersOf(ctx context.Context, jurors []judging.StageOf) (members []RunRow, err error) {
	rows, err := s.rows(ctx)
	if err != nil {
		return nil, err
	}
	for _, juror := range jurors {
		var found *RunRow
		for i := range rows {
			row := &rows[i]
			same := row.ID == juror.ID && row.manifest != nil
			if same && (found == nil || path.Base(row.Name) == path.Base(juror.Run)) {
				found = row
			}
		}
		if found == nil {
			return nil, nil
		}
		if found.report == nil { // it is scored for leaderboards only beside the pages
			rep, err := s.numbers(ctx, found.Name, found.manifest)
			if err != nil || rep == nil {
				return nil, err
			}
			found.report = rep
		}
		members = append(members, *found)
	}
	return members, nil
}

// address returns the address of what a page refers to; "" where there is none.
func address(r doc.Ref) string {
	switch {
	case len(r.Runs) == 0:
		return r.Page
	case len(r.Runs) > maxCompared || slices.Contains(r.Runs[1:], r.Runs[0]):
		return ""
	case len(r.Runs) > 1:
		to := "/compare" + compareFilter{Runs: r.Runs}.Query("show", r.Show, "group", r.Group)
		if r.Show != "" {
			to += itemsAnchor
		}
		return to
	case r.Show+r.Group+r.Mode != "":
		return runURL(r.Runs[0]) + "/items" + query("show", r.Show, "group", r.Group, "mode", r.Mode)
	}
	return runURL(r.Runs[0])
}
