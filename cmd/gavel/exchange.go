package main

import (
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"gavel/judging"
)

func importCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:  "import",
		Usage: "turn another harness's output into a run",
		Subcommands: []*cli.Command{{
			Name:      "judgebench",
			Usage:     "a JudgeBench output file becomes a run",
			UsageText: "gavel import judgebench FILE --out RUN",
			Description: `The stored replies of an arena_hard judge are read again by gavel's parser, and the
decisions in the file that it does not reproduce are listed. Judges without replies
in that format (reward models and others) keep the file's decisions.

Example:
  gavel import judgebench outputs/dataset=judgebench,….jsonl --out runs/o1-mini
  gavel score runs/o1-mini`,
			Flags: []cli.Flag{&cli.StringFlag{Name: "out", Usage: "`DIR` of the run"}},
			Action: func(c *cli.Context) error {
				file, err := oneArgument(c, "FILE")
				if err != nil {
					return err
				}
				out := c.String("out")
				if out == "" {
					return usage("--out is missing: name the folder of the run")
				}
				im, err := judging.ImportJudgeBench(file, out, version())
				if err != nil {
					return err
				}
				e.sayImport(im, out)
				return nil
			},
		}},
	}
}

// maxListed is how many differences are said one by one.
const maxListed = 20

func (e *env) sayImport(im *judging.Import, out string) {
	m := im.Manifest
	e.say("%s (judge_name %s): %d pairs, %d games, %d of them null", m.Spec.Model.Name, m.JudgeName, m.Spec.Dataset.Items, im.Games, im.Null)
	if m.Dataset.Skipped > 0 {
		e.say("%d lines were skipped:", m.Dataset.Skipped)
		for _, b := range m.Dataset.Bad {
			e.say("  %s", b)
		}
	}
	how := "read from the replies"
	if im.Stored {
		how = "taken from scores or decisions: there are no replies that gavel reads"
	}
	e.say("verdicts %s; %d of %d stored decisions reproduced", how, im.Reproduced, im.Games-im.Null)
	for i, d := range im.Differ {
		if i == maxListed {
			e.say("  … and %d more", len(im.Differ)-i)
			break
		}
		e.say("  %s", d)
	}
	e.say("run written to %s", out)
}

func exportCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:  "export",
		Usage: "write a run in another harness's format",
		Subcommands: []*cli.Command{{
			Name:      "judgebench",
			Usage:     "a run of pairs in JudgeBench's output format",
			UsageText: "gavel export judgebench RUN [--out FILE]",
			Flags:     []cli.Flag{&cli.StringFlag{Name: "out", Usage: "`FILE` to write; default: standard output"}},
			Action: func(c *cli.Context) error {
				run, err := oneArgument(c, "RUN")
				if err != nil {
					return err
				}
				return e.exportJudgeBench(run, c.String("out"))
			},
		}},
	}
}

func (e *env) exportJudgeBench(run, out string) (err error) {
	w := io.Writer(e.stdout)
	if out != "" {
		f, err := os.OpenFile(out, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		defer func() {
			if cerr := f.Close(); err == nil {
				err = cerr
			}
		}()
		w = f
	}
	written, left, err := judging.ExportJudgeBench(run, w)
	if err != nil {
		return err
	}
	e.say("%d pairs written", written)
	if left > 0 {
		e.say("%d pairs without any judgment left out", left)
	}
	return nil
}
