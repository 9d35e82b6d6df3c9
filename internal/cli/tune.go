package cli

import (
	"github.com/urfave/cli/v2"

	"gavel/internal/eval"
	"gavel/internal/races"
	"gavel/judging"
	"gavel/scoring"
)

func tuneCommand(e *env) *cli.Command {
	fields := sharedFields(judging.Protocols()[0], "prompt", "seed", "until", "out", "shard", "ask-again", "stop-on-alarm")
	return &cli.Command{Name: "tune", Flags: flagsOf(fields), Action: e.resultAction(func(c *cli.Context) (any, error) {
		share := c.Float64("held-out")
		prompts := c.StringSlice("prompt")
		k, err := judging.ProtocolNamed(c.Args().First())
		var runs []*scoring.Run
		switch {
		case share <= 0 || share >= 100:
			err = usageError("--held-out: expected a percentage between 0 and 100")
		case c.Bool("runs") && prompts == nil:
			runs, _, err = loadRuns(c, 2, "--runs: give two runs or more")
		case len(prompts) < 2:
			err = usageError("--prompt: expected two prompts or more, each with a --prompt of its own")
		}
		if err != nil {
			return nil, err
		}
		var requests []eval.RunRequest
		for _, prompt := range prompts {
			values := flagValues(c, eval.FieldsOf(k))
			values["prompt"] = []string{prompt}
			request, err := eval.ParseRequest(k, values)
			if err == nil {
				err = e.maker().Check(request)
			}
			if err != nil {
				return nil, err
			}
			requests = append(requests, request)
		}
		for _, request := range requests {
			reports, err := e.maker().Run(c.Context, request)
			if err != nil {
				return nil, err
			}
			run, err := scoring.Load(reports[len(reports)-1].Run, scoring.DefaultOptions.Reading)
			if err != nil {
				return nil, err
			}
			runs = append(runs, run)
		}
		return races.TunePrompts(runs, share/100, c.Int64("seed"), scoring.DefaultOptions.Bootstrap)
	})}
}
