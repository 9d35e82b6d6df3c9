package cli

import (
	"cmp"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"gavel/datasets"
	"gavel/internal/carry/export"
	"gavel/internal/eval"
	"gavel/internal/report"
	"gavel/judging"
	"gavel/protocols"
	"gavel/protocols/imports"
	"gavel/protocols/pairwise"
	"gavel/scoring"
)

func importCommand(e *env) *cli.Command {
	command := &cli.Command{
		Name:  "import",
		Usage: "make a run of another harness's output, or import a dataset",
		Subcommands: []*cli.Command{{
			Name:      "dataset",
			Usage:     "a published file from disk, or a file of your own under a name",
			UsageText: "gavel import dataset [--as NAME] FILE",
			Flags: append(mappingFlags(), stringFlag("as",
				"`NAME` of the dataset, if it has no published SHA-256; "+
					"or a name of your choice, for a file of your own")),
			Before: oneArgument("FILE"),
			Action: e.importDataset,
		}},
	}
	for _, p := range protocols.All {
		for _, im := range p.Imports {
			command.Subcommands = append(command.Subcommands, e.importer(im))
		}
	}
	return command
}

func (e *env) importer(im imports.Importer) *cli.Command {
	argument, _, _ := strings.Cut(im.Usage, " ")
	files := oneArgument(argument)
	if im.ManyFiles {
		files = someArguments("FILE")
	}
	flags := []cli.Flag{stringFlag("out", "`DIR` of the run")}
	for _, o := range im.Options {
		flags = append(flags, stringFlag(o.Name, o.Usage))
	}
	return &cli.Command{
		Name: im.Name, Usage: im.About, UsageText: "gavel import " + im.Name + " " + im.Usage, Flags: flags,
		Before: func(c *cli.Context) error {
			if err := files(c); err != nil {
				return err
			}
			if c.String("out") == "" {
				return usage("--out is missing: name the folder of the run")
			}
			for _, o := range im.Options {
				value := c.String(o.Name)
				if o.Required && value == "" {
					return usage("--%s is missing: %s", o.Name, strings.ReplaceAll(o.Usage, "`", ""))
				}
				if o.Name == imports.List.Name && slices.Contains(c.Args().Slice(), value) {
					return usage("--list %s: the import reads this file: name another one", value)
				}
				if o.Check == nil || !c.IsSet(o.Name) {
					continue
				}
				if err := o.Check(value); err != nil {
					return usage("--%s %q: %v", o.Name, value, err)
				}
			}
			return nil
		},
		Action: func(c *cli.Context) error { return e.importRuns(c, im) },
	}
}

// openDataset opens a dataset that an import names.
func (e *env) openDataset(name string) (*datasets.Set, judging.DatasetInfo, error) {
	set, err := e.library().Open(name)
	if err != nil {
		return nil, judging.DatasetInfo{}, err
	}
	return set, eval.DatasetInfo(set, eval.RunRequest{}), nil
}

// importRuns makes runs, says what they are, and prints what they come to, which it keeps beside the records.
func (e *env) importRuns(c *cli.Context, im imports.Importer) error {
	runs, err := im.Import(imports.Input{
		Files:  c.Args().Slice(),
		Out:    c.String("out"),
		Gavel:  version(),
		Option: c.String,
		Open:   e.openDataset,
	})
	for _, r := range runs {
		e.sayEach(r.Summary)
	}
	if err == nil && flagNamed(c.Command.Flags, "list") != nil {
		var messages []string
		messages, err = imports.ReportDifferences(c.String("list"), runs)
		e.sayEach(messages)
	}
	if err != nil {
		return err
	}
	var dirs []string
	for _, r := range runs {
		dirs = append(dirs, r.Dir)
	}
	loaded, reports, err := scoreImported(dirs)
	if err != nil {
		return err
	}
	return e.printScores(c, loaded, report.Scores{Runs: reports}, scoring.DefaultOptions)
}

// scoreImported scores runs that were just written, and keeps the results beside their records.
func scoreImported(dirs []string) (runs []*scoring.Run, reports []scoring.Report, err error) {
	for _, dir := range dirs {
		run, err := scoring.Load(dir, scoring.DefaultOptions.Reading)
		if err != nil {
			return nil, nil, err
		}
		rep := run.Score(scoring.DefaultOptions.Bootstrap)
		if err := judging.WriteJSON(filepath.Join(dir, judging.ResultsFile), rep); err != nil {
			return nil, nil, err
		}
		rep.Run = dir
		runs = append(runs, run)
		reports = append(reports, rep)
	}
	return runs, reports, nil
}

func exportCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:  "export",
		Usage: "write runs as a table, or in another harness's format",
		Subcommands: []*cli.Command{{
			Name:      "parquet",
			Usage:     "a table of judgments for pandas, DuckDB or Polars",
			UsageText: "gavel export parquet RUN... --out FILE",
			Description: "One row a judgment, with its verdict as scores count it, tokens, time and replies.\n" +
				"docs/formats.md lists the columns.\n\nExample:\n  gavel export parquet runs --out judgments.parquet",
			Flags: []cli.Flag{
				stringFlag("out", "`FILE` to write"),
				boolFlag("force", "overwrite a file that is there"),
			},
			Before: someArguments("RUN"),
			Action: e.exportParquet,
		}, {
			Name:      "judgebench",
			Usage:     "a run of pairs in JudgeBench's output format",
			UsageText: "gavel export judgebench RUN [--out FILE]",
			Flags:     []cli.Flag{stringFlag("out", "`FILE` to write; default: standard output")},
			Before:    oneArgument("RUN"),
			Action:    func(c *cli.Context) error { return e.exportJudgeBench(c.Args().First(), c.String("out")) },
		}},
	}
}

func (e *env) exportParquet(c *cli.Context) error {
	if c.String("out") == "" {
		return usage("--out is missing: name the file to write")
	}
	dirs, err := findRuns(c, 1)
	if err != nil {
		return err
	}
	rows := 0
	var unread error // has paths of its own
	err = report.WriteOther(c.String("out"), c.Bool("force"), func(w io.Writer) error {
		rows, unread = export.Parquet(w, dirs)
		return unread
	})
	if err != nil {
		return cmp.Or(unread, err)
	}
	e.say("%d judgments of %d runs written", rows, len(dirs))
	return nil
}

func (e *env) exportJudgeBench(run, out string) error {
	written, omitted, err := pairwise.Export(run, out, e.stdout)
	if err != nil {
		return err
	}
	e.say("%d pairs written", written)
	if omitted > 0 {
		e.say("left out %d pairs without a judgment", omitted)
	}
	return nil
}
