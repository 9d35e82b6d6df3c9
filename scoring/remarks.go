package scoring

import (
	"maps"
	"slices"
	"strings"

	"gavel/internal/phrases"
	"gavel/judging"
)

// remarks counts judgments of the first repetition that need a warning.
type remarks struct {
	Finished  int // judgments whose truncated thinking was followed by a request for the verdict
	Short     int // replies truncated at the end of the context; not Repeating
	Thought   int // replies truncated during thinking, before any answer
	Repeating int // replies truncated while they repeated themselves
	Shrunk    int // prompts that the server silently truncated
	Unheld    int // replies that the server failed to constrain to the labels
	Even      int // no verdict because several options are exactly as likely

	unheldCut int    // those of Unheld that were truncated
	endLoops  string // advice for replies that repeat themselves
	failure   string // error of a failed call, the first in alphabetical order
}

func (x *remarks) add(m *judging.Manifest, r *judging.Record, v judging.Verdict) {
	if v.Outcome == judging.Failed && (x.failure == "" || r.Error < x.failure) {
		x.failure = r.Error
	}
	if len(r.Replies) == 0 {
		return
	}
	var unserved judging.Unserved
	unserved.Add(m, r, v.Outcome)
	switch last := r.Replies[len(r.Replies)-1]; {
	case r.Finished:
		x.Finished++
	case v.Outcome == judging.Cut && r.IgnoresConstraint():
		x.Unheld++
		x.unheldCut++
	case v.Outcome == judging.Cut && r.Repeats():
		x.Repeating++
		x.endLoops = r.EndLoops()
	case unserved.Truncated > 0:
		x.Short++
	case v.Outcome == judging.Cut && last.Text == "" && last.Thinking != "":
		x.Thought++
	case v.Outcome == judging.NoVerdict && last.Text == "" && len(r.Probabilities) > 0:
		x.Even++
	case v.Outcome == judging.NoVerdict && last.Constrained:
		x.Unheld++
	case v.Outcome == judging.TooLong && strings.HasPrefix(last.Detail, judging.CutPrompt):
		x.Shrunk++
	}
}

// origins counts replies by the bundle that they come from.
type origins struct {
	replies int
	bundles map[string]int
}

func (x *origins) add(r *judging.Record) {
	x.replies += len(r.Replies)
	for _, reply := range r.Replies {
		if reply.Origin == "" {
			continue
		}
		if x.bundles == nil {
			x.bundles = map[string]int{}
		}
		x.bundles[reply.Origin]++
	}
}

// Origin holds the number of a run's replies that come from an imported bundle.
type Origin struct {
	Bundle  string `json:"bundle"`  // file name and SHA-256
	Replies int    `json:"replies"` // replies from the bundle
	Of      int    `json:"of"`      // replies of the run
}

func (o Origin) String() string {
	return phrases.Say("warning.bundle", o.Replies, o.Of, o.Bundle)
}

// Origins returns the bundles that replies came from, by name.
func (x *origins) Origins() (all []Origin) {
	for _, bundle := range slices.Sorted(maps.Keys(x.bundles)) {
		all = append(all, Origin{Bundle: bundle, Replies: x.bundles[bundle], Of: x.replies})
	}
	return all
}
