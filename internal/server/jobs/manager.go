// Package jobs makes the runs and suites of a server: they are planned, started, stopped and gone on with.
package jobs

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"gavel/backends"
	"gavel/internal/eval"
	"gavel/internal/server/failure"
	"gavel/internal/server/memo"
	"gavel/judging"
)

// Options of a Manager.
type Options struct {
	Runs      string   // folder of the runs
	BaseURLs  []string // servers to offer beside those that are found
	APIKeyEnv string   // variable with the API key of those
	Cache     string
	NoCache   bool
	AtOnce    int // runs and suites that are made at the most
	// Shows tells whether a run of that name would stand in the server's list.
	Shows func(run string) bool
}

// Manager makes the runs of a server. What is posted becomes the request that the
// command line would make, and is held to the same.
type Manager struct {
	maker *eval.Maker
	opts  Options
	dir   string // of the runs, absolute: runs name each other by it
	ctx   context.Context

	turns    *semaphore.Weighted // at reading and planning suites: a large matrix keeps a processor busy
	offers   *memo.Memo          // the servers that are found
	jobs     sync.WaitGroup
	mu       sync.Mutex
	list     []*runJob // the newest last
	ending   bool
	deleting sync.Mutex // two who lock one run to delete it would be in each other's way
}

// FieldOf an error is the field of the job request that is at fault; "" where it is none.
func FieldOf(err error) string {
	var at *eval.FieldError
	if errors.As(err, &at) {
		return at.Field
	}
	return ""
}

// New makes a Manager whose jobs end with ctx. maker is what they are made with,
// but for where, who is told, and how they are stopped.
func New(ctx context.Context, maker eval.Maker, o Options) (*Manager, error) {
	dir, err := filepath.Abs(o.Runs)
	if err != nil {
		return nil, err
	}
	maker.Words = eval.Words{ // as a job's page has it
		StopNow:  "stop again",
		GoOn:     "start the same again to go on",
		AskAgain: "start the same again with \"Ask again where there is no verdict\"",
	}
	go sweep(ctx, dir)
	maker.Shared = new(eval.SharedCache)
	maker.Runs = dir
	return &Manager{
		maker:  &maker,
		opts:   o,
		dir:    dir,
		ctx:    ctx,
		turns:  semaphore.NewWeighted(1),
		offers: memo.New(1, maker.Now),
	}, nil
}

// runJob is a job with what ends it.
type runJob struct {
	Job
	runner     *Manager
	interrupts *eval.Interrupts
	cancel     context.CancelCauseFunc
}

// Limits of what is kept of jobs.
const (
	keepJobs  = 100
	keepLines = 200
	longLine  = 2000
)

// within is what a job is made with: the server's own, but for who is told and how it is stopped.
func (r *Manager) within(who eval.Observer, in *eval.Interrupts) *eval.Maker {
	e := *r.maker
	e.Observer = who
	e.Interrupts = in
	e.KeyOf = r.keyOf
	return &e
}

// notes is an Observer that keeps what is said, and which runs are opened.
type notes struct {
	eval.Quiet
	say   func(line string)
	begun func(folder string) // nil where nothing is
}

func (n *notes) Note(text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" {
			n.say(strings.ToValidUTF8(line[:min(len(line), longLine)], ""))
		}
	}
}

func (n *notes) RunOpened(run eval.RunStart) {
	if n.begun != nil {
		n.begun(run.Dir)
	}
}

// planner is what a plan is made with, which keeps what is said.
func (r *Manager) planner(said *[]string) *eval.Maker {
	return r.within(&notes{say: func(line string) { *said = append(*said, line) }}, nil)
}

// keyOf returns the variable with the key of a server, "" for the usual one. known is false for a server that nobody
// named: a key never goes to a server that was found on a port.
func (r *Manager) keyOf(url string) (variable string, known bool) {
	if slices.Contains(r.opts.BaseURLs, url) {
		return r.opts.APIKeyEnv, true
	}
	return "", eval.SameAddress(url, r.maker.Getenv(backends.OpenAIBase))
}

// Plan says what a run would ask, and asks nothing.
func (r *Manager) Plan(ctx context.Context, request JobRequest) (Planned, error) {
	o, err := r.request(ctx, request)
	if err != nil {
		return Planned{}, err
	}
	planned := Planned{Stages: []PlannedStage{}}
	plan, err := r.planner(&planned.Notes).Plan(ctx, o)
	for _, run := range plan.Runs {
		planned.Stages = append(planned.Stages, r.stage(run))
	}
	planned.Notes = append(planned.Notes, plan.Notes...)
	return planned, failure.Of(http.StatusUnprocessableEntity, err)
}

// stage is a plan for people and for programs.
func (r *Manager) stage(run *eval.RunPlan) PlannedStage {
	plan := run.Plan
	_, err := judging.ReadManifest(run.Dir)
	s := PlannedStage{Run: r.name(run.Dir), Exists: err == nil, Numbers: map[string]int{
		"items":                plan.Items,
		"judgments":            plan.Judgments,
		"standing":             plan.Completed,
		"cached":               plan.Cached,
		"calls":                plan.Calls(),
		"calls_at_most":        plan.CallsAtMost,
		"prompt_tokens":        plan.Tokens,
		"reply_tokens_at_most": plan.MaxTokens,
		"prompt_too_long":      plan.TooLong,
	}}
	if seconds, known := run.Seconds(); known {
		s.Seconds = &seconds
	}
	s.Time = run.Time()
	for _, row := range run.Rows() {
		if row[0] != "run" {
			s.Rows = append(s.Rows, PlanRow{Name: strings.TrimSpace(row[0]), Value: row[1]})
		}
	}
	for _, m := range plan.First {
		s.Messages = append(s.Messages, PlanMessage{Role: m.Role, Text: m.Content})
	}
	return s
}

// name of a run's folder below that of the runs.
func (r *Manager) name(folder string) string {
	if rel, err := filepath.Rel(r.dir, folder); err == nil {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(folder)
}

// Start begins a job. It does not wait for the server of the model: what goes wrong then is said on the job's page.
func (r *Manager) Start(ctx context.Context, request JobRequest) (Job, error) {
	o, err := r.request(ctx, request)
	if err != nil {
		return Job{}, err
	}
	return r.beginRun(Job{Request: request}, o)
}

// beginRun makes a job of a run.
func (r *Manager) beginRun(job Job, o eval.Request) (Job, error) {
	return r.begin(job, func(ctx context.Context, e *eval.Maker) error {
		_, err := e.Run(ctx, o)
		return err
	})
}

// begin makes a job of some work.
func (r *Manager) begin(job Job, work func(context.Context, *eval.Maker) error) (Job, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	active := 0
	for _, j := range r.list {
		if !j.Active() {
			continue
		}
		if active++; job.Suite != "" && j.Suite == job.Suite {
			return Job{}, failure.Conflict("the suite %s is in progress already, in job %s", j.Suite, j.ID)
		}
		if job.Resumes != "" && (j.Resumes == job.Resumes || j.Run() == job.Resumes) {
			return Job{}, failure.Conflict("the run %s is in progress already, in job %s", job.Resumes, j.ID)
		}
	}
	switch {
	case r.ending:
		return Job{}, failure.New(http.StatusServiceUnavailable, "the server is shutting down")
	case active >= r.opts.AtOnce:
		return Job{}, failure.Conflict("%d runs or suites are in progress, "+
			"the most this server makes at once (--max-runs): wait for one to end, or stop one", active)
	}
	job.ID = strings.ToLower(rand.Text()[:10])
	job.State = Preparing
	job.Runs = []string{}
	job.Log = []string{}
	job.Started = r.maker.Now().UTC().Truncate(time.Second)
	j := &runJob{runner: r, interrupts: new(eval.Interrupts), Job: job}
	r.list = append(r.list, j)
	if len(r.list) > keepJobs {
		if i := slices.IndexFunc(r.list, func(j *runJob) bool { return !j.Active() }); i >= 0 {
			// else --max-runs is more than are kept
			r.list = slices.Delete(r.list, i, i+1)
		}
	}
	ctx, cancel := context.WithCancelCause(r.ctx)
	j.cancel = cancel
	r.jobs.Go(func() { j.make(ctx, work) })
	return j.copy(), nil
}

// make does the work of a job.
func (j *runJob) make(ctx context.Context, work func(context.Context, *eval.Maker) error) {
	r := j.runner
	defer j.cancel(nil)
	err := func() (err error) {
		defer judging.Caught(&err) // a panic ends its own job alone
		return work(ctx, r.within(&notes{say: j.say, begun: j.begun}, j.interrupts))
	}()
	r.mu.Lock()
	defer r.mu.Unlock()
	j.Ended = r.maker.Now().UTC().Truncate(time.Second)
	switch {
	case err == nil:
		j.State = Complete
		return
	case errors.Is(err, eval.ErrInterrupted), ctx.Err() != nil:
		j.State = Stopped
	case errors.Is(err, eval.ErrUnserved): // it is said what is lacking
		j.State = Complete
	default:
		j.State = Failed
	}
	j.Error = r.maker.Words.Advised(err, err.Error())
}

func (j *runJob) say(line string) {
	j.runner.mu.Lock()
	defer j.runner.mu.Unlock()
	j.Log = append(j.Log, line)
	if len(j.Log) > keepLines {
		j.Log = slices.Delete(j.Log, 0, len(j.Log)-keepLines)
	}
}

// begun notes the run that the job is making now.
func (j *runJob) begun(folder string) {
	j.runner.mu.Lock()
	defer j.runner.mu.Unlock()
	j.Runs = append(j.Runs, j.runner.name(folder))
	if j.State == Preparing {
		j.State = Running
	}
}

// copy is the job as it is now; the caller holds the lock.
func (j *runJob) copy() Job {
	c := j.Job
	c.Runs, c.Log = slices.Clone(j.Runs), slices.Clone(j.Log)
	return c
}

// Jobs lists the jobs, the newest first.
func (r *Manager) Jobs() []Job {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]Job, 0, len(r.list))
	for _, j := range slices.Backward(r.list) {
		out = append(out, j.copy())
	}
	return out
}

// Stop is Ctrl-C: the first waits for what is in flight, the second gives it up.
func (r *Manager) Stop(id string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.list, func(j *runJob) bool { return j.ID == id })
	switch {
	case i < 0:
		return failure.NotFound("there is no such job")
	case !r.list[i].Active():
		return failure.Conflict("the job has ended already")
	}
	r.list[i].stop()
	return nil
}

// stop ends the job gently if it can, else at once. The caller holds the lock,
// which what is told of the stop needs too: so it is told by somebody else.
func (j *runJob) stop() {
	j.State = Stopping
	go j.interrupts.Interrupt(j.cancel)
}

// StopAll stops all jobs and begins no more; it tells whether there were any.
func (r *Manager) StopAll() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ending = true
	some := false
	for _, j := range r.list {
		if !j.Active() {
			continue
		}
		some = true
		if j.State != Stopping { // else it would be given up
			j.stop()
		}
	}
	return some
}

// Wait waits for all jobs to end.
func (r *Manager) Wait() { r.jobs.Wait() }
