package cli

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/urfave/cli/v2"

	"gavel/datasets"
	"gavel/internal/doc"
	"gavel/internal/eval"
	"gavel/internal/report"
	"gavel/judging"
	"gavel/scoring"
)

func runCommand(e *env) *cli.Command {
	run := &cli.Command{
		Name:        "run",
		UsageText:   "gavel run PROTOCOL --model MODEL --dataset NAME|FILE [flags]",
		Usage:       "ask a judge: " + strings.Join(judging.ProtocolNames(judging.Protocols())[:3], ", ") + ", …",
		Description: strings.Replace(helpText("gavel run"), "ITEMS", protocolItemsText(), 1),
	}
	for _, k := range judging.Protocols() {
		run.Subcommands = append(run.Subcommands, &cli.Command{
			Name:        k.Name,
			Usage:       k.About,
			UsageText:   fmt.Sprintf("gavel run %s --model MODEL --dataset NAME|FILE [flags]", k.Name),
			Description: describeProtocol(k),
			Flags:       flagsOf(eval.ProtocolFields(k)),
			Action: func(c *cli.Context) error {
				o, err := eval.ParseRequest(k, flagValues(c, eval.ProtocolFields(k)))
				if err != nil {
					return err
				}
				in, out := c.String("batch-in"), c.String("batch-out")
				switch batch := in != "" || out != ""; {
				case c.Bool("dry-run") && batch:
					return usageError("--dry-run asks nothing: leave out --batch-in and --batch-out")
				case c.Bool("dry-run"):
					return e.planRun(c, o)
				case batch:
					return e.runWithBatchFiles(c, o, in, out)
				}
				return e.makeRun(c, e.maker(), o)
			},
		})
	}
	return run
}

// protocolItemsText returns lines with each protocol and the kind of items that it judges.
func protocolItemsText() string {
	var lines strings.Builder
	for _, p := range judging.Protocols() {
		fmt.Fprintf(&lines, "  %-15s %s\n", p.Name, p.ItemsNoun)
	}
	return lines.String()
}

// describeProtocol returns the description in the help of `gavel run PROTOCOL`.
func describeProtocol(k judging.Protocol) string {
	text := strings.NewReplacer("NAME", k.Name, "GOAL", k.Goal).Replace(k.Help) + `

Exit status: 0 every judgment was answered; 3 some failed or are missing, and the same
command goes on, or some prompts or replies did not fit the context or were refused, and
--ask-again asks for them; 130 interrupted, and the same command goes on.`
	if len(scoring.ItemwiseMetrics(k.Name)) > 0 {
		text += ` With --until: 0
the condition holds, 4 it does not hold, 5 all items are too few to tell.`
	}
	return text
}

// runWithBatchFiles makes the judgments whose replies are in in, the output file of a batch, and writes the requests of
// the others to out, the input file of the next batch.
func (e *env) runWithBatchFiles(c *cli.Context, o eval.RunRequest, in, out string) error {
	request, err := o.ForBatch()
	if err != nil {
		return err
	}
	if in != "" && in == out {
		return usageError("--batch-out %s is what --batch-in reads: name another file", out)
	}
	batch, err := eval.NewBatch(o.Model, in)
	if err != nil {
		return err
	}
	e.sayEach(batch.Warnings)
	maker := e.maker()
	maker.HTTP = &http.Client{Transport: batch}
	maker.Batch = batch
	maker.Hints.GoOn = "for the rest: " + o.Command() + " --batch-out next.jsonl"
	if out != "" {
		model := datasets.ShellQuote(o.Model)
		maker.Hints.GoOn = fmt.Sprintf("have %s answered, such as by: vllm run-batch -i %s -o replies.jsonl --model %s "+
			"--served-model-name %s; then: %s --batch-in replies.jsonl",
			out, datasets.ShellQuote(out), model, model, o.Command())
	}
	err = e.makeRun(c, maker, request)
	if in != "" {
		e.say("%s", batch)
	}
	if out == "" || batch.Missing() == 0 {
		return err
	}
	if werr := batch.Write(out); werr != nil {
		return werr
	}
	e.say("%d requests written to %s", batch.Missing(), out)
	if in == "" && errors.Is(err, eval.ErrIncomplete) {
		e.say("%v", err)
		return nil
	}
	return err
}

// makeRun makes the run of a request and prints its scores.
func (e *env) makeRun(c *cli.Context, maker *eval.Maker, o eval.RunRequest) error {
	reports, err := maker.Run(c.Context, o)
	if len(reports) > 0 {
		out := report.Scores{Runs: reports, NextCommands: nextCommands(reports[len(reports)-1])}
		if perr := e.printResult(c, out); perr != nil {
			return perr
		}
	}
	return err
}

// planRun prints the plan of a run and, on a terminal, its first prompt.
func (e *env) planRun(c *cli.Context, o eval.RunRequest) error {
	plan, err := e.maker().Plan(c.Context, o)
	if err != nil {
		return err
	}
	e.sayEach(plan.Notes)
	for _, run := range plan.Runs {
		if err := e.printResult(c, planDocument(run)); err != nil {
			return err
		}
		if isMachineFormat(c) {
			continue
		}
		for _, msg := range run.Plan.FirstPrompt {
			fmt.Fprintf(e.stdout, "--- first prompt, %s ---\n%s\n", msg.Role, msg.Content)
		}
	}
	return nil
}

// planDocument returns the plan of a run (dry run) as a table of names and values.
func planDocument(run *eval.RunPlan) doc.Document {
	data := map[string]any{"manifest": run.Manifest, "out": run.Dir, "plan": run.Plan, "seconds": nil}
	if s, ok := run.Seconds(); ok {
		data["seconds"] = s
	}
	d := factsDocument(run.Rows(), data)
	d.Title = "plan: nothing is asked"
	return d
}
