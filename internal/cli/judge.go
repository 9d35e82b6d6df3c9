package cli

import (
	"cmp"
	"errors"
	"io"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"gavel/datasets"
	"gavel/internal/doc"
	"gavel/internal/eval"
	"gavel/internal/labels"
	"gavel/internal/report"
	"gavel/internal/verdicts"
	"gavel/judging"
)

func judgeCommand(e *env) *cli.Command { return &cli.Command{Name: "judge", Action: e.judge} }

// judge asks the judge of a run about the items of a file, and prints and writes its verdicts.
func (e *env) judge(c *cli.Context) error {
	with, out := c.String("with"), c.String("verdicts")
	if out != "" {
		if err := oneOf("--verdicts: the ending", filepath.Ext(out), verdicts.Formats); err != nil {
			return err
		}
	}
	m, err := judging.ReadManifest(with)
	if err != nil {
		return err
	}
	m.Spec.Dataset, m.Dataset = judging.DatasetSpec{}, judging.DatasetInfo{Name: c.Args().First()}
	m.Shard, m.Stages = nil, nil
	o, ok := eval.RequestOf(m)
	if !ok || !slices.Contains([]string{"pairwise", "reversed", "pointwise"}, o.Protocol) {
		return usage("--with %s: name a run of pairwise, reversed or pointwise that gavel made; "+
			"of imported judges no settings are known", with)
	}
	o.Mapping, o.Out = mappingFrom(c), c.String("out")
	if c.IsSet("base-url") {
		o.BaseURLs = c.StringSlice("base-url")
	}
	var people *labels.LabelFile
	if c.IsSet("labels") {
		people, err = labels.Read(c.String("labels"))
	}
	switch {
	case err != nil:
		return err
	case c.Bool("dry-run"):
		return e.planRun(c, o)
	}
	reports, incomplete := e.maker().Run(c.Context, o)
	if incomplete != nil && !errors.Is(incomplete, eval.ErrIncomplete) {
		return incomplete
	}
	dir := reports[len(reports)-1].Run
	result, err := verdicts.Judge(dir, with, people)
	if err != nil {
		return err
	}
	out = cmp.Or(out, filepath.Join(dir, "verdicts.csv"))
	err = report.WriteOther(out, c.Bool("force") || !c.IsSet("verdicts"), func(w io.Writer) error {
		return verdicts.Write(w, filepath.Ext(out), result.Verdicts)
	})
	if err != nil {
		return err
	}
	result.Next = []doc.Command{{Line: "gavel items " + datasets.ShellQuote(dir), Purpose: "read them"}}
	return cmp.Or(e.print(c, result), incomplete)
}
