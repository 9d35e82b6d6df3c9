package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"gavel/judging"
)

func suiteCommand(e *env) *cli.Command {
	command := func(name, about, text string, flags []cli.Flag, act func(c *cli.Context, s *suite, format string) error) *cli.Command {
		return &cli.Command{
			Name: name, Usage: about, UsageText: "gavel suite " + name + " [flags] FILE.yaml", Description: text,
			Flags: append(flags, formatFlags()...),
			Action: func(c *cli.Context) error {
				f, err := format(c)
				if err != nil {
					return err
				}
				path, err := oneArgument(c, "FILE.yaml")
				if err != nil {
					return err
				}
				s, err := e.openSuite(path)
				if err != nil {
					return err
				}
				return act(c, s, f)
			},
		}
	}
	yes := &cli.BoolFlag{Name: "yes", Usage: "run although the plan is above the limits of the file"}
	probe := &cli.BoolFlag{Name: "probe", Usage: "ask each judge a few of the questions, to tell how long the rest will take"}
	return &cli.Command{
		Name:  "suite",
		Usage: "judges × protocols × prompts × options × datasets, from one file",
		Description: `A suite is one YAML file: judges, and the conditions that each of them is asked under.
Every cell of that matrix is a run, made as "gavel run" makes it, in a folder of its own
below "out". docs/suites.md describes the file.

Example:
  gavel suite plan suite.yaml
  gavel suite run suite.yaml`,
		Subcommands: []*cli.Command{
			command("plan", "say what the suite would ask, and how long that takes", `Prints the matrix, and for each judge the calls, what the cache answers, tokens and time.
Times are those of the judge's earlier runs; without any, --probe asks it a few questions.
Nothing else is asked.

Exit status: 0; 3 where a judge cannot be found.`, []cli.Flag{probe}, func(c *cli.Context, s *suite, f string) error {
				return e.suitePlan(c.Context, s, f, c.Bool("probe"))
			}),
			command("run", "make every run of the suite, or go on with them", `Makes the runs judge by judge, so that a server loads each model once, and prints the
table of "gavel suite results". All that a model on Ollama is asked without --num-ctx it
is asked with one context, which "gavel suite plan" shows. A judge that stops answering ends its own runs alone. The
same command again asks only for what is missing.

Exit status: 0 every judgment was answered; 1 the plan is above the limits of the file
and there is no --yes; 3 some runs are not complete, and the same command goes on; 130
interrupted, and the same command goes on.`, []cli.Flag{yes}, func(c *cli.Context, s *suite, f string) error {
				return e.suiteRun(c.Context, s, f, c.Bool("yes"))
			}),
			command("status", "how far the suite is", `Reads the folders of the runs, which may be going on, and asks nobody.`, nil, func(c *cli.Context, s *suite, f string) error {
				return e.print(f, e.suiteStatus(s))
			}),
			command("results", "one table of judges and conditions", `Prints the headline of every run with its interval. Judges of one condition that share a
letter cannot be told apart: Holm's correction over every two of them.`, nil, func(c *cli.Context, s *suite, f string) error {
				return e.suiteResults(s, f)
			}),
		},
	}
}

func (e *env) suitePlan(ctx context.Context, s *suite, format string, probe bool) error {
	if err := e.check(ctx, s); err != nil {
		return err
	}
	quiet := *e
	done, err := quiet.hold(s)
	if err != nil {
		e.say("warning: what the cache would answer is not known: %v", err)
	} else {
		defer done()
	}
	plan, err := quiet.planSuite(ctx, s, probe)
	if err != nil {
		return err
	}
	if err := e.print(format, plan); err != nil {
		return err
	}
	for _, c := range plan.Cells {
		if c.Error != "" {
			return &exitCodeError{code: exitIncomplete, err: errors.New("some cells cannot be planned: " + c.Cell + ": " + c.Error)}
		}
	}
	return nil
}

// hold opens the cache for all cells of a suite, where any of them uses it.
func (e *env) hold(s *suite) (func() error, error) {
	i := slices.IndexFunc(s.cells, func(c *suiteCell) bool { return !c.opts.noCache && (c.opts.backend != "sim" || asksAgents(c.opts)) })
	if i < 0 {
		return func() error { return nil }, nil
	}
	outer := e.hooks.shared // of a server, for all that it makes
	if outer == nil {
		e.hooks.shared = new(sharedCache)
	}
	_, done, err := e.replies(s.cells[i].opts.cacheDir)
	if err != nil {
		e.hooks.shared = outer
	}
	return done, err
}

// asksAgents tells whether a cell may ask models other than its judge.
func asksAgents(o runOptions) bool {
	return slices.ContainsFunc(o.agents, func(a string) bool { return strings.Contains(a, "@") })
}

// gone tells why a cell's judge cannot be found now; nil where it can.
func (e *env) gone(ctx context.Context, c *suiteCell) error {
	quiet := *e
	quiet.stderr = io.Discard
	o := c.opts
	o.retryFor = time.Millisecond
	_, err := quiet.findJudges(ctx, o)
	return err
}

func isOtherRun(err error) bool { return errors.Is(err, judging.ErrOtherRun) }

// onlyOnce passes every line on the first time it is said; to may be nil.
type onlyOnce struct {
	to   io.Writer
	mu   sync.Mutex
	said map[string]bool
}

func (o *onlyOnce) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.said == nil {
		o.said = map[string]bool{}
	}
	for line := range bytes.Lines(b) {
		if o.to != nil && !o.said[string(line)] {
			o.said[string(line)] = true
			if _, err := o.to.Write(line); err != nil {
				return 0, err
			}
		}
	}
	return len(b), nil
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
