package cli

import (
	"errors"
	"slices"

	"github.com/urfave/cli/v2"

	"gavel/datasets"
	"gavel/internal/eval"
	"gavel/internal/races"
	"gavel/judging"
	"gavel/scoring"
)

func tuneCommand(e *env) *cli.Command {
	fields := protocolFields(judging.Protocols()[0], "prompt seed until out shard ask-again stop-on-alarm")
	return &cli.Command{Name: "tune", Flags: flagsOf(fields), Action: e.resultAction(func(c *cli.Context) (any, error) {
		heldOut := datasets.HeldOut{Share: c.Float64("held-out") / 100, Seed: c.Int64("seed")}
		k, err := judging.ProtocolNamed(c.Args().First())
		var runs []*scoring.Run
		var race *races.PromptRace
		prompts := c.StringSlice("prompt")
		repeated := allDifferent(slices.Concat(prompts, c.Args().Slice()))
		switch {
		case !(heldOut.Share > 0 && heldOut.Share < 1):
			err = usageError("--held-out: expected a percentage between 0 and 100")
		case k.ScoresCandidates, k.JudgesAgents():
			err = usageError("%s: tune needs items on which a judge is right or wrong", k.Name)
		case repeated != nil:
			err = repeated
		case c.Bool("runs") && prompts == nil:
			runs, _, err = loadRuns(c, 2, "--runs: give two runs or more")
		case len(prompts) < 2:
			err = usageError("--prompt: expected two prompts or more, each with a --prompt of its own")
		case err == nil:
			runs, race, err = e.racePrompts(c, k, heldOut)
		}
		if err != nil {
			return nil, err
		}
		return races.TunePrompts(runs, race, heldOut, scoring.DefaultOptions.Bootstrap)
	})}
}

// racePrompts asks each prompt about the items that are not held out, until it leaves the race, and then the first and
// the best prompt about the others. It returns a run of each prompt. Without a metric that counts items as right or
// wrong there is no race, and all prompts are asked about all items.
func (e *env) racePrompts(
	c *cli.Context, k judging.Protocol, heldOut datasets.HeldOut,
) (runs []*scoring.Run, race *races.PromptRace, err error) {
	maker := e.maker()
	var requests []eval.RunRequest
	for _, prompt := range c.StringSlice("prompt") {
		values := flagValues(c, eval.ProtocolFields(k))
		values["prompt"] = []string{prompt}
		request, err := eval.ParseRequest(k, values)
		if err == nil {
			err = maker.CheckRequest(request)
		}
		if err != nil {
			return nil, nil, err
		}
		requests = append(requests, request)
	}
	runs = make([]*scoring.Run, len(requests))
	failed := false
	ask := func(i int) {
		if err != nil {
			return
		}
		var reports []scoring.Report
		reports, err = maker.Run(c.Context, requests[i])
		if err == nil && failed {
			err = eval.ErrorOfKind(eval.ErrIncomplete, errors.New("judgments failed; "+maker.Hints.GoOn))
		}
		if err == nil {
			runs[i], err = scoring.Load(reports[len(reports)-1].Run, scoring.DefaultOptions.Reading)
		}
	}
	metrics := scoring.ItemwiseMetrics(k.Name)
	race = &races.PromptRace{PromptCount: len(requests)}
	for i := range requests {
		if metrics != nil {
			leaves := race.StartNextPrompt()
			maker.Rule = &eval.StoppingRule{
				Name:    "tune",
				Alpha:   races.TuningAlpha,
				Metric:  metrics[0],
				Seed:    &heldOut.Seed,
				HeldOut: &heldOut,
				Observe: func(_ int, result scoring.ItemResult) bool {
					failed = failed || result == scoring.ItemUnknown
					return leaves(result == scoring.ItemRight)
				},
			}
		}
		ask(i)
	}
	if metrics == nil {
		return runs, nil, err
	}
	maker.Rule = nil
	ask(0)
	if best := race.Best(); best > 0 {
		ask(best)
	}
	return runs, race, err
}
