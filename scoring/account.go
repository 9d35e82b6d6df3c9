package scoring

import (
	"cmp"
	"math"
	"slices"

	"gavel/judging"
)

// account collects what a ledger needs from the records of a run.
type account struct {
	Ledger
	sent         judging.Sent
	spans        [][2]float64   // when judgments ran, in milliseconds; consecutive overlapping spans are merged
	decided      map[string]int // per unfinished item: decided judgments so far
	cachedLedger *Ledger
}

// add takes a record with its verdict.
func (a *account) add(r *judging.Record, v judging.Verdict) {
	if r.Repetition == 0 && v.Outcome == judging.Decided {
		if a.decided == nil {
			a.decided = map[string]int{}
		}
		a.decided[r.Item]++
		if a.decided[r.Item] == r.Presentations {
			a.DecidedItems++
			delete(a.decided, r.Item)
		}
	}
	if r.Repetition == 0 && v.Outcome.Verdict() {
		a.verdicts++
	}
	duration := 0.0
	for i, reply := range slices.Concat(r.Replies, r.Asides) {
		if reply.NotSent() {
			continue
		}
		if r.Repetition == 0 && i < len(r.Replies) {
			a.GeneratedTokens += reply.ReplyTokens
			if n := thinkingTokens(reply); n > 0 {
				a.ThoughtTokens = addKnown(a.ThoughtTokens, &n)
			}
		}
		if reply.Cached {
			a.CachedReplies++
			continue
		}
		a.Calls++
		a.PromptTokens += reply.PromptTokens
		a.ReplyTokens += reply.ReplyTokens
		duration += reply.Milliseconds
		a.CachedTokens = addKnown(a.CachedTokens, reply.CachedTokens)
	}
	if duration > 0 {
		start := float64(r.At.UnixMilli())
		span := [2]float64{start, start + duration}
		if n := len(a.spans) - 1; n >= 0 && span[0] <= a.spans[n][1] && a.spans[n][0] <= span[1] {
			span[0] = min(span[0], a.spans[n][0])
			span[1] = max(span[1], a.spans[n][1])
			a.spans = a.spans[:n]
		}
		a.spans = append(a.spans, span)
	}
	a.sent.Add(r)
}

// thinkingTokens returns the thinking tokens of a reply: as the server reports, else in proportion to the bytes.
func thinkingTokens(r judging.Reply) int {
	if r.ThinkTokens > 0 || r.Thinking == "" {
		return r.ThinkTokens
	}
	return int(math.Round(float64(r.ReplyTokens) * float64(len(r.Thinking)) / float64(len(r.Thinking)+len(r.Text))))
}

// seconds returns the total length of the spans, counting overlaps once.
func (a *account) seconds() float64 {
	slices.SortFunc(a.spans, func(x, y [2]float64) int { return cmp.Compare(x[0], y[0]) })
	sum, end := 0.0, math.Inf(-1)
	for _, s := range a.spans {
		sum += max(0, s[1]-max(s[0], end))
		end = max(end, s[1])
	}
	return sum / 1000
}
