package merge

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"gavel/internal/eval"
	"gavel/judging"
)

// command makes a shard, in the folder that it has or, by the name of the others', would have. A shard that is missing
// and stands on answers needs its own: the manifests of others do not say which.
func (w *work) command(shards []*shard, index int) string {
	of := shards[0]
	if i := slices.IndexFunc(shards, func(s *shard) bool { return s.m.Shard.Index == index }); i >= 0 {
		of = shards[i]
	}
	o, ok := eval.RequestOf(of.m)
	if !ok || of.m.Shard.Index != index && len(of.m.Stages) > 0 {
		return fmt.Sprintf("the command of %s, with --shard %d/%d", of.dir, index, w.of)
	}
	o.Shard, o.Dataset = fmt.Sprintf("%d/%d", index, w.of), cmp.Or(of.m.Shard.Path, o.Dataset)
	dir := filepath.Clean(of.dir)
	switch whole := judging.WithoutShard(dir); {
	case of.m.Shard.Index == index:
		o.Out = of.dir
	case whole != dir:
		o.Out = whole + judging.ShardSuffix(index, w.of, "")
	}
	return o.Command()
}

// shardOf says which shard the run of a stage is; nil where it was not split. One that is gone says it by its name.
func shardOf(s judging.StageOf) *judging.Shard {
	if m, err := judging.ReadManifest(s.Run); err == nil && m.ID == s.ID {
		return nil
	} else if err == nil && m.Shard != nil && m.Shard.Whole == s.ID {
		return m.Shard
	}
	return judging.ShardNamed(filepath.Base(s.Run))
}

// stagesDiffer says why the answers that a shard stands on are not those to its own questions.
func (s *shard) stagesDiffer() error {
	for _, stage := range s.m.Stages {
		if of := shardOf(stage); of != nil && (of.Index != s.m.Shard.Index || of.Of != s.m.Shard.Of) {
			return fmt.Errorf("%s is shard %s and stands on the answers of shard %s, %s: "+
				"remove it, and make it again",
				s.dir, s.m.Shard, of, stage.Run)
		}
	}
	return nil
}

// merged is where the run of a stage stands once it is merged: one that was split, beside the run that stands on it.
func merged(run, parent string) string {
	name := filepath.Base(run)
	if whole := judging.WithoutShard(name); whole != name || judging.WithoutShard(filepath.Dir(run)) != filepath.Dir(run) {
		return filepath.Join(parent, whole)
	}
	return run
}

func addStage(m, o *judging.Manifest) error {
	if len(m.Stages) != len(o.Stages) {
		return fmt.Errorf("they stand on answers of %d models, and of %d", len(m.Stages), len(o.Stages))
	}
	for i, s := range o.Stages {
		if was := m.Stages[i]; was.Role != s.Role || was.ID != s.ID || was.Model != s.Model {
			return fmt.Errorf("they stand on other answers of %s", s.Model)
		}
	}
	if o.Staged != nil {
		if m.Staged == nil {
			m.Staged = new(judging.Staged)
			for _, a := range o.Staged.Agents {
				m.Staged.Agents = append(m.Staged.Agents, judging.StagedAgent{Name: a.Name, Run: a.Run, Itself: a.Itself})
			}
		}
		if err := m.Staged.Add(o.Staged); err != nil {
			return err
		}
	}
	if o.Referenced != nil {
		if m.Referenced == nil {
			m.Referenced = new(judging.Referenced)
		}
		m.Referenced.Add(o.Referenced)
	}
	return nil
}
