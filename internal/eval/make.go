package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"sync/atomic"
	"time"

	"gavel/backends"
	"gavel/cache"
	"gavel/internal/disk"
	"gavel/judging"
	"gavel/scoring"
)

// continueRun makes a run, or continues the one in its folder, and returns its scores.
func (e *Maker) continueRun(ctx context.Context, p *runState) (*scoring.Report, error) {
	err := CopyEarlierTry(p.out, p.req.try)
	if err == nil && e.RunsDir != "" {
		err = disk.CheckBelow(e.RunsDir, p.out)
	}
	if err != nil {
		return nil, err
	}
	if rep := e.savedReport(p); rep != nil {
		return rep, nil
	}
	if err := e.open(p); err != nil {
		return nil, err
	}
	defer p.dir.Close()
	return e.askAndScore(ctx, p)
}

// askAndScore asks for the missing judgments of an opened run, writes the run and scores it. It returns a report even
// with an error, if there was anything to score.
func (e *Maker) askAndScore(ctx context.Context, p *runState) (*scoring.Report, error) {
	if int(p.missing.Load())+len(p.dir.WaitingJudgments) == 0 {
		if err := e.completeFiles(ctx, p); err != nil {
			return nil, err
		}
		return e.scoreAndFinish(p, false, nil)
	}
	started, err := e.ask(ctx, p)
	if !started {
		return nil, err
	}
	return e.scoreAndFinish(p, true, err)
}

// open opens the run's folder, reads the valid records of earlier tries, and counts the missing judgments.
func (e *Maker) open(p *runState) error {
	m := p.job.Manifest
	reading := scoring.DefaultOptions.Reading
	reading.Readers = p.replayReaders
	p.readEarlierManifest()
	err := p.setDrawOrder(reading)
	if err == nil {
		p.records, err = scoring.NewLoader(m, reading)
	}
	if err != nil {
		return err
	}
	p.records.SetFolder(p.out, p.ids)
	if e.Observer != nil {
		p.liveScore = scoring.NewLiveScore(p.records)
	}
	p.dir, err = judging.OpenDirReadingRecords(p.out, m, p.shouldAskAgain, p.records.ReadVerdict, p.takeStored)
	if err != nil {
		return err
	}
	for _, name := range m.Altered {
		e.Notef("warning: %s was changed after the run wrote it; its present content is used", filepath.Join(p.out, name))
	}
	p.setManifestStart(e.Now())
	for _, r := range p.dir.WaitingJudgments {
		p.job.Completed.Add(r)
	}
	p.completed = p.job.Completed.Count()
	missing, err := p.countMissing()
	p.missing.Store(int64(missing))
	if err != nil {
		p.dir.Close()
	}
	return err
}

// ask asks the servers for the missing judgments. started is false if it could not ask for any.
func (e *Maker) ask(ctx context.Context, p *runState) (started bool, err error) {
	m := p.job.Manifest
	p.gentleEnd, p.endGently = context.WithCancel(context.Background())
	defer p.endGently()
	ctx = backends.WithoutRetryAfter(backends.WithRequestCounter(ctx, &p.nonJudgmentRequests), p.gentleEnd)
	client, closeClient := p.clientOverride, func() error { return nil }
	if client == nil {
		client, closeClient, err = e.openServers(ctx, p)
		if err != nil {
			p.dir.Abandon()
			return false, err
		}
	}
	err = p.dir.StartWithItems(m, p.itemLines(ctx))
	if err == nil {
		err = p.writeReplayedRecords(ctx)
	}
	if err != nil {
		closeClient()
		return false, err
	}
	p.job.Client = client
	e.observer().RunOpened(RunStart{
		Dir:             p.out,
		Manifest:        m,
		Missing:         int(p.missing.Load()),
		Completed:       p.completed,
		ConcurrencyText: p.concurrencyText,
		LiveScoreText:   p.liveScore.String,
	})
	counting, stop := context.WithCancel(ctx)
	defer stop()
	longest := make(chan judging.PromptLength, 1)
	go func() { longest <- e.longestPromptLength(counting, p) }()
	err = e.runJob(ctx, p)
	if err != nil {
		stop()
	}
	m.LongestPrompt = <-longest
	m.AuxiliaryRequestCounts = p.nonJudgmentRequests.AddTo(m.AuxiliaryRequestCounts)
	m.Ended = e.Now().UTC().Truncate(time.Second)
	p.job.Client = nil
	if err := closeClient(); err != nil && !errors.Is(err, cache.ErrStoreGivenUp) { // already reported
		e.Notef("warning: %v", err)
	}
	return true, err
}

// runJob runs the job, which a gentle interrupt ends. It shows all steps of a judgment, from top to bottom.
func (e *Maker) runJob(ctx context.Context, p *runState) error {
	m := p.job.Manifest
	removeHandler := e.Interrupts.Handle(func() {
		p.stopped.Store(true)
		p.endGently() // before the message, after which no more requests may start
		e.Notef("stopping: waiting for open requests; %s to abandon them", e.Hints.StopNow)
	})
	defer removeHandler()
	defer p.endGently() // stops retries of the prompt count
	p.checks = &identityChecks{run: p}
	if p.ruleFeed != nil {
		p.ruleFeed.endRun = p.endGently
	}
	pace := &concurrencyMeter{run: p.job, start: e.Now(), now: e.Now}
	alarms := judging.Alarms{Manifest: m}
	var alarm atomic.Pointer[string] // the alarm that ended the run
	p.job.Stop = p.gentleEnd.Done()
	p.job.Write = func(r *judging.Record) error {
		p.missing.Add(-1)
		if e.Batch != nil && r.Outcome == judging.Failed {
			e.Batch.queueRequest(r.Error)
			return nil // the judgment stays missing, for the next batch
		}
		read, err := p.records.ReadVerdict(r)
		if err == nil && r.AwaitsChecks() {
			err = p.dir.WriteWaiting(r)
		}
		if err == nil {
			err = p.take(r, read)
		}
		if err != nil {
			return err
		}
		scored := *r // with the scored verdict, which may differ from the recorded one
		scored.Outcome = read.Outcome
		scored.Label = read.Label
		pace.addJudgment(&scored)
		e.observer().Recorded(&scored)
		text := alarms.Observe(&scored)
		if text != "" && p.req.StopOnAlarm && alarm.CompareAndSwap(nil, &text) {
			p.endGently()
		} else if text != "" {
			e.Notef("%s", text)
		}
		return nil
	}
	if e.Batch != nil {
		p.job.MaxConsecutiveFailures = math.MaxInt
	}
	err := p.recheckWaiting()
	if err == nil {
		err = e.askThenCheck(ctx, p)
	}
	pace.addToManifest()
	e.observer().RunEnded()
	if why := alarm.Load(); why != nil && errors.Is(err, judging.ErrStopped) {
		return ErrorOfKind(ErrIncomplete, errors.New(*why))
	}
	return err
}

// concurrencyText returns how many of the missing judgments are in flight, and why no more; "" if no server is asked.
func (p *runState) concurrencyText(missing int) string {
	if p.concurrencyReason == nil {
		return ""
	}
	n := p.job.Manifest.Concurrency
	if p.job.CurrentConcurrency != nil {
		n = p.job.CurrentConcurrency()
	}
	if n > missing {
		return fmt.Sprintf("%d at once (all that are left)", missing)
	}
	return fmt.Sprintf("%d at once (%s)", n, p.concurrencyReason())
}

// setManifestStart sets the start of the run in the manifest, and copies there what stays from an earlier try.
func (p *runState) setManifestStart(now time.Time) {
	m := p.job.Manifest
	m.Started = now.UTC().Truncate(time.Second)
	if old := p.earlierManifest; old != nil {
		m.Started = old.Started
		m.Changes = old.Changes
		m.AuxiliaryRequestCounts = old.AuxiliaryRequestCounts
		m.TokenSample = old.TokenSample
		m.LongestPrompt = old.LongestPrompt
		m.AlternatesOrder = old.AlternatesOrder
	} else if protocol, err := judging.ProtocolNamed(m.Spec.Protocol); err == nil && !p.isReplay {
		m.AlternatesOrder = protocol.PresentationsPerItem == 2
	}
}

// completeFiles completes the files of a run with nothing left to ask: one whose earlier try was killed at its end, or
// a shard without items.
func (e *Maker) completeFiles(ctx context.Context, p *runState) error {
	m := p.job.Manifest
	m.Ended = m.Started
	if p.earlierManifest != nil {
		m.Ended = p.earlierManifest.Ended
		if err := p.dir.RemoveInvalidRecords(); err != nil {
			return err
		}
	} else if err := p.dir.Start(m); err != nil {
		return err
	}
	if err := p.dir.WriteItems(p.itemLines(ctx)); err != nil {
		return err
	}
	e.reportComplete(p.out, m, p.completed)
	return nil
}

// reportComplete reports to the observer a run with nothing left to ask.
func (e *Maker) reportComplete(dir string, m *judging.Manifest, completed int) {
	e.observer().RunOpened(RunStart{Dir: dir, Manifest: m, Completed: completed})
	if completed == m.Judgments && completed > 0 {
		e.Notef("all %d judgments are in %s already: nothing to ask", completed, dir)
	}
}

// writeReplayedRecords writes the records that a replay makes of the original's.
func (p *runState) writeReplayedRecords(ctx context.Context) error {
	if p.copyRecords == nil {
		return nil
	}
	return p.copyRecords(ctx, func(r *judging.Record) error {
		if !p.job.Completed.Add(r) {
			return nil
		}
		if err := p.dir.Write(r); err != nil {
			return err
		}
		p.completed++
		p.missing.Add(-1)
		return p.records.Add(r)
	})
}

// itemLines returns a function that passes the lines of the run's items to its argument, for items.jsonl.
func (p *runState) itemLines(ctx context.Context) func(line func([]byte) error) error {
	return func(line func([]byte) error) error {
		var raw []byte
		for _, row := range p.job.Rows {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			var err error
			raw, err = p.set.RawIntoBuffer(raw, row)
			if err != nil {
				return err
			}
			if err := line(raw); err != nil {
				return err
			}
		}
		return nil
	}
}

// scoreAndFinish writes the run's scores and status. requested says that servers were asked, runErr how that ended.
func (e *Maker) scoreAndFinish(p *runState, requested bool, runErr error) (*scoring.Report, error) {
	m := p.job.Manifest
	run := p.records.Run()
	missing := m.Judgments - run.Answered
	m.Status = judging.Complete
	for _, j := range p.judges {
		w := p.watches[j.Server.URL]
		if w == nil || w.Changed() == nil {
			continue
		}
		change := w.Changed()
		m.Changes = append(m.Changes, judging.ModelChange{
			At:  change.Time.UTC().Truncate(time.Second),
			URL: change.URL,
			Was: change.Old,
			Is:  change.New,
		})
	}
	switch {
	case missing == 0: // also if it was stopped when nothing was left to do
		m.OrderSeed, m.HeldOut = nil, nil
	case p.endedByRule(runErr):
		m.Status, m.Stopped = judging.StoppedByRule, p.ruleFeed.manifestEntry()
	case errors.Is(runErr, judging.ErrStopped) || errors.Is(runErr, ErrInterrupted):
		m.Status = judging.Interrupted
	default:
		m.Status = judging.Incomplete
	}
	if p.replayReaders != judging.PaperReaders { // reports from before there were two readings have no comparison of them
		if err := run.CompareReadingRules(nil); err != nil {
			e.Notef("cannot compare the two readings: %v", err)
		}
	}
	rep := run.Score(scoring.DefaultOptions.Bootstrap)
	err := judging.WriteJSON(filepath.Join(p.out, judging.ResultsFile), rep)
	if err == nil {
		err = p.dir.WriteManifest(m)
	}
	rep.Run = p.out
	rep.Ledger = run.Ledger()
	p.saveReport(run, &rep)
	switch {
	case DiskFull(runErr) && DiskFull(err):
		return &rep, e.incompleteError(m.Status, missing, m.Judgments, runErr) // reports the full disk once
	case err != nil:
		return &rep, errors.Join(runErr, err)
	}
	if requested || m.Status != judging.Complete {
		e.Notef("run written to %s", p.out)
	}
	for _, o := range rep.Origins {
		e.Notef("%s", o)
	}
	err = e.incompleteError(m.Status, missing, m.Judgments, runErr)
	if err == nil {
		err = e.serverNoVerdictError(p, run.Unserved)
	}
	if rep.Judgments() == 0 {
		return nil, err
	}
	return &rep, err
}

// incompleteError returns the error for a run that ended with runErr, which says how many of the expected judgments are
// missing and how to continue; nil if the run is complete.
func (e *Maker) incompleteError(status string, missing, expected int, runErr error) error {
	rest := fmt.Sprintf("%d of %d judgments are left", missing, expected)
	hint := rest + "; " + e.Hints.GoOn
	switch {
	case errors.As(runErr, new(*backends.ModelChangedError)) && missing > 0:
		return ErrorOfKind(ErrIncomplete, fmt.Errorf("%w; its replies since the last check are set aside; "+
			"%s: serve the first again, or begin another run (--no-cache, another --out); %s", runErr, rest, e.Hints.GoOn))
	case status == judging.Complete && errors.Is(runErr, judging.ErrStopped), status == judging.StoppedByRule:
		return nil
	case status == judging.Interrupted:
		return ErrorOfKind(ErrInterrupted, errors.New("interrupted: "+hint))
	case errors.As(runErr, new(*judging.GaveUpError)):
		return ErrorOfKind(ErrIncomplete, fmt.Errorf("the server stopped answering: %w; %s", runErr, hint))
	case judging.DiskFull(runErr): // the error says how to continue
		return fmt.Errorf("%w; %s", runErr, rest)
	case errors.Is(runErr, ErrIncomplete) && missing == 0: // an alarm at the last judgment
		return nil
	case runErr != nil:
		return fmt.Errorf("%w; %s", runErr, hint)
	case missing > 0:
		return ErrorOfKind(ErrIncomplete,
			fmt.Errorf("%d of %d judgments failed or are missing; %s", missing, expected, e.Hints.GoOn))
	}
	return nil
}

// DiskFull reports whether an error means that the disk of the run or of the cache is full.
func DiskFull(err error) bool {
	return judging.DiskFull(err) || errors.As(err, new(*cache.DiskFullError))
}
