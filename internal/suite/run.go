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

// runner makes a suite's runs, one after the other.
type runner struct {
	*eval.Maker // what the cells are made with
	suite       *Suite
	inner       *eval.Interrupts // of the run that is being made
	stop        atomic.Bool      // told to stop: nothing more is begun
	left        []string         // cells that did not come to their end, or lack verdicts
	open        bool             // one of these did not come to its end
	full        error            // a disk is: no cell could be written
}

// Run makes the runs, or goes on with them. The error may be eval.ErrIncomplete, eval.ErrInterrupted or *AboveLimits.
func (s *Suite) Run(ctx context.Context, e *eval.Maker, yes bool) error {
	if err := s.mayRun(ctx, e, yes); err != nil {
		return err
	}
	return s.making(ctx, e, func(ctx context.Context, r *runner) error {
		for i := range s.judges {
			r.judge(ctx, &s.judges[i])
		}
		return r.end(ctx)
	})
}

// making makes ready for runs, and has them made.
func (s *Suite) making(ctx context.Context, e *eval.Maker, do func(context.Context, *runner) error) (err error) {
	quiet := *e
	release, err := quiet.Hold(s.requests)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	r := &runner{Maker: &quiet, suite: s, inner: new(eval.Interrupts)}
	quiet.Interrupts = r.inner
	quiet.NumCtx = contextOf
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer e.Interrupts.Handle(func() {
		r.stop.Store(true)
		r.inner.Interrupt(cancel)
	})()
	if err := r.checkJudges(ctx); err != nil {
		return err
	}
	if err := s.write(); err != nil {
		return err
	}
	return do(ctx, r)
}

// checkJudges finds the judge of every cell that is to be made before any is asked. A mistake in the file is an error.
// A server that does not answer now is tried again when its turn comes.
func (r *runner) checkJudges(ctx context.Context) error {
	checked := map[string]bool{}
	for _, c := range r.suite.Cells {
		o := c.Request
		key := fmt.Sprint(o.Endpoint, o.Model, o.Parameters)
		if checked[key] || r.complete(c) || r.stopped(ctx) {
			continue
		}
		checked[key] = true
		err := r.CheckJudge(ctx, o)
		switch {
		case errors.As(err, new(*eval.FieldError)):
			return r.suite.blame(c, err)
		case errors.Is(err, eval.ErrUsage):
			return r.suite.wrong(c.judge.line, "%v", err)
		case err != nil && ctx.Err() == nil:
			r.say("warning: the judge %s cannot be found now, and is tried again later: %v", c.judge.name, err)
		}
	}
	return nil
}

// mayRun holds the plan to the file's limits.
func (s *Suite) mayRun(ctx context.Context, e *eval.Maker, yes bool) error {
	if yes || !s.limits.any() {
		return nil
	}
	plan, err := s.Plan(ctx, e)
	if err != nil || len(plan.Above) == 0 {
		return err
	}
	return &AboveLimits{strings.Join(plan.Above, "; "), s.path}
}

// AboveLimits is why a suite is not begun.
type AboveLimits struct{ What, path string }

func (a *AboveLimits) Error() string {
	return fmt.Sprintf("the plan exceeds the suite's limits: %s; "+
		"see \"gavel suite plan %s\", and add --yes to run it anyway", a.What, a.path)
}

// write makes the suite's folder, with the file that lists its runs.
func (s *Suite) write() error {
	if _, err := os.Stat(filepath.Join(s.Out, judging.ManifestFile)); err == nil {
		return s.wrong(s.outLine, "out: %s is a run: give the suite another name or out", s.Out)
	}
	if err := os.MkdirAll(s.Out, 0o755); err != nil {
		return fmt.Errorf("the suite's folder: %w", err)
	}
	disk.Sweep(s.Out, scoring.SuiteFile, race.StateFile)
	return judging.WriteJSON(filepath.Join(s.Out, scoring.SuiteFile), s.summary())
}

func (r *runner) stopped(ctx context.Context) bool { return r.stop.Load() || ctx.Err() != nil }

func (r *runner) say(format string, args ...any) {
	if r.Observer != nil {
		r.Observer.Note(fmt.Sprintf(format, args...))
	}
}

// judge makes all runs of one judge. One that cannot be found, or stops answering, is left alone for the rest of them.
func (r *runner) judge(ctx context.Context, j *Judge) {
	var broken error
	for n, c := range r.suite.Cells {
		switch {
		case c.judge != j || r.complete(c) && broken != nil:
			continue
		case r.stopped(ctx), r.full != nil:
			return
		case broken != nil:
			r.lack(c, fmt.Errorf("not started: the judge stopped answering: %w", broken))
			continue
		}
		r.say("cell %d of %d: %s", n+1, len(r.suite.Cells), c.name)
		_, err := r.Maker.Run(ctx, c.Request)
		if err == nil || errors.Is(err, eval.ErrRefuted) || errors.Is(err, eval.ErrUndecided) || r.stopped(ctx) {
			continue // a suite is no gate: its table says what was found
		}
		if eval.DiskFull(err) {
			r.full = fmt.Errorf("%s: %w", c.name, err)
			return
		}
		var gaveUp *judging.GaveUpError
		if errors.As(err, &gaveUp) || r.CheckJudge(ctx, c.Request) != nil {
			broken = err
			if r.complete(c) { // and so not asked for anything
				continue
			}
		}
		r.lack(c, err)
	}
}

// complete tells whether the run of a cell is, as far as its folder says.
func (r *runner) complete(c *Cell) bool {
	m, err := judging.ReadManifest(c.Request.Out)
	return err == nil && (m.Status == judging.Complete || m.Status == judging.ByRule && c.Request.Until != "")
}

func (r *runner) lack(c *Cell, err error) {
	r.say("%s: %s", c.name, strings.ReplaceAll(r.suite.explain(err), "\n", " "))
	r.left = append(r.left, c.name)
	r.open = r.open || !errors.Is(err, eval.ErrUnserved)
}

// interrupted returns the error of a suite or race that was stopped, which says how far it is.
func (r *runner) interrupted(ctx context.Context, format string, args ...any) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, eval.ErrInterrupted) {
		return cause
	}
	return eval.Failed(eval.ErrInterrupted,
		fmt.Errorf("interrupted: %s; %s", fmt.Sprintf(format, args...), r.Words.GoOn))
}

// end returns the error that the suite ends with.
func (r *runner) end(ctx context.Context) error {
	if r.stopped(ctx) {
		open := slices.DeleteFunc(slices.Clone(r.suite.Cells), r.complete)
		if len(open) == 0 {
			return nil
		}
		return r.interrupted(ctx, "%d of %d cells are not complete", len(open), len(r.suite.Cells))
	}
	if r.full != nil || len(r.left) == 0 {
		return r.full
	}
	kind := eval.ErrIncomplete
	what, do := "are not complete", r.Words.GoOn
	if !r.open {
		kind = eval.ErrUnserved
		what, do = "have judgments without a verdict", r.Words.AskAgain
	}
	names := strings.Join(r.left, ", ")
	err := fmt.Errorf("%d of %d cells %s (%s); %s", len(r.left), len(r.suite.Cells), what, names, do)
	return eval.Failed(kind, err)
}
