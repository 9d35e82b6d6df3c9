package judging

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"

	"gavel/backends"
	"gavel/datasets"
)

// Plan is what a run would do.
type Plan struct {
	Items     int    `json:"items"`
	Judgments int    `json:"judgments"` // items × presentations × repetitions
	Completed int    `json:"standing"`  // of them already in the run's records
	Cached    int    `json:"cached"`    // of the rest, first turns the cache would answer
	CacheNote string `json:"cache_note,omitempty"`
	TooLong   int    `json:"prompt_too_long"` // counted by the server: they will not be asked
	MayNotFit int    `json:"may_not_fit"`     // too many bytes to be sure, and nobody counts: the server will tell
	// LabelTurns: after its reasoning every judgment is asked for the label.
	LabelTurns bool `json:"label_turns,omitempty"`
	// CallsAtMost counts second attempts, label turns, and a call for each label
	// that the server does not list by itself; Calls has one for each judgment.
	CallsAtMost int                `json:"calls_at_most"`
	Tokens      int                `json:"prompt_tokens"` // estimate for the rest not cached, at 4 bytes a token
	MaxTokens   int                `json:"reply_tokens_at_most"`
	First       []backends.Message `json:"first"` // the first prompt in full
}

// Calls is how many judgments have to be asked for.
func (p Plan) Calls() int { return p.Judgments - p.Completed - p.Cached - p.TooLong }

// MakePlan renders every prompt and asks no judge; a server that counts tokens
// is asked for those of prompts that may not fit. cached may be nil.
func (j *Job) MakePlan(ctx context.Context, cached func(backends.Request) bool) (Plan, error) {
	plan := Plan{Items: len(j.Rows)}
	params := j.Manifest.Spec.Parameters
	bytes, each := 0, 1
	for _, row := range j.Rows {
		item, err := j.Set.Item(row)
		if err != nil {
			return plan, err
		}
		for _, s := range j.Asker.Presentations(item) {
			p := j.prompt(item, s)
			messages := FirstTurn(p, params.SystemRole)
			if plan.First == nil {
				plan.First = messages
			}
			req := j.request(messages, nil, 0)
			params.hold(&req, p, 1)
			if !j.Manifest.Server.Can(backends.Decide) {
				each = max(each, params.mostCalls(p))
			}
			plan.LabelTurns = plan.LabelTurns || params.holds(p) && p.LabelTurn != ""
			tooLong := j.measure(ctx, &req) != ""
			for repetition := range params.Repetitions() {
				plan.Judgments++
				req.Repetition = params.asking(p, repetition)
				switch {
				case j.Completed.Has(item.ID, s.Index, repetition):
					plan.Completed++
				case tooLong:
					plan.TooLong++
				case cached != nil && cached(req):
					plan.Cached++
				default:
					if j.Limit > 0 && req.PromptTokens == 0 && backends.MostTokens(messages) > j.Limit {
						plan.MayNotFit++
					}
					for _, m := range messages {
						bytes += len(m.Content)
					}
				}
			}
		}
	}
	plan.Tokens = bytes / 4
	plan.MaxTokens = plan.Calls() * params.MaxTokens
	plan.CallsAtMost = each * plan.Calls()
	return plan, nil
}

// mostCalls is how many calls one judgment may take.
func (p Parameters) mostCalls(prompt Prompt) int {
	n := 1
	switch {
	case p.holds(prompt) && prompt.LabelTurn != "":
		n = 2
	case !p.holds(prompt) && prompt.FollowUp != "":
		n = p.Attempts
	}
	if p.FinishThinking {
		n++
	}
	if prompt.Challenge != "" {
		n++
	}
	if p.holds(prompt) && p.Logprobs {
		n += len(prompt.Labels) - 1
	}
	return n
}

// mostCounted is how many prompts LongestPrompt has counted at most.
const mostCounted = 1000

// countedAtOnce is how many prompts are counted at once: servers count while they answer. Later prompts wait until all
// of these are counted.
const countedAtOnce = 16

// LongestPrompt returns the length of the longest first turn of the rows. Its bytes are enough to know where they and
// the reply fit the context; else the server counts, in the order of their bytes, those that may not fit. Of the others
// none is longer than they, or all fit. For a number of attempts above 0 it ends once FitReply can get no shorter.
// Where the server cannot count, it returns the length in bytes with the error.
func (j *Job) LongestPrompt(ctx context.Context, context, attempts int) (Length, error) {
	rows := slices.Clone(j.Rows)
	slices.SortFunc(rows, func(a, b int) int { return j.Set.Size(b) - j.Set.Size(a) })
	first, err := j.firstTurn(rows[0])
	if err != nil {
		return Length{}, err
	}
	bytes := Length{backends.MostTokens(first.Messages), CountedByBytes}
	room := context - j.Manifest.Spec.Parameters.MaxTokens
	if j.Count == nil || bytes.Tokens <= room {
		return bytes, nil
	}
	longest := Length{By: CountedByServer}
	counted, left := 0, 0 // left is the most that one may have which is not counted
	for some := range slices.Chunk(rows[:min(len(rows), mostCounted+1)], countedAtOnce) {
		known := max(longest.Tokens, room)
		if attempts > 0 && known > room && FitReply(known, context, attempts) == FitReply(context, context, attempts) {
			left = math.MaxInt
			break
		}
		tokens := make([]int, len(some))
		counting, until := errgroup.WithContext(ctx)
		for i, row := range some {
			req, err := j.firstTurn(row)
			if err != nil {
				return Length{}, errors.Join(err, counting.Wait())
			}
			if most := backends.MostTokens(req.Messages); most <= known || counted == mostCounted {
				left = max(left, most)
				continue // rows are ordered by the length of their lines, not of their prompts
			}
			counted++
			counting.Go(func() (err error) {
				tokens[i], err = j.Count(until, req)
				return err
			})
		}
		err := counting.Wait()
		if err != nil || ctx.Err() != nil {
			return bytes, cmp.Or(err, ctx.Err())
		}
		longest.Tokens = max(longest.Tokens, slices.Max(tokens))
	}
	if left > longest.Tokens {
		longest.By = fmt.Sprintf("of the %d longest in bytes, counted by the server", counted)
	}
	return longest, nil
}

// firstTurn is the longest of what an item's presentations are asked with.
func (j *Job) firstTurn(row int) (backends.Request, error) {
	item, err := j.Set.Item(row)
	if err != nil {
		return backends.Request{}, err
	}
	var longest Prompt
	for _, s := range j.Asker.Presentations(item) {
		if p := j.Asker.Prompt(item, s); p.bytes() > longest.bytes() {
			longest = p
		}
	}
	return j.request(FirstTurn(longest, j.Manifest.Spec.Parameters.SystemRole), nil, 0), nil
}

func (p Prompt) bytes() int { return len(p.System) + len(p.User) }

// LongestPrompt is the most bytes a first turn of the set can take. For pairs the set knows; for the rest every prompt
// is written, since how much stands around an item's texts depends on the item. An item that cannot be read is for the
// run to complain about.
func LongestPrompt(p Asker, set *datasets.Set) int {
	longest := 0
	for i := range set.Len() {
		item, err := set.Item(i)
		if err != nil {
			continue
		}
		if item.Shape == datasets.Pair && item.Answered == nil {
			item.Question, item.Candidates = "", make([]datasets.Candidate, 2)
			return p.Prompt(item, p.Presentations(item)[0]).bytes() + set.Longest
		}
		for _, s := range p.Presentations(item) {
			longest = max(longest, p.Prompt(item, s).bytes())
		}
	}
	return longest
}

// SizeContext is the context, in tokens, that a run needs on a server that must be told (Ollama): the longest prompt,
// and a reply of full length for every attempt. No tokenizer makes more than one token of a byte, so the prompt's bytes
// are an upper bound that needs none; 256 more are for the chat template. It is rounded up, so that small changes do
// not make the server load the model anew, and never more than the model was trained for (0 where unknown).
func SizeContext(promptBytes, maxTokens, attempts, trained int) int {
	n := promptBytes + 256 + attempts*(maxTokens+followUp)
	n = (n + 2047) / 2048 * 2048
	if trained > 0 {
		n = min(n, trained)
	}
	return n
}

const (
	followUp = 32 // tokens that ask for another reply, at most
	// leastReply is how many tokens a reply is given even where the longest prompts then no longer fit; of a small
	// context a quarter.
	leastReply = 512
)

// FitReply is the longest reply, in tokens, that the context of a server has room for beside the longest prompt, and
// for every attempt: what SizeContext asks for, the other way round.
func FitReply(prompt, context, attempts int) int {
	return max(1, (context-prompt)/attempts-followUp, min(leastReply, context/4))
}
