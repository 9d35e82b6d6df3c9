package scoring

import (
	"cmp"
	"math"
	"slices"

	"gavel/judging"
)

// account collects from a run's records what its ledger needs: requests, tokens and times.
type account struct {
	Ledger
	sent judging.SentTraffic // prompts sent to servers, for the estimate of IdealTokens
	// start and end of judgments, in Unix milliseconds; a span that overlaps the one added before is
	// merged with it
	timeSpans [][2]float64
	// by item id: its decided judgments so far in the first repetition; an item is removed once all are decided
	decidedByItem map[string]int
	cachedLedger  *Ledger // result of [Run.ledger]; nil until computed
}

// add counts the requests, tokens and time of a record. v is the record's verdict.
func (a *account) add(r *judging.Record, v judging.Verdict) {
	if r.Repetition == 0 && v.Outcome == judging.Decided {
		if a.decidedByItem == nil {
			a.decidedByItem = map[string]int{}
		}
		a.decidedByItem[r.Item]++
		if a.decidedByItem[r.Item] == r.Presentations {
			a.DecidedItems++
			delete(a.decidedByItem, r.Item)
		}
	}
	if r.Repetition == 0 && v.Outcome.IsVerdict() {
		a.verdicts++
	}
	duration := 0.0
	for i, reply := range slices.Concat(r.Replies, r.ExtraReplies) {
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
		if n := len(a.timeSpans) - 1; n >= 0 && span[0] <= a.timeSpans[n][1] && a.timeSpans[n][0] <= span[1] {
			span[0] = min(span[0], a.timeSpans[n][0])
			span[1] = max(span[1], a.timeSpans[n][1])
			a.timeSpans = a.timeSpans[:n]
		}
		a.timeSpans = append(a.timeSpans, span)
	}
	a.sent.Add(r)
}

// thinkingTokens returns the number of a reply's tokens spent on thinking: as the server reports, or else in proportion
// to the bytes of thinking and text.
func thinkingTokens(r judging.Reply) int {
	if r.ThinkTokens > 0 || r.Thinking == "" {
		return r.ThinkTokens
	}
	return int(math.Round(float64(r.ReplyTokens) * float64(len(r.Thinking)) / float64(len(r.Thinking)+len(r.Text))))
}

// seconds returns the time, in seconds, in which at least one judgment was running.
func (a *account) seconds() float64 {
	slices.SortFunc(a.timeSpans, func(x, y [2]float64) int { return cmp.Compare(x[0], y[0]) })
	sum, end := 0.0, math.Inf(-1)
	for _, s := range a.timeSpans {
		sum += max(0, s[1]-max(s[0], end))
		end = max(end, s[1])
	}
	return sum / 1000
}
