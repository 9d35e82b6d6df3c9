package suite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"gavel/internal/disk"
	"gavel/internal/eval"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/race"
)

// runner makes the runs of a suite's cells, one after the other.
type runner struct {
	*eval.Maker
	suite           *Suite
	userInterrupted atomic.Bool // the user interrupted: no further run may start

	incomplete             []string // names of cells that lack judgments or verdicts
	lacksJudgments         bool     // one of these cells lacks judgments
	lastPrintedDifferences string   // of a study: the differences last printed
}

// Run starts or continues the runs of all cells. With yes it ignores the suite's limits. The error may be
// eval.ErrIncomplete, eval.ErrInterrupted or *LimitsError.
func (s *Suite) Run(ctx context.Context, e *eval.Maker, yes bool) error {
	if err := s.checkLimits(ctx, e, yes); err != nil {
		return err
	}
	return s.doWithRunner(ctx, e, func(ctx context.Context, r *runner) error { return r.run(ctx) })
}

// doWithRunner calls do with a runner, after checking that the judges answer and making the suite's folder.
func (s *Suite) doWithRunner(ctx context.Context, e *eval.Maker, do func(context.Context, *runner) error) (err error) {
	quiet := *e
	release, err := quiet.OpenSharedCache(s.requests)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	r := &runner{Maker: &quiet, suite: s}
	quiet.Interrupts = new(eval.Interrupts)
	quiet.EarlierNumCtx = earlierNumCtx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer e.Interrupts.Handle(func() {
		r.userInterrupted.Store(true)
		quiet.Interrupts.Interrupt(cancel)
	})()
	if err := r.checkJudges(ctx); err != nil {
		return err
	}
	if err := s.writeRunList(); err != nil {
		return err
	}
	return do(ctx, r)
}

// checkJudges asks the servers of all incomplete cells for their judges, before any run starts. A mistake in the file
// is an error. A server that does not answer now is tried again when its cell comes.
func (r *runner) checkJudges(ctx context.Context) error {
	checked := map[string]bool{}
	for _, c := range r.suite.Cells {
		o := c.Request
		key := fmt.Sprint(o.Endpoint, o.Model, o.Parameters)
		if checked[key] || r.isComplete(c) || r.stopped(ctx) {
			continue
		}
		checked[key] = true
		err := r.CheckJudge(ctx, o)
		switch {
		case errors.As(err, new(*eval.FieldError)):
			return r.suite.locateError(c, err)
		case errors.Is(err, eval.ErrUsage):
			return r.suite.errorAtLine(c.judge.line, "%v", err)
		case err != nil && ctx.Err() == nil:
			r.Notef("warning: the judge %s does not answer now and is tried again later: %v", c.judge.name, err)
		}
	}
	return nil
}

// checkLimits returns an error if the plan exceeds the limits of the suite's file, unless yes is set.
func (s *Suite) checkLimits(ctx context.Context, e *eval.Maker, yes bool) error {
	if yes || !s.limits.any() {
		return nil
	}
	plan, err := s.Plan(ctx, e)
	if err != nil || len(plan.Exceeded) == 0 {
		return err
	}
	return &LimitsError{strings.Join(plan.Exceeded, "; "), s.path}
}

// LimitsError is the error of a suite whose plan exceeds its limits: Excess says which, path is the suite's file.
type LimitsError struct{ Excess, path string }

func (a *LimitsError) Error() string {
	return fmt.Sprintf("the plan exceeds the suite's limits: %s; "+
		"see \"gavel suite plan %s\", and add --yes to run it anyway", a.Excess, a.path)
}

// writeRunList makes the suite's folder, and in it the file that lists the suite's runs.
func (s *Suite) writeRunList() error {
	if disk.Exists(filepath.Join(s.Out, judging.ManifestFile)) {
		return s.errorAtLine(s.outLine, "out: %s is a run: give the suite another name or out", s.Out)
	}
	if err := os.MkdirAll(s.Out, 0o755); err != nil {
		return fmt.Errorf("the suite's folder: %w", err)
	}
	disk.Sweep(s.Out, scoring.SuiteRunsFile, race.StateFile)
	return judging.WriteJSON(filepath.Join(s.Out, scoring.SuiteRunsFile), s.summary())
}

func (r *runner) stopped(ctx context.Context) bool {
	return r.userInterrupted.Load() || ctx.Err() != nil
}

// run makes the runs of all cells. If a judge cannot be found, or stops answering, it leaves
// out the judge's other cells.
func (r *runner) run(ctx context.Context) error {
	broken := map[*Judge]error{}
	for n, c := range r.suite.Cells {
		if r.stopped(ctx) {
			break
		}
		if cause := broken[c.judge]; cause != nil {
			if !r.isComplete(c) {
				r.noteIncompleteCell(c, fmt.Errorf("not started: the judge stopped answering: %w", cause))
			}
			continue
		}
		r.Notef("cell %d of %d: %s", n+1, len(r.suite.Cells), c.name)
		_, err := r.Maker.Run(ctx, c.Request)
		if r.suite.studyName != "" {
			r.noteStudy()
		}
		if err == nil || errors.Is(err, eval.ErrRefuted) || errors.Is(err, eval.ErrUndecided) || r.stopped(ctx) {
			continue // the table shows the decision about an until
		}
		if eval.DiskFull(err) {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		if errors.As(err, new(*judging.GaveUpError)) || r.CheckJudge(ctx, c.Request) != nil {
			broken[c.judge] = err
			if r.isComplete(c) { // the run needed no judgment
				continue
			}
		}
		r.noteIncompleteCell(c, err)
	}
	return r.incompleteError(ctx)
}

// noteStudy prints the differences between the goals of a study so far, without a test, if there are new ones.
func (r *runner) noteStudy() {
	results, err := r.suite.Results()
	if err == nil && results.Study != nil && results.Study.SoFar() != r.lastPrintedDifferences {
		r.lastPrintedDifferences = results.Study.SoFar()
		r.Notef("so far: %s", r.lastPrintedDifferences)
	}
}

// isComplete reports whether the run of a cell is complete, by the manifest in its folder.
func (r *runner) isComplete(c *Cell) bool {
	m, err := judging.ReadManifest(c.Request.Out)
	return err == nil && (m.Status == judging.Complete || m.Status == judging.StoppedByRule && c.Request.Until != "")
}

// noteIncompleteCell records a cell whose run is not complete because of err, and prints the reason.
func (r *runner) noteIncompleteCell(c *Cell, err error) {
	r.Notef("%s: %s", c.name, strings.ReplaceAll(r.suite.explain(err), "\n", " "))
	r.incomplete = append(r.incomplete, c.name)
	r.lacksJudgments = r.lacksJudgments || !errors.Is(err, eval.ErrServerNoVerdict)
}

// interruptionError returns the error of a suite or race that the user stopped; format and args say how far it is.
func (r *runner) interruptionError(ctx context.Context, format string, args ...any) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, eval.ErrInterrupted) {
		return cause
	}
	return eval.ErrorOfKind(eval.ErrInterrupted,
		fmt.Errorf("interrupted: %s; %s", fmt.Sprintf(format, args...), r.Hints.GoOn))
}

// incompleteError returns the error for cells that are not complete; nil if all are.
func (r *runner) incompleteError(ctx context.Context) error {
	if r.stopped(ctx) {
		open := slices.DeleteFunc(slices.Clone(r.suite.Cells), r.isComplete)
		if len(open) == 0 {
			return nil
		}
		return r.interruptionError(ctx, "%d of %d cells are not complete", len(open), len(r.suite.Cells))
	}
	if len(r.incomplete) == 0 {
		return nil
	}
	count := fmt.Sprintf("%d of %d cells", len(r.incomplete), len(r.suite.Cells))
	names := strings.Join(r.incomplete, ", ")
	if r.lacksJudgments {
		return eval.ErrorOfKind(eval.ErrIncomplete, fmt.Errorf("%s are not complete (%s); %s", count, names, r.Hints.GoOn))
	}
	return eval.ErrorOfKind(eval.ErrServerNoVerdict,
		fmt.Errorf("%s have judgments without a verdict (%s); %s", count, names, r.Hints.AskAgain))
}
