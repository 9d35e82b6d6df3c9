package cli

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"gavel/internal/carry/bundle"
	"gavel/internal/report"
	"gavel/internal/report/table"
)

var _ = register(shortNames, 50, "bundle", bundleCommand)

func bundleCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:  "bundle",
		Usage: "pack runs and datasets into one file for another machine",
		Subcommands: []*cli.Command{
			{
				Name:      "export",
				Usage:     "write a bundle",
				UsageText: "gavel bundle export [RUN...] --out FILE.tar [--dataset NAME]...",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "out", Usage: "`FILE` to write"},
					&cli.StringSliceFlag{
						Name:  "dataset",
						Usage: "`NAME` of a fetched dataset to include; may be given again",
					},
					unusedCacheFlag(),
				},
				Action: e.bundleExport,
			},
			{
				Name: "import", Usage: "unpack a bundle", UsageText: "gavel bundle import FILE [--runs DIR]",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "runs", Value: "runs", Usage: "`DIR` for the runs"},
					&cli.BoolFlag{
						Name:  "no-replies",
						Usage: "do not put the replies of the runs into the cache",
					},
					&cli.Int64Flag{
						Name: "max-mib", Value: bundle.DefaultMaxMiB,
						Usage: "refuse a bundle that unpacks to more than `N` MiB or, by default, 256 times its size",
					},
					cacheFlag(),
				},
				Before: oneArgument("FILE"),
				Action: e.bundleImport,
			},
			{
				Name: "verify", Usage: "check the checksums of a bundle and list its files", UsageText: "gavel bundle verify FILE",
				Flags: formatFlags(), Before: oneArgument("FILE"), Action: e.bundleVerify,
			},
		},
	}
}

func (e *env) bundleExport(c *cli.Context) error {
	r := bundle.ExportRequest{
		Out:      c.String("out"),
		Runs:     c.Args().Slice(),
		Datasets: c.StringSlice("dataset"),
	}
	index, err := bundle.Export(e.maker(), r)
	if err != nil {
		return err
	}
	e.say("%s: %s", r.Out, inBundle(index))
	return nil
}

func (e *env) bundleImport(c *cli.Context) error {
	r := bundle.ImportRequest{
		Bundle:    c.Args().First(),
		Runs:      c.String("runs"),
		Cache:     c.String("cache"),
		NoReplies: c.Bool("no-replies"),
		MaxMiB:    c.Int64("max-mib"),
	}
	done, err := bundle.Import(c.Context, e.maker(), r)
	if err != nil {
		return err
	}
	e.say("%s imported, %d already there; %s imported, %d already there",
		table.Count(done.Files, "file"), done.SameFiles, table.Count(done.Replies.Filled, "reply"), done.Replies.Same)
	for _, run := range done.Index.Runs {
		e.say("  %s", filepath.Join(r.Runs, filepath.FromSlash(run)))
	}
	if len(done.Index.Runs) > 0 {
		e.next("gavel", "score", filepath.Join(r.Runs, filepath.FromSlash(done.Index.Runs[0])))
	}
	return nil
}

func (e *env) bundleVerify(c *cli.Context) error {
	at := c.Args().First()
	b, err := bundle.Verify(at)
	if err != nil {
		return err
	}
	t := table.Table{
		Title:   at + ": every checksum is right",
		Columns: table.Left("file").Right("bytes").Left("SHA-256"),
	}
	for _, file := range b.Files {
		t.Row(file.Name, strconv.FormatInt(file.Size, 10), file.SHA256)
	}
	t.Notes = []string{inBundle(&b.Index) + "; written by gavel " + b.Index.Gavel}
	return e.print(c, report.Listing{Table: t, Data: b})
}

// inBundle says what is in a bundle.
func inBundle(b *bundle.Index) string {
	return strings.Join([]string{
		table.Count(len(b.Runs), "run"),
		table.Count(len(b.Datasets), "dataset"),
		table.Count(len(b.Prompts), "prompt"),
	}, ", ")
}
