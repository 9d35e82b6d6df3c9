package main

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"gavel/eval"
	"gavel/judging"
	"gavel/protocols/answer"
	"gavel/protocols/pairwise"
)

func importCommand(e *env) *cli.Command {
	all := []*cli.Command{importJudgeBench(e), importLLMBar(e), importMMLUPro(e), importGSM8K(e), importFastChat(e), importAnswers(e)}
	for _, c := range all {
		c.Flags = append([]cli.Flag{&cli.StringFlag{Name: "out", Usage: "`DIR` of the run"}}, c.Flags...)
		files := oneArgument("FILE")
		if c.Name == llmBar {
			files = someArguments("FILE")
		}
		c.Before = importArguments(files)
	}
	return &cli.Command{Name: "import", Usage: "turn another harness's output into a run", Subcommands: all}
}

func modelFlag(usage string) cli.Flag { return &cli.StringFlag{Name: "model", Usage: usage} }

func listFlag() cli.Flag {
	return &cli.StringFlag{Name: "list", Usage: "write every disagreement to `FILE`, a line each"}
}

// importArguments are the file and the folder that every import needs.
func importArguments(files cli.BeforeFunc) cli.BeforeFunc {
	return func(c *cli.Context) error {
		if err := files(c); err != nil {
			return err
		}
		if c.String("out") == "" {
			return usage("--out is missing: name the folder of the run")
		}
		return nil
	}
}

func importJudgeBench(e *env) *cli.Command {
	return &cli.Command{
		Name:      "judgebench",
		Usage:     "a JudgeBench output file becomes a run",
		UsageText: "gavel import judgebench FILE --out RUN",
		Action: func(c *cli.Context) error {
			im, err := pairwise.ImportJudgeBench(c.Args().First(), c.String("out"), version())
			if err != nil {
				return err
			}
			e.sayImport(im, c.String("out"))
			return e.printImported(c, c.String("out"))
		},
	}
}

// llmBar is the one import that takes several files.
const llmBar = "llmbar"

func importLLMBar(e *env) *cli.Command {
	return &cli.Command{
		Name:      llmBar,
		Usage:     "LLMBar's stored replies become a run",
		UsageText: "gavel import llmbar FILE... --out RUN [--model NAME]",
		Flags:     []cli.Flag{modelFlag("`NAME` of the judge; default: as the path has it")},
		Action: func(c *cli.Context) error {
			im, err := pairwise.ImportLLMBar(c.Args().Slice(), c.String("out"), c.String("model"), version())
			if err != nil {
				return err
			}
			e.sayImport(im, c.String("out"))
			return e.printImported(c, c.String("out"))
		},
	}
}

func importMMLUPro(e *env) *cli.Command {
	return &cli.Command{
		Name:      "mmlu-pro",
		Usage:     "published MMLU-Pro model outputs become a run of answers",
		UsageText: "gavel import mmlu-pro FILE --out RUN [--model NAME] [--list FILE]",
		Flags:     []cli.Flag{modelFlag("`NAME` of the model; default: as the file's name says"), listFlag()},
		Action: func(c *cli.Context) error {
			im, err := answer.ImportMMLUPro(c.Args().First(), c.String("out"), c.String("model"), version())
			if err != nil {
				return err
			}
			e.sayImported(im.ImportedRun)
			e.say("by the official script's rules, the last stand-alone letter included, %d replies have an answer; the file's pred is the same for %d of them", im.Found, im.Same)
			for _, pred := range slices.Sorted(maps.Keys(im.Filled)) {
				e.say("  in %d replies they find none: the file has %s there, which is no answer", im.Filled[pred], orNull(pred))
			}
			return cmp.Or(e.sayDiffer(c.String("list"), im.ImportedRun), e.printImported(c, im.Dir))
		},
	}
}

func orNull(s string) string {
	if s == "" {
		return "null"
	}
	return fmt.Sprintf("%q", s)
}

func importGSM8K(e *env) *cli.Command {
	return &cli.Command{
		Name:      "gsm8k",
		Usage:     "GSM8K's example model solutions become runs of answers",
		UsageText: "gavel import gsm8k FILE --out DIR [--model NAME] [--list FILE]",
		Flags:     []cli.Flag{modelFlag("only the solutions of `NAME`"), listFlag()},
		Action: func(c *cli.Context) error {
			runs, err := answer.ImportGSM8K(c.Args().First(), c.String("out"), c.String("model"), version())
			for _, r := range runs {
				e.sayImported(r)
				e.say("is_correct is as read from the solution in %d of %d", r.Same, r.Told)
			}
			if err != nil {
				return err
			}
			dirs := make([]string, len(runs))
			for i, r := range runs {
				dirs[i] = r.Dir
			}
			return cmp.Or(e.sayDiffer(c.String("list"), runs...), e.printImported(c, dirs...))
		},
	}
}

func importFastChat(e *env) *cli.Command {
	return &cli.Command{
		Name:      "fastchat",
		Usage:     "FastChat pair judgments become a run of preferences",
		UsageText: "gavel import fastchat FILE [--human FILE] --out RUN [--model NAME] [--list FILE]",
		Flags:     []cli.Flag{&cli.StringFlag{Name: "human", Usage: "`FILE` of people's votes"}, modelFlag("`NAME` of the judge; default: as the file has it"), listFlag()},
		Action: func(c *cli.Context) error {
			im, err := answer.ImportFastChat(c.Args().First(), c.String("human"), c.String("out"), c.String("model"), version())
			if err != nil {
				return err
			}
			e.sayFastChat(im)
			return cmp.Or(e.sayDiffer(c.String("list"), im.ImportedRun), e.printImported(c, im.Dir))
		},
	}
}

func (e *env) sayFastChat(im *answer.FastChat) {
	e.sayImported(im.ImportedRun)
	e.say("%d verdicts are ties, %d of them because the two games differ", im.Ties, im.Inconsistent)
	if im.Told > 0 {
		e.say("the winners of both games are as read from the replies in %d of %d", im.Same, im.Told)
	}
	if im.Human == nil {
		e.say("without --human no pair has a gold")
		return
	}
	e.saySkipped(im.Human.Skipped, "rows of votes", im.Human.Bad)
	e.say("%d pairs have what more than half of the votes are for as gold; on %d people are divided, and there is none", im.Golds, im.Split)
}

func (e *env) saySkipped(n int, rows string, bad []string) {
	if n > 0 {
		e.say("%d %s were skipped:", n, rows)
		for _, b := range bad {
			e.say("  %s", b)
		}
	}
}

func importAnswers(e *env) *cli.Command {
	return &cli.Command{
		Name:      "answers",
		Usage:     "replies to questions, from wherever, become a run of answers",
		UsageText: "gavel import answers FILE --out RUN [--dataset NAME|FILE] [--model NAME] [--marker TEXT]",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "dataset", Usage: "`NAME` or path of the dataset that was answered"},
			modelFlag("`NAME` of the model; of a file with several, the one to take"),
			&cli.StringFlag{Name: "marker", Usage: "an answer stands after `TEXT` at the start of a line, such as \"A:\""},
		},
		Action: func(c *cli.Context) error {
			o := answer.AnswersOptions{Model: c.String("model")}
			if marker := c.String("marker"); c.IsSet("marker") {
				settings, err := answer.Marker(marker)
				if err != nil {
					return usage("--marker %q: %v", marker, err)
				}
				o.Settings = settings
			}
			if dataset := c.String("dataset"); dataset != "" {
				set, err := e.library().Open(dataset)
				if err != nil {
					return err
				}
				defer set.Close()
				o.Questions, o.Dataset = set, eval.DatasetInfo(set, eval.Request{})
			}
			r, err := answer.ImportAnswers(c.Args().First(), c.String("out"), o, version())
			if err != nil {
				return err
			}
			e.sayImported(r)
			return e.printImported(c, r.Dir)
		},
	}
}

// sayImported says what every import of answers comes to.
func (e *env) sayImported(r *answer.ImportedRun) {
	m := r.Manifest
	e.say("%s: %d rows, run written to %s", m.Spec.Model.Name, r.Rows, r.Dir)
	e.saySkipped(m.Dataset.Skipped, "rows", m.Dataset.Bad)
	for _, n := range r.Notes {
		e.say("%s", n)
	}
	if r.Missing > 0 {
		e.say("%d rows have no reply: they count as failed", r.Missing)
	}
	e.say("answers in %d of %d", r.Read, r.Rows-r.Missing)
}

// sayDiffer lists what the file says otherwise, the first few here and, where a list is named, all of it there.
func (e *env) sayDiffer(list string, runs ...*answer.ImportedRun) error {
	var all []string
	for _, r := range runs {
		for _, d := range r.Differ {
			if len(runs) > 1 {
				d = r.Manifest.Spec.Model.Name + ": " + d
			}
			all = append(all, d)
		}
	}
	e.sayFew(all)
	if list == "" {
		return nil
	}
	var lines strings.Builder
	for _, d := range all {
		fmt.Fprintln(&lines, strings.ReplaceAll(d, "\n", " "))
	}
	if err := os.WriteFile(list, []byte(lines.String()), 0o666); err != nil {
		return err
	}
	e.say("%d disagreements written to %s", len(all), list)
	return nil
}

func (e *env) sayFew(all []string) {
	for i, d := range all {
		if i == maxListed {
			e.say("  … and %d more", len(all)-i)
			return
		}
		e.say("  %s", d)
	}
}

// maxListed is how many differences are said one by one.
const maxListed = 20

func (e *env) sayImport(im *pairwise.Import, out string) {
	m := im.Manifest
	e.say("%s (judge_name %s): %d pairs, %d games, %d of them null", m.Spec.Model.Name, m.JudgeName, m.Spec.Dataset.Items, im.Games, im.Null)
	e.saySkipped(m.Dataset.Skipped, "lines", m.Dataset.Bad)
	how := "read from the replies"
	if im.Stored {
		how = "taken from scores or decisions: there are no replies that gavel reads"
	}
	e.say("verdicts %s; %d of %d stored decisions reproduced", how, im.Reproduced, im.Games-im.Null)
	e.sayFew(im.Differ)
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
			Before:    oneArgument("RUN"),
			Action:    func(c *cli.Context) error { return e.exportJudgeBench(c.Args().First(), c.String("out")) },
		}},
	}
}

func (e *env) exportJudgeBench(run, out string) (err error) {
	var written, left int
	export := func(w io.Writer) (err error) {
		written, left, err = pairwise.ExportJudgeBench(run, w)
		return err
	}
	switch _, gone := os.Lstat(out); {
	case out == "":
		err = export(e.stdout)
	case gone == nil:
		err = &fs.PathError{Op: "open", Path: out, Err: fs.ErrExist}
	default:
		err = judging.WriteFile(out, export)
	}
	if err != nil {
		return err
	}
	e.say("%d pairs written", written)
	if left > 0 {
		e.say("%d pairs without any judgment left out", left)
	}
	return nil
}
