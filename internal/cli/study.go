package cli

import (
	"github.com/urfave/cli/v2"

	"gavel/internal/suite"
	"gavel/judging"
)

// goalReversalCommand makes the suite of the study of goal-reversed prompting, and runs it as any suite.
func goalReversalCommand(e *env) *cli.Command {
	pairwise, _ := judging.ProtocolNamed("pairwise")
	// a study sets these, or has them in another form
	fields := protocolFields(pairwise, "model dataset prompt out until shard ask-again")
	return &cli.Command{
		Name:  "grp",
		Flags: flagsOf(fields),
		Action: func(c *cli.Context) error {
			s, err := suite.Study{
				Models:   c.StringSlice("model"),
				Datasets: c.StringSlice("dataset"),
				Prompts:  c.StringSlice("prompt"),
				Settings: flagValues(c, fields),
				Out:      c.String("out"),
			}.OpenSuite()
			if err == nil {
				act := e.suiteRun
				if c.Bool("dry-run") {
					act = e.suitePlan
				}
				err = act(c, s)
			}
			return suite.WithoutLineNumber(err)
		},
	}
}
