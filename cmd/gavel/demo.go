package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"gavel/judging"
	"gavel/report"
	"gavel/scoring"
)

// demoJudges are simulated judges whose accuracy and position bias are known.
var demoJudges = []struct{ model, about string }{
	{"accuracy=0.9,first=0.1,seed=3", "knows 90 %, falls for the first position in 10 % of the games"},
	{"accuracy=0.9,first=0.5,seed=3", "knows as much, but half of the time names whatever it reads first"},
	{"coin", "throws a coin for every game"},
	{"silent", "never gives a verdict"},
}

func demoCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "demo",
		Usage:     "see what gavel reports, with simulated judges: no model, no network, no data needed",
		UsageText: "gavel demo [--out DIR]",
		Description: `Runs simulated judges of known accuracy and position bias over the built-in sample, with
every protocol, and prints the tables. The numbers say nothing about any model.`,
		Flags: []cli.Flag{&cli.StringFlag{Name: "out", Usage: "keep the runs in `DIR`"}},
		Action: func(c *cli.Context) error {
			if err := noArguments(c); err != nil {
				return err
			}
			return e.demo(c.Context, c.String("out"))
		},
	}
}

func (e *env) demo(ctx context.Context, out string) error {
	if out == "" {
		tmp, err := os.MkdirTemp("", "gavel-demo-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(tmp)
		out = tmp
	}
	fmt.Fprintf(e.stdout, "SIMULATION: no model is asked. Four judges of known accuracy and position bias judge\ngavel's %s pairs under each protocol; what follows is what gavel reports of them.\n\n", "sample")
	var scores report.Scores
	var dirs []string
	kinds := judging.Comparisons
	for _, judge := range demoJudges {
		fmt.Fprintf(e.stdout, "  sim:%-32s %s\n", judge.model, judge.about)
		for _, kind := range kinds {
			dir := filepath.Join(out, fmt.Sprintf("sim-%d-%s", len(dirs)/len(kinds)+1, kind.Name))
			rep, err := e.demoRun(ctx, kind.Name, judge.model, dir)
			if err != nil {
				return err
			}
			dirs = append(dirs, dir)
			rep.Run = filepath.Base(dir)
			scores.Runs = append(scores.Runs, *rep)
		}
	}
	fmt.Fprintln(e.stdout)
	tables := scores.Tables()
	tables = tables[:2] // all runs, then the first of them in full
	cmp, err := e.demoCompare(dirs)
	if err != nil {
		return err
	}
	for _, t := range append(tables, cmp...) {
		if err := report.Text(e.stdout, t); err != nil {
			return err
		}
	}
	fmt.Fprintln(e.stdout, "SIMULATION: these numbers are of coins with known sides, not of any model.")
	return nil
}

func (e *env) demoRun(ctx context.Context, protocol, model, dir string) (*scoring.Report, error) {
	quiet := *e
	quiet.stderr, quiet.terminal = io.Discard, false
	p, err := quiet.prepare(ctx, runOptions{
		endpointOptions: endpointOptions{backend: "sim"}, protocol: protocol, model: model, dataset: "sample", prompt: "sop",
		concurrency: 4, parameters: judging.DefaultParameters, timeout: time.Minute, out: dir,
	})
	if err != nil {
		return nil, err
	}
	defer p.set.Close()
	return quiet.make(ctx, p)
}

// demoCompare compares the two judges that know the same and differ in their
// position bias, under the first protocol.
func (e *env) demoCompare(dirs []string) ([]report.Table, error) {
	var runs []*scoring.Run
	for _, i := range []int{0, len(judging.Comparisons)} {
		r, err := scoring.Load(dirs[i], scoring.DefaultOptions.Reading)
		if err != nil {
			return nil, err
		}
		r.Dir = filepath.Base(dirs[i])
		runs = append(runs, r)
	}
	cmp, err := scoring.Compare(runs, scoring.DefaultOptions.Bootstrap)
	if err != nil {
		return nil, err
	}
	return report.Comparison{Comparisons: cmp}.Tables(), nil
}
