package merge

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
	"gavel/scoring"
)

// shard is a folder of one.
type shard struct {
	dir    string
	m      *judging.Manifest
	set    *datasets.Set // its items; nil where it has none
	places []int         // of those in the whole

	altered []string // files that are not as the run wrote them
	checked struct { // the item of the record that was looked at last
		item          datasets.Item
		presentations []judging.Presentation
	}
}

func (s *shard) items() int { return len(s.places) }

func closeAll(shards []*shard) {
	for _, s := range shards {
		if s.set != nil {
			s.set.Close()
		}
	}
}

// open opens folders of shards, by shard, and refuses those that are not of the run of the first.
func (w *work) open(dirs []string) (shards []*shard, err error) {
	defer func() {
		if err != nil {
			closeAll(shards)
		}
	}()
	seen := map[string]bool{}
	for _, dir := range dirs {
		if at, err := filepath.Abs(dir); err == nil && seen[at] {
			w.say("%s is named twice", dir)
			continue
		} else if err == nil {
			seen[at] = true
		}
		m, err := judging.ReadManifest(dir)
		if err != nil {
			return shards, err
		}
		if m.Shard == nil {
			return shards, fmt.Errorf("%s: is not a shard: it was made without --shard, or is merged already", dir)
		}
		s := &shard{dir: dir, m: m}
		shards = append(shards, s)
		if err := cmp.Or(s.differs(shards[0]), s.stagesDiffer()); err != nil {
			return shards, err
		}
		s.places, err = m.Shard.Where(m.Spec.Dataset.Items)
		if err != nil {
			return shards, fmt.Errorf("%s: %w", filepath.Join(dir, judging.ManifestFile), err)
		}
		if s.items() == 0 {
			continue
		}
		s.set, err = datasets.OpenFile(filepath.Join(dir, judging.ItemsFile))
		if err != nil {
			return shards, err
		}
		if n := s.set.Len(); n != s.items() {
			return shards, fmt.Errorf("%s: has %d items, and its %s says %d",
				filepath.Join(dir, judging.ItemsFile), n, judging.ManifestFile, s.items())
		}
	}
	// Of several tries of a shard the one that came to its end is believed, and the others are compared with it.
	slices.SortStableFunc(shards, func(a, b *shard) int {
		return cmp.Or(cmp.Compare(a.m.Shard.Index, b.m.Shard.Index), cmp.Compare(a.unfinished(), b.unfinished()))
	})
	return shards, nil
}

func (s *shard) unfinished() int {
	if s.m.Status == judging.Complete {
		return 0
	}
	return 1
}

// differs says why a shard is not of the same run as another.
func (s *shard) differs(o *shard) error {
	a, b := o.m, s.m
	if a.Shard.Whole == b.Shard.Whole && a.Shard.Of == b.Shard.Of && a.Schema == b.Schema &&
		b.Shard.Index >= 1 && b.Shard.Index <= b.Shard.Of {
		return nil
	}
	x, y := a.Spec, b.Spec
	of := func(m *judging.Manifest, spec *judging.Spec) {
		spec.Dataset.SHA256 = m.Shard.Dataset
		spec.Dataset.Items = m.Shard.Items
		spec.Dataset.IDs = m.Shard.IDs
	}
	of(a, &x)
	of(b, &y)
	what := append(x.Differences(y),
		fmt.Sprintf("shard %s, and shard %s; schema %d, and %d", a.Shard, b.Shard, a.Schema, b.Schema))
	return fmt.Errorf("%s and %s are not shards of one run: %s", o.dir, s.dir, strings.Join(what, "; "))
}

// run merges shards into the folder part, which is going to stand in the folder parent. What is missing is noted.
func (w *work) run(ctx context.Context, part, parent string, shards []*shard) (*judging.Manifest, error) {
	w.of = shards[0].m.Shard.Of
	first, err := w.firsts(shards)
	if err != nil || len(w.lacks) > 0 && len(first) < w.of {
		return shards[0].m, err
	}
	order := inOrder(first)
	m, err := wholeOf(first, order, parent)
	if err != nil {
		return nil, err
	}
	for _, s := range shards {
		s.altered, err = s.m.Changed(nil, s.dir)
		if err == nil && slices.Contains(s.altered, judging.ItemsFile) {
			err = s.notWritten(judging.ItemsFile)
		}
		if err != nil {
			return nil, err
		}
	}
	dir, _, err := judging.OpenDir(part, m, nil, nil)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	err = dir.WriteItems(func(line func([]byte) error) error {
		var raw []byte
		for _, at := range order {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			raw, err = at.shard.set.RawIn(raw, at.row)
			if err != nil {
				return err
			}
			if err := line(raw); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	answered, err := w.records(ctx, filepath.Join(part, judging.RecordsFile), m, shards)
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

// tries are the folders of each shard, in the order of the shards.
func tries(shards []*shard) (all [][]*shard) {
	for i, s := range shards {
		if i == 0 || s.m.Shard.Index != shards[i-1].m.Shard.Index {
			all = append(all, nil)
		}
		last := &all[len(all)-1]
		*last = append(*last, s)
	}
	return all
}

// firsts are the shards, one folder of each; those that are missing are noted, of a suite's run by its name.
func (w *work) firsts(shards []*shard) (first []*shard, err error) {
	has := make([]bool, w.of+1)
	for _, folders := range tries(shards) {
		of := folders[0]
		for _, s := range folders {
			if s.m.ID != of.m.ID {
				return nil, fmt.Errorf("%s and %s are both shard %s and have other items, since the answers "+
					"that these are made of differ: leave the older one out", of.dir, s.dir, s.m.Shard)
			}
		}
		has[of.m.Shard.Index] = true
		first = append(first, of)
	}
	why := "no folder of it was named"
	if w.ofSuite {
		why = judging.WithoutShard(filepath.Base(shards[0].dir)) + " is not there"
	}
	for i := range w.of {
		if !has[i+1] {
			w.lack(i+1, "%s", why)
		}
	}
	return first, nil
}

// drawnBy is the seed of the order in which shards asked about their items, where those that did not come to their end
// have one: that order of the whole is theirs, since each item's place is drawn from its id alone.
func drawnBy(shards []*shard) (seed *int64) {
	for _, s := range shards {
		switch by := s.m.DrawnBy; {
		case s.m.Status == judging.Complete:
		case by == nil || seed != nil && *seed != *by:
			return nil
		default:
			seed = by
		}
	}
	return seed
}

// item is one of the whole.
type item struct {
	*shard
	row int // in its shard
}

func inOrder(shards []*shard) (order []item) {
	for _, s := range shards {
		for row := range s.places {
			order = append(order, item{s, row})
		}
	}
	slices.SortStableFunc(order, func(a, b item) int { return cmp.Compare(a.places[a.row], b.places[b.row]) })
	return order
}

// wholeOf is the manifest of the run that nobody split.
func wholeOf(shards []*shard, order []item, parent string) (*judging.Manifest, error) {
	m := *shards[0].m
	part := m.Shard
	m.Shard = nil
	m.Stopped = nil
	m.DrawnBy = nil
	m.Staged = nil
	m.Referenced = nil
	m.Judgments = 0
	m.Changes = nil
	m.Altered = nil
	m.Alternates = false
	derived := false
	for _, s := range shards {
		o := s.m
		derived = derived || o.Spec.Dataset.SHA256 != part.Dataset
		m.Judgments += o.Judgments
		m.Alternates = m.Alternates || o.Alternates
		m.Changes = append(m.Changes, o.Changes...)
		for _, name := range o.Altered {
			if !slices.Contains(m.Altered, name) {
				m.Altered = append(m.Altered, name)
			}
		}
		if m.Sample == nil {
			m.Sample = o.Sample
		}
		if o.Started.Before(m.Started) {
			m.Started = o.Started
		}
		if o.Ended.After(m.Ended) {
			m.Ended = o.Ended
		}
		if o.Longest.Tokens > m.Longest.Tokens {
			m.Longest = o.Longest
		}
		if err := addStage(&m, o); err != nil {
			return nil, fmt.Errorf("%s and %s are not shards of one run: %w", shards[0].dir, s.dir, err)
		}
	}
	m.Servers = serversOf(shards)
	d := &m.Spec.Dataset
	d.SHA256, d.Items, d.IDs = part.Dataset, len(order), judging.HashIDs(len(order), func(i int) string {
		return order[i].set.ID(order[i].row)
	})
	if derived {
		sum := sha256.New()
		for _, at := range order {
			line, err := at.set.RawIn(nil, at.row)
			if err != nil {
				return nil, err
			}
			sum.Write(append(line, '\n'))
		}
		d.SHA256, m.Dataset.Rows = hex.EncodeToString(sum.Sum(nil)), len(order)
	}
	m.ID = judging.NewManifest(m.Gavel, m.Spec).ID
	if !derived && m.ID != part.Whole {
		return nil, fmt.Errorf("%s and its other shards do not make the run that they were split from: "+
			"their items have changed", shards[0].dir)
	}
	m.Stages = slices.Clone(m.Stages)
	for i := range m.Stages {
		m.Stages[i].Run = merged(m.Stages[i].Run, parent)
	}
	if m.Staged != nil {
		for i := range m.Staged.Agents {
			m.Staged.Agents[i].Run = merged(m.Staged.Agents[i].Run, parent)
		}
	}
	return &m, nil
}

// serversOf are all that the shards asked; none where they are one, as a manifest has it.
func serversOf(shards []*shard) (all []backends.Server) {
	for _, s := range shards {
		for _, server := range append(s.m.Servers, s.m.Server)[:max(1, len(s.m.Servers))] {
			if !slices.ContainsFunc(all, func(o backends.Server) bool { return o.URL == server.URL }) {
				all = append(all, server)
			}
		}
	}
	if len(all) < 2 {
		return nil
	}
	return all
}
