package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"gavel/judging"
	"gavel/scoring"
)

// suiteRunner makes a suite's runs, one after the other.
type suiteRunner struct {
	*env  // what the cells are made with: they print nothing
	suite *suite
	inner *interrupts // of the run that is being made
	stop  atomic.Bool // told to stop: nothing more is begun
	left  []string    // cells that did not come to their end, and why
	full  error       // a disk is: no cell could be written
}

func (e *env) suiteRun(ctx context.Context, s *suite, format string, yes bool) error {
	if err := e.check(ctx, s); err != nil {
		return err
	}
	if err := e.makeSuite(ctx, s, yes); err != nil {
		var unfinished *exitCodeError
		if errors.As(err, &unfinished) && unfinished.code == exitIncomplete {
			err = errors.Join(err, e.suiteResults(s, format))
		}
		return err
	}
	return e.suiteResults(s, format)
}

// makeSuite makes the runs, or goes on with them.
func (e *env) makeSuite(ctx context.Context, s *suite, yes bool) (err error) {
	quiet := *e
	quiet.stdout, quiet.hooks.contexts = io.Discard, newSuiteContexts(s)
	done, err := quiet.hold(s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	if err := quiet.mayRun(ctx, s, yes); err != nil {
		return err
	}
	if err := s.write(); err != nil {
		return err
	}
	r := &suiteRunner{env: &quiet, suite: s, inner: &interrupts{}}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer e.interrupts.handle(func() {
		r.stop.Store(true)
		r.inner.interrupt(cancel)
	})()
	quiet.interrupts = r.inner
	r.agents(ctx)
	for i := range s.judges {
		r.judge(ctx, &s.judges[i])
	}
	return r.end(ctx)
}

// mayRun holds the plan to the file's limits.
func (e *env) mayRun(ctx context.Context, s *suite, yes bool) error {
	if yes || !s.limits.any() {
		return nil
	}
	plan, err := e.planSuite(ctx, s, false)
	if err != nil || len(plan.Above) == 0 {
		return err
	}
	return &aboveLimits{strings.Join(plan.Above, "; "), s.path}
}

// aboveLimits is why a suite is not begun.
type aboveLimits struct{ what, path string }

func (a *aboveLimits) Error() string {
	return fmt.Sprintf("the suite is above its limits: %s; see \"gavel suite plan %s\", and run it with --yes", a.what, a.path)
}

// write says in the suite's folder which runs are its own.
func (s *suite) write() error {
	if _, err := os.Stat(filepath.Join(s.out, judging.ManifestFile)); err == nil {
		return usage("%s: out: %s is a run: give the suite another name or out", s.path, s.out)
	}
	if err := os.MkdirAll(s.out, 0o755); err != nil {
		return fmt.Errorf("the suite's folder: %w", err)
	}
	return judging.WriteJSON(filepath.Join(s.out, scoring.SuiteFile), s.summary())
}

func (r *suiteRunner) stopped(ctx context.Context) bool { return r.stop.Load() || ctx.Err() != nil }

// agents asks the models whose answers are judged, each of them all that the
// cells want of it: later, that would be in the midst of a judge's work, and a
// workstation would load the judge twice. What fails here is said by the cells.
func (r *suiteRunner) agents(ctx context.Context) {
	var order []string
	cells := map[string][]*suiteCell{}
	for _, c := range r.suite.cells {
		for _, a := range c.opts.agents {
			if !strings.Contains(a, "@") {
				continue
			}
			if cells[a] == nil {
				order = append(order, a)
			}
			cells[a] = append(cells[a], c)
		}
	}
	for _, a := range order {
		asked := map[string]bool{}
		for _, c := range cells[a] {
			o := (&stages{opts: c.opts}).answerOptions()
			o.endpointOptions, o.model, o.agents, o.own = endpointOptions{}, "", nil, ""
			key := fmt.Sprintf("%+v", o)
			if asked[key] || r.stopped(ctx) {
				continue
			}
			asked[key] = true
			if err := r.agent(ctx, c, a); err != nil && !r.stopped(ctx) {
				r.say("answers of %s: %v", a, err)
				break
			}
		}
	}
}

func (r *suiteRunner) agent(ctx context.Context, c *suiteCell, agent string) error {
	its, err := r.openItems(c.opts)
	if err != nil {
		return err
	}
	defer its.set.Close()
	answers, err := r.findAgent(ctx, &stages{opts: c.opts, questions: its}, agent)
	if err == nil {
		_, err = answers()
	}
	return err
}

// judge makes all runs of one judge. One that cannot be found, or stops
// answering, is left alone for the rest of them.
func (r *suiteRunner) judge(ctx context.Context, j *suiteJudge) {
	var broken error
	for n, c := range r.suite.cells {
		switch {
		case c.judge != j || r.complete(c) && broken != nil:
			continue
		case r.stopped(ctx), r.full != nil:
			return
		case broken != nil:
			r.lack(c, fmt.Errorf("not begun, since the judge is gone: %w", broken))
			continue
		}
		r.say("cell %d of %d: %s", n+1, len(r.suite.cells), c.name)
		err := r.runCell(ctx, c, false)
		if err == nil || r.stopped(ctx) {
			continue
		}
		if noRoom(err) {
			r.full = fmt.Errorf("%s: %w", c.name, err)
			return
		}
		var gaveUp *judging.GaveUpError
		if errors.As(err, &gaveUp) || r.gone(ctx, c) != nil {
			broken = err
			if r.complete(c) { // and so not asked for anything
				continue
			}
		}
		r.lack(c, err)
	}
}

// complete tells whether the run of a cell is, as far as its folder says.
func (r *suiteRunner) complete(c *suiteCell) bool {
	m, err := judging.ReadManifest(c.opts.out)
	return err == nil && m.Status == judging.Complete
}

func (r *suiteRunner) lack(c *suiteCell, err error) {
	r.say("%s: %s", c.name, strings.ReplaceAll(r.suite.explain(err), "\n", " "))
	r.left = append(r.left, c.name)
}

// end is the error that the suite ends with.
func (r *suiteRunner) end(ctx context.Context) error {
	if r.stopped(ctx) {
		n := 0
		for _, c := range r.suite.cells {
			if !r.complete(c) {
				n++
			}
		}
		cause := cmp.Or(context.Cause(ctx), errInterrupted)
		if !errors.Is(cause, errInterrupted) {
			return cause
		}
		if n == 0 {
			return nil
		}
		return &exitCodeError{code: exitInterrupted, err: fmt.Errorf("interrupted: %d of %d cells are not complete; %s", n, len(r.suite.cells), r.env.words.goOn)}
	}
	if r.full != nil {
		return r.full
	}
	if len(r.left) > 0 {
		return &exitCodeError{code: exitIncomplete, err: fmt.Errorf("%d of %d cells are not complete (%s); %s", len(r.left), len(r.suite.cells), strings.Join(r.left, ", "), r.env.words.goOn)}
	}
	return nil
}
