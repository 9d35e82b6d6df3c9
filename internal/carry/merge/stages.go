package merge

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gavel/internal/eval"
	"gavel/judging"
)

// command makes a shard, in the folder that it has or, by the name of the others', would have.
func (w *work) command(shards []*shard, index int) string {
	of := shards[0]
	if i := slices.IndexFunc(shards, func(s *shard) bool { return s.m.Shard.Index == index }); i >= 0 {
		of = shards[i]
	}
	o, ok := eval.RequestOf(of.m)
	if !ok {
		return ""
	}
	o.Shard, o.Dataset = fmt.Sprintf("%d/%d", index, w.of), cmp.Or(of.m.Shard.Path, o.Dataset)
	o.Own, o.Agents = answersFor(of.m, index)
	dir := filepath.Clean(of.dir)
	switch whole := judging.WithoutShard(dir); {
	case of.m.Shard.Index == index:
		o.Out = of.dir
	case whole != dir:
		o.Out = whole + judging.ShardSuffix(index, w.of, "")
	}
	return o.Command()
}

// answersFor names the answers that a shard stands on, by the manifest of any: what was not split as it is, of what was
// the shard's own run if it is whole. Else they are to be asked for: the judge is not named then, an agent by its
// model.
func answersFor(m *judging.Manifest, index int) (own string, agents []string) {
	for _, s := range m.Stages {
		at, said := s.Run, ""
		if of := shardOf(s); of != nil {
			if of.Index != index {
				at = judging.WithoutShard(filepath.Clean(s.Run)) + judging.ShardSuffix(index, of.Of, "")
			}
			if o, err := judging.ReadManifest(at); err != nil || o.Shard == nil || o.Shard.Whole != s.ID ||
				o.Shard.Index != index || o.Status != judging.Complete {
				at, said = "", asAsked(s)
			}
		}
		if s.Role == "judge" {
			own = at
		} else {
			agents = append(agents, cmp.Or(at, said))
		}
	}
	return own, agents
}

// asAsked is a model as --agents names it.
func asAsked(s judging.StageOf) string {
	if strings.HasPrefix(s.Model, "sim:") {
		return s.Model
	}
	m, err := judging.ReadManifest(s.Run)
	if err != nil {
		return s.Model + "@URL"
	}
	return s.Model + "@" + m.Server.URL
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
				"remove it, and merge the others to be told the command that makes it anew",
				s.dir, s.m.Shard, of, stage.Run)
		}
	}
	return nil
}

// dealt refuses shards, of items that are made of answers, whose questions are not those that were dealt to them.
func dealt(shards []*shard) error {
	part := shards[0].m.Shard
	has := make(map[int]string, part.Items) // the question at each place
	of := make(map[int]*shard, part.Items)
	for _, s := range shards {
		if n, told := questions(s.m); told && n != s.m.Shard.Dealt() {
			return fmt.Errorf("%s has %d questions, and %d were dealt to shard %s", s.dir, n, s.m.Shard.Dealt(), s.m.Shard)
		}
		for row, place := range s.places {
			item, err := s.set.Item(row)
			if err != nil {
				return err
			}
			if o := of[place]; o != nil && o != s {
				return fmt.Errorf("%s and %s both have the question %s", o.dir, s.dir, has[place])
			}
			of[place], has[place] = s, judging.QuestionOf(item)
		}
	}
	if len(has) < part.Items {
		return nil // some have no answer: which shard they are of cannot be told
	}
	if judging.HashIDs(part.Items, func(place int) string { return has[place] }) != part.IDs {
		return fmt.Errorf("%s and its other shards do not have the questions that they were dealt", shards[0].dir)
	}
	return nil
}

// questions is how many a shard was asked about, as far as its manifest tells.
func questions(m *judging.Manifest) (n int, told bool) {
	switch {
	case m.Staged != nil:
		return m.Staged.Questions, true
	case m.Referenced != nil:
		return m.Referenced.Pairs, true
	}
	return 0, false
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
