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

// make asks for what is missing, writes the run and scores it. The report is
// there even where the error is not nil, if there was anything to score.
func (e *Maker) make(ctx context.Context, p *runState) (*scoring.Report, error) {
	m := p.job.Manifest
	if err := TakeUp(p.out, p.req.try); err != nil {
		return nil, err
	}
	if rep := e.finished(p); rep != nil {
		return rep, nil
	}
	p.job.Completed = judging.Completed{}
	var err error
	how := scoring.DefaultOptions.Reading
	how.Name = p.reading
	if err := p.draw(how); err != nil {
		return nil, err
	}
	p.records, err = scoring.NewLoader(m, how)
	if err == nil && e.Observer != nil {
		p.soFar = scoring.NewSoFar(p.records)
	}
	if err == nil && e.Runs != "" {
		err = disk.Within(e.Runs, p.out)
	}
	if err != nil {
		return nil, err
	}
	p.lookBack()
	dir, old, err := judging.OpenDirBy(p.out, m, p.again, p.records.Look, p.stands)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	p.dir = dir
	e.sayAltered(p.out, m.Altered)
	p.noteStart(old, e.Now())
	for _, r := range dir.Waiting {
		p.job.Completed.Add(r)
	}
	completed := p.job.Completed.Count()
	missing, err := p.missing()
	if err != nil {
		return nil, err
	}
	var runErr error
	p.left.Store(int64(missing))
	if missing+len(dir.Waiting) > 0 {
		p.ending, p.endGently = context.WithCancel(context.Background())
		ctx = backends.WithLastTry(backends.WithAccount(ctx, &p.account), p.ending)
		client, closeClient, err := e.client(ctx, p)
		if err != nil {
			dir.Abandon()
			return nil, err
		}
		if err := p.begin(ctx); err != nil {
			closeClient()
			return nil, err
		}
		p.job.Client = client
		taken := p.job.Completed.Count() - completed
		e.observer().RunOpened(RunStart{
			Dir:       p.out,
			Manifest:  m,
			Missing:   missing - taken,
			Completed: completed + taken,
			AtOnce:    p.atOnce(),
			SoFar:     p.soFar.String,
		})
		m.Longest, runErr = e.counted(ctx, p, func() error { return e.ask(ctx, p) })
		p.job.Client = nil
		if err := closeClient(); err != nil && !errors.Is(err, cache.ErrGivenUp) { // which was said
			e.say("warning: %v", err)
		}
	} else {
		if err := p.completeFolder(ctx, old); err != nil {
			return nil, err
		}
		e.observer().RunOpened(RunStart{Dir: p.out, Manifest: m, Completed: completed})
		if completed == m.Judgments && completed > 0 {
			e.sayComplete(p)
		}
	}
	return e.finish(p, missing+len(dir.Waiting), runErr)
}

func (e *Maker) sayComplete(p *runState) {
	e.say("all %d judgments are in %s already: nothing to ask", p.job.Manifest.Judgments, p.out)
}

// counted counts the longest prompt while ask goes on.
func (e *Maker) counted(ctx context.Context, p *runState, ask func() error) (judging.Length, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	longest := make(chan judging.Length, 1)
	go func() { longest <- e.longest(ctx, p) }()
	err := ask()
	if err != nil {
		stop()
	}
	return <-longest, err
}

// stands takes a record of an earlier try that was read.
func (p *runState) stands(r *judging.Record, read scoring.Read) error {
	p.remember(r)
	if _, err := p.follow.add(r, read); err != nil {
		return err
	}
	return p.takeRead(r, read)
}

// takeRead takes a record that was read, for what the run comes to in the end and so far.
func (p *runState) takeRead(r *judging.Record, read scoring.Read) error {
	err := p.records.Take(r, read)
	if err == nil {
		p.soFar.Add(r)
	}
	return err
}

// atOnce says of a run with so many judgments left how many are asked for at once, and why no more.
func (p *runState) atOnce() func(left int) string {
	if p.whyAtOnce == nil {
		return nil
	}
	return func(left int) string {
		n := p.job.Manifest.Concurrency
		if p.job.AtOnce != nil {
			n = p.job.AtOnce()
		}
		if n > left {
			return fmt.Sprintf("%d at once (all that are left)", left)
		}
		return fmt.Sprintf("%d at once (%s)", n, p.whyAtOnce())
	}
}

// noteStart notes in the manifest when the run began, and what stays as it was: old is what its folder has, or nil.
func (p *runState) noteStart(old *judging.Manifest, now time.Time) {
	m := p.job.Manifest
	m.Started = now.UTC().Truncate(time.Second)
	if old != nil {
		m.Started = old.Started
		m.Changes = old.Changes
		m.Beside = old.Beside
		m.Sample = old.Sample
		m.Longest = old.Longest
		m.Alternates = old.Alternates
	} else if protocol, err := judging.ProtocolNamed(m.Spec.Protocol); err == nil && p.answer == nil {
		m.Alternates = protocol.Presentations == 2
	}
}

// completeFolder sees to the folder of a run of which nothing is left to ask: old is its manifest, nil of
// a shard without an item.
func (p *runState) completeFolder(ctx context.Context, old *judging.Manifest) error {
	m := p.job.Manifest
	m.Ended = m.Started
	if old != nil {
		m.Ended = old.Ended
		if err := p.dir.Sweep(); err != nil {
			return err
		}
	} else if err := p.dir.Start(m); err != nil {
		return err
	}
	return p.dir.WriteItems(p.itemLines(ctx))
}

// begin writes what a run has before anything is asked.
func (p *runState) begin(ctx context.Context) error {
	if err := p.dir.Begin(p.job.Manifest, p.itemLines(ctx)); err != nil {
		return err
	}
	return p.takeOver(ctx)
}

// takeOver writes the records that are given.
func (p *runState) takeOver(ctx context.Context) error {
	if p.given == nil {
		return nil
	}
	return p.given(ctx, func(r *judging.Record) error {
		if p.job.Completed.Has(r.Item, r.Presentation, r.Repetition) {
			return nil
		}
		if err := p.dir.Write(r); err != nil {
			return err
		}
		p.job.Completed.Add(r)
		return p.records.Add(r)
	})
}

// itemLines are the lines of items.jsonl.
func (p *runState) itemLines(ctx context.Context) func(line func([]byte) error) error {
	return func(line func([]byte) error) error {
		var raw []byte
		for _, row := range p.job.Rows {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			var err error
			raw, err = p.set.RawIn(raw, row)
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

// responses hands over those to the items that are asked about.
func (p *runState) responses(use func(id string, of []judging.Response)) error {
	for _, row := range p.job.Rows {
		item, err := p.set.Item(row)
		if err != nil {
			return err
		}
		use(item.ID, judging.ResponsesOf(item))
	}
	return nil
}

// client wraps the backend with retries, a time limit and the cache; several
// are a pool inside the retries. The returned function closes what needs it.
func (e *Maker) client(ctx context.Context, p *runState) (backends.Client, func() error, error) {
	closeStore := func() error { return nil }
	switch {
	case p.answer != nil:
		return p.answer, closeStore, nil
	case p.req.Simulated():
		return p.judges[0].Client, closeStore, nil
	}
	var store *cache.Store
	if !p.req.NoCache {
		var err error
		store, closeStore, err = e.replies(p.replies())
		if err != nil {
			return nil, nil, err
		}
	}
	ctx, unwatch := context.WithCancel(ctx)
	client, closePool, err := e.serversClient(ctx, p, store)
	closeAll := func() error {
		unwatch()
		closePool()
		return closeStore()
	}
	if err != nil {
		return nil, nil, errors.Join(err, closeAll())
	}
	if e.Batch == nil { // which says the same again
		retrier := backends.WithRetry(client, backends.Retry{For: p.req.RetryFor})
		client = retrier
		if level := p.job.AtOnce; level != nil {
			p.job.AtOnce = func() int { return level() + min(retrier.Waiting(), usualMostAtOnce) }
		}
	}
	switch {
	case store != nil && p.req.AskAgain:
		client = cache.Renew(client, store)
	case store != nil:
		client = cache.Wrap(client, store)
	}
	return client, closeAll, nil
}

// ask runs the job, which a gentle interrupt ends.
func (e *Maker) ask(ctx context.Context, p *runState) error {
	end := p.endGently
	defer end()
	done := e.Interrupts.Handle(func() {
		p.stopped.Store(true)
		end() // first: once it is said, nothing more is asked
		e.say("stopping: waiting for open requests; %s to abandon them", e.Words.StopNow)
	})
	defer done()
	p.job.Client = e.doubts(p.job.Client, p.job.Manifest.Model)
	alarms := judging.Alarms{Manifest: p.job.Manifest}
	var alarmed atomic.Pointer[string]
	var calls, asked atomic.Int64 // judgments asked for, and the milliseconds of their calls
	tell := func(r *judging.Record, v judging.Verdict) {
		if ms, _ := askedFor(r); ms > 0 {
			calls.Add(1)
			asked.Add(int64(ms))
		}
		scored := *r // as it is read for the scores, which its own words need not be
		scored.Outcome = v.Outcome
		scored.Label = v.Label
		e.observer().Recorded(&scored)
		text := alarms.Look(&scored)
		if text == "" {
			return
		}
		if p.req.StopOnAlarm && alarmed.CompareAndSwap(nil, &text) {
			end() // what ends the run says why
		} else {
			e.say("%s", text)
		}
	}
	p.job.Stop = p.ending.Done()
	if e.Batch != nil {
		p.job.GiveUp = math.MaxInt
	}
	p.job.Write = e.writing(p, tell)
	if err := p.resume(); err != nil {
		return err
	}
	begun := e.Now()
	err := e.askChecked(ctx, p)
	if m := p.job.Manifest; calls.Load() >= enoughCalls && p.job.AtOnce != nil && m.Model.Slots == 0 {
		mean := float64(asked.Load()) / float64(e.Now().Sub(begun).Milliseconds()+1)
		m.Concurrency = max(1, int(math.Round(mean)))
	}
	e.observer().RunEnded()
	if why := alarmed.Load(); why != nil && errors.Is(err, judging.ErrStopped) {
		return &kindError{ErrIncomplete, errors.New(*why)}
	}
	return err
}

// writing writes what the job makes; tell tells of a judgment.
func (e *Maker) writing(p *runState, tell func(*judging.Record, judging.Verdict)) func(*judging.Record) error {
	return func(r *judging.Record) error {
		p.left.Add(-1)
		if e.Batch != nil && r.Outcome == judging.Failed {
			e.Batch.again(r.Error)
			return nil // it stays missing, for the next batch
		}
		if r.Waits() {
			if err := p.dir.Hold(r); err != nil {
				return err
			}
		}
		read, err := p.enter(r)
		if err == nil {
			tell(r, read.Verdict)
		}
		return err
	}
}

// enoughCalls are those from which on the mean of what was asked at once tells more than the number to begin with.
const enoughCalls = 100

// finish writes how the run ended and scores it.
func (e *Maker) finish(p *runState, asked int, runErr error) (*scoring.Report, error) {
	m := p.job.Manifest
	run := p.records.Run()
	run.InFolder(p.out)
	if p.set.Kept() {
		run.ItemsFrom(p.responses)
	}
	run.Known(func() ([]string, error) { return p.ids(), nil })
	left := m.Judgments - run.Answered
	m.Status = judging.Complete
	for _, j := range p.judges {
		if w := p.watches[j.Server.URL]; w != nil && w.Changed() != nil {
			m.Changes = append(m.Changes, change(w.Changed()))
		}
	}
	switch {
	case left == 0: // also where it was told to stop when nothing was left to do
		m.DrawnBy = nil
	case p.byRule(runErr):
		m.Status, m.Stopped = judging.ByRule, p.follow.stopped()
	case errors.Is(runErr, judging.ErrStopped) || errors.Is(runErr, ErrInterrupted):
		m.Status = judging.Interrupted
	default:
		m.Status = judging.Incomplete
	}
	if asked > 0 {
		m.Beside = p.account.Onto(m.Beside)
		m.Ended = e.Now().UTC().Truncate(time.Second)
	}
	if p.reading != judging.Paper { // numbers of before there were two readings are made again without a word of them
		if err := run.CompareReadings(func(how judging.Reading) (*scoring.Run, error) {
			return scoring.Load(p.out, how)
		}); err != nil {
			e.say("cannot compare the two readings: %v", err)
		}
	}
	rep := run.Score(scoring.DefaultOptions.Bootstrap)
	err := judging.WriteJSON(filepath.Join(p.out, judging.ResultsFile), rep)
	if err == nil {
		run.Manifest.Status = m.Status
		err = p.dir.WriteManifest(m)
	}
	rep.Run = p.out
	run.InFolder(p.out)
	rep.Ledger = run.Ledger()
	p.keepFinished(run, &rep)
	switch {
	case DiskFull(runErr) && DiskFull(err):
		return &rep, e.ending(m.Status, left, m.Judgments, runErr) // to say it once is enough
	case err != nil:
		return &rep, errors.Join(runErr, err)
	}
	if asked > 0 || m.Status != judging.Complete {
		e.say("run written to %s", p.out)
	}
	for _, o := range rep.Origins {
		e.say("%s", o)
	}
	err = e.ending(m.Status, left, m.Judgments, runErr)
	if err == nil {
		err = e.unserved(p, run.Unserved)
	}
	if rep.Judgments() == 0 {
		return nil, err
	}
	return &rep, err
}

// ending is the error that a run ends with: what is left, and how to go on.
func (e *Maker) ending(status string, left, expected int, runErr error) error {
	goOn := e.Words.GoOn
	var gaveUp *judging.GaveUpError
	var other *backends.ModelChangedError
	switch {
	case errors.As(runErr, &other) && left > 0:
		return &kindError{
			ErrIncomplete,
			fmt.Errorf("%w; its replies since the last check are set aside; "+
				"%d of %d judgments are left: serve the first again, or begin another run "+
				"(--no-cache, another --out); %s", runErr, left, expected, goOn),
		}
	case status == judging.Complete && errors.Is(runErr, judging.ErrStopped), status == judging.ByRule:
		return nil
	case status == judging.Interrupted:
		return &kindError{ErrInterrupted, fmt.Errorf("interrupted: %d of %d judgments are left; %s", left, expected, goOn)}
	case errors.As(runErr, &gaveUp):
		return &kindError{
			ErrIncomplete, fmt.Errorf("the server stopped answering: %w; %d of %d judgments are left; %s",
				runErr, left, expected, goOn),
		}
	case judging.DiskFull(runErr): // how to go on is said with it
		return fmt.Errorf("%w; %d of %d judgments are left", runErr, left, expected)
	case errors.Is(runErr, ErrIncomplete) && left == 0: // an alarm at the last judgment
		return nil
	case runErr != nil:
		return fmt.Errorf("%w; %d of %d judgments are left; %s", runErr, left, expected, goOn)
	case left > 0:
		return &kindError{ErrIncomplete, fmt.Errorf("%d of %d judgments failed or are missing; %s", left, expected, goOn)}
	}
	return nil
}

// change is what a run says of a server that came to serve another model.
func change(to *backends.ModelChangedError) judging.ModelChange {
	return judging.ModelChange{At: to.At.UTC().Truncate(time.Second), URL: to.URL, Was: to.Was, Is: to.Is}
}

// DiskFull tells whether a disk is full, that of the cache included.
func DiskFull(err error) bool {
	var full *cache.DiskFullError
	return judging.DiskFull(err) || errors.As(err, &full)
}
