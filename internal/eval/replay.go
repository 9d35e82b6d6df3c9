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
	"strings"

	"gavel/backends"
	"gavel/cache"
	"gavel/datasets"
	"gavel/internal/disk"
	"gavel/judging"
	"gavel/scoring"
)

// Replay makes a run again out of its folder alone, in the folder out, and nothing else: prompts are rendered anew, and
// answered by the cache of a folder ("" for the user's own) and by what the run and its suite remember in theirs, or by
// the simulation where the run is of one. used is told of every entry of use; may be nil.
func (e *Maker) Replay(
	ctx context.Context, run, out, cacheDir string, used func(key [32]byte, entry cache.Entry),
) (rep *scoring.Report, err error) {
	anywhere := *e
	anywhere.Runs = "" // out is the caller's own, a passing folder or what was asked for
	from := &replayCaches{}
	defer func() { err = errors.Join(err, from.close()) }()
	p, stood, err := anywhere.prepareReplay(run, out, func(m *judging.Manifest) (backends.Client, error) {
		return from.open(&anywhere, m, run, cacheDir, used)
	})
	if err != nil {
		return nil, err
	}
	defer p.set.Close()
	rep, err = anywhere.make(ctx, p)
	if errors.Is(err, ErrIncomplete) {
		err = from.incomplete(run, p.job.Manifest.Judgments, stood, err)
	}
	return rep, err
}

// storedJob returns the job that made a run, out of its folder alone and without a client.
func (e *Maker) storedJob(run string) (*judging.Job, error) {
	m, err := judging.ReadManifest(run)
	if err != nil {
		return nil, err
	}
	if m.Imported != "" {
		return nil, fmt.Errorf("%s was imported from %s: "+
			"gavel did not ask for its replies and cannot replay it; \"gavel score\" reads them again", run, m.Imported)
	}
	asker, err := judging.AskerOf(m)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", run, err)
	}
	set, err := datasets.OpenFile(filepath.Join(run, judging.ItemsFile))
	if err != nil {
		return nil, err
	}
	return &judging.Job{
		Manifest: m, Asker: asker, Set: set, Rows: all(set), Context: max(m.Model.Context, m.Spec.Parameters.NumCtx),
		Concurrency: m.Concurrency, Now: e.Now, GiveUp: m.Judgments + 1,
	}, nil
}

// prepareReplay makes a run out of its folder, to be answered by a client, and says how many judgments
// it has that did not fail.
func (e *Maker) prepareReplay(
	run, out string, open func(*judging.Manifest) (backends.Client, error),
) (p *runState, stood int, err error) {
	job, err := e.storedJob(run)
	if err != nil {
		return nil, 0, err
	}
	defer func() {
		if err != nil {
			job.Set.Close()
		}
	}()
	if samePath(run, out) {
		return nil, 0, Wrong("out", out, "%s is the run itself: name another folder", out)
	}
	client, err := open(job.Manifest)
	if err != nil {
		return nil, 0, err
	}
	p = &runState{set: job.Set, out: out, job: job}
	p.answer = client
	p.reading = readingOf(run)
	p.given, p.origins, stood, err = readOrigins(run)
	return p, stood, err
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

// replayCaches are the caches that a replay reads.
type replayCaches struct {
	dirs    []string // that were read
	lost    []error  // of those that cannot be read
	answers *cache.Remembered
	release []func() error
}

// open opens the cache of a folder, and those that the run and its suite have of their own, as shards do.
func (r *replayCaches) open(
	e *Maker, m *judging.Manifest, run, dir string, used func([32]byte, cache.Entry),
) (backends.Client, error) {
	if m.Simulated {
		return backends.NewSim(m.Spec.Model.Name)
	}
	store, release, err := e.replies(dir)
	if err != nil {
		return nil, err
	}
	stores := []*cache.Store{store}
	r.dirs, r.release = []string{cmp.Or(dir, "the user's cache")}, append(r.release, release)
	for _, own := range ownCaches(run) {
		if dir != "" && samePath(own, dir) {
			continue
		}
		store, err := e.OpenCache(own)
		if err != nil {
			r.lost = append(r.lost, err)
			continue
		}
		stores = append(stores, store)
		r.dirs = append(r.dirs, own)
		r.release = append(r.release, store.Close)
	}
	r.answers = cache.Only(used, stores...)
	return r.answers, nil
}

func (r *replayCaches) close() (err error) {
	for _, release := range r.release {
		err = errors.Join(err, release())
	}
	return err
}

// incomplete says which judgments a replay could not make: those that the run has not, and those
// whose replies are nowhere.
func (r *replayCaches) incomplete(run string, judgments, stood int, err error) error {
	if r.answers == nil {
		return err
	}
	var said []string
	lacking := judgments - stood
	if lacking > 0 {
		said = append(said, fmt.Sprintf("%d of %d judgments failed or are missing in %s itself: "+
			"repeat its command to complete it", lacking, judgments, run))
	}
	if n := r.answers.Missed() - lacking; n > 0 {
		said = append(said, fmt.Sprintf("the replies to %d of %d judgments are not in %s: "+
			"name the cache that has them with --cache", n, judgments, strings.Join(r.dirs, " or ")))
	}
	if len(said) == 0 {
		return err
	}
	for _, lost := range r.lost {
		said = append(said, lost.Error())
	}
	return &kindError{ErrIncomplete, errors.New(strings.Join(said, "; "))}
}

// ownCaches are the folders of replies in that of a run and in that of its suite. One that is a link, or has any in
// it, is none: opening a cache writes to it.
func ownCaches(run string) (dirs []string) {
	at := []string{run}
	if suite := filepath.Dir(filepath.Clean(run)); disk.Plain(suite, scoring.SuiteFile) == nil {
		if _, err := os.Stat(filepath.Join(suite, scoring.SuiteFile)); err == nil {
			at = append(at, suite)
		}
	}
	for _, dir := range at {
		dir = filepath.Join(dir, judging.CacheDir)
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() {
			continue
		}
		files, err := os.ReadDir(dir)
		if err == nil && !slices.ContainsFunc(files, func(f os.DirEntry) bool { return f.Type()&os.ModeSymlink != 0 }) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// origins are where the replies of a run came from that is made again, for the records that have any.
type origins map[presentation][]string

type presentation struct {
	item                     string
	presentation, repetition int
}

func presentationOf(r *judging.Record) presentation {
	return presentation{item: r.Item, presentation: r.Presentation, repetition: r.Repetition}
}

// onto says of a record what was said of it when it was first made.
func (o origins) onto(r *judging.Record) {
	for i, bundle := range o[presentationOf(r)] {
		if i < len(r.Replies) {
			r.Replies[i].Origin = bundle
		}
	}
}

// readOrigins reads what a run says that is in no cache: the records of prompts that were
// too long to be asked, where replies came from, and how many judgments did not fail.
func readOrigins(run string) (unasked []*judging.Record, from origins, stood int, err error) {
	from = origins{}
	err = judging.ReadRecords(filepath.Join(run, judging.RecordsFile), func(r *judging.Record) error {
		if r.Outcome != judging.Failed {
			stood++
		}
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
			from[presentationOf(r)] = bundles
		}
		return nil
	})
	return slices.Clip(unasked), from, stood, err
}
