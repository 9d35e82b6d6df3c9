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

// CallPlan describes what a run would do.
type CallPlan struct {
	Items             int    `json:"items"`                // number of items
	Judgments         int    `json:"judgments"`            // all judgments: items × presentations × repetitions
	Completed         int    `json:"standing"`             // judgments already in the run's records
	Cached            int    `json:"cached"`               // judgments not in the records whose first turn is in the cache
	CacheUnreadReason string `json:"cache_note,omitempty"` // why the cache was not read, so that Cached is 0; "" if it was
	TooLong           int    `json:"prompt_too_long"`      // judgments not asked: prompt too long by the server's count
	// MayNotFit counts judgments whose prompt has more bytes than a prompt may have tokens; the server counts none.
	MayNotFit int `json:"may_not_fit"`
	// HasLabelTurn says that after the reasoning a turn asks for the label.
	HasLabelTurn bool `json:"label_turns,omitempty"`
	// CallsAtMost includes second attempts, label turns, and a call for each label that the server does not list by
	// itself. Calls has one call per judgment.
	CallsAtMost        int                `json:"calls_at_most"`
	PromptTokens       int                `json:"prompt_tokens"`        // estimate for all calls, at 4 bytes per token
	ReplyTokensAtLimit int                `json:"reply_tokens_at_most"` // tokens of all replies at the token limit
	FirstPrompt        []backends.Message `json:"first"`                // the first prompt in full
}

// Calls returns the number of judgments to ask a server for.
func (p CallPlan) Calls() int { return p.Judgments - p.Completed - p.Cached - p.TooLong }

// MakePlan renders every prompt without asking a judge, and counts the calls that the run needs. A server that counts
// tokens counts those of prompts that may not fit. cached reports whether a request needs no call; it may be nil.
func (j *RunJob) MakePlan(ctx context.Context, cached func(backends.Request) bool) (CallPlan, error) {
	plan := CallPlan{Items: len(j.Rows)}
	params := j.Manifest.Spec.Parameters
	bytes, callsPerJudgment := 0, 1
	for _, row := range j.Rows {
		item, err := j.Set.Item(row)
		if err != nil {
			return plan, err
		}
		for _, s := range j.Asker.Presentations(item) {
			p := j.prompt(item, s)
			messages := FirstTurnMessages(p, params.SystemTextRole)
			if plan.FirstPrompt == nil {
				plan.FirstPrompt = messages
			}
			req := j.request(messages, nil, 0)
			params.constrain(&req, p, 1)
			if !j.Manifest.Server.Can(backends.HasDecisionModels) {
				callsPerJudgment = max(callsPerJudgment, params.maxCalls(p))
			}
			plan.HasLabelTurn = plan.HasLabelTurn || params.constrains(p) && p.LabelRequest != ""
			tooLong := j.checkPromptFits(ctx, &req) != ""
			for repetition := range params.Repetitions() {
				plan.Judgments++
				req.Repetition = params.requestRepetition(p, repetition)
				switch {
				case j.Completed.Has(item.ID, s.Index, repetition):
					plan.Completed++
				case tooLong:
					plan.TooLong++
				case cached != nil && cached(req):
					plan.Cached++
				default:
					if j.MaxPromptTokens > 0 && req.CountedPromptTokens == 0 &&
						backends.TokenUpperBound(messages) > j.MaxPromptTokens {
						plan.MayNotFit++
					}
					for _, m := range messages {
						bytes += len(m.Content)
					}
				}
			}
		}
	}
	plan.PromptTokens = bytes / 4
	plan.ReplyTokensAtLimit = plan.Calls() * params.MaxTokens
	plan.CallsAtMost = callsPerJudgment * plan.Calls()
	return plan, nil
}

// maxCalls returns the most calls that one judgment with this prompt may take.
func (p Parameters) maxCalls(prompt Prompt) int {
	n := 1
	switch {
	case p.constrains(prompt) && prompt.LabelRequest != "":
		n = 2
	case !p.constrains(prompt) && prompt.FollowUp != "":
		n = p.VerdictAttempts
	}
	if p.FinishThinking {
		n++
	}
	if prompt.Challenge != "" {
		n++
	}
	if p.constrains(prompt) && p.Logprobs {
		n += len(prompt.Labels) - 1
	}
	return n
}

// maxPromptsToCount limits the prompts that LongestPrompt has the server count.
const maxPromptsToCount = 1000

// countConcurrency limits the prompts that are counted at a time: servers count while they answer. Later prompts wait
// for the whole batch.
const countConcurrency = 16

// LongestPrompt returns the length of the longest prompt with which a judgment of j.Rows begins. If the longest in
// bytes and a reply fit the context, its bytes are enough. Otherwise the server counts the tokens of the prompts that
// may not fit, the longest in bytes first; all others are shorter or fit. With attempts above 0, LongestPrompt
// stops once FitReply can return nothing less. If the server cannot count, LongestPrompt returns the length in
// bytes together with the error.
func (j *RunJob) LongestPrompt(ctx context.Context, context, attempts int) (PromptLength, error) {
	rows := slices.Clone(j.Rows)
	slices.SortFunc(rows, func(a, b int) int { return j.Set.ItemBytes(b) - j.Set.ItemBytes(a) })
	first, err := j.longestFirstRequest(rows[0])
	if err != nil {
		return PromptLength{}, err
	}
	bytes := PromptLength{backends.TokenUpperBound(first.Messages), CountedByBytes}
	room := context - j.Manifest.Spec.Parameters.MaxTokens
	if j.CountTokens == nil || bytes.Tokens <= room {
		return bytes, nil
	}
	longest := PromptLength{CountMethod: CountedByServer}
	requests, maxUncounted := 0, 0 // maxUncounted bounds the tokens of a prompt that was not counted
	for chunk := range slices.Chunk(rows[:min(len(rows), maxPromptsToCount+1)], countConcurrency) {
		floor := max(longest.Tokens, room)
		if attempts > 0 && floor > room && FitReply(floor, context, attempts) == FitReply(context, context, attempts) {
			maxUncounted = math.MaxInt
			break
		}
		tokens := make([]int, len(chunk))
		group, groupCtx := errgroup.WithContext(ctx)
		for i, row := range chunk {
			req, err := j.longestFirstRequest(row)
			if err != nil {
				return PromptLength{}, errors.Join(err, group.Wait())
			}
			if bound := backends.TokenUpperBound(req.Messages); bound <= floor || requests == maxPromptsToCount {
				maxUncounted = max(maxUncounted, bound)
				continue // rows are ordered by the length of their lines, not of their prompts
			}
			requests++
			group.Go(func() (err error) {
				tokens[i], err = j.CountTokens(groupCtx, req)
				return err
			})
		}
		err := group.Wait()
		if err != nil || ctx.Err() != nil {
			return bytes, cmp.Or(err, ctx.Err())
		}
		longest.Tokens = max(longest.Tokens, slices.Max(tokens))
	}
	if maxUncounted > longest.Tokens {
		longest.CountMethod = fmt.Sprintf("of the %d longest in bytes, counted by the server", requests)
	}
	return longest, nil
}

// longestFirstRequest returns the request that begins the judgment with the longest prompt, in bytes, among the
// presentations of the item in a row.
func (j *RunJob) longestFirstRequest(row int) (backends.Request, error) {
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
	return j.request(FirstTurnMessages(longest, j.Manifest.Spec.Parameters.SystemTextRole), nil, 0), nil
}

// bytes returns the length of the prompt's first messages.
func (p Prompt) bytes() int { return len(p.System) + len(p.User) }

// MaxFirstTurnBytes returns the most bytes that a first turn of the set can take. For pairs the set knows them. For
// other shapes every prompt is rendered, since the text around an item depends on the item. Unreadable items are
// skipped; the run reports them.
func MaxFirstTurnBytes(p Asker, set *datasets.Set) int {
	longest := 0
	for i := range set.Len() {
		item, err := set.Item(i)
		if err != nil {
			continue
		}
		if item.Shape == datasets.ShapePair && item.Answered == nil {
			item.Question, item.Candidates = "", make([]datasets.Candidate, 2)
			return p.Prompt(item, p.Presentations(item)[0]).bytes() + set.LongestItemBytes
		}
		for _, s := range p.Presentations(item) {
			longest = max(longest, p.Prompt(item, s).bytes())
		}
	}
	return longest
}

// SizeContext returns the context, in tokens, that a run needs on a server that must be told (Ollama): room for the
// longest prompt, and for a full reply in every attempt. A token has at least one byte, so the prompt's bytes are an
// upper bound without a tokenizer; 256 more are for the chat template. The result is rounded up, so that small changes
// do not make the server load the model again. It is at most the context that the model was trained for, if known.
func SizeContext(promptBytes, maxTokens, attempts, trained int) int {
	n := promptBytes + 256 + attempts*(maxTokens+followUpMaxTokens)
	n = (n + 2047) / 2048 * 2048
	if trained > 0 {
		n = min(n, trained)
	}
	return n
}

const (
	followUpMaxTokens = 32 // most tokens of a turn that asks for another reply
	// minReply is the least room for a reply, in tokens, even if the longest prompts then no longer fit; in a small
	// context a quarter of it.
	minReply = 512
)

// FitReply returns the longest reply, in tokens, for which a server's context has room next to the longest prompt, in
// every attempt. It inverts SizeContext.
func FitReply(prompt, context, attempts int) int {
	return max(1, (context-prompt)/attempts-followUpMaxTokens, min(minReply, context/4))
}
