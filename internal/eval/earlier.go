package eval

import (
	"cmp"
	"fmt"
	"strings"

	"gavel/backends"
	"gavel/judging"
	"gavel/scoring"
)

// lookBack finds what an earlier try left. What cannot be read of it is said by whoever opens the folder.
func (p *runState) lookBack() {
	p.systems = map[string]backends.Fingerprints{}
	if old, err := judging.ReadManifest(p.out); err == nil {
		p.earlier = old
	}
}

// remember notes a record that stands, and the system fingerprints that the servers of an earlier try told with its
// replies.
func (p *runState) remember(r *judging.Record) {
	p.job.Completed.Add(r)
	for _, reply := range r.Replies {
		if reply.Cached || reply.SystemFingerprint == "" {
			continue
		}
		url := cmp.Or(reply.Endpoint, p.earlier.Server.URL)
		if p.systems[url] == nil {
			p.systems[strings.Clone(url)] = backends.Fingerprints{}
		}
		p.systems[url].Add(strings.Clone(reply.SystemFingerprint))
	}
}

// decided tells whether a record has a verdict, by one of the two readings at least.
func (p *runState) decided(r *judging.Record) bool {
	v, other, err := r.ReadBoth(p.job.Asker, scoring.DefaultOptions.Reading)
	return err != nil || v.Outcome.Verdict() || other.Outcome.Verdict()
}

// again picks the records of an earlier try that are asked once more: failures, prompts that did not fit a server that
// now serves more context, and, where that was asked for, all that have no verdict or are unverified.
func (p *runState) again(r *judging.Record) bool {
	if r.Outcome == judging.Failed || p.req.AskAgain && (r.Unverified || !p.decided(r)) {
		return true
	}
	old := p.earlier
	return r.Outcome == judging.TooLong && old != nil && old.Model.Context > 0 &&
		p.job.Manifest.Model.Context > old.Model.Context
}

// unserved is the error of a run that is at its end, but has judgments without a verdict that are not
// the judge's fault. A rule, and whoever replays a run, have an answer of their own; a shard is no
// whole, and goes into one as it is.
func (e *Maker) unserved(p *runState, n judging.Unserved) error {
	if n.All() == 0 || p.rule != nil || p.replay {
		return nil
	}
	m := p.job.Manifest
	advice := n.Advice(m.Server, e.Words.AskAgain)
	err := fmt.Errorf("%d of %d judgments have no verdict (%s): %s", n.All(), m.Judgments, n, advice)
	if m.Shard != nil {
		e.say("warning: %v", err)
		return nil
	}
	return Failed(ErrUnserved, err)
}
