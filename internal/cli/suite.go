package cli

import (
	"errors"

	"github.com/urfave/cli/v2"

	"gavel/internal/eval"
	"gavel/internal/suite"
)

func suiteCommand(e *env) *cli.Command {
	withSuite := func(name string, act func(c *cli.Context, s *suite.Suite) error) *cli.Command {
		return command(name, func(c *cli.Context) error {
			s, err := suite.Open(c.Args().First())
			if err != nil {
				return err
			}
			return act(c, s)
		})
	}
	status := func(c *cli.Context, s *suite.Suite) error { return e.printResult(c, s.Status(e.now())) }
	return parentCommand("suite", withSuite("plan", e.suitePlan), withSuite("run", e.suiteRun),
		withSuite("status", status), withSuite("results", e.suiteResults))
}

func (e *env) suitePlan(c *cli.Context, s *suite.Suite) error {
	if err := s.Check(c.Context, e.maker()); err != nil {
		return err
	}
	plan, err := s.Plan(c.Context, e.maker())
	if err != nil {
		return err
	}
	if err := e.printResult(c, plan); err != nil {
		return err
	}
	for _, cell := range plan.Cells {
		if cell.Error != "" {
			return eval.ErrorOfKind(eval.ErrIncomplete, errors.New("some cells cannot be planned: "+cell.Cell+": "+cell.Error))
		}
	}
	if c.Args().Present() {
		e.next("suite", "run", c.Args().First())
	}
	return nil
}

func (e *env) suiteRun(c *cli.Context, s *suite.Suite) error {
	if value := c.String("shard"); value != "" {
		p, err := e.maker().ShardFromValue(value)
		if err == nil {
			err = s.SelectShard(p)
		}
		if err != nil {
			return err
		}
		scheduler := ""
		if p.EngineVariables != "" {
			scheduler = ", by " + p.EngineVariables
		}
		e.say("shard %s in %s%s", p, s.Out, scheduler)
	}
	for _, cell := range s.Cells {
		cell.Request.AskAgain = cell.Request.AskAgain || c.Bool("ask-again")
	}
	if err := s.Check(c.Context, e.maker()); err != nil {
		return err
	}
	err := s.Run(c.Context, e.maker(), c.Bool("yes"))
	if err != nil && !errors.Is(err, eval.ErrIncomplete) {
		return err
	}
	err = errors.Join(err, e.suiteResults(c, s))
	if err == nil {
		e.next("report", s.Out, "--out", "report.html")
	}
	return err
}

func (e *env) suiteResults(c *cli.Context, s *suite.Suite) error {
	out, err := s.Results()
	if err != nil {
		return err
	}
	return e.printResult(c, out)
}
