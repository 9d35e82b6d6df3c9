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
	"gavel/internal/disk"
	"gavel/judging"
	"gavel/scoring"
)

// shard is a part of a run's items, judged in a run of its own. If it was tried several times, each try has a folder.
type shard struct {
	*judging.Manifest               // of the first of its folders
	dirs              []string      // folders of its tries, complete ones first
	set               *datasets.Set // items of the shard
	positionsInRun    []int         // positions of these items in the whole run, from 0
}

// run merges the folders dirs of a run's shards into the folder part. name is the run's name in a suite, else "". Every
// shard of a suite has all imported answers, so the run of those is copied from one. If something is missing, run notes
// it and leaves part incomplete.
func (w *merger) run(ctx context.Context, part, name string, dirs []string) error {
	tries, err := readTries(dirs)
	if err != nil {
		return err
	}
	if name != "" && len(tries) > 0 && tries[0].Imported != "" {
		if tries[0].Status == judging.Running {
			w.addMissing(1, "no shard imported %s completely", name)
		}
		return disk.CopyFiles(tries[0].dirs[0], part, judging.RunFiles...)
	}
	defer func() {
		for _, s := range tries {
			s.set.Close()
		}
	}()
	shards, err := w.open(name, tries)
	if err != nil || len(shards) < w.shardCount {
		return err
	}
	m, err := wholeManifest(shards, filepath.Dir(filepath.Join(w.Out, name)))
	if err != nil {
		return err
	}
	dir, err := judging.OpenDir(part, m, nil, nil)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := writeItems(dir, m, shards); err != nil {
		return err
	}
	answered, err := w.writeRecords(ctx, dir, m, shards)
	if err != nil || len(w.missing) > 0 {
		return err
	}
	m.Status = judging.Incomplete
	if answered == m.Judgments {
		m.Status, m.OrderSeed = judging.Complete, nil
	}
	if err := dir.WriteManifest(m); err != nil {
		return err
	}
	for i, stage := range m.Stages {
		if path := shards[0].Stages[i].Run; name == "" && path != stage.Run {
			w.Notef("its answers: gavel carry merge %s %s_shard-*",
				datasets.ShellQuote(stage.Run), datasets.ShellQuote(wholePath(path)))
		}
	}
	run, err := scoring.Load(part, scoring.DefaultOptions.Reading)
	if err != nil {
		return err
	}
	return judging.WriteJSON(filepath.Join(part, judging.ResultsFile), run.Score(scoring.DefaultOptions.Bootstrap))
}

// readTries reads the manifests of the folders dirs, and returns complete runs first, since a complete one counts if a
// shard was tried several times. It returns an error for a folder with a file that was changed after the run: texts,
// labels or replies may differ.
func readTries(dirs []string) ([]*shard, error) {
	var complete, others []*shard
	for _, dir := range dirs {
		m, err := judging.ReadManifest(dir)
		if err != nil {
			return nil, err
		}
		changed, err := m.ChangedFiles(nil, dir)
		if err != nil {
			return nil, err
		}
		if len(changed) > 0 {
			return nil, fmt.Errorf("%s: it was changed after the run wrote it, by its SHA-256 in %s: "+
				"copy the folder again or, if the change was meant, run the command of the shard again",
				filepath.Join(dir, changed[0]), judging.ManifestFile)
		}
		s := &shard{Manifest: m, dirs: []string{dir}, set: new(datasets.Set)}
		if m.Status == judging.Complete {
			complete = append(complete, s)
		} else {
			others = append(others, s)
		}
	}
	return append(complete, others...), nil
}

// open groups tries by shard, opens the shards' items and returns the shards in order. It notes missing shards, and
// returns an error for folders of different runs.
func (w *merger) open(name string, tries []*shard) (shards []*shard, err error) {
	byIndex := map[int]*shard{}
	for _, s := range tries {
		if err := s.belongsWith(tries[0]); err != nil {
			return nil, err
		}
		w.shardCount = s.Shard.Count
		first := byIndex[s.Shard.Index]
		if first == nil {
			byIndex[s.Shard.Index] = s
			if err := s.open(); err != nil {
				return nil, err
			}
			continue
		}
		first.dirs = append(first.dirs, s.dirs[0])
		if s.ID != first.ID {
			return nil, fmt.Errorf("%s and %s are both shard %s but have different items, since they come "+
				"from different answers: leave the older one out", first.dirs[0], s.dirs[0], s.Shard)
		}
	}
	// of many missing shards only the first 10,000 are noted
	for i := range min(w.shardCount, len(byIndex)+10_000) {
		s := byIndex[i+1]
		if s == nil {
			w.addMissing(i+1, "%s is missing", cmp.Or(name, "its folder"))
			continue
		}
		shards = append(shards, s)
	}
	return shards, nil
}

// belongsWith returns nil if the folders of s and o are shards of one run, else an error with the differences.
func (s *shard) belongsWith(o *shard) error {
	a := o.Shard
	b := s.Shard
	switch {
	case b == nil:
		return fmt.Errorf("%s: is not a shard: it was made without --shard, or is merged already", s.dirs[0])
	case a.WholeID == b.WholeID && a.Count == b.Count:
		return nil
	}
	differences := append(a.WholeSpec(o.Spec).Differences(b.WholeSpec(s.Spec)),
		fmt.Sprintf("shard %s, and shard %s", a, b))
	return fmt.Errorf("%s and %s are not shards of one run: %s", o.dirs[0], s.dirs[0], strings.Join(differences, "; "))
}

// open opens the items of the shard and reads their positions in the whole run.
func (s *shard) open() (err error) {
	path := filepath.Join(s.dirs[0], judging.ItemsFile)
	if s.Spec.Dataset.Items > 0 {
		set, err := datasets.OpenFile(path)
		if err != nil {
			return err
		}
		s.set = set
	}
	s.positionsInRun, err = s.Shard.ReadPlaces(s.set.Len())
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// writeItems starts the merged run's folder with the items of all shards in their original order. It sets the parts of
// the manifest m that depend on the items, and so the run's id.
func writeItems(dir *judging.Dir, m *judging.Manifest, shards []*shard) error {
	type item struct {
		*shard
		row int
	}
	var order []item
	for _, s := range shards {
		for row := range s.positionsInRun {
			order = append(order, item{shard: s, row: row})
		}
	}
	slices.SortStableFunc(order, func(a, b item) int {
		return cmp.Compare(a.positionsInRun[a.row], b.positionsInRun[b.row])
	})
	sum := sha256.New()
	err := dir.StartWithItems(m, func(line func([]byte) error) error {
		for _, entry := range order {
			raw, err := entry.set.Raw(entry.row)
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
	part := shards[0].Shard
	ids := judging.HashIDs(len(order), func(i int) string { return order[i].set.ItemID(order[i].row) })
	m.Spec = part.WholeSpec(m.Spec)
	if len(m.Stages) > 0 { // items come from answers, and IDs of the shard are those of the questions
		m.Spec.Dataset.SHA256 = hex.EncodeToString(sum.Sum(nil))
		m.Spec.Dataset.Items = len(order)
		m.Spec.Dataset.IDsHash = ids
		m.Dataset.Rows = len(order)
	} else if ids != part.IDsSHA256 {
		return fmt.Errorf("%s and its other shards do not make the run that they were split from: "+
			"their items have changed", shards[0].dirs[0])
	}
	m.ID = judging.NewManifest(m.Gavel, m.Spec).ID
	return nil
}

// writeRecords writes one record for each judgment to dir: the first that did not fail, else the first. It
// returns how many judgments did not fail, and notes the shards that lack some. Memory holds a few bytes per
// judgment of one shard at a time.
func (w *merger) writeRecords(
	ctx context.Context, dir *judging.Dir, m *judging.Manifest, shards []*shard,
) (answered int, err error) {
	for _, s := range shards {
		var done judging.Completed
		for _, failed := range []bool{false, true} {
			err := s.eachRecord(ctx, func(r *judging.Record) error {
				if failed != (r.Outcome == judging.Failed) || !done.Add(r) {
					return nil
				}
				r.Run = m.ID
				for i := range r.Replies {
					if reply := &r.Replies[i]; len(m.Servers) > 1 && reply.Endpoint == "" {
						reply.Endpoint = s.Server.URL
					}
				}
				return dir.Write(r)
			})
			if err != nil {
				return answered, err
			}
			if failed {
				continue
			}
			answered += done.Count()
			if n := s.Judgments - done.Count(); n > 0 && !w.AllowIncomplete {
				w.addMissing(s.Shard.Index, "%d of %d judgments failed or are missing in %s", n, s.Judgments, s.dirs[0])
			}
		}
	}
	return answered, nil
}

// eachRecord calls f for the records in all folders of a shard. Records of other runs or items are an error.
func (s *shard) eachRecord(ctx context.Context, f func(*judging.Record) error) error {
	for _, dir := range s.dirs {
		err := judging.ReadRecords(filepath.Join(dir, judging.RecordsFile), func(r *judging.Record) error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if _, ok := s.set.Find(r.Item); !ok || r.Run != s.ID {
				return fmt.Errorf("the record of %s is of another run", r.Item)
			}
			return f(r)
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // before the first request there is none
			return err
		}
	}
	return nil
}
