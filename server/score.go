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
)

// scored is what a run comes to.
type scored struct {
	records, manifest, results stamp
	rep                        *scoring.Report
	page                       template.HTML // its tables and figures
	err                        error
}

// same tells whether nothing changed between two looks at a run's files.
func (a scored) same(b scored) bool {
	return a.records == b.records && a.manifest == b.manifest && a.results == b.results
}

// numbers of a run: those that the run itself wrote, or, where it wrote none,
// as an imported one, those that its records come to. A run that is being made
// has none yet.
func (s *Server) numbers(run string, m *judging.Manifest) scored {
	if m.Status == judging.Running {
		return scored{}
	}
	now := s.stampsOf(run)
	if at, ok := s.scores.get(run); ok && at.same(now) {
		return at
	}
	s.scoring.Lock() // one run at a time: it takes memory and processors
	defer s.scoring.Unlock()
	if at, ok := s.scores.get(run); ok && at.same(now) {
		return at
	}
	now.rep = s.written(run, m, now)
	if now.rep == nil {
		now.rep, now.err = s.score(run, m)
	}
	if now.rep != nil {
		now.rep.Run = run
		now.page, now.err = report.Results([]report.Run{{Report: *now.rep, Facts: scoring.Facts(m), Size: m.Model.Parameters}})
	}
	s.scores.put(run, now)
	return now
}

func (s *Server) stampsOf(run string) (at scored) {
	for file, to := range map[string]*stamp{judging.RecordsFile: &at.records, judging.ManifestFile: &at.manifest, judging.ResultsFile: &at.results} {
		if info, err := s.runs.root.Stat(path.Join(run, file)); err == nil {
			*to = stampOf(info)
		}
	}
	return at
}

// written are the numbers in results.json, where they are of this run and not
// older than its records.
func (s *Server) written(run string, m *judging.Manifest, at scored) *scoring.Report {
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
	return rep
}

// score reads the records for their numbers.
func (s *Server) score(run string, m *judging.Manifest) (*scoring.Report, error) {
	loaded, err := s.load(run, m)
	if err != nil {
		return nil, err
	}
	rep := loaded.Score(scoring.DefaultOptions.Bootstrap)
	return &rep, nil
}

// load is scoring.Load of a run of the folder.
func (s *Server) load(run string, m *judging.Manifest) (*scoring.Run, error) {
	loaded, err := s.loadBy(run, m, scoring.DefaultOptions.Reading)
	if err == nil {
		err = loaded.CompareReadings(func(how judging.Reading) (*scoring.Run, error) { return s.loadBy(run, m, how) })
	}
	return loaded, err
}

func (s *Server) loadBy(run string, m *judging.Manifest, how judging.Reading) (*scoring.Run, error) {
	loader, err := scoring.NewLoader(m, how, nil)
	if err != nil {
		return nil, unreadable(err, "%s: %v", run)
	}
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
		return nil, unreadable(err, "%s: %v: there are no numbers of this run until that is mended", path.Join(run, judging.RecordsFile))
	}
	loaded := loader.Run()
	loaded.Dir = run
	return loaded, nil
}

// headlines are the metrics that a run is known by, the first that it has.
var headlines = []string{"strict", scoring.GradeScore, scoring.Accuracy, scoring.GenerationAccuracy}

// headline is the number that stands for a run.
func headline(rep *scoring.Report) *scoring.Result {
	if rep == nil {
		return nil
	}
	for _, metric := range headlines {
		for i := range rep.Results {
			if x := &rep.Results[i]; x.Metric == metric && x.Group == scoring.Overall && x.Mode != scoring.ModeDifference {
				return x
			}
		}
	}
	return nil
}

// stalledAfter is how long a run may be silent before it is said to be: longer
// than a call may take by default.
const stalledAfter = 15 * time.Minute
