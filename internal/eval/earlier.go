package eval

import (
	"cmp"
	"fmt"
	"strings"

	"gavel/backends"
	"gavel/judging"
	"gavel/scoring"
)

// readEarlierManifest sets p.earlierManifest to that of an earlier try. The code that opens the folder reports errors.
func (p *runState) readEarlierManifest() {
	p.systemFingerprints = map[string]backends.Fingerprints{}
	if old, err := judging.ReadManifest(p.out); err == nil {
		p.earlierManifest = old
	}
}

// addCompleted adds a valid record of an earlier try to the completed judgments, and its fingerprints to
// p.systemFingerprints.
func (p *runState) addCompleted(r *judging.Record) {
	p.job.Completed.Add(r)
	for _, reply := range r.Replies {
		if reply.Cached || reply.SystemFingerprint == "" {
			continue
		}
		url := cmp.Or(reply.Endpoint, p.earlierManifest.Server.URL)
		if p.systemFingerprints[url] == nil {
			p.systemFingerprints[strings.Clone(url)] = backends.Fingerprints{}
		}
		p.systemFingerprints[url].Add(strings.Clone(reply.SystemFingerprint))
	}
}

// recordHasVerdict reports whether at least one of the two sets of readers, the paper's and gavel's own, finds a
// verdict in a record's replies.
func (p *runState) recordHasVerdict(r *judging.Record) bool {
	v, other, err := r.VerdictsOfBothReaders(p.job.Asker, scoring.DefaultOptions.Reading)
	return err != nil || v.Outcome.IsVerdict() || other.Outcome.IsVerdict()
}

// shouldAskAgain reports whether to ask a record of an earlier try again: a failure, a prompt that did not fit a server
// which now serves more context, and on request every record without a verdict or an identity check.
func (p *runState) shouldAskAgain(r *judging.Record) bool {
	if r.Outcome == judging.Failed || p.req.AskAgain && (r.Unverified || !p.recordHasVerdict(r)) {
		return true
	}
	old := p.earlierManifest
	return r.Outcome == judging.PromptTooLong && old != nil && old.Model.Context > 0 &&
		p.job.Manifest.Model.Context > old.Model.Context
}

// serverNoVerdictError returns an error for a finished run in which n judgments have no verdict through no fault of the
// judge. It returns none for a run that a rule may end and for a replay, whose own errors say so. For a shard, which
// can be merged as it is, it shows a warning instead.
func (e *Maker) serverNoVerdictError(p *runState, n judging.Unserved) error {
	if n.Total() == 0 || p.rule != nil || p.isReplay {
		return nil
	}
	m := p.job.Manifest
	advice := n.Advice(m.Server, e.Hints.AskAgain)
	err := fmt.Errorf("%d of %d judgments have no verdict (%s): %s", n.Total(), m.Judgments, n, advice)
	if m.Shard != nil {
		e.Notef("warning: %v", err)
		return nil
	}
	return ErrorOfKind(ErrServerNoVerdict, err)
}
