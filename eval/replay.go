package eval

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"gavel/backends"
	"gavel/cache"
	"gavel/datasets"
	"gavel/judging"
	"gavel/scoring"
)

// Replay makes a run again out of its folder alone, in the folder out, and nothing else: prompts are rendered anew, and
// answered by the cache of a folder ("" for the user's own), or by the simulation where the run is of one. used is told
// of every entry of use; may be nil.
func (e *Maker) Replay(ctx context.Context, run, out, cacheDir string, used func(key [32]byte, entry cache.Entry)) (rep *scoring.Report, err error) {
	anywhere := *e
	anywhere.Runs = "" // out is the caller's own, a passing folder or what was asked for
	p, closeClient, err := anywhere.prepareReplay(run, out, cacheDir, used)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closeClient()) }()
	defer p.set.Close()
	return anywhere.make(ctx, p)
}

// prepareReplay makes a run out of its folder, to be answered by the cache, or
// by the simulation where it is of one. used is told of every entry of use.
func (e *Maker) prepareReplay(run, out, dir string, used func(key [32]byte, entry cache.Entry)) (*prepared, func() error, error) {
	old, err := judging.ReadManifest(run)
	if err != nil {
		return nil, nil, err
	}
	if old.Imported != "" {
		return nil, nil, fmt.Errorf("%s was imported from %s: gavel did not ask for its replies and cannot replay it; \"gavel score\" reads them again", run, old.Imported)
	}
	if samePath(run, out) {
		return nil, nil, Wrong("out", out, "%s is the run itself: name another folder", out)
	}
	asker, err := judging.AskerOf(old)
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
		Manifest: &m, Asker: asker, Set: set, Rows: all(set), Context: max(m.Model.Context, m.Spec.Parameters.NumCtx),
		Concurrency: m.Concurrency, Now: e.Now, GiveUp: m.Judgments + 1,
	}}
	p.answer = client
	p.reading = readingOf(run)
	p.given, p.origins, err = told(run)
	if err != nil {
		closeClient()
		set.Close()
		return nil, nil, err
	}
	return p, closeClient, nil
}

// readingOf is the reading that a run was scored by, so that its numbers are made again: the paper's where they name
// none, the usual one where there are no numbers.
func readingOf(run string) judging.Readers {
	raw, err := os.ReadFile(filepath.Join(run, judging.ResultsFile))
	var rep struct{ Reading judging.Readers }
	if err != nil || json.Unmarshal(raw, &rep) != nil {
		return ""
	}
	return cmp.Or(rep.Reading, judging.Paper)
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

func (e *Maker) replayClient(m *judging.Manifest, dir string, used func([32]byte, cache.Entry)) (backends.Client, func() error, error) {
	if m.Simulated {
		sim, err := backends.NewSim(m.Spec.Model.Name)
		return sim, func() error { return nil }, err
	}
	store, closeStore, err := e.replies(dir)
	if err != nil {
		return nil, nil, err
	}
	return cache.Only(store, used), closeStore, nil
}

// origins are where the replies of a run came from that is made again, for the records that have any.
type origins map[presentation][]string

type presentation struct {
	item                     string
	presentation, repetition int
}

// onto says of a record what was said of it when it was first made.
func (o origins) onto(r *judging.Record) {
	for i, bundle := range o[presentation{r.Item, r.Presentation, r.Repetition}] {
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
			from[presentation{r.Item, r.Presentation, r.Repetition}] = bundles
		}
		return nil
	})
	return slices.Clip(unasked), from, err
}
