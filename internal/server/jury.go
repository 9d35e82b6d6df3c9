package server

import (
	"context"
	"fmt"
	"path"
	"slices"

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
	names, _ := report.NameJudges(judgesOf(members))
	all := append(namesOf(members), name)
	state := fmt.Sprint(names, s.state(all...))
	return memo.Get(ctx, s.memo, "jury "+name, state, func() (*report.Jury, error) {
		runs, err := s.load(all...)
		if err != nil {
			return nil, err
		}
		last := len(members)
		j, err := report.NewJury(runs[last], runs[:last], names, scoring.DefaultOptions.Bootstrap)
		if err != nil {
			return nil, err
		}
		j.Links = juryLinks(name, members)
		return j, nil
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
			n, err := s.numbers(ctx, found.Name, found.manifest)
			if err != nil || n.rep == nil {
				return nil, err
			}
			found.report = n.rep
		}
		members = append(members, *found)
	}
	return members, nil
}

// juryLinks are the addresses of what the page of a jury speaks of.
func juryLinks(name string, members []RunRow) report.JuryLinks {
	var runs []string
	for _, row := range members {
		if !slices.Contains(runs, row.Name) {
			runs = append(runs, row.Name)
		}
	}
	links := report.JuryLinks{
		Run: runURL,
		Apart: func(best, show string) string {
			return "/compare" + compareFilter{Runs: []string{best, name}}.Query("show", show)
		},
	}
	if len(runs) == len(members) && len(runs) <= maxCompared {
		links.Votes = func(right int) string {
			return "/compare" + compareFilter{Runs: runs}.Query("show", rightIn(right))
		}
	}
	return links
}
