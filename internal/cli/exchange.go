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
	parent := parentCommand("import", command("dataset", e.importDataset))
	for _, p := range protocols.All {
		for _, im := range p.Imports {
			parent.Subcommands = append(parent.Subcommands, e.importCommand(im))
		}
	}
	return parent
}

// importCommand returns the command of "gavel import" that imports files with im.
func (e *env) importCommand(im imports.Importer) *cli.Command {
	argument, _, _ := strings.Cut(im.Usage, " ")
	if im.ManyFiles {
		argument = "FILE..."
	}
	var flags []cli.Flag
	for _, o := range im.Options {
		flags = append(flags, stringFlag(o.Name, o.Usage))
	}
	return &cli.Command{
		Name: im.Name, Usage: im.About, UsageText: "gavel import " + im.Name + " " + im.Usage, Flags: flags,
		Before: func(c *cli.Context) error {
			if err := checkArguments(c, argument); err != nil {
				return err
			}
			if c.String("out") == "" {
				return usageError("--out is missing: name the folder of the run")
			}
			for _, o := range im.Options {
				value := c.String(o.Name)
				if o.Required && value == "" {
					return usageError("--%s is missing: %s", o.Name, strings.ReplaceAll(o.Usage, "`", ""))
				}
				if o.Name == imports.DifferencesFlag && slices.Contains(c.Args().Slice(), value) {
					return usageError("--list %s: the import reads this file: name another one", value)
				}
				if o.Check == nil || !c.IsSet(o.Name) {
					continue
				}
				if err := o.Check(value); err != nil {
					return usageError("--%s %q: %v", o.Name, value, err)
				}
			}
			return nil
		},
		Action: func(c *cli.Context) error { return e.importRuns(c, im) },
	}
}

// importRuns makes runs from files with im, prints the import's summaries and the runs' scores, and stores the scores
// beside the runs' records.
func (e *env) importRuns(c *cli.Context, im imports.Importer) error {
	runs, err := im.Import(imports.Input{
		Files:  c.Args().Slice(),
		Out:    c.String("out"),
		Gavel:  version(),
		Option: c.String,
		OpenDataset: func(name string) (set *datasets.Set, info judging.DatasetInfo, err error) {
			set, err = e.library().OpenWith(name, datasets.OpenOptions{Mapping: mappingFrom(c)})
			if err == nil {
				info = eval.DatasetInfo(set, eval.RunRequest{})
			}
			return set, info, err
		},
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

// scoreImported scores runs that were just written to the given folders, and stores the results beside their records.
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

func (e *env) exportParquet(c *cli.Context) error {
	if c.String("out") == "" {
		return usageError("--out is missing: name the file to write")
	}
	dirs, err := findRuns(c, 1)
	if err != nil {
		return err
	}
	rows := 0
	var unread error // has paths of its own
	err = report.WriteUnmarkedFile(c.String("out"), c.Bool("force"), func(w io.Writer) error {
		rows, unread = export.WriteParquet(w, dirs)
		return unread
	})
	if err != nil {
		return cmp.Or(unread, err)
	}
	e.say("%d judgments of %d runs written", rows, len(dirs))
	return nil
}

func (e *env) exportJudgeBench(c *cli.Context) error {
	written, omitted, err := pairwise.Export(c.Args().First(), c.String("out"), e.stdout)
	if err != nil {
		return err
	}
	e.say("%d pairs written", written)
	if omitted > 0 {
		e.say("left out %d pairs without a judgment", omitted)
	}
	return nil
}
