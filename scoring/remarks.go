package scoring

import (
	"maps"
	"slices"
	"strings"

	"gavel/internal/phrases"
	"gavel/judging"
)

// remarks counts what needs a warning in the judgments of the first repetition.
type remarks struct {
	AskedAfterTruncatedThinking int // judgments whose truncated thinking was followed by a request for the verdict
	ContextFull                 int // replies truncated at the end of the context, except those counted as Repeating
	TruncatedThinking           int // replies truncated during thinking, before any answer
	Repeating                   int // replies truncated at a limit while they repeated themselves
	TruncatedPrompts            int // prompts that the server silently truncated
	Unconstrained               int // replies that the server failed to constrain to the labels
	ProbabilityTies             int // judgments without a verdict because several options are exactly as likely

	unconstrainedTruncated int    // replies counted in Unheld that were also truncated
	loopAdvice             string // words on how to end replies that repeat themselves
	failure                string // error of a failed call, the first in alphabetical order
}

// add counts a record, with its verdict, of the run of manifest m.
func (x *remarks) add(m *judging.Manifest, r *judging.Record, v judging.Verdict) {
	if v.Outcome == judging.Failed && (x.failure == "" || r.Error < x.failure) {
		x.failure = r.Error
	}
	if len(r.Replies) == 0 {
		return
	}
	var unserved judging.Unserved
	unserved.Add(m, r, v.Outcome)
	switch last := r.LastReply(); {
	case r.VerdictAfterThinkLimit:
		x.AskedAfterTruncatedThinking++
	case v.Outcome == judging.Truncated && r.IgnoresConstraint():
		x.Unconstrained++
		x.unconstrainedTruncated++
	case v.Outcome == judging.Truncated && r.EndsInLoop():
		x.Repeating++
		x.loopAdvice = r.LoopAdvice()
	case unserved.TruncatedReplies > 0:
		x.ContextFull++
	case v.Outcome == judging.Truncated && last.Text == "" && last.Thinking != "":
		x.TruncatedThinking++
	case v.Outcome == judging.NoVerdict && last.Text == "" && len(r.Probabilities) > 0:
		x.ProbabilityTies++
	case v.Outcome == judging.NoVerdict && last.Constrained:
		x.Unconstrained++
	case v.Outcome == judging.PromptTooLong && strings.HasPrefix(last.Detail, judging.PromptTruncatedPrefix):
		x.TruncatedPrompts++
	}
}

// origins counts a run's replies by the imported bundle, a file of replies, that they come from.
type origins struct {
	replies int            // all replies of the run
	bundles map[string]int // replies by the name and SHA-256 of their bundle
}

func (x *origins) add(r *judging.Record) {
	x.replies += len(r.Replies)
	for _, reply := range r.Replies {
		if reply.ImportBundle == "" {
			continue
		}
		if x.bundles == nil {
			x.bundles = map[string]int{}
		}
		x.bundles[reply.ImportBundle]++
	}
}

// Origin holds the number of a run's replies that come from an imported bundle.
type Origin struct {
	Bundle       string `json:"bundle"`  // file name and SHA-256 of the bundle
	Replies      int    `json:"replies"` // replies of the run that come from the bundle
	TotalReplies int    `json:"of"`      // all replies of the run
}

func (o Origin) String() string {
	return phrases.Sentence("warning.bundle", o.Replies, o.TotalReplies, o.Bundle)
}

// Origins returns the bundles that replies of the run come from, sorted by name.
func (x *origins) Origins() (all []Origin) {
	for _, bundle := range slices.Sorted(maps.Keys(x.bundles)) {
		all = append(all, Origin{Bundle: bundle, Replies: x.bundles[bundle], TotalReplies: x.replies})
	}
	return all
}
