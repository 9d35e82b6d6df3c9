package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"gavel/eval"
	"gavel/judging"
	"gavel/report"
)

func runCommand(e *env) *cli.Command {
	run := &cli.Command{
		Name:  "run",
		Usage: "ask a model to judge or to answer: " + strings.Join(eval.Names(judging.Kinds), ", "),
		Description: `Makes a run: a folder with run.json, records.jsonl, items.jsonl and results.json. The
same command again asks only for what is missing. Which datasets a protocol takes depends
on their shape, which "gavel datasets show" tells: pairs for pairwise and reversed,
questions for answer and self-reference, ranked options for multi-option.`,
	}
	for _, k := range judging.Kinds {
		run.Subcommands = append(run.Subcommands, &cli.Command{
			Name:        k.Name,
			Usage:       k.About,
			UsageText:   fmt.Sprintf("gavel run %s --model MODEL --dataset NAME|FILE [flags]", k.Name),
			Description: describeKind(k),
			Flags:       runFlags(k),
			Action: func(c *cli.Context) error {
				if err := noArguments(c); err != nil {
					return err
				}
				f, err := format(c)
				if err != nil {
					return err
				}
				o, err := eval.Read(k, given(c, eval.FieldsOf(k)))
				if err != nil {
					return err
				}
				if c.Bool("dry-run") {
					return e.planRun(c.Context, o, f)
				}
				return e.makeRun(c.Context, o, f)
			},
		})
	}
	return run
}

// descriptions of the protocols for their help, by name; each is followed by
// how a run ends.
var descriptions = map[string]string{
	"pairwise": pairsHelp,
	"reversed": pairsHelp,
	"answer": `Asks a model the questions of a dataset and reads its answers: generation accuracy, by
group. An answer run is also a stage: as --agents of "gavel run self-reference" it is
judged, as --own it is the judge's own.

Examples:
  gavel run answer --model qwen3:8b --dataset gsm8k
  gavel run answer --model qwen3:8b --dataset mmlu-pro --group law --sample 50
  gavel run answer --backend sim --model accuracy=0.6 --dataset sample-choice`,
	"self-reference": `Has a judge say of agents' answers whether they are correct: once by reasoning alone
(mode cot), once with the judge's own answer as a reference (mode self). The judge is
asked the questions first; agents are files of published answers (MMLU-Pro's outputs, or
lines with id and answer), answer runs, or models that are asked now. Every stage is a run
of its own beside this one, and none is asked for twice. Judgments begin once all answers
that are asked for are there. --prompt is that of the judgments.

Examples:
  gavel run self-reference --model qwen3:8b --dataset mmlu-pro --agents model_outputs_Llama-3.1-8B_5shots.zip
  gavel run self-reference --model qwen3:8b --dataset gsm8k --agents llama3.1:8b@http://127.0.0.1:11434 --sample 100
  gavel run self-reference --backend sim --model accuracy=0.8 --dataset sample-number --agents sim:accuracy=0.6,seed=2`,
	"multi-option": `Has a judge pick the best of several options, once in every rotation of their order, so
that each stands at each place once: does it choose an option, or a place? The table has
what a judge that picks at random would score beside it.

Examples:
  gavel run multi-option --model qwen3:8b --dataset sample-options
  gavel run multi-option --model qwen3:8b --dataset oasst1 --sample 200 --prompt 3 --unrelated
  gavel run multi-option --model qwen3:8b --dataset oasst1 --goal worst --orders all --max-options 4`,
}

const pairsHelp = `Judges every pair of the dataset twice, the second time with the responses swapped, and
asks which is GOAL. Progress goes to standard error, the table to standard output.

Examples:
  gavel run NAME --model qwen3:8b --dataset sample
  gavel run NAME --model qwen3:8b --dataset judgebench-gpt4o --sample 100 --dry-run
  gavel run NAME --base-url http://gpu1:8080 --base-url http://gpu2:8080 --model qwen3-8b --dataset judgebench-gpt4o
  gavel run NAME --backend sim --model accuracy=0.8,first=0.2 --dataset sample`

func describeKind(k judging.Kind) string {
	return strings.NewReplacer("NAME", k.Name, "GOAL", k.Goal).Replace(descriptions[k.Name]) + `

Exit status: 0 every judgment was answered; 3 some failed or are missing, and the same
command goes on; 130 interrupted, and the same command goes on.`
}

// runFlags are the fields of a protocol's request, and what the command line adds.
func runFlags(k judging.Kind) []cli.Flag {
	flags := flagsOf(eval.FieldsOf(k))
	flags = append(flags, &cli.BoolFlag{Name: "dry-run", Usage: "say what would be asked, show the first prompt, and ask nothing", Category: eval.Where})
	return append(flags, formatFlags()...)
}

func (e *env) makeRun(ctx context.Context, o eval.Request, format string) error {
	reports, err := e.maker().Run(ctx, o)
	if len(reports) > 0 {
		if perr := e.print(format, report.Scores{Runs: reports}); perr != nil {
			return perr
		}
	}
	return err
}

func (e *env) planRun(ctx context.Context, o eval.Request, format string) error {
	if format == "csv" || format == "markdown" {
		return usage("--dry-run prints text or --json, not --%s", format)
	}
	plan, err := e.maker().Plan(ctx, o)
	if err != nil {
		return err
	}
	for _, note := range plan.Notes {
		e.say("%s", note)
	}
	for _, run := range plan.Runs {
		if err := e.printPlan(run, format); err != nil {
			return err
		}
	}
	return nil
}

func (e *env) printPlan(run *eval.RunPlan, format string) error {
	if format == "json" {
		return report.WriteJSON(e.stdout, struct {
			Manifest *judging.Manifest `json:"manifest"`
			Out      string            `json:"out"`
			Plan     judging.Plan      `json:"plan"`
		}{run.Manifest, run.Dir, run.Plan})
	}
	table := report.Table{Title: "plan: nothing is asked", Columns: []report.Column{{Name: ""}, {Name: ""}}, Rows: run.Rows()}
	if err := report.TextWithin(e.columns)(e.stdout, table); err != nil {
		return err
	}
	for _, msg := range run.Plan.First {
		fmt.Fprintf(e.stdout, "--- first prompt, %s ---\n%s\n", msg.Role, msg.Content)
	}
	return nil
}
