package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"gavel/datasets"
	"gavel/judging"
	"gavel/server"
)

// runner makes the runs of a server: what its form or its API orders goes the
// way of the command line, through the same flags and the same checks.
type runner struct {
	env  *env
	opts serveOptions
	dir  string // of the runs, absolute: runs name each other by it
	ctx  context.Context
	note *server.Metrics

	shared *sharedCache
	turns  chan struct{} // at reading and planning suites
	offers offers
	keys   sync.Map // addresses of servers that were named, and the variables with their keys
	jobs   sync.WaitGroup
	mu     sync.Mutex
	list   []*runJob // the newest last
	ending bool
}

var _ server.Runner = (*runner)(nil)

// orderError is an error of whoever ordered, with its HTTP status.
type orderError struct {
	status int
	err    error
}

func (r *orderError) Error() string { return r.err.Error() }
func (r *orderError) Unwrap() error { return r.err }
func (r *orderError) Status() int   { return r.status }

func noOrder(status int, format string, args ...any) error {
	return &orderError{status, fmt.Errorf(format, args...)}
}

func (e *env) newRunner(ctx context.Context, o serveOptions, m *server.Metrics) (*runner, error) {
	dir, err := filepath.Abs(o.runs)
	if err != nil {
		return nil, err
	}
	onPages := *e
	onPages.words = pageWords
	return &runner{env: &onPages, opts: o, dir: dir, ctx: ctx, note: m, shared: new(sharedCache), turns: make(chan struct{}, 1)}, nil
}

// pageWords are those of a job's page.
var pageWords = phrases{stopNow: "stop again", goOn: "start the same again to go on"}

// runJob is a job with what ends it.
type runJob struct {
	server.Job
	runner     *runner
	interrupts *interrupts
	cancel     context.CancelCauseFunc
}

// Limits of what is kept of jobs.
const (
	keepJobs  = 100
	keepLines = 200
	longLine  = 2000
)

// within is the world of a job: the server's own, but for what it says and how
// it is stopped.
func (r *runner) within(say lineWriter, in *interrupts) *env {
	e := *r.env
	e.stdout, e.stderr, e.terminal, e.interrupts = lineWriter(func(string) {}), say, false, in
	e.hooks = hooks{runs: r.dir, shared: r.shared, recorded: r.note.Record, asking: r.note.Asking, keyOf: r.keyOf}
	return &e
}

// keyOf keeps keys to the servers that they are of: what is ordered may ask
// several, and one that was found on a port has none.
func (r *runner) keyOf(url string) (variable string, known bool) {
	v, known := r.keys.Load(url)
	variable, _ = v.(string)
	return variable, known
}

// lineWriter hands on what is written to it, a line at a time.
type lineWriter func(line string)

func (w lineWriter) Write(b []byte) (int, error) {
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSpace(line); line != "" {
			w(line[:min(len(line), longLine)])
		}
	}
	return len(b), nil
}

// Plan is `gavel run … --dry-run`.
func (r *runner) Plan(ctx context.Context, order server.Order) (server.Planned, error) {
	o, err := r.options(ctx, order)
	if err != nil {
		return server.Planned{}, err
	}
	o.dryRun = true
	planned := server.Planned{Stages: []server.PlannedStage{}}
	e := r.within(func(line string) { planned.Notes = append(planned.Notes, line) }, &interrupts{})
	e.hooks.planned = func(p *prepared, plan judging.Plan) { planned.Stages = append(planned.Stages, r.stage(p, plan)) }
	if err := e.runAny(ctx, o); err != nil {
		return planned, &orderError{http.StatusUnprocessableEntity, err}
	}
	return planned, nil
}

// stage is a plan for people and for programs.
func (r *runner) stage(p *prepared, plan judging.Plan) server.PlannedStage {
	_, err := judging.ReadManifest(p.out)
	s := server.PlannedStage{Run: r.name(p.out), Exists: err == nil, Numbers: map[string]int{
		"items": plan.Items, "judgments": plan.Judgments, "standing": plan.Standing, "cached": plan.Cached, "calls": plan.Calls(),
		"calls_at_most": plan.CallsAtMost, "prompt_tokens": plan.Tokens, "reply_tokens_at_most": plan.MaxTokens, "prompt_too_long": plan.TooLong,
	}}
	for _, row := range planRows(p, plan) {
		if row[0] != "run" {
			s.Rows = append(s.Rows, server.PlanRow{Name: strings.TrimSpace(row[0]), Value: row[1]})
		}
	}
	for _, m := range plan.First {
		s.Messages = append(s.Messages, server.PlanMessage{Role: m.Role, Text: m.Content})
	}
	return s
}

// name of a run's folder below that of the runs.
func (r *runner) name(folder string) string {
	if rel, err := filepath.Rel(r.dir, folder); err == nil {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(folder)
}

// runAny makes a run, with the stages it stands on where its protocol has some.
func (e *env) runAny(ctx context.Context, o runOptions) error {
	kind, err := judging.KindNamed(o.protocol)
	if err != nil {
		return err
	}
	switch {
	case kind.Takes(datasets.Judgment):
		return e.runStaged(ctx, o)
	case o.settings.Get(judging.ReferenceOption) == "true":
		return e.runReferenced(ctx, o)
	}
	return e.runJudge(ctx, o)
}

// Start begins a job. It does not wait for the server of the model: what goes
// wrong then is said on the job's page.
func (r *runner) Start(ctx context.Context, order server.Order) (server.Job, error) {
	o, err := r.options(ctx, order)
	if err != nil {
		return server.Job{}, err
	}
	return r.begin(server.Job{Order: order}, func(ctx context.Context, e *env) error { return e.runAny(ctx, o) })
}

// begin makes a job of some work.
func (r *runner) begin(job server.Job, work func(context.Context, *env) error) (server.Job, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	active := 0
	for _, j := range r.list {
		if !j.Active() {
			continue
		}
		if active++; job.Suite != "" && j.Suite == job.Suite {
			return server.Job{}, noOrder(http.StatusConflict, "the suite %s is being made already, by the job %s", j.Suite, j.ID)
		}
	}
	switch {
	case r.ending:
		return server.Job{}, noOrder(http.StatusServiceUnavailable, "the server is ending")
	case active >= r.opts.atOnce:
		return server.Job{}, noOrder(http.StatusConflict, "%d runs or suites are being made, and this server makes no more at once (--max-runs): wait for one to end, or stop it", active)
	}
	job.ID, job.State, job.Runs, job.Log = strings.ToLower(rand.Text()[:10]), server.JobPreparing, []string{}, []string{}
	job.Started = r.env.now().UTC().Truncate(time.Second)
	j := &runJob{runner: r, interrupts: &interrupts{}, Job: job}
	if r.list = append(r.list, j); len(r.list) > keepJobs {
		i := slices.IndexFunc(r.list, func(j *runJob) bool { return !j.Active() })
		r.list = slices.Delete(r.list, i, i+1)
	}
	ctx, cancel := context.WithCancelCause(r.ctx)
	j.cancel = cancel
	r.jobs.Go(func() { j.make(ctx, work) })
	return j.copy(), nil
}

// make does the work of a job.
func (j *runJob) make(ctx context.Context, work func(context.Context, *env) error) {
	r := j.runner
	defer j.cancel(nil)
	defer r.note.Making()()
	e := r.within(j.say, j.interrupts)
	e.hooks.begun = j.begun
	err := work(ctx, e)
	r.mu.Lock()
	defer r.mu.Unlock()
	j.Ended = r.env.now().UTC().Truncate(time.Second)
	var coded *exitCodeError
	switch {
	case err == nil:
		j.State = server.JobComplete
		return
	case errors.Is(err, errInterrupted), ctx.Err() != nil, errors.As(err, &coded) && coded.code == exitInterrupted:
		j.State = server.JobStopped
	default:
		j.State = server.JobFailed
	}
	j.Error = e.advised(err, err.Error())
}

func (j *runJob) say(line string) {
	j.runner.mu.Lock()
	defer j.runner.mu.Unlock()
	if j.Log = append(j.Log, line); len(j.Log) > keepLines {
		j.Log = slices.Delete(j.Log, 0, len(j.Log)-keepLines)
	}
}

// begun notes the run that the job is making now.
func (j *runJob) begun(folder string) {
	j.runner.mu.Lock()
	defer j.runner.mu.Unlock()
	j.Runs = append(j.Runs, j.runner.name(folder))
	if j.State == server.JobPreparing {
		j.State = server.JobRunning
	}
}

// copy is the job as it is now; the caller holds the lock.
func (j *runJob) copy() server.Job {
	c := j.Job
	c.Runs, c.Log = slices.Clone(j.Runs), slices.Clone(j.Log)
	return c
}

// Jobs lists the jobs, the newest first.
func (r *runner) Jobs() []server.Job {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]server.Job, 0, len(r.list))
	for _, j := range slices.Backward(r.list) {
		out = append(out, j.copy())
	}
	return out
}

// Stop is Ctrl-C: the first waits for what is in flight, the second gives it up.
func (r *runner) Stop(id string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.list, func(j *runJob) bool { return j.ID == id })
	switch {
	case i < 0:
		return noOrder(http.StatusNotFound, "there is no such job")
	case !r.list[i].Active():
		return noOrder(http.StatusConflict, "the job has ended already")
	}
	r.list[i].stop()
	return nil
}

// stop ends the job gently if it can, else at once. The caller holds the lock,
// which what is told of the stop needs too: so it is told by somebody else.
func (j *runJob) stop() {
	j.State = server.JobStopping
	go j.interrupts.interrupt(j.cancel)
}

// interrupt does what Ctrl-C does, but never ends the process.
func (in *interrupts) interrupt(cancel context.CancelCauseFunc) {
	in.mu.Lock()
	soft := in.soft
	in.soft = nil
	in.mu.Unlock()
	if soft != nil {
		soft()
		return
	}
	cancel(errInterrupted)
}

// stopAll stops all jobs and begins no more; it tells whether there were any.
func (r *runner) stopAll() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ending = true
	some := false
	for _, j := range r.list {
		if j.Active() {
			j.stop()
			some = true
		}
	}
	return some
}

// wait waits for all jobs to end.
func (r *runner) wait() { r.jobs.Wait() }
