package eval

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"gavel/backends"
	"gavel/judging"
)

// runOf names the run of a spec, and its folder.
func (e *Maker) runOf(o Request, its items, spec judging.Spec) (m *judging.Manifest, out string) {
	m = judging.NewManifest(e.Version, spec)
	m.Shard = its.ofShard(spec)
	m.Dataset = its.info
	m.Name = o.Name
	if o.Out != "" {
		return m, o.Out
	}
	return m, filepath.Join(e.folder(), runName(m, o.try))
}

// fitReply is the most tokens of a reply: what the request says, else the default, else what a server that reserves
// room for the whole reply has left beside the longest prompt. A run that stands keeps its own. What is fitted depends
// on the server and the whole dataset alone, so that every sample, shard and later try asks the same.
func (e *Maker) fitReply(
	ctx context.Context, o Request, its items, judges []backends.Member, protocol judging.Protocol, spec judging.Spec,
) (int, error) {
	usual := spec.Parameters.MaxTokens
	server := judges[0].Server
	served := JointModel(judges).Context
	staged := its.shard != nil && its.shard.Dataset != its.set.SHA256 // each shard has a dataset of its own
	if o.MaxTokens > 0 || !server.Can(backends.ReserveReply) || served == 0 || staged {
		return usual, nil
	}
	_, out := e.runOf(o, its, spec)
	if stands, err := judging.ReadManifest(out); err == nil {
		return stands.Spec.Parameters.MaxTokens, nil
	}
	job := judging.Job{
		Manifest: &judging.Manifest{Spec: spec}, Asker: protocol.New(spec.Prompt, o.Options),
		Set: its.set, Rows: all(its.set),
	}
	if counter, ok := judges[0].Backend.(backends.Counter); ok {
		job.Count = counter.CountTokens
	}
	said := time.AfterFunc(2*time.Second, func() {
		e.say("%s counts the longest prompts, on which --max-tokens depends; set it to begin at once", server.Name)
	})
	defer said.Stop()
	attempts := turns(protocol, spec.Parameters)
	longest, err := job.LongestPrompt(ctx, served, attempts)
	if err != nil && !errors.Is(err, backends.ErrNoTokenizer) { // by its bytes it would be another run
		return 0, fmt.Errorf("--max-tokens depends on the longest prompt, which cannot be counted now: %w; "+
			"try again, or set it", err)
	}
	if served-longest.Tokens >= usual {
		return usual, nil
	}
	n := min(usual, judging.FitReply(longest.Tokens, served, attempts))
	e.say("--max-tokens is set to %d: %s reserves room for the whole reply in its context of %d, beside a prompt of "+
		"up to %d tokens (%s)", n, server.Name, served, longest.Tokens, longest.By)
	return n, nil
}

// turns is how many replies one conversation may have.
func turns(protocol judging.Protocol, params judging.Parameters) int {
	n := 1
	if protocol.FollowUps {
		n = params.Attempts
	}
	if params.Constrain {
		n = max(n, 2) // reasoning, then the label
	}
	return n
}
