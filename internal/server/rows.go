package server

import (
	"context"
	"html/template"
	"maps"
	"os"
	"path"
	"sync"
	"time"

	"gavel/internal/report"
	"gavel/internal/server/kept"
	"gavel/internal/server/store"
	"gavel/judging"
	"gavel/scoring"
)

// smallRun is how long the records of a run may be for the list to read them.
const smallRun = 64 << 20

func (s *Server) row(ctx context.Context, run store.Found) RunRow {
	if run.Err != nil {
		return RunRow{RunHead: RunHead{Name: run.Name, Status: damagedStatus}, Error: run.Err.Error()}
	}
	row := RunRow{
		RunHead: headOf(run.Name, run.Manifest),
		Suite:   s.runs.SuiteOf(run.Name),
		data:    run.Manifest.Spec.Dataset.SHA256,
	}
	row.About = s.runs.About(run.Name)
	if row.Status == judging.Running {
		info, err := s.runs.Stat(path.Join(run.Name, judging.RecordsFile))
		if err != nil || info.Size() > smallRun {
			return row
		}
		if x, done, err := s.runs.Index(ctx, run.Name); err == nil {
			row.Records, row.Outcomes = x.Counts.Records, maps.Clone(x.Counts.Outcomes)
			row.Stalled = s.silent(info)
			done()
		} else {
			row.Error = err.Error()
		}
		return row
	}
	sum := s.sum(run)
	row.Headline = sum.headline
	row.Diagnosis = sum.diagnosis
	row.Outcomes = sum.outcomes
	row.Warnings = sum.warnings
	row.numbers, row.of = sum.numbers, sum.of
	for _, n := range sum.outcomes {
		row.Records += n
	}
	return row
}

// silent tells whether nothing was written for long.
func (s *Server) silent(info os.FileInfo) bool { return s.now().Sub(info.ModTime()) > stalledAfter }

// sum is what the list says of a run that has ended. Runs that wrote no numbers are not read for it: those of them that
// are not large are in the background.
func (s *Server) sum(run store.Found) summed {
	now := s.runs.Stamps(run.Name)
	if at, ok := s.summed.Get(run.Name); ok && at.of == now {
		return at
	}
	rep := s.runs.Written(run.Name, run.Manifest, now)
	if rep == nil {
		at, ok := s.scores.Get(run.Name)
		if !ok || at.Of != now || at.V.rep == nil {
			return summed{of: now} // not kept: it may be known later
		}
		rep = at.V.rep
	}
	return s.summing(run.Name, now, rep)
}

// summing keeps what the list says of a run.
func (s *Server) summing(run string, now store.Stamps, rep *scoring.Report) summed {
	out := summed{
		of:        now,
		diagnosis: rep.Diagnosis,
		outcomes:  maps.Clone(rep.Outcomes),
		warnings:  rep.Caveats(),
		numbers:   report.NumbersOf(rep),
	}
	if x := report.Headline(rep); x != nil {
		kept := *x
		out.headline = &kept
	}
	s.summed.Put(run, out)
	return out
}

// The list of runs is made anew for everybody who looks, as long as that is quick. Over thousands of runs it takes a
// look at tens of thousands of files: then it is kept, and made anew beside those who look at the last one.
const (
	slowList = 100 * time.Millisecond
	keptList = 10          // times as long as it took to make
	oldList  = time.Minute // from where on nobody is shown it any more
)

// rowList are the rows of all runs as they were last looked at.
type rowList struct {
	mu    sync.Mutex
	rows  []RunRow
	of    int // how often the store had forgotten its listing
	at    time.Time
	took  time.Duration
	going bool // it is being made anew
}

// rows are those of all runs. Nobody changes them.
func (s *Server) rows(ctx context.Context) ([]RunRow, error) {
	k := &s.listing
	k.mu.Lock()
	age := s.now().Sub(k.at)
	if k.took < slowList || age > oldList || k.of != s.runs.Forgotten() {
		k.mu.Unlock()
		return s.relist(ctx)
	}
	defer k.mu.Unlock()
	if age > keptList*k.took && !k.going {
		k.going = true
		go func() {
			s.relist(s.runs.Closing) // an error is told to the next who looks
			k.mu.Lock()
			defer k.mu.Unlock()
			k.going = false
		}()
	}
	return k.rows, nil
}

func (s *Server) relist(ctx context.Context) ([]RunRow, error) {
	of, begun := s.runs.Forgotten(), time.Now()
	runs, err := s.runs.List()
	if err != nil {
		return nil, err
	}
	rows := make([]RunRow, len(runs))
	for i, run := range runs {
		rows[i] = s.row(ctx, run)
	}
	k := &s.listing
	k.mu.Lock()
	defer k.mu.Unlock()
	k.rows = rows
	k.of = of
	k.at = s.now()
	k.took = time.Since(begun)
	return rows, nil
}

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
		v.rep = s.runs.Written(run, m, now)
		if v.rep == nil {
			v.rep, err = s.runs.Score(run, m)
			if err != nil {
				return v, err
			}
		}
		v.rep.Run = run
		v.answer, v.rest, v.pictures, err = report.Results(
			report.Run{Report: *v.rep, Metadata: scoring.Metadata(m)},
			"/runs/"+escaped(run)+"/figures/",
		)
		return v, err
	})
}

// stalledAfter is how long a run may be silent before it is said to be: longer than a call may take by default.
const stalledAfter = 15 * time.Minute
