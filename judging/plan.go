package judging

import (
	"gavel/backends"
	"gavel/datasets"
)

// Plan is what a run would do.
type Plan struct {
	Items     int                `json:"items"`
	Judgments int                `json:"judgments"` // items × showings
	Standing  int                `json:"standing"`  // of them already in the run's records
	Cached    int                `json:"cached"`    // of the rest, first turns the cache would answer
	CacheNote string             `json:"cache_note,omitempty"`
	Tokens    int                `json:"prompt_tokens"` // estimate for the rest not cached, at 4 bytes a token
	MaxTokens int                `json:"reply_tokens_at_most"`
	First     []backends.Message `json:"first"` // the first prompt in full
}

// MakePlan renders every prompt and asks nobody. cached may be nil.
func (j *Job) MakePlan(cached func(backends.Request) bool) (Plan, error) {
	plan := Plan{Items: len(j.Rows)}
	bytes := 0
	for _, row := range j.Rows {
		item, err := j.Set.Item(row)
		if err != nil {
			return plan, err
		}
		for _, s := range j.Protocol.Showings(item) {
			plan.Judgments++
			p := j.Protocol.Prompt(item, s)
			messages := FirstTurn(p, j.Manifest.Spec.Parameters.SystemRole)
			if plan.First == nil {
				plan.First = messages
			}
			switch {
			case j.Standing.Has(item.ID, s.Index):
				plan.Standing++
			case cached != nil && cached(j.request(messages, nil, nil)):
				plan.Cached++
			default:
				for _, m := range messages {
					bytes += len(m.Content)
				}
			}
		}
	}
	plan.Tokens = bytes / 4
	plan.MaxTokens = (plan.Judgments - plan.Standing - plan.Cached) * j.Manifest.Spec.Parameters.MaxTokens
	return plan, nil
}

// LongestPrompt is the most bytes a first turn of the set can take.
func LongestPrompt(p Protocol, set *datasets.Set) int {
	empty := datasets.Item{Candidates: make([]datasets.Candidate, 2)}
	frame := p.Prompt(empty, p.Showings(empty)[0])
	return len(frame.System) + len(frame.User) + set.Longest
}
