package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"gavel/internal/report"
	"gavel/internal/report/table"
	"gavel/judging"
	"gavel/protocols/pairwise"
	"gavel/scoring"
)

// bootstrapSeedFlag is the old flag that the key seed of --scoring replaced.
const bootstrapSeedFlag = "bootstrap-seed"

// oldScoringFlags lists the old flags that keys of --scoring replaced. The keys have the flags' names; the key
// of bootstrap-seed is seed.
var oldScoringFlags = strings.Fields(
	"reading policy extract missing accept-cut grade-weight rounds " + bootstrapSeedFlag,
)

// commentPattern matches comment lines in a file of scoring settings.
var commentPattern = regexp.MustCompile(`(?m)^\s*#.*`)

// applyScoringFlag sets the old flags of oldScoringFlags to the values in --scoring, which is a list of
// KEY=VALUE or a file of them.
func applyScoringFlag(c *cli.Context) error {
	text := c.String("scoring")
	if text != "" && !strings.Contains(text, "=") {
		file, err := os.ReadFile(text)
		if err != nil {
			return usageError("--scoring: expected KEY=VALUE or a file: %w", err)
		}
		text = commentPattern.ReplaceAllString(string(file), "")
	}
	var keys []string
	for _, flag := range oldScoringFlags {
		if flagNamed(c.Command.Flags, flag) != nil {
			keys = append(keys, strings.TrimPrefix(flag, "bootstrap-"))
		}
	}
	for _, entry := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '\n' }) {
		key, value, _ := strings.Cut(strings.TrimSpace(entry), "=")
		key = strings.TrimSpace(key)
		if key == "" {
			continue
		}
		if err := checkOneOf("--scoring: the key", key, keys); err != nil {
			return err
		}
		flag := key
		if key == "seed" {
			flag = bootstrapSeedFlag
		}
		if c.IsSet(flag) {
			return usageError("--scoring %s: it is given twice", key)
		}
		if c.Set(flag, strings.TrimSpace(value)) != nil {
			return usageError("--scoring %s=%s: expected a number, or true or false for accept-cut", key, value)
		}
	}
	return nil
}

// Values of the key extract in --scoring: whether the lenient rule for answers applies too.
const (
	extractStrict  = "strict"
	extractLenient = "lenient"
)

// scoringFrom returns the scoring options that the command line sets; others have their defaults.
func scoringFrom(c *cli.Context) (scoring.Options, error) {
	o := scoring.DefaultOptions
	extract := cmp.Or(c.String("extract"), extractStrict)
	o.Missing = cmp.Or(scoring.MissingPolicy(c.String("missing")), o.Missing)
	name, err := readersFrom(c)
	if err := cmp.Or(checkOneOf("--scoring policy", c.String("policy"), judging.LabelPolicies),
		checkOneOf("--scoring missing", string(o.Missing), scoring.MissingPolicies),
		checkOneOf("--scoring extract", extract, []string{extractStrict, extractLenient}), err); err != nil {
		return o, err
	}
	o.Reading = judging.ReadingOptions{
		Readers:         name,
		LabelPolicy:     judging.LabelPolicy(c.String("policy")),
		AcceptTruncated: c.Bool("accept-cut"),
		Lenient:         extract == extractLenient,
		GradeWeight:     c.Float64("grade-weight"),
	}
	if c.IsSet("rounds") {
		o.Bootstrap.Rounds = c.Int("rounds")
	}
	if c.IsSet(bootstrapSeedFlag) {
		o.Bootstrap.Seed = c.Uint64(bootstrapSeedFlag)
	}
	if o.Bootstrap.Rounds < 100 {
		return o, usageError("--scoring rounds=%d: an interval needs at least 100", o.Bootstrap.Rounds)
	}
	if w := o.Reading.GradeWeight; c.IsSet("grade-weight") && !(w > 0) {
		return o, usageError("--scoring grade-weight=%v: expected a number above 0", w)
	}
	return o, nil
}

// readersFrom returns the chosen way to read replies: paper, robust, or "" for each protocol's default. The keys
// policy and extract imply paper.
func readersFrom(c *cli.Context) (judging.ReaderSet, error) {
	name := judging.ReaderSet(c.String("reading"))
	if c.IsSet("policy") || c.IsSet("extract") {
		if name == judging.RobustReaders {
			return "", usageError("--scoring: policy and extract belong to reading=paper: leave them out, or give reading=paper")
		}
		name = cmp.Or(name, judging.PaperReaders)
	}
	if !c.IsSet("reading") {
		return name, nil
	}
	return name, checkOneOf("--scoring reading", string(name),
		[]judging.ReaderSet{judging.PaperReaders, judging.RobustReaders})
}

// findRuns returns the folders of the runs that the command's arguments name, and warns about folders that are no runs.
// It returns an error for fewer runs than minimum.
func findRuns(c *cli.Context, minimum int) ([]string, error) {
	return judging.FindRuns(c.Args().Slice(), minimum, func(path string) {
		fmt.Fprintln(c.App.ErrWriter, table.ReplaceControls("skipped "+path+": it is not a run"))
	})
}

// loadRuns loads the runs that the command's arguments name, with the scoring options of the command line. With fewer
// runs than minimum, the error is problem.
func loadRuns(c *cli.Context, minimum int, problem string) ([]*scoring.Run, scoring.Options, error) {
	o, err := scoringFrom(c)
	if err != nil {
		return nil, o, err
	}
	dirs, err := findRuns(c, minimum)
	if err != nil {
		return nil, o, err
	}
	var runs []*scoring.Run
	for _, dir := range dirs {
		run, err := scoring.Load(dir, o.Reading)
		if err != nil {
			return nil, o, err
		}
		run.SetMissingPolicy(o.Missing)
		runs = append(runs, run)
	}
	if len(runs) < minimum {
		return nil, o, usageError("%s. See: %s --help", problem, commandLine(c))
	}
	return runs, o, nil
}

// score prints the scores of runs, or a section of them.
func (e *env) score(c *cli.Context) error {
	rates := scoring.MachineRates{Watts: c.Float64("watts"), PricePerHour: c.Float64("price-per-hour")}
	if err := rates.Check(); err != nil {
		return usageError("%w", err)
	}
	if c.String("section") == "references" && !c.Args().Present() && !c.IsSet("out") {
		return e.printResult(c, report.ListReferences(nil, pairwise.References(scoring.DefaultOptions.Bootstrap.Level)))
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
		rep.Ledger.ComputeDerivedFields(rates)
		out.Runs = append(out.Runs, rep)
	}
	if err := e.printScores(c, runs, out, o); err != nil || c.String("format") != report.FullText || len(runs) > 1 {
		return err
	}
	for _, name := range scoreSections {
		document, err := scoreSection(name, runs[0], o)
		if err != nil {
			continue // nothing is known
		}
		if err := e.printResult(c, document); err != nil {
			return err
		}
	}
	return nil
}

// printScores prints the scores of one run, the ranking of several runs of one question, or for runs of several
// questions a list as "gavel runs" prints.
func (e *env) printScores(c *cli.Context, runs []*scoring.Run, out report.Scores, o scoring.Options) error {
	if len(runs) == 1 {
		out.NextCommands = nextCommands(out.Runs[0])
	}
	out.AcrossAllJudges = report.AcrossJudges(runs, out.Runs)
	format := c.String("format")
	if len(runs) > 1 && format != report.JSON && format != report.CSV {
		if l := report.LeaderboardOfRuns(runs, out.Runs, o); l != nil {
			out.Board = l.WithRunNames(out.Runs)
		}
	}
	if len(runs) == 1 || out.Board != nil || isMachineFormat(c) || format == report.FullText {
		return e.printResult(c, out)
	}
	rows := make([]listedRun, len(runs))
	for i, run := range runs {
		rows[i] = listedOf(run.Manifest)
		rows[i].items = run.ItemSet()
		rows[i].setScores(&out.Runs[i])
		rows[i].Started = time.Time{} // the same records are the same words at any time
		rows[i].Ended = time.Time{}
	}
	fmt.Fprintln(e.stdoutWriter(), e.runListText(sortByQuestion(rows)))
	if c.IsSet("watts") || c.IsSet("price-per-hour") {
		return e.printResult(c, out.Costs())
	}
	if err := e.printResult(c, out.AcrossJudgesDocument()); err != nil {
		return err
	}
	_, err := fmt.Fprintln(e.stdout, "more: every number with --format full; runs of one question are ranked and tested")
	return err
}

// compare returns the comparison of every two of the runs, or with --plan the number of pairs that one needs.
func (e *env) compare(c *cli.Context) (any, error) {
	switch {
	case c.Bool("plan"):
		return planPairs(c)
	case c.IsSet("detect") || c.IsSet("pairs"):
		return nil, usageError("--detect and --pairs go with --plan")
	}
	margin := c.Float64("margin")
	switch {
	case c.IsSet("margin") && !(margin > 0 && margin < 100):
		return nil, usageError("--margin %v: expected points above 0 and below 100", margin)
	case c.IsSet("margin") && c.String("format") == report.CSV:
		return nil, usageError("--margin prints tables or JSON, not CSV: leave out one of the two")
	}
	runs, o, err := loadRuns(c, 2, "two or more runs are needed")
	if err != nil {
		return nil, err
	}
	lastReport := e.now()
	cmp, err := scoring.Compare(runs, o.Bootstrap, func(done, all int) {
		if now := e.now(); now.Sub(lastReport) >= lineEvery {
			lastReport = now
			e.say("%d/%d comparisons", done, all)
		}
	})
	if err == nil && c.IsSet("margin") {
		err = cmp.TestMargin(margin)
	}
	return report.Comparison{Comparisons: cmp}, err
}

// interruptibleAction returns an action that returns as soon as its context ends, while action still
// runs. So action may only read.
func interruptibleAction(action cli.ActionFunc) cli.ActionFunc {
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
