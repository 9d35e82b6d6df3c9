package cli

import (
	"cmp"

	"github.com/urfave/cli/v2"

	"gavel/internal/labels"
	"gavel/protocols/imports"
	"gavel/scoring"
)

// labelInputs reads the arguments and flags of a command that compares runs with people's labels: the
// runs' folders, the scoring options, and the file of --labels, nil without that flag. A file of
// MT-Bench's votes counts as labels too.
func (e *env) labelInputs(c *cli.Context) (dirs []string, o scoring.Options, file *labels.LabelFile, err error) {
	o, err = scoringFrom(c)
	if err == nil {
		dirs, err = findRuns(c, 1)
	}
	if err != nil {
		return nil, o, nil, err
	}
	if path := c.String("labels"); path != "" {
		file, err = labels.Read(path)
		if err != nil {
			if votes, other := imports.ReadVotes(path); other == nil && len(votes.Votes) > 0 {
				e.sayEach(imports.SkippedRowsSummary(votes.N, "rows of votes", votes.First))
				file, err = labels.FromVotes(path, votes.Votes), nil
			}
		}
	}
	return dirs, o, file, cmp.Or(err, allDifferent(dirs))
}

// agree returns how far the judges of runs agree with people's labels.
func (e *env) agree(c *cli.Context) (any, error) {
	dirs, o, file, err := e.labelInputs(c)
	if err != nil {
		return nil, err
	}
	if file != nil {
		file.SplitAsTie = c.Bool("split-as-tie")
	}
	epsilon := c.Float64("epsilon")
	if !(epsilon >= 0 && epsilon < 1) {
		return nil, usageError("--epsilon %v: a share from 0 to below 1 is expected", epsilon)
	}
	return labels.Agree(dirs, file, epsilon, o.Reading, o.Bootstrap)
}

func estimateCommand(e *env) *cli.Command {
	return &cli.Command{
		Name: "estimate",
		Flags: []cli.Flag{&cli.Float64SliceFlag{
			Name:  "width",
			Value: cli.NewFloat64Slice(10, 5),
			Usage: "say how many labels are needed for an interval that is `POINTS` wide",
		}},
		Action: e.resultAction(func(c *cli.Context) (any, error) {
			dirs, o, file, err := e.labelInputs(c)
			if err != nil {
				return nil, err
			}
			if file == nil {
				return nil, usageError("--labels is missing: name the file of people's labels")
			}
			response := c.String("response")
			if err := checkOneOf("--response", response, []string{"A", "B"}); err != nil {
				return nil, err
			}
			if len(dirs) > 1 {
				return nil, usageError("%s holds %d runs: name one", c.Args().First(), len(dirs))
			}
			for _, w := range c.Float64Slice("width") {
				if !(w > 0 && w <= 100) {
					return nil, usageError("--width %v: expected points above 0 and at most 100", w)
				}
			}
			return labels.Estimate(dirs[0], file, response, func(string) string { return response },
				c.Float64Slice("width"), o.Reading, o.Bootstrap.Level)
		}),
	}
}

// selectThresholds returns thresholds of confidence from which on judges' verdicts are accepted.
func (e *env) selectThresholds(c *cli.Context) (any, error) {
	dirs, o, file, err := e.labelInputs(c)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"risk", "delta"} {
		if x := c.Float64(name); !(x > 0 && x < 100) {
			return nil, usageError("--%s %v: percent between 0 and 100 are expected", name, x)
		}
	}
	return labels.SelectThresholds(dirs, file, c.Float64("risk")/100, c.Float64("delta")/100, o.Reading)
}
