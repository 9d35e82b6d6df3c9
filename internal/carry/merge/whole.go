package merge

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"gavel/backends"
	"gavel/judging"
)

// wholeManifest returns the manifest of the undivided run that the shards are parts of, except for its
// items. If runs of models' answers that it builds on were split too, it refers to them in the folder
// parent, where they will be merged.
func wholeManifest(shards []*shard, parent string) (*judging.Manifest, error) {
	m := *shards[0].Manifest
	m.Status = judging.Running
	m.Shard = nil
	m.Stopped = nil
	m.Servers = nil
	m.Stages = slices.Clone(m.Stages)
	var servers []backends.ServerInfo
	for i, s := range shards {
		for _, server := range s.AllServers() {
			if !slices.ContainsFunc(servers, func(o backends.ServerInfo) bool { return o.URL == server.URL }) {
				servers = append(servers, server)
			}
		}
		if i == 0 {
			continue
		}
		if err := addManifest(&m, s.Manifest); err != nil {
			return nil, fmt.Errorf("%s and %s are not shards of one run: %w", shards[0].dirs[0], s.dirs[0], err)
		}
	}
	if len(servers) > 1 {
		m.Servers = servers
	}
	for i := range m.Stages {
		setMergedPath(&m.Stages[i].Run, parent)
	}
	if m.StageCounts != nil {
		for i := range m.StageCounts.Agents {
			setMergedPath(&m.StageCounts.Agents[i].Run, parent)
		}
	}
	return &m, nil
}

// addManifest adds the counts and times of o, the manifest of another shard, to m. It returns an error if the
// shards use different answers.
func addManifest(m, o *judging.Manifest) error {
	m.Judgments += o.Judgments
	m.AlternatesOrder = m.AlternatesOrder || o.AlternatesOrder
	m.OrderSeed = cmp.Or(m.OrderSeed, o.OrderSeed)
	m.Changes = append(m.Changes, o.Changes...)
	m.AuxiliaryRequestCounts = backends.SumCounts(m.AuxiliaryRequestCounts, o.AuxiliaryRequestCounts)
	m.Altered = slices.Compact(slices.Sorted(slices.Values(append(m.Altered, o.Altered...))))
	if m.TokenSample == nil {
		m.TokenSample = o.TokenSample
	}
	if o.Started.Before(m.Started) {
		m.Started = o.Started
	}
	if o.Ended.After(m.Ended) {
		m.Ended = o.Ended
	}
	if o.LongestPrompt.Tokens > m.LongestPrompt.Tokens {
		m.LongestPrompt = o.LongestPrompt
	}
	same := func(a, b judging.StageRun) bool { return a.Role == b.Role && a.ID == b.ID && a.Model == b.Model }
	if !slices.EqualFunc(m.Stages, o.Stages, same) {
		return errors.New("they use answers of different runs")
	}
	if m.ReferenceCounts == nil {
		m.ReferenceCounts = o.ReferenceCounts
	} else if o.ReferenceCounts != nil {
		m.ReferenceCounts.Add(o.ReferenceCounts)
	}
	if m.StageCounts == nil {
		m.StageCounts = o.StageCounts
	} else if o.StageCounts != nil {
		return m.StageCounts.Add(o.StageCounts)
	}
	return nil
}

// setMergedPath changes run, the path of a run that was split or that is in the folder of a suite's shard, to the run's
// path after the merge: in the folder parent.
func setMergedPath(run *string, parent string) {
	if whole := wholePath(*run); whole != *run {
		*run = filepath.Join(parent, filepath.Base(whole))
	}
}
