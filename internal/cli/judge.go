package cli

import (
	"cmp"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"gavel/datasets"
	"gavel/internal/checks"
	"gavel/internal/eval"
	"gavel/internal/labels"
	"gavel/internal/report"
	"gavel/internal/verdicts"
	"gavel/judging"
	"gavel/protocols/pairwise"
)

// judge asks the judge of a run about the items of a file, and prints and writes its verdicts.
func (e *env) judge(c *cli.Context) error {
	file, with := c.Args().First(), c.String("with")
	if with == "" {
		return usageError("--with is missing: name the run in which the judge was measured")
	}
	if filepath.Ext(with) == ".yaml" {
		check, err := checks.Open(with)
		if err == nil {
			with, err = check.BaselineDir()
		}
		if err != nil {
			return err
		}
	}
	err := checkOneOf("--verdicts: the ending", filepath.Ext(cmp.Or(c.String("verdicts"), ".csv")), verdicts.Formats)
	m, readErr := judging.ReadManifest(with)
	if err := cmp.Or(err, readErr); err != nil {
		return err
	}
	m.Spec.Dataset, m.Dataset = judging.DatasetSpec{}, judging.DatasetInfo{Name: file}
	m.Shard, m.Stages = nil, nil
	o, ok := eval.RequestOf(m)
	if !ok || !slices.Contains(strings.Fields("pairwise reversed pointwise"), o.Protocol) {
		return usageError("--with %s: name a run of pairwise, reversed or pointwise that gavel made; "+
			"of imported judges no settings are known", with)
	}
	o.Mapping, o.Out = mappingFrom(c), c.String("out")
	items, _, itemsErr := e.maker().Items(o)
	o.Shard = c.String("shard")
	if index, count, _ := eval.ParseShard(o.Shard); index > 0 && o.Out != "" { // auto adds the suffix itself
		o.Out += judging.ShardSuffix(index, count, 1)
	}
	if c.IsSet("base-url") {
		o.BaseURLs = c.StringSlice("base-url")
	}
	var people *labels.LabelFile
	if c.IsSet("labels") {
		people, err = labels.Read(c.String("labels"))
	}
	measured, readErr := verdicts.ReadMeasurement(with)
	if err := cmp.Or(err, readErr, itemsErr); err != nil {
		return err
	}
	if measured.OneOrderIsEnough && o.Protocol != "pointwise" && len(o.Options) == 0 && !c.Bool("both-orders") {
		o.Options = judging.Settings{pairwise.OneOrder: "true"}
		e.say("each pair is asked in one order, drawn by its id: in %s both orders named the same response on %s of "+
			"%d pairs; --both-orders asks in both", with, measured.Coverage, measured.Coverage.N)
	}
	if err := measured.CheckItems(file, items, people); err != nil {
		return err
	}
	if c.IsSet("verdicts") { // an incomplete file never gets its name: this one shows that it could be written
		err = report.WriteUnmarkedFile(c.String("verdicts"), c.Bool("force"), func(io.Writer) error { return io.EOF })
		if !errors.Is(err, io.EOF) {
			return err
		}
	}
	if c.Bool("dry-run") {
		return e.planRun(c, o)
	}
	reports, incomplete := e.maker().Run(c.Context, o)
	if len(reports) == 0 || incomplete != nil && !errors.Is(incomplete, eval.ErrIncomplete) {
		return incomplete
	}
	dir := reports[len(reports)-1].Run
	if o.Shard != "" {
		e.say("next, once all shards are there: gavel carry merge %s %[1]s_shard-*; then the same command with --out %[1]s "+
			"in place of --shard", datasets.ShellQuote(strings.Split(dir, "_shard-")[0]))
		return incomplete
	}
	result, err := measured.ReadVerdicts(dir, people)
	if err != nil {
		return err
	}
	return cmp.Or(e.writeVerdicts(c, result, dir), incomplete)
}

// writeVerdicts writes the verdicts of the run in dir and its page, and prints the result.
func (e *env) writeVerdicts(c *cli.Context, result *verdicts.Result, dir string) error {
	result.File = cmp.Or(c.String("verdicts"), filepath.Join(dir, "verdicts.csv"))
	err := report.WriteUnmarkedFile(result.File, c.Bool("force") || !c.IsSet("verdicts"), func(w io.Writer) error {
		return verdicts.Write(w, filepath.Ext(result.File), result.Verdicts)
	})
	if err == nil {
		err = report.SavePage(filepath.Join(dir, "judge.html"), result.Document())
	}
	if err == nil {
		err = e.printResult(c, result)
	}
	e.next("items", dir)
	if !c.IsSet("labels") && len(result.ResponseNames) == 2 && len(result.Verdicts) > 100 {
		e.next("labels", "label", "--sample", "100", c.Args().First())
	}
	return err
}
