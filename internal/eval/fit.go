package eval

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
)

// newManifest returns the manifest of a new run of a request and the path of its folder.
func (e *Maker) newManifest(o RunRequest, subset runItems, spec judging.Spec) (m *judging.Manifest, out string) {
	m = judging.NewManifest(e.Version, spec)
	m.Shard = subset.manifestShard(spec)
	m.Dataset = subset.info
	m.Name = o.JudgeName
	if o.Out != "" {
		return m, o.Out
	}
	return m, filepath.Join(e.runsFolder(), runName(m, o.try))
}

// fitReply returns the limit of a reply in tokens: the number in the request, else the default, or less if the server
// reserves room for the whole reply and has less left next to the longest prompt, in each of so many attempts. An
// existing run keeps its number. The number depends on the server and the whole dataset alone, so that every sample,
// shard and later try uses the same.
func (e *Maker) fitReply(
	ctx context.Context, p *runState, subset runItems, spec judging.Spec, attempts int,
) (int, error) {
	limit := spec.Parameters.MaxTokens
	server := p.judges[0].Server
	served := JointModel(p.judges).Context
	staged := subset.shard != nil && subset.shard.Dataset != subset.set.SHA256 // each shard has a dataset of its own
	if p.req.MaxTokens > 0 || !server.Can(backends.ReservesReplyRoom) || served == 0 || staged {
		return limit, nil
	}
	_, out := e.newManifest(p.req, subset, spec)
	if stored, err := judging.ReadManifest(out); err == nil {
		return stored.Spec.Parameters.MaxTokens, nil
	}
	job := *p.job
	job.Manifest = &judging.Manifest{Spec: spec}
	job.Rows = datasets.FirstIndexes(subset.set.Len())
	timer := time.AfterFunc(2*time.Second, func() {
		e.Notef("%s counts the tokens of the longest prompts, on which --max-tokens depends; set it to start at once",
			server.Name)
	})
	defer timer.Stop()
	longest, err := job.LongestPrompt(ctx, served, attempts)
	if err != nil && !errors.Is(err, backends.ErrNoTokenizer) { // its length in bytes would make another run
		return 0, fmt.Errorf("--max-tokens depends on the longest prompt, which cannot be counted now: %w; "+
			"try again, or set it", err)
	}
	if served-longest.Tokens >= limit {
		return limit, nil
	}
	n := min(limit, judging.FitReply(longest.Tokens, served, attempts))
	e.Notef("--max-tokens is set to %d: %s reserves room for the whole reply in its context of %d, next to a prompt of "+
		"up to %d tokens (%s)", n, server.Name, served, longest.Tokens, longest.CountMethod)
	return n, nil
}

// maxConversationReplies returns the largest number of replies in one conversation.
func maxConversationReplies(protocol judging.Protocol, params judging.Parameters) int {
	n := 1
	if protocol.HasFollowUpTurn {
		n = params.VerdictAttempts
	}
	if params.Constrain {
		n = max(n, 2) // reasoning, then the label
	}
	return n
}
