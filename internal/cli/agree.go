package cli

import (
	"cmp"

	"github.com/urfave/cli/v2"

	"gavel/internal/labels"
	"gavel/protocols/imports"
	"gavel/scoring"
)

// labelFlags returns the flags of commands that read people's labels.
func labelFlags() []cli.Flag {
	return append(
		append([]cli.Flag{stringFlag("labels", "`FILE` of people's labels")}, verdictFlags()...),
		formatFlags()...,
	)
}

// labelInputs reads the flags of such a command; without --labels the file is nil.
func (e *env) labelInputs(c *cli.Context) (dirs []string, o scoring.Options, file *labels.LabelFile, err error) {
	o, err = scoringFrom(c)
	if err != nil {
		return nil, o, nil, err
	}
	dirs, err = findRuns(c, 1)
	if err != nil {
		return nil, o, nil, err
	}
	if path := c.String("labels"); path != "" {
		file, err = labels.Read(path)
		if err != nil {
			if votes, other := imports.ReadVotes(path); other == nil && len(votes.Votes) > 0 {
				e.sayEach(imports.SkippedLines(votes.N, "rows of votes", votes.First))
				file, err = labels.OfVotes(path, votes.Votes), nil
			}
		}
	}
	return dirs, o, file, cmp.Or(err, allDifferent(dirs))
}

func agreeCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "agree",
		Usage:     "measure how well judges agree with people, and people with each other",
		UsageText: "gavel labels agree [--labels FILE] [flags] RUN [RUN...]",
		Flags: append([]cli.Flag{
			&cli.Float64Flag{
				Name:  "epsilon",
				Value: labels.Epsilon,
				Usage: "ε of the alternative annotator test: " +
					"how much less than a person the judge may agree with the others, as a `SHARE`",
			},
			boolFlag("split-as-tie",
				"count pairs on which people are evenly split as ties; else they are left out"),
		}, labelFlags()...),
		Before: someArguments("RUN"),
		Action: e.printed(func(c *cli.Context) (any, error) {
			dirs, o, file, err := e.labelInputs(c)
			if err != nil {
				return nil, err
			}
			if file != nil {
				file.SplitAsTie = c.Bool("split-as-tie")
			}
			epsilon := c.Float64("epsilon")
			if !(epsilon >= 0 && epsilon < 1) {
				return nil, usage("--epsilon %v: a share from 0 to below 1 is expected", epsilon)
			}
			return labels.Agree(dirs, file, epsilon, o.Reading, o.Bootstrap)
		}),
	}
}

func estimateCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "estimate",
		Usage:     "estimate how often response A is better, from verdicts on all pairs and labels of some",
		UsageText: "gavel labels estimate RUN --labels FILE [flags]",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "response", Value: "A", Usage: "whose share: `RESPONSE` A or B"},
			&cli.Float64SliceFlag{
				Name:  "width",
				Value: cli.NewFloat64Slice(10, 5),
				Usage: "say how many labels are needed for an interval that is `POINTS` wide",
			},
		}, labelFlags()...),
		Before: oneArgument("RUN"),
		Action: e.printed(func(c *cli.Context) (any, error) {
			dirs, o, file, err := e.labelInputs(c)
			if err != nil {
				return nil, err
			}
			if file == nil {
				return nil, usage("--labels is missing: name the file of people's labels")
			}
			if err := oneOf("--response", c.String("response"), []string{"A", "B"}); err != nil {
				return nil, err
			}
			if len(dirs) > 1 {
				return nil, usage("%s holds %d runs: name one", c.Args().First(), len(dirs))
			}
			for _, w := range c.Float64Slice("width") {
				if !(w > 0 && w <= 100) {
					return nil, usage("--width %v: expected points above 0 and at most 100", w)
				}
			}
			return labels.Estimate(dirs[0], file, c.String("response"), c.Float64Slice("width"), o.Reading, o.Bootstrap.Level)
		}),
	}
}

func selectCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "select",
		Usage:     "find the confidence from which judges can be trusted, and the cost of a cascade of judges",
		UsageText: "gavel labels select [--labels FILE] [flags] RUN [RUN...]",
		Flags: append([]cli.Flag{
			&cli.Float64Flag{Name: "risk", Value: 10, Usage: "at most `PERCENT` of the accepted verdicts may be wrong"},
			&cli.Float64Flag{Name: "delta", Value: 10, Usage: "probability, in `PERCENT`, that more are wrong"},
		}, labelFlags()...),
		Before: someArguments("RUN"),
		Action: e.printed(func(c *cli.Context) (any, error) {
			dirs, o, file, err := e.labelInputs(c)
			if err != nil {
				return nil, err
			}
			for _, name := range []string{"risk", "delta"} {
				if x := c.Float64(name); !(x > 0 && x < 100) {
					return nil, usage("--%s %v: percent between 0 and 100 are expected", name, x)
				}
			}
			return labels.Select(dirs, file, c.Float64("risk")/100, c.Float64("delta")/100, o.Reading)
		}),
	}
}
