package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"gavel/backends"
	"gavel/cache"
	"gavel/datasets"
	"gavel/judging"
	"gavel/report"
	"gavel/scoring"
)

func replayCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "replay",
		Usage:     "make a run again from its folder and the cache alone: no server, no dataset needed",
		UsageText: "gavel replay RUN --out DIR [flags]",
		Description: `Renders every prompt of the run again from its items, takes the replies from the cache (of
a simulated run from the simulation), reads and scores them, and says whether results.json is the same, byte for byte. It
proves that the numbers follow from the items and the replies; with "gavel bundle" it
does so on another machine.

Example:
  gavel replay runs/sample_pairwise_sop_qwen3-8b_1a2b3c4d --out /tmp/again

Exit status: 0 the same results; 1 other results; 3 replies are not in the cache.`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "out", Usage: "`DIR` of the new run"},
			&cli.StringFlag{Name: "cache", Usage: "`DIR` of the cache"},
		}, formatFlags()...),
		Action: func(c *cli.Context) error {
			f, err := format(c)
			if err != nil {
				return err
			}
			run, err := oneArgument(c, "RUN")
			if err != nil {
				return err
			}
			if c.String("out") == "" {
				return usage("--out is missing: name the folder of the new run")
			}
			return e.replay(c.Context, run, c.String("out"), c.String("cache"), f)
		},
	}
}

func (e *env) replay(ctx context.Context, run, out, cacheDir, format string) error {
	p, closeClient, err := e.prepareReplay(run, out, cacheDir, nil)
	if err != nil {
		return err
	}
	defer closeClient()
	defer p.set.Close()
	p.opts.format = format
	rep, err := e.make(ctx, p)
	if rep != nil {
		if perr := e.print(format, report.Scores{Runs: []scoring.Report{*rep}}); perr != nil {
			return perr
		}
	}
	if err != nil {
		return err
	}
	return e.sameResults(run, out)
}

// sameResults compares two runs' results.json.
func (e *env) sameResults(run, again string) error {
	old, err := os.ReadFile(filepath.Join(run, judging.ResultsFile))
	if err != nil {
		return err
	}
	made, err := os.ReadFile(filepath.Join(again, judging.ResultsFile))
	if err != nil {
		return err
	}
	if !bytes.Equal(old, made) {
		return fmt.Errorf("%s and %s differ: another version of gavel made the first, or its files were changed", filepath.Join(run, judging.ResultsFile), filepath.Join(again, judging.ResultsFile))
	}
	e.say("%s is the same, byte for byte", judging.ResultsFile)
	return nil
}

// prepareReplay makes a run out of its folder, to be answered by the cache, or
// by the simulation where it is of one. used is told of every entry of use.
func (e *env) prepareReplay(run, out, dir string, used func(key [32]byte, entry cache.Entry)) (*prepared, func() error, error) {
	old, err := judging.ReadManifest(run)
	if err != nil {
		return nil, nil, err
	}
	if old.Imported != "" {
		return nil, nil, fmt.Errorf("%s was imported from %s: its replies were not asked for by gavel, so there is nothing to replay; \"gavel score\" reads them again", run, old.Imported)
	}
	if samePath(run, out) {
		return nil, nil, usage("--out %s is the run itself: name another folder", out)
	}
	protocol, err := judging.ProtocolOf(old)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", run, err)
	}
	client, closeClient, err := e.replayClient(old, dir, used)
	if err != nil {
		return nil, nil, err
	}
	set, err := datasets.OpenFile(filepath.Join(run, judging.ItemsFile))
	if err != nil {
		closeClient()
		return nil, nil, err
	}
	m := *old
	p := &prepared{set: set, out: out, job: &judging.Job{
		Manifest: &m, Protocol: protocol, Set: set, Rows: all(set), Context: max(m.Model.Context, m.Spec.Parameters.NumCtx),
		Concurrency: m.Concurrency, Now: e.now, GiveUp: m.Judgments + 1,
	}}
	p.answer = client
	p.given, p.origins, err = told(run)
	if err != nil {
		closeClient()
		set.Close()
		return nil, nil, err
	}
	return p, closeClient, nil
}

func all(set *datasets.Set) []int {
	rows := make([]int, set.Len())
	for i := range rows {
		rows[i] = i
	}
	return rows
}

func samePath(a, b string) bool {
	x, xerr := filepath.Abs(a)
	y, yerr := filepath.Abs(b)
	return xerr == nil && yerr == nil && x == y
}

func (e *env) replayClient(m *judging.Manifest, dir string, used func([32]byte, cache.Entry)) (backends.Client, func() error, error) {
	if m.Simulated {
		sim, err := backends.NewSim(m.Spec.Model.Name)
		return sim, func() error { return nil }, err
	}
	store, err := e.openCache(dir)
	if err != nil {
		return nil, nil, err
	}
	return cache.Only(store, used), store.Close, nil
}

// origins are where the replies of a run came from that is made again, for the
// records that have any.
type origins map[showing][]string

type showing struct {
	item            string
	showing, repeat int
}

// onto says of a record what was said of it when it was first made.
func (o origins) onto(r *judging.Record) {
	for i, bundle := range o[showing{r.Item, r.Showing, r.Repeat}] {
		if i < len(r.Replies) {
			r.Replies[i].Origin = bundle
		}
	}
}

// told is what a run says that is in no cache: the records of prompts that were
// too long to be asked, and where replies came from.
func told(run string) (unasked []*judging.Record, from origins, err error) {
	from = origins{}
	err = judging.ReadRecords(filepath.Join(run, judging.RecordsFile), func(r *judging.Record) error {
		if r.Outcome == judging.TooLong && len(r.Replies) == 1 && r.Replies[0].Unasked() {
			unasked = append(unasked, r)
		}
		bundles := make([]string, len(r.Replies))
		any := false
		for i, reply := range r.Replies {
			bundles[i] = reply.Origin
			any = any || reply.Origin != ""
		}
		if any {
			from[showing{r.Item, r.Showing, r.Repeat}] = bundles
		}
		return nil
	})
	return slices.Clip(unasked), from, err
}
