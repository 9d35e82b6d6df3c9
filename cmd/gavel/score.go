package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"gavel/datasets"
	"gavel/judging"
	"gavel/report"
	"gavel/report/table"
	"gavel/scoring"
)

func scoringFlags() []cli.Flag { return append(readingFlags(), formatFlags()...) }

// readingFlags say how stored replies are read and scored.
func readingFlags() []cli.Flag {
	return append(verdictFlags(),
		&cli.StringFlag{Name: "extract", Value: extractStrict, Usage: "of the reading paper: which rules find the answer to a choice: `RULES` strict, or lenient: also the last letter that stands alone, as in MMLU-Pro's script"},
		&cli.StringFlag{Name: "missing", Value: string(scoring.DefaultOptions.Missing), Usage: "how a judgment without a verdict counts: `RULE` wrong or drop in self-reference, usable (its default) or strict in multi-option; tables of pairs and answers say it themselves"},
	)
}

// verdictFlags are those of readingFlags that verdicts on two answers know.
func verdictFlags() []cli.Flag {
	d := scoring.DefaultOptions
	return []cli.Flag{
		&cli.StringFlag{Name: "reading", DefaultText: "paper for imported runs, else robust", Usage: "how replies are read: `READING` paper (as the protocol was published) or robust (the final statement, however it is written)"},
		&cli.StringFlag{Name: "policy", Value: string(judging.Unique), Usage: "of the reading paper: which label of a reply binds: `RULE` unique (all the same, else a conflict) or last"},
		&cli.BoolFlag{Name: "accept-cut", Usage: "count a verdict that was given before the token limit cut the reply"},
		&cli.IntFlag{Name: "rounds", Value: d.Bootstrap.Rounds, Usage: "`N` resamples of the bootstrap"},
		&cli.Uint64Flag{Name: "bootstrap-seed", Value: d.Bootstrap.Seed, Usage: "`SEED` of the bootstrap"},
	}
}

// Values of --extract.
const (
	extractStrict  = "strict"
	extractLenient = "lenient"
)

// scoringFrom reads these flags; what a command does not know is as by default.
func scoringFrom(c *cli.Context) (scoring.Options, error) {
	o := scoring.DefaultOptions
	extract := cmp.Or(c.String("extract"), extractStrict)
	o.Missing = cmp.Or(scoring.MissingPolicy(c.String("missing")), o.Missing)
	if err := cmp.Or(oneOf("--policy", c.String("policy"), judging.Policies), oneOf("--missing", string(o.Missing), scoring.MissingPolicies),
		oneOf("--extract", extract, []string{extractStrict, extractLenient})); err != nil {
		return o, err
	}
	name, err := readersFrom(c)
	if err != nil {
		return o, err
	}
	o.Reading = judging.Reading{Name: name, Policy: judging.Policy(c.String("policy")), AcceptCut: c.Bool("accept-cut"), Lenient: extract == extractLenient}
	o.Bootstrap.Rounds, o.Bootstrap.Seed = c.Int("rounds"), c.Uint64("bootstrap-seed")
	if o.Bootstrap.Rounds < 100 {
		return o, usage("--rounds %d: an interval needs at least 100", o.Bootstrap.Rounds)
	}
	return o, nil
}

// readersFrom is the reading that was chosen. Rules of the paper's choose it, too.
func readersFrom(c *cli.Context) (judging.Readers, error) {
	name := judging.Readers(c.String("reading"))
	if c.IsSet("reading") {
		if err := oneOf("--reading", string(name), []string{string(judging.Paper), string(judging.Robust)}); err != nil {
			return "", err
		}
	}
	for _, flag := range []string{"policy", "extract"} {
		switch {
		case !c.IsSet(flag):
		case name == judging.Robust:
			return "", usage("--%s is a rule of the reading paper: leave it out, or say --reading paper", flag)
		default:
			name = judging.Paper
		}
	}
	return name, nil
}

func loadRuns(c *cli.Context, least int, what string) ([]*scoring.Run, scoring.Options, error) {
	o, err := scoringFrom(c)
	if err != nil {
		return nil, o, err
	}
	if c.NArg() < least {
		return nil, o, usage("%s. See: %s --help", what, commandLine(c))
	}
	var runs []*scoring.Run
	var dirs []string
	for _, arg := range c.Args().Slice() {
		below, err := runsBelow(arg)
		switch {
		case err != nil:
			return nil, o, err
		case len(below) > 0:
			dirs = append(dirs, below...)
		case c.NArg() > least && noRun(arg): // as runs/* names them
			fmt.Fprintf(c.App.ErrWriter, "%s is passed over: it is no run\n", arg)
		default:
			dirs = append(dirs, arg)
		}
	}
	for _, dir := range dirs {
		run, err := scoring.Load(dir, o.Reading)
		if errors.Is(err, fs.ErrNotExist) {
			if near := nearestRun(dir); near != "" {
				return nil, o, fmt.Errorf("%s: there is no such run, did you mean %s?", dir, near)
			}
		}
		if err != nil {
			return nil, o, err
		}
		run.CountMissing(o.Missing)
		runs = append(runs, run)
	}
	if len(runs) < least {
		return nil, o, usage("%s. See: %s --help", what, commandLine(c))
	}
	return runs, o, nil
}

// noRun tells whether something is there that is no run.
func noRun(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// runsBelow are the runs in a folder, at any depth; the folder itself where it is a run.
func runsBelow(dir string) (runs []string, err error) {
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // not there, or gone meanwhile
			return nil
		case err != nil:
			return err
		case !entry.IsDir():
			return nil
		}
		if _, err := os.Stat(filepath.Join(path, judging.ManifestFile)); err == nil {
			runs = append(runs, path)
			return fs.SkipDir
		}
		return nil
	})
	return runs, err
}

// nearestRun is the run beside a folder that is not there whose name is nearest.
func nearestRun(dir string) string {
	if _, err := os.Stat(dir); err == nil {
		return ""
	}
	manifests, err := filepath.Glob(filepath.Join(filepath.Dir(dir), "*", judging.ManifestFile))
	if err != nil {
		return ""
	}
	var names []string
	for _, m := range manifests {
		names = append(names, filepath.Base(filepath.Dir(m)))
	}
	if name := datasets.Nearest(filepath.Base(dir), names); name != "" {
		return filepath.Join(filepath.Dir(dir), name)
	}
	return ""
}

func scoreCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "score",
		Usage:     "score runs from their stored replies",
		UsageText: "gavel score [flags] RUN...",
		Flags:     append([]cli.Flag{&cli.BoolFlag{Name: "full", Usage: "of several runs print every table of each, not the overview alone"}}, scoringFlags()...),
		Action: func(c *cli.Context) error {
			runs, o, err := loadRuns(c, 1, "which run? Give the folder of one or more")
			if err != nil {
				return err
			}
			var out report.Scores
			for _, r := range runs {
				rep := r.Score(o.Bootstrap)
				rep.Run = r.Dir
				out.Runs = append(out.Runs, rep)
			}
			if len(out.Runs) == 1 || c.Bool("full") || c.Bool("json") || c.Bool("csv") {
				return e.print(c, out)
			}
			e.say("every table of each run: --full")
			return e.print(c, overview{out})
		},
	}
}

// overview is a table of several runs, the best first.
type overview struct{ report.Scores }

// Tables has one for the runs of each kind.
func (o overview) Tables() []table.Table {
	best := func(r scoring.Report) float64 {
		if h := report.Headline(&r); h != nil && h.Value != nil {
			return *h.Value
		}
		return math.Inf(-1)
	}
	slices.SortStableFunc(o.Runs, func(a, b scoring.Report) int { return cmp.Compare(best(b), best(a)) })
	return o.Headlines()
}

func compareCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "compare",
		Usage:     "compare runs on the items that both have judged",
		UsageText: "gavel compare [flags] RUN_A RUN_B [RUN...]",
		Flags:     append(scoringFlags(), &cli.Float64Flag{Name: "margin", Usage: "say whether runs are the same within `D` points"}),
		Action: func(c *cli.Context) error {
			margin := c.Float64("margin")
			switch {
			case c.IsSet("margin") && !(margin > 0 && margin < 100):
				return usage("--margin %v: points above 0 and below 100 are expected", margin)
			case c.IsSet("margin") && c.Bool("csv"):
				return usage("--margin is answered in tables and in JSON, not in CSV: leave one of the two out")
			}
			runs, o, err := loadRuns(c, 2, "two or more runs are needed")
			if err != nil {
				return err
			}
			cmp, err := scoring.Compare(runs, o.Bootstrap)
			if err == nil && c.IsSet("margin") {
				err = cmp.Hold(margin)
			}
			if err != nil {
				return err
			}
			return e.print(c, report.Comparison{Comparisons: cmp})
		},
	}
}
