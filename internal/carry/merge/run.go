package merge

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"gavel/datasets"
	"gavel/judging"
	"gavel/scoring"
)

// shard is a folder of a shard, which may have several: one of each try.
type shard struct {
	dir    string
	m      *judging.Manifest
	asker  judging.Asker
	set    *datasets.Set // its items
	places []int         // of those in the whole
}

func closeAll(shards []*shard) {
	for _, s := range shards {
		s.set.Close()
	}
}

// open opens the folders of a run's shards, and refuses those that are not of the run of the first. They are returned
// by shard, and of several tries of a shard the one that came to its end is the first.
func (w *merger) open(dirs []string) (shards []*shard, err error) {
	defer func() {
		if err != nil {
			closeAll(shards)
		}
	}()
	for _, dir := range dirs {
		s := &shard{dir: dir, set: new(datasets.Set)}
		shards = append(shards, s)
		s.m, err = judging.ReadManifest(dir)
		if err != nil {
			return shards, err
		}
		if s.m.Shard == nil {
			return shards, fmt.Errorf("%s: is not a shard: it was made without --shard, or is merged already", dir)
		}
		if err := s.belongsWith(shards[0]); err != nil {
			return shards, err
		}
		if err := s.openItems(); err != nil {
			return shards, err
		}
	}
	unfinished := func(s *shard) int {
		if s.m.Status == judging.Complete {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(shards, func(a, b *shard) int {
		return cmp.Or(cmp.Compare(a.m.Shard.Index, b.m.Shard.Index), cmp.Compare(unfinished(a), unfinished(b)))
	})
	w.count = shards[0].m.Shard.Of
	return shards, nil
}

// belongsWith returns an error that lists the differences if two shards are not of one run.
func (s *shard) belongsWith(o *shard) error {
	a := o.m.Shard
	b := s.m.Shard
	if a.Whole == b.Whole && a.Of == b.Of && b.Index >= 1 && b.Index <= b.Of {
		return nil
	}
	whole := func(s *shard) judging.Spec {
		spec := s.m.Spec
		spec.Dataset.SHA256 = s.m.Shard.Dataset
		spec.Dataset.Items = s.m.Shard.Items
		spec.Dataset.IDs = s.m.Shard.IDs
		return spec
	}
	what := append(whole(o).Differences(whole(s)), fmt.Sprintf("shard %s, and shard %s", a, b))
	return fmt.Errorf("%s and %s are not shards of one run: %s", o.dir, s.dir, strings.Join(what, "; "))
}

// openItems opens the items of a shard, and refuses files that are not as its run left them.
func (s *shard) openItems() error {
	path := filepath.Join(s.dir, judging.ItemsFile)
	var err error
	s.asker, err = judging.AskerOf(s.m)
	if err == nil {
		s.places, err = s.m.Shard.Where(s.m.Spec.Dataset.Items)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(s.dir, judging.ManifestFile), err)
	}
	if len(s.places) > 0 {
		set, err := datasets.OpenFile(path)
		if err != nil {
			return err
		}
		s.set = set
		if set.Len() != len(s.places) {
			return fmt.Errorf("%s: has %d items, and its %s says %d",
				path, set.Len(), judging.ManifestFile, len(s.places))
		}
	}
	return unchanged(s.dir, s.m)
}

// unchanged refuses a run of which a file is not as its last try left it: texts, labels or replies may be others.
func unchanged(dir string, m *judging.Manifest) error {
	names, err := m.Changed(nil, dir)
	if err == nil && len(names) > 0 {
		err = fmt.Errorf("%s: it was changed after the run wrote it, by its SHA-256 in %s: "+
			"copy the folder again or, if the change was meant, run the command of the shard again",
			filepath.Join(dir, names[0]), judging.ManifestFile)
	}
	return err
}

// run merges shards into the folder part, which is going to be the folder out, and returns the manifest of the whole.
// What is missing is noted, a shard without a folder in the words of missing; then part is not whole.
func (w *merger) run(
	ctx context.Context, part, out, missing string, shards []*shard,
) (*judging.Manifest, error) {
	tries := make([][]*shard, w.count) // by shard
	for _, s := range shards {
		at := &tries[s.m.Shard.Index-1]
		*at = append(*at, s)
	}
	var first []*shard // of each shard
	for i, folders := range tries {
		if len(folders) == 0 {
			w.lack(i+1, "%s", missing)
			continue
		}
		s := folders[0]
		for _, try := range folders {
			if try.m.ID != s.m.ID {
				return nil, fmt.Errorf("%s and %s are both shard %s and have other items, since the answers "+
					"that these are made of differ: leave the older one out", s.dir, try.dir, s.m.Shard)
			}
		}
		if !s.m.Suspect.IsZero() {
			w.lack(i+1, "judgments in %s may be of other prompts, "+
				"since a canary was answered out of another conversation", s.dir)
		}
		first = append(first, s)
	}
	if len(first) < w.count {
		return shards[0].m, nil
	}
	m, err := wholeOf(first, filepath.Dir(out))
	if err != nil {
		return nil, err
	}
	dir, _, err := judging.OpenDir(part, m, nil, nil)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	if err := writeItems(dir, m, first); err != nil {
		return nil, err
	}
	answered, err := w.records(ctx, dir, m, tries)
	if err != nil || len(w.lacks) > 0 {
		return m, err
	}
	m.Status = judging.Complete
	if answered < m.Judgments {
		m.Status, m.DrawnBy = judging.Incomplete, drawnBy(first)
	}
	if err := dir.WriteManifest(m); err != nil {
		return nil, err
	}
	run, err := scoring.Load(part, scoring.DefaultOptions.Reading)
	if err != nil {
		return nil, err
	}
	return m, judging.WriteJSON(filepath.Join(part, judging.ResultsFile), run.Score(scoring.DefaultOptions.Bootstrap))
}

// writeItems begins the folder of the whole with the items of all shards, in the order that they were split from, and
// notes in the manifest what they are, and so which run it is.
func writeItems(dir *judging.Dir, m *judging.Manifest, shards []*shard) error {
	type item struct {
		*shard
		row int
	}
	var order []item
	for _, s := range shards {
		for row := range s.places {
			order = append(order, item{shard: s, row: row})
		}
	}
	slices.SortStableFunc(order, func(a, b item) int { return cmp.Compare(a.places[a.row], b.places[b.row]) })
	sum := sha256.New()
	err := dir.Begin(m, func(line func([]byte) error) error {
		for _, at := range order {
			raw, err := at.set.Raw(at.row)
			if err == nil {
				err = line(raw)
			}
			if err != nil {
				return err
			}
			sum.Write(append(raw, '\n'))
		}
		return nil
	})
	if err != nil {
		return err
	}
	part := shards[0].m.Shard
	isMade := func(s *shard) bool { return s.m.Spec.Dataset.SHA256 != part.Dataset } // of answers
	d := &m.Spec.Dataset
	d.SHA256 = part.Dataset
	d.Items = len(order)
	d.IDs = judging.HashIDs(len(order), func(i int) string { return order[i].set.ID(order[i].row) })
	whole := part.Whole
	if slices.ContainsFunc(shards, isMade) {
		d.SHA256 = hex.EncodeToString(sum.Sum(nil))
		m.Dataset.Rows = len(order)
		whole = ""
	}
	m.ID = judging.NewManifest(m.Gavel, m.Spec).ID
	if whole != "" && m.ID != whole {
		return fmt.Errorf("%s and its other shards do not make the run that they were split from: "+
			"their items have changed", shards[0].dir)
	}
	return nil
}

// records writes one record of each judgment: the first that did not fail, else the first. It returns how many
// judgments did not fail, and notes the others. A few bytes a judgment are held in memory, of one shard at a time.
func (w *merger) records(
	ctx context.Context, dir *judging.Dir, m *judging.Manifest, tries [][]*shard,
) (answered int, err error) {
	for _, folders := range tries {
		var done judging.Completed
		for _, failed := range []bool{false, true} {
			for _, s := range folders {
				err := s.eachRecord(ctx, func(r *judging.Record) error {
					if done.Has(r.Item, r.Presentation, r.Repetition) || failed != (r.Outcome == judging.Failed) {
						return nil
					}
					done.Add(r)
					r.Run = m.ID
					for i := range r.Replies {
						if reply := &r.Replies[i]; len(m.Servers) > 1 && reply.Endpoint == "" {
							reply.Endpoint = s.m.Server.URL
						}
					}
					return dir.Write(r)
				})
				if err != nil {
					return answered, err
				}
			}
			if !failed {
				answered += done.Count()
				w.missing(folders[0], &done)
			}
		}
	}
	return answered, nil
}

// missing notes the items of a shard with judgments that are not there.
func (w *merger) missing(s *shard, done *judging.Completed) {
	if w.Incomplete || done.Count() == s.m.Judgments {
		return
	}
	var ids []string
	for row := range s.places {
		if id := s.set.ID(row); !done.Complete(id, s.m.Spec.Parameters.Repetitions()) {
			ids = append(ids, id)
		}
	}
	w.lack(s.m.Shard.Index, "%d of %d judgments failed or are missing in %s (items %s)",
		s.m.Judgments-done.Count(), s.m.Judgments, s.dir, listed(ids, ", "))
}

// eachRecord calls f for the records of a shard, and refuses one that its run did not write.
func (s *shard) eachRecord(ctx context.Context, f func(*judging.Record) error) error {
	err := judging.ReadRecords(filepath.Join(s.dir, judging.RecordsFile), func(r *judging.Record) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := s.check(r); err != nil {
			return fmt.Errorf("damaged record: %s: %w; mend the line or delete it: "+
				"the command of the shard asks again for it", r.Item, err)
		}
		return f(r)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil // nothing was asked yet
	}
	return err
}

// check refuses a record that is of none of the shard's judgments.
func (s *shard) check(r *judging.Record) error {
	repetitions := s.m.Spec.Parameters.Repetitions()
	row, found := s.set.Find(r.Item)
	switch {
	case r.Run != s.m.ID:
		return errors.New("it is of another run")
	case r.Repetition >= repetitions:
		return fmt.Errorf("repeat %d, and every prompt is asked %d times", r.Repetition, repetitions)
	case !found:
		return fmt.Errorf("%s has no such item", filepath.Join(s.dir, judging.ItemsFile))
	}
	item, err := s.set.Item(row)
	if err != nil {
		return err
	}
	return r.CheckItem(s.m, item, s.asker.Presentations(item))
}
