package merge

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"

	"gavel/backends"
	"gavel/internal/eval"
	"gavel/judging"
)

// wholeOf returns the manifest of the run that nobody split, but for its items. Runs that it stands on and that were
// split too are, once they are merged, in the folder parent.
func wholeOf(shards []*shard, parent string) (*judging.Manifest, error) {
	m := *shards[0].m
	m.Status = judging.Running
	m.Shard = nil
	m.Stopped = nil
	m.DrawnBy = nil
	m.Servers = nil
	m.Stages = slices.Clone(m.Stages)
	var servers []backends.Server
	for i, s := range shards {
		for _, server := range s.m.AllServers() {
			if !slices.ContainsFunc(servers, func(o backends.Server) bool { return o.URL == server.URL }) {
				servers = append(servers, server)
			}
		}
		if i == 0 {
			continue
		}
		if err := add(&m, s.m); err != nil {
			return nil, fmt.Errorf("%s and %s are not shards of one run: %w", shards[0].dir, s.dir, err)
		}
	}
	if len(servers) > 1 {
		m.Servers = servers
	}
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

// add adds to a manifest what another shard's says.
func add(m, o *judging.Manifest) error {
	m.Judgments += o.Judgments
	m.Alternates = m.Alternates || o.Alternates
	m.Changes = append(m.Changes, o.Changes...)
	m.Altered = slices.Compact(slices.Sorted(slices.Values(append(m.Altered, o.Altered...))))
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
	same := func(a, b judging.StageOf) bool { return a.Role == b.Role && a.ID == b.ID && a.Model == b.Model }
	if !slices.EqualFunc(m.Stages, o.Stages, same) {
		return errors.New("they stand on answers of other runs")
	}
	if m.Referenced == nil {
		m.Referenced = o.Referenced
	} else if o.Referenced != nil {
		m.Referenced.Add(o.Referenced)
	}
	if m.Staged == nil {
		m.Staged = o.Staged
	} else if o.Staged != nil {
		return m.Staged.Add(o.Staged)
	}
	return nil
}

// drawnBy returns the seed of the order in which the shards that did not come to their end asked about their items, nil
// where they have none in common. It is that of the whole too, since each item's place is drawn from its id alone.
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

var shardSuffix = regexp.MustCompile(`_shard-\d+-of-\d+(_try-[A-Za-z0-9.-]+)?$`)

// withoutShard returns the name of a folder without that of a shard.
func withoutShard(name string) string { return shardSuffix.ReplaceAllString(name, "") }

// merged returns where the run of a stage stands once it is merged: one that was split, beside the run that stands on it.
func merged(run, parent string) string {
	whole := withoutShard(run)
	if whole != run || withoutShard(filepath.Dir(run)) != filepath.Dir(run) {
		return filepath.Join(parent, filepath.Base(whole))
	}
	return run
}

// command returns the command of a shard, in the folder that it has or, by the names of the others, would have. Of a
// shard that is missing and stands on answers nobody knows on which: the manifests of others do not say.
func (w *merger) command(shards []*shard, index int) string {
	s := shards[0]
	if i := slices.IndexFunc(shards, func(s *shard) bool { return s.m.Shard.Index == index }); i >= 0 {
		s = shards[i]
	}
	isThere := s.m.Shard.Index == index
	r, ok := eval.RequestOf(s.m)
	if !ok || !isThere && len(s.m.Stages) > 0 {
		return fmt.Sprintf("the command of %s, with --shard %d/%d", s.dir, index, w.count)
	}
	r.Shard = fmt.Sprintf("%d/%d", index, w.count)
	r.Dataset = cmp.Or(s.m.Shard.Path, r.Dataset)
	if whole := withoutShard(s.dir); isThere {
		r.Out = s.dir
	} else if whole != s.dir {
		r.Out = whole + judging.ShardSuffix(index, w.count, 0)
	}
	return r.Command()
}
