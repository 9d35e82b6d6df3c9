package server

import (
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"path"
	"time"

	"gavel/judging"
	"gavel/report"
	"gavel/scoring"
	"gavel/server/failure"
)

// scored is what a run comes to.
type scored struct {
	rep          *scoring.Report
	answer, rest template.HTML // its page: what it comes to, and the rest
	pictures     report.Pictures
}

// stamps of a run's files tell whether anything changed between two looks.
type stamps struct{ records, manifest, results stamp }

// kept is what was made of files in a state.
type kept[S comparable, V any] struct {
	of  S
	v   V
	err error
}

// made hands out what is kept of files in this state, or makes it: one at a time, as it takes memory and processors.
func made[S comparable, V any](s *Server, cache *lru[string, kept[S, V]], name string, state S, make func() (V, error)) (V, error) {
	if at, ok := cache.get(name); ok && at.of == state {
		return at.v, at.err
	}
	s.scoring.Lock()
	defer s.scoring.Unlock()
	if at, ok := cache.get(name); ok && at.of == state {
		return at.v, at.err
	}
	v, err := make()
	cache.put(name, kept[S, V]{state, v, err})
	return v, err
}

// numbers of a run: those that the run itself wrote, or, where it wrote none, as an imported one, those that its
// records come to. A run that is being made has none yet.
func (s *Server) numbers(run string, m *judging.Manifest) (scored, error) {
	if m.Status == judging.Running {
		return scored{}, nil
	}
	now := s.stampsOf(run)
	return made(s, s.scores, run, now, func() (v scored, err error) {
		if v.rep = s.written(run, m, now); v.rep == nil {
			if v.rep, err = s.score(run, m); err != nil {
				return v, err
			}
		}
		v.rep.Run = run
		v.answer, v.rest, v.pictures, err = report.Results(report.Run{Report: *v.rep, Metadata: scoring.Metadata(m), Size: m.Model.Parameters}, "/runs/"+escaped(run)+"/figures/")
		return v, err
	})
}

func (s *Server) stampsOf(run string) (at stamps) {
	for file, to := range map[string]*stamp{judging.RecordsFile: &at.records, judging.ManifestFile: &at.manifest, judging.ResultsFile: &at.results} {
		if info, err := s.runs.root.Stat(path.Join(run, file)); err == nil {
			*to = stampOf(info)
		}
	}
	return at
}

// written are the numbers in results.json, where they are of this run and not older than its records.
func (s *Server) written(run string, m *judging.Manifest, at stamps) *scoring.Report {
	if at.results == (stamp{}) || at.results.mtime.Before(at.records.mtime) {
		return nil
	}
	f, _, err := s.runs.open(run, judging.ResultsFile)
	if err != nil {
		return nil
	}
	defer f.Close()
	rep := new(scoring.Report)
	if json.NewDecoder(io.LimitReader(f, maxManifest)).Decode(rep) != nil || rep.ID != m.ID || rep.Results == nil || rep.Outcomes == nil {
		return nil
	}
	rep.Diagnose(m)
	return rep
}

// score reads the records for their numbers.
func (s *Server) score(run string, m *judging.Manifest) (*scoring.Report, error) {
	loaded, err := s.load(run, m)
	if err != nil {
		return nil, err
	}
	rep := loaded.Score(scoring.DefaultOptions.Bootstrap)
	rep.Ledger = loaded.Ledger()
	return &rep, nil
}

// load is scoring.Load of a run of the folder.
func (s *Server) load(run string, m *judging.Manifest) (*scoring.Run, error) {
	loaded, err := s.loadBy(run, m, scoring.DefaultOptions.Reading, nil)
	if err == nil {
		err = loaded.CompareReadings(func(how judging.Reading) (*scoring.Run, error) { return s.loadBy(run, m, how, nil) })
	}
	return loaded, err
}

// loadBy reads a run's records, but for those of the items of leave.
func (s *Server) loadBy(run string, m *judging.Manifest, how judging.Reading, leave map[string]bool) (*scoring.Run, error) {
	loader, err := scoring.NewLoader(m, how, nil)
	if err != nil {
		return nil, failure.Unreadable(err, "%s: %v", run, err)
	}
	loader.Leave(leave)
	f, info, err := s.runs.open(run, judging.RecordsFile)
	if err != nil {
		return nil, s.runs.missing(run, err)
	}
	defer f.Close()
	in := s.runs.reading(f, 0, info)
	err = judging.EachRecord(in, func(line judging.StoredLine[*judging.Record]) error {
		if line.Err != nil {
			return fmt.Errorf("line %d: damaged record: %w", line.Number, line.Err)
		}
		if err := loader.Add(line.Value); err != nil {
			return fmt.Errorf("line %d: %w", line.Number, err)
		}
		return nil
	})
	if err != nil {
		return nil, failure.Unreadable(err, "%s: %v: this run has no scores until you repair that", path.Join(run, judging.RecordsFile), err)
	}
	loaded := loader.Run()
	loaded.Dir = run
	return loaded, nil
}

// stalledAfter is how long a run may be silent before it is said to be: longer than a call may take by default.
const stalledAfter = 15 * time.Minute
