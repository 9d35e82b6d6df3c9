package eval

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
	"gavel/scoring"
)

// Replay makes a run again in the folder out, from its folder alone: prompts are rendered again and answered with the
// replies of its records, or by the simulation of a simulated run.
func (e *Maker) Replay(ctx context.Context, run, out string) (*scoring.Report, error) {
	anywhere := *e
	anywhere.RunsDir = "" // out may be outside of Runs
	p, err := anywhere.prepareReplay(run, out)
	if err != nil {
		return nil, err
	}
	defer p.set.Close()
	rep, err := anywhere.continueRun(ctx, p)
	if errors.Is(err, ErrIncomplete) {
		all := p.job.Manifest.Judgments
		err = &errorWithKind{ErrIncomplete, fmt.Errorf("%d of %d judgments cannot be repeated: "+
			"they failed or are missing in %s (repeat its command to complete it), "+
			"or this version of gavel asks them with other prompts", all-p.job.Completed.Count(), all, run)}
	}
	return rep, err
}

// storedJob returns the job of a run, made from the run's folder alone and without a client.
func (e *Maker) storedJob(run string) (*judging.RunJob, error) {
	m, err := judging.ReadManifest(run)
	if err != nil {
		return nil, err
	}
	if m.Imported != "" {
		return nil, fmt.Errorf("%s was imported from %s: "+
			"gavel did not ask for its replies and cannot replay it; \"gavel score\" reads them again", run, m.Imported)
	}
	asker, err := judging.AskerOf(m)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", run, err)
	}
	set, err := datasets.OpenFile(filepath.Join(run, judging.ItemsFile))
	if err != nil {
		return nil, err
	}
	return &judging.RunJob{
		Manifest: m, Asker: asker, Set: set, Rows: datasets.FirstIndexes(set.Len()),
		Concurrency: m.Concurrency, Now: e.Now, MaxConsecutiveFailures: m.Judgments + 1,
	}, nil
}

// prepareReplay prepares a run that makes the records of another again.
func (e *Maker) prepareReplay(run, out string) (*runState, error) {
	job, err := e.storedJob(run)
	if err != nil {
		return nil, err
	}
	p := &runState{
		set:            job.Set,
		out:            out,
		job:            job,
		clientOverride: &replayClient{},
		isReplay:       true,
		replayReaders:  readerSetForScores(run),
	}
	p.copyRecords = func(ctx context.Context, use func(*judging.Record) error) error {
		repeat := func(r *judging.Record) (*judging.Record, error) {
			copied := *job
			copied.Client = &replayClient{record: r, replies: slices.Concat(r.Replies, r.ExtraReplies)}
			return copied.Repeat(ctx, r)
		}
		return judging.ReadRecordsWithValues(filepath.Join(run, judging.RecordsFile), repeat,
			func(_, r *judging.Record) error {
				if r == nil || r.Outcome == judging.Failed {
					return nil
				}
				return use(r)
			})
	}
	if job.Manifest.Simulated {
		p.copyRecords = nil
		p.clientOverride, err = backends.NewSimulatedJudge(job.Manifest.Spec.Model.Name)
	}
	if samePath(run, out) {
		err = InvalidField("out", out, "%s is the run itself: name another folder", out)
	}
	if err != nil {
		job.Set.Close()
	}
	return p, err
}

// readerSetForScores returns the readers by which a run was scored, so that the same scores result: the paper's if the
// scores name none, the default if there are no scores.
func readerSetForScores(run string) judging.ReaderSet {
	raw, err := os.ReadFile(filepath.Join(run, judging.ResultsFile))
	var rep struct{ Reading judging.ReaderSet }
	if err != nil || json.Unmarshal(raw, &rep) != nil {
		return ""
	}
	return cmp.Or(rep.Reading, judging.PaperReaders)
}

func samePath(a, b string) bool {
	x, xerr := filepath.Abs(a)
	y, yerr := filepath.Abs(b)
	return xerr == nil && yerr == nil && x == y
}
