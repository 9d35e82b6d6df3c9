// Package demo shows what gavel reports, with simulated judges: no model, no network and no data are needed.
package demo

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"gavel/internal/disk"
	"gavel/internal/eval"
	"gavel/internal/report"
	"gavel/internal/report/table"
	"gavel/judging"
	"gavel/protocols/multioption"
	"gavel/protocols/pairwise"
	"gavel/protocols/selfreference"
	"gavel/scoring"
)

// judges are simulated judges whose accuracy and position bias are known.
var judges = []struct{ model, about string }{
	{"accuracy=0.9,first=0.1,seed=3", "knows 90 %, falls for the first position in 10 % of the judgments"},
	{"accuracy=0.9,first=0.5,seed=3", "knows as much, but half of the time names whatever it reads first"},
	{"coin", "throws a coin for every judgment"},
	{"silent", "never gives a verdict"},
}

// Run has simulated judges judge the built-in samples under each protocol, and prints what they come to for a
// terminal of so many columns. The runs stay in the folder out; where that is "" nothing does.
func Run(ctx context.Context, m *eval.Maker, out string, stdout io.Writer, columns int) error {
	if out == "" {
		tmp, remove, err := disk.TempDir("", "gavel-demo-")
		if err != nil {
			return err
		}
		defer remove()
		out = tmp
	}
	d := &demo{
		ctx:    ctx,
		maker:  m,
		out:    out,
		stdout: stdout,
		print:  table.TextWithin(columns),
	}
	fmt.Fprintln(stdout, "SIMULATION: no model is asked. Judges of known accuracy and position bias judge "+
		"gavel's own\nsamples under each protocol; what follows is what gavel reports of them.")
	for _, chapter := range []func() error{d.pairs, d.answers, d.options} {
		fmt.Fprintln(stdout)
		if err := chapter(); err != nil {
			return err
		}
	}
	fmt.Fprintln(stdout, "SIMULATION: simulated judges, not results of a model.")
	return nil
}

// demo is a demo that is going on.
type demo struct {
	ctx    context.Context
	maker  *eval.Maker
	out    string // folder of its runs
	stdout io.Writer
	print  table.Writer
}

// comparisons are the protocols that compare two responses.
var comparisons = []judging.Protocol{pairwise.Protocol, pairwise.Reversed}

// pairs: all judges under pairwise and reversed, and what of two of them differs.
func (d *demo) pairs() error {
	fmt.Fprintln(d.stdout, "1. Two responses: which is better, and which is worse?")
	var scores report.Scores
	var dirs []string
	for _, judge := range judges {
		fmt.Fprintf(d.stdout, "  sim:%-32s %s\n", judge.model, judge.about)
		for _, protocol := range comparisons {
			name := fmt.Sprintf("sim-%d-%s", len(dirs)/len(comparisons)+1, protocol.Name)
			rep, err := d.run(protocol, judge.model, "sample", name)
			if err != nil {
				return err
			}
			dirs = append(dirs, filepath.Join(d.out, name))
			scores.Runs = append(scores.Runs, *rep)
		}
	}
	fmt.Fprintln(d.stdout)
	compared, err := compare(dirs)
	if err != nil {
		return err
	}
	return d.print.Each(d.stdout, append(scores.Tables()[:2], compared...)) // all runs, then the first of them in full
}

// agent is whose answers the demo has judged.
const agent = "sim:accuracy=0.6,seed=2"

// answers: a judge that answers the questions itself, then judges an agent's
// answers, with and without its own beside them.
func (d *demo) answers() error {
	const judge = "accuracy=0.7"
	fmt.Fprintf(d.stdout, "2. An agent's answers: right or wrong? Does a model that can answer also "+
		"judge?\n  sim:%-32s answers 70 %% itself, judges with that accuracy, and leans on its own "+
		"answer\n                                       where it is shown it\n  %-36s the agent: answers 60 %%\n\n",
		judge, agent)
	o := d.request(selfreference.Protocol, judge, "sample-number", "sim-1-"+selfreference.Protocol.Name)
	o.Agents = []string{agent}
	reports, err := d.maker.Run(d.ctx, o)
	if err != nil {
		return err
	}
	return d.print.Each(d.stdout, report.Scores{Runs: reports}.Headlines())
}

// choosers are the judges that choose one of several options.
var choosers = []string{"accuracy=0.9,first=0.1,seed=3", "first", "coin"}

// options: judges that choose the best of several options in every rotation.
func (d *demo) options() error {
	fmt.Fprintln(d.stdout, "3. Several options in every rotation: "+
		"does the judge choose an option, or a place?\n  sim:first                            always names "+
		"what it reads first\n  sim:coin                             throws dice for every presentation")
	fmt.Fprintln(d.stdout)
	var scores report.Scores
	for i, judge := range choosers {
		rep, err := d.run(multioption.Protocol, judge, "sample-options",
			fmt.Sprintf("sim-%d-%s", i+1, multioption.Protocol.Name))
		if err != nil {
			return err
		}
		scores.Runs = append(scores.Runs, *rep)
	}
	return d.print.Each(d.stdout, scores.Headlines())
}

func (d *demo) request(protocol judging.Protocol, model, dataset, name string) eval.Request {
	o := eval.New(protocol)
	o.Endpoint = eval.Simulation
	o.Model = model
	o.Dataset = dataset
	o.Concurrency = 4
	o.Out = filepath.Join(d.out, name)
	return o
}

// run makes one run and gives its report.
func (d *demo) run(protocol judging.Protocol, model, dataset, name string) (*scoring.Report, error) {
	reports, err := d.maker.Run(d.ctx, d.request(protocol, model, dataset, name))
	if err != nil {
		return nil, err
	}
	rep := &reports[len(reports)-1]
	rep.Run = name
	return rep, nil
}

// compare compares the two judges that know the same and differ in their position bias, under the first protocol.
func compare(dirs []string) ([]table.Table, error) {
	var runs []*scoring.Run
	for _, i := range []int{0, len(comparisons)} {
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
