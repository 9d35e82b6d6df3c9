// Package jobs plans, starts, stops, continues and deletes the runs and suites of a server.
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

// Options holds the settings of a Manager, mostly from the flags of `gavel serve`.
type Options struct {
	Runs      string   // folder of the runs
	BaseURLs  []string // servers of models that runs may use, besides those found
	APIKeyEnv string   // name of the environment variable with the API key for BaseURLs
	Cache     string   // folder for cached replies; "" for the user's
	NoCache   bool     // runs neither use nor fill the cache of replies
	MaxActive int      // most runs and suites in progress at the same time
	// RunListShows reports whether the server's list of runs would show a run with this name.
	RunListShows func(run string) bool
}

// A Manager makes the runs that clients of `gavel serve` ask for. A posted job becomes the request that the command
// line would make, and passes the same checks.
type Manager struct {
	Options

	maker      *eval.Maker     // its copies make the runs of jobs
	runsFolder string          // folder of the runs; absolute, since runs refer to each other by it
	ctx        context.Context // context of the server: all jobs end with it

	suitePlanSemaphore *semaphore.Weighted // lets one suite in at a time, since planning a large one is slow
	offers             *memo.Memo          // caches the list of servers that endpoints returns
	activeJobs         sync.WaitGroup      // active jobs, for Wait
	mu                 sync.Mutex          // guards list, the jobs in it, and ending
	list               []*runJob           // jobs in memory, the newest last
	ending             bool                // the server is shutting down: no new job may begin
	deleteMu           sync.Mutex          // held while a run or suite is deleted or described
}

// ErrorField returns the name of the job request's field that err is about; "" if err is about no field.
func ErrorField(err error) string {
	var fieldErr *eval.FieldError
	if errors.As(err, &fieldErr) {
		return fieldErr.Field
	}
	return ""
}

// New returns a Manager whose jobs end with ctx. They use copies of maker and write to the folder o.Runs.
func New(ctx context.Context, maker eval.Maker, o Options) (*Manager, error) {
	dir, err := filepath.Abs(o.Runs)
	if err != nil {
		return nil, err
	}
	maker.Hints = eval.UserHints{ // for a job's page
		StopNow:  "stop again",
		GoOn:     "start the same again to go on",
		AskAgain: "start the same again with \"Ask again where there is no verdict\"",
	}
	go removeLeftovers(ctx, dir)
	maker.SharedCache = new(eval.SharedCache)
	maker.RunsDir = dir
	r := &Manager{
		Options:            o,
		maker:              &maker,
		runsFolder:         dir,
		ctx:                ctx,
		suitePlanSemaphore: semaphore.NewWeighted(1),
		offers:             memo.New(1, maker.Now),
	}
	maker.APIKeyVariable = r.apiKeyVariable
	return r, nil
}

// runJob holds a job, and what stops it: interrupts and cancel. As the observer of the job's runs it keeps their notes.
type runJob struct {
	Job
	eval.SilentObserver
	manager    *Manager
	interrupts *eval.Interrupts
	cancel     context.CancelCauseFunc
}

// Limits of the jobs in memory and of their logs.
const (
	keepJobs  = 100  // jobs; above it, the oldest job that has ended is forgotten
	keepLines = 200  // last lines of a job's log
	longLine  = 2000 // bytes of a line of the log
)

// maker returns a copy of the manager's Maker that reports to the job and stops with it.
func (j *runJob) maker() *eval.Maker {
	e := *j.manager.maker
	e.Observer = j
	e.Interrupts = j.interrupts
	return &e
}

// Note adds the lines of text, a message of a run in progress, to the job's log.
func (j *runJob) Note(text string) {
	j.manager.mu.Lock()
	defer j.manager.mu.Unlock()
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" {
			j.Log = append(j.Log, strings.ToValidUTF8(line[:min(len(line), longLine)], ""))
		}
	}
	j.Log = j.Log[max(0, len(j.Log)-keepLines):]
}

// RunOpened adds a run whose folder is ready to the job's runs. A job that was preparing is running from now on.
func (j *runJob) RunOpened(run eval.RunStart) {
	j.manager.mu.Lock()
	defer j.manager.mu.Unlock()
	j.Runs = append(j.Runs, j.manager.nameOfFolder(run.Dir))
	if j.State == Preparing {
		j.State = Running
	}
}

// apiKeyVariable returns the name of the environment variable with the API key for the server at url; "" stands for
// OPENAI_API_KEY. ok is false for a server found on a port: such a server never gets a key.
func (r *Manager) apiKeyVariable(url string) (variable string, ok bool) {
	if slices.Contains(r.BaseURLs, url) {
		return r.APIKeyEnv, true
	}
	return "", eval.SameAddress(url, r.maker.Getenv(backends.OpenAIBaseURLVariable))
}

// Plan returns what the run of a job request would do: its calls to the model, tokens and time. It makes no call.
func (r *Manager) Plan(ctx context.Context, request JobRequest) (Planned, error) {
	o, err := r.runRequest(ctx, request)
	if err != nil {
		return Planned{}, err
	}
	planned := Planned{Stages: []PlannedStage{}}
	planning := &runJob{manager: r}
	plan, err := planning.maker().Plan(ctx, o)
	for _, run := range plan.Runs {
		planned.Stages = append(planned.Stages, r.plannedStage(run))
	}
	planned.Notes = append(planning.Log, plan.Notes...)
	return planned, failure.WithStatus(http.StatusUnprocessableEntity, err)
}

// plannedStage converts the plan of a run to the form in which the API returns it.
func (r *Manager) plannedStage(run *eval.RunPlan) PlannedStage {
	plan := run.Plan
	_, err := judging.ReadManifest(run.Dir)
	s := PlannedStage{Run: r.nameOfFolder(run.Dir), Exists: err == nil, Numbers: map[string]int{
		"items":                plan.Items,
		"judgments":            plan.Judgments,
		"standing":             plan.Completed,
		"cached":               plan.Cached,
		"calls":                plan.Calls(),
		"calls_at_most":        plan.CallsAtMost,
		"prompt_tokens":        plan.PromptTokens,
		"reply_tokens_at_most": plan.ReplyTokensAtLimit,
		"prompt_too_long":      plan.TooLong,
	}}
	if seconds, ok := run.Seconds(); ok {
		s.Seconds = &seconds
	}
	s.Time = run.Time()
	for _, row := range run.Rows() {
		if row[0] != "run" {
			s.Rows = append(s.Rows, PlanRow{Name: strings.TrimSpace(row[0]), Value: row[1]})
		}
	}
	for _, m := range plan.FirstPrompt {
		s.Messages = append(s.Messages, PlanMessage{Role: m.Role, Text: m.Content})
	}
	return s
}

// nameOfFolder returns the name of a run or suite: the path of its folder below the folder of runs.
func (r *Manager) nameOfFolder(folder string) string {
	name, err := filepath.Rel(r.runsFolder, folder)
	if err != nil { // on another drive
		name = folder
	}
	return filepath.ToSlash(name)
}

// Start begins a job that makes the run of a request, and returns at once. Errors in the request are returned; later
// errors, such as a model's server that does not answer, are in [Job].Error.
func (r *Manager) Start(ctx context.Context, request JobRequest) (Job, error) {
	o, err := r.runRequest(ctx, request)
	if err != nil {
		return Job{}, err
	}
	return r.beginRun(Job{Request: request}, o)
}

// beginRun begins a job that makes the run that o asks for.
func (r *Manager) beginRun(job Job, o eval.RunRequest) (Job, error) {
	return r.begin(job, func(ctx context.Context, e *eval.Maker) error {
		_, err := e.Run(ctx, o)
		return err
	})
}

// begin adds a job and calls work for it in the background. It refuses a job above the limit MaxActive, and a job for a
// run or suite that another job is making.
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
		if job.ResumedRun != "" && (j.ResumedRun == job.ResumedRun || j.Run() == job.ResumedRun) {
			return Job{}, failure.Conflict("the run %s is in progress already, in job %s", job.ResumedRun, j.ID)
		}
	}
	switch {
	case r.ending:
		return Job{}, failure.New(http.StatusServiceUnavailable, "the server is shutting down")
	case active >= r.MaxActive:
		return Job{}, failure.Conflict("%d runs or suites are in progress, "+
			"the most this server makes at once (--max-runs): wait for one to end, or stop one", active)
	}
	job.ID = strings.ToLower(rand.Text()[:10])
	job.State = Preparing
	job.Runs = []string{}
	job.Log = []string{}
	job.Started = r.maker.Now().UTC().Truncate(time.Second)
	j := &runJob{Job: job, manager: r, interrupts: new(eval.Interrupts)}
	r.list = append(r.list, j)
	if len(r.list) > keepJobs {
		if i := slices.IndexFunc(r.list, func(j *runJob) bool { return !j.Active() }); i >= 0 {
			// no job has ended if --max-runs exceeds keepJobs
			r.list = slices.Delete(r.list, i, i+1)
		}
	}
	ctx, cancel := context.WithCancelCause(r.ctx)
	j.cancel = cancel
	r.activeJobs.Go(func() { j.do(ctx, work) })
	return j.copy(), nil
}

// do calls work and records in the job how it ended.
func (j *runJob) do(ctx context.Context, work func(context.Context, *eval.Maker) error) {
	r := j.manager
	defer j.cancel(nil)
	err := func() (err error) {
		defer judging.RecoverPanic(&err) // a panic ends its own job alone
		return work(ctx, j.maker())
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
	case errors.Is(err, eval.ErrServerNoVerdict): // the error says what is missing
		j.State = Complete
	default:
		j.State = Failed
	}
	j.Error = r.maker.Hints.WithAdvice(err, err.Error())
}

// copy returns the job as it is now. The caller holds manager.mu.
func (j *runJob) copy() Job {
	c := j.Job
	c.Runs, c.Log = slices.Clone(j.Runs), slices.Clone(j.Log)
	return c
}

// Jobs returns copies of the jobs in memory, the newest first.
func (r *Manager) Jobs() []Job {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]Job, 0, len(r.list))
	for _, j := range slices.Backward(r.list) {
		out = append(out, j.copy())
	}
	return out
}

// Stop stops a job as Ctrl-C stops `gavel run`: the first call lets the requests in flight finish, the second gives
// them up.
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

// stop lets the job's requests in flight finish; when called again, it gives them up. The caller holds manager.mu. The
// interrupt runs in the background, since its notes need the lock too.
func (j *runJob) stop() {
	j.State = Stopping
	go j.interrupts.Interrupt(j.cancel)
}

// StopAll stops all jobs and lets no more begin. It reports whether a job was active. Requests in flight may finish.
func (r *Manager) StopAll() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ending = true
	active := false
	for _, j := range r.list {
		if !j.Active() {
			continue
		}
		active = true
		if j.State != Stopping { // a second stop would give up the requests in flight
			j.stop()
		}
	}
	return active
}

// Wait returns when all jobs have ended.
func (r *Manager) Wait() { r.activeJobs.Wait() }
