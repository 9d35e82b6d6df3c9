package cli

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"gavel/internal/report"
	"gavel/internal/report/table"
	"gavel/judging"
	"gavel/protocols/pairwise"
	"gavel/scoring"
)

func scoringFlags() []cli.Flag { return append(readingFlags(), formatFlags()...) }

// readingFlags say how stored replies are read and scored.
func readingFlags() []cli.Flag {
	return append(verdictFlags(),
		&cli.StringFlag{
			Name:  "extract",
			Value: extractStrict,
			Usage: "with the reading paper: how to find the answer to a choice: " +
				"`RULES` strict, or lenient: also the last letter that stands alone, as in MMLU-Pro's script",
		},
		&cli.StringFlag{
			Name:  "missing",
			Value: string(scoring.DefaultOptions.Missing),
			Usage: "how to count a judgment without a verdict: `RULE` wrong or drop in self-reference, " +
				"usable (its default) or strict in multi-option; tables of pairs and answers show it anyway",
		},
	)
}

// verdictFlags returns the readingFlags that concern verdicts on two answers.
func verdictFlags() []cli.Flag {
	d := scoring.DefaultOptions
	return []cli.Flag{
		&cli.StringFlag{
			Name:        "reading",
			DefaultText: "paper for imported runs, else robust",
			Usage: "how to read replies: `READING` paper (as published with the protocol) or robust (the " +
				"final statement, however it is written)",
		},
		&cli.StringFlag{
			Name:  "policy",
			Value: string(judging.Unique),
			Usage: "with the reading paper: which label counts: " +
				"`RULE` unique (all must be the same, else it is a conflict) or last",
		},
		boolFlag("accept-cut", "count a verdict that stands in a reply cut at the token limit"),
		&cli.IntFlag{Name: "rounds", Value: d.Bootstrap.Rounds, Usage: "`N` resamples of the bootstrap"},
		&cli.Uint64Flag{Name: "bootstrap-seed", Value: d.Bootstrap.Seed, Usage: "`SEED` of the bootstrap"},
	}
}

// Values of --extract.
const (
	extractStrict  = "strict"
	extractLenient = "lenient"
)

// scoringFrom returns what these flags say; of a flag that the command does not have, the default.
func scoringFrom(c *cli.Context) (scoring.Options, error) {
	o := scoring.DefaultOptions
	extract := cmp.Or(c.String("extract"), extractStrict)
	o.Missing = cmp.Or(scoring.MissingPolicy(c.String("missing")), o.Missing)
	name, err := readersFrom(c)
	if err := cmp.Or(oneOf("--policy", c.String("policy"), judging.Policies),
		oneOf("--missing", string(o.Missing), scoring.MissingPolicies),
		oneOf("--extract", extract, []string{extractStrict, extractLenient}), err); err != nil {
		return o, err
	}
	o.Reading = judging.Reading{
		Name:      name,
		Policy:    judging.Policy(c.String("policy")),
		AcceptCut: c.Bool("accept-cut"),
		Lenient:   extract == extractLenient,
	}
	o.Bootstrap.Rounds, o.Bootstrap.Seed = c.Int("rounds"), c.Uint64("bootstrap-seed")
	if o.Bootstrap.Rounds < 100 {
		return o, usage("--rounds %d: an interval needs at least 100", o.Bootstrap.Rounds)
	}
	return o, nil
}

// readersFrom returns the chosen reading, "" where none was. Rules of the paper's choose it, too.
func readersFrom(c *cli.Context) (judging.Readers, error) {
	name := judging.Readers(c.String("reading"))
	if c.IsSet("reading") && name != judging.Paper && name != judging.Robust {
		return "", oneOf("--reading", string(name), []judging.Readers{judging.Paper, judging.Robust})
	}
	for _, flag := range []string{"policy", "extract"} {
		switch {
		case !c.IsSet(flag):
		case name == judging.Robust:
			return "", usage("--%s works with --reading paper only: leave it out, or add --reading paper", flag)
		default:
			name = judging.Paper
		}
	}
	return name, nil
}

// findRuns returns the folders of the runs that a command names, and says which others it skips.
func findRuns(c *cli.Context, least int) ([]string, error) {
	return judging.FindRuns(c.Args().Slice(), least, func(path string) {
		fmt.Fprintln(c.App.ErrWriter, table.Harmless("skipped "+path+": it is not a run"))
	})
}

func loadRuns(c *cli.Context, least int, what string) ([]*scoring.Run, scoring.Options, error) {
	o, err := scoringFrom(c)
	if err != nil {
		return nil, o, err
	}
	dirs, err := findRuns(c, least)
	if err != nil {
		return nil, o, err
	}
	var runs []*scoring.Run
	for _, dir := range dirs {
		run, err := scoring.Load(dir, o.Reading)
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

func scoreCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "score",
		Usage:     "score runs from their stored replies",
		UsageText: "gavel score [flags] RUN...",
		Flags: append([]cli.Flag{
			&cli.Float64Flag{Name: "watts", Usage: "show the cost in joules, for a machine that uses `W` watts"},
			&cli.Float64Flag{Name: "price-per-hour", Usage: "show the price, for a machine that costs `P` per hour"},
			stringFlag("section", "print one `PART` alone: references (published judges) or sway (biases)"),
			stringFlag("out", "with --section references: make a run of each judge on the items of RUN, in `DIR`"),
		}, scoringFlags()...),
		Action: func(c *cli.Context) error {
			rates := scoring.Rates{Watts: c.Float64("watts"), PricePerHour: c.Float64("price-per-hour")}
			if err := rates.Check(); err != nil {
				return usage("%w", err)
			}
			if c.String("section") == "references" && !c.Args().Present() && !c.IsSet("out") {
				return e.print(c, report.ListReferences(nil, pairwise.References(scoring.DefaultOptions.Bootstrap.Level)))
			}
			runs, o, err := loadRuns(c, 1, "which run? Give the folder of one or more")
			if err != nil {
				return err
			}
			if c.IsSet("section") || c.IsSet("out") {
				return e.printSection(c, runs, o)
			}
			var out report.Scores
			for _, r := range runs {
				rep := r.Score(o.Bootstrap)
				rep.Run, rep.Ledger = r.Dir, r.Ledger()
				rep.Ledger.At(rates)
				out.Runs = append(out.Runs, rep)
			}
			if err := e.printScores(c, runs, out, o); err != nil || !c.Bool("full") || len(runs) > 1 || len(formats(c)) > 0 {
				return err
			}
			for _, name := range scoreSections {
				found, err := section(name, runs[0], o)
				if err != nil {
					continue // nothing is known
				}
				if err := e.print(c, found); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// printScores prints what runs come to: one in full, those of one question ranked, others listed as "gavel runs" does.
func (e *env) printScores(c *cli.Context, runs []*scoring.Run, out report.Scores, o scoring.Options) error {
	if len(runs) == 1 {
		out.Next = nextOf(out.Runs[0])
	}
	if len(runs) == 1 || len(formats(c)) > 0 || c.Bool("full") {
		return e.print(c, out)
	}
	if l := report.BoardOf(runs, out.Runs, o); l != nil {
		out.Board = l.InWords(out.Runs)
		return e.print(c, out)
	}
	rows := make([]listedRun, len(runs))
	for i, run := range runs {
		rows[i] = listedOf(run.Manifest)
		rows[i].items = run.ItemSet()
		rows[i].take(&out.Runs[i])
		rows[i].Started = time.Time{} // the same records are the same words at any time
		rows[i].Ended = time.Time{}
	}
	fmt.Fprintln(e.screen(), e.runsInWords(byQuestion(rows)))
	if c.IsSet("watts") || c.IsSet("price-per-hour") {
		return e.print(c, out.Costs())
	}
	_, err := fmt.Fprintln(e.stdout, "more: every number with --full; runs of one question alone are ranked and tested")
	return err
}

func compareCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "compare",
		Usage:     "compare runs on the items that both have judged",
		UsageText: "gavel compare [flags] RUN_A RUN_B [RUN...]",
		Flags: append(append(scoringFlags(), planFlags()...),
			&cli.Float64Flag{Name: "margin", Usage: "test whether runs are the same within `D` points"}),
		Action: endsAtOnce(e.printed(func(c *cli.Context) (any, error) {
			switch {
			case c.Bool("plan"):
				return plan(c)
			case c.IsSet("detect") || c.IsSet("pairs"):
				return nil, usage("--detect and --pairs go with --plan")
			}
			margin := c.Float64("margin")
			switch {
			case c.IsSet("margin") && !(margin > 0 && margin < 100):
				return nil, usage("--margin %v: expected points above 0 and below 100", margin)
			case c.IsSet("margin") && c.Bool("csv"):
				return nil, usage("--margin prints tables or JSON, not CSV: leave out one of the two")
			}
			runs, o, err := loadRuns(c, 2, "two or more runs are needed")
			if err != nil {
				return nil, err
			}
			said := e.now()
			cmp, err := scoring.Compare(runs, o.Bootstrap, func(done, all int) {
				if now := e.now(); now.Sub(said) >= lineEvery {
					said = now
					e.say("%d/%d comparisons", done, all)
				}
			})
			if err == nil && c.IsSet("margin") {
				err = cmp.Hold(margin)
			}
			return report.Comparison{Comparisons: cmp}, err
		})),
	}
}

// endsAtOnce returns an action that ends with its context, wherever it is: for one that only reads.
func endsAtOnce(action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		done := make(chan error, 1)
		go func() { done <- action(c) }()
		select {
		case err := <-done:
			return err
		case <-c.Context.Done():
			return context.Cause(c.Context)
		}
	}
}
