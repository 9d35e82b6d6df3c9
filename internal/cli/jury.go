package cli

import (
	"cmp"

	"github.com/urfave/cli/v2"

	"gavel/internal/jury"
)

// makeJury makes a jury of runs, and prints how it compares with its members.
func (e *env) makeJury(c *cli.Context) error {
	o, err := scoringFrom(c)
	if err != nil {
		return err
	}
	req := jury.Recipe{
		Runs: c.Args().Slice(), Rule: jury.Rule(c.String("rule")), VoteAcrossOrders: c.Bool("all-orders"),
		Out: c.String("out"), Reading: o.Reading, Gavel: version(),
	}
	switch {
	case len(req.Runs) < 2:
		return usageError("a jury needs at least two runs")
	case req.Out == "":
		return usageError("--out is missing: name the folder of the jury's run")
	}
	if err := cmp.Or(checkOneOf("--rule", string(req.Rule), jury.Rules), allDifferent(req.Runs)); err != nil {
		return err
	}
	r, err := jury.MakeAndEvaluate(req, o)
	if err != nil {
		return err
	}
	if err := e.printResult(c, r); err != nil {
		return err
	}
	e.next("score", req.Out)
	return nil
}
