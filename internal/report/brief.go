package report

import (
	"cmp"
	"fmt"
	"time"

	"github.com/dustin/go-humanize"

	"gavel/internal/phrases"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// JudgeQuestion returns the question that a run asks its judge, in words such as "which is better".
func JudgeQuestion(r scoring.Report) string {
	if r.LabelsArePreferences {
		return "which is preferred"
	}
	return cmp.Or(layoutOf(r.Protocol).RunQuestion, "which is "+r.Goal)
}

// itemsText returns the number of items of a run in words: "350 pairs", or "120 of 350 pairs" if some are missing.
func itemsText(r scoring.Report) string {
	item := layoutOf(r.Protocol).ItemNoun
	if r.Items < r.Expected {
		return fmt.Sprintf("%d of %s", r.Items, table.CountWithNoun(r.Expected, item))
	}
	return table.CountWithNoun(r.Items, item)
}

// costText returns a line with the calls, tokens, time, energy and price of a run, as far as its servers report them;
// "" if l, the account of its costs, is nil.
func costText(l *scoring.Ledger) string {
	if l == nil {
		return ""
	}
	verb := "read"
	if l.CachedTokens == nil { // the server does not say which it had in its prompt cache
		verb = "sent"
	}
	return dotted(
		textIf(l.Calls > 0, table.CountWithNoun(l.Calls, "call")),
		textIf(l.CachedReplies > 0, table.CountWithNoun(l.CachedReplies, "reply")+" from the cache"),
		textIf(l.PromptTokens+l.ReplyTokens > 0,
			fmt.Sprintf("%s tokens %s, %s written", tokensText(l.ReadTokens()), verb, tokensText(l.ReplyTokens))),
		textIf(l.Seconds >= 1, durationText(l.Seconds)),
		textIf(l.Joules != nil, table.Fixed(l.Joules, 0)+" J"),
		textIf(l.Price != nil, "price "+table.Fixed(l.Price, 2)),
	)
}

// tokensText returns a number of tokens in few digits, such as "12 k".
func tokensText(n int) string {
	switch {
	case n < 10_000:
		return humanize.Comma(int64(n))
	case n < 1_000_000:
		return fmt.Sprintf("%.0f k", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f M", float64(n)/1e6)
}

// durationText returns a time in words with few digits, such as "90 s" or "2.5 h".
func durationText(seconds float64) string {
	switch d := time.Duration(seconds * float64(time.Second)); {
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	default:
		return fmt.Sprintf("%.1f h", d.Hours())
	}
}

// tokenDetails returns lines on tokens that the table of costs does not show, as far as servers report them: prompt
// caches and thinking.
func tokenDetails(l *scoring.Ledger) (details []string) {
	number := func(n int) string { return humanize.Comma(int64(n)) }
	if l.CachedTokens != nil {
		details = append(details, phrases.Sentence("cost.prompt-cache",
			number(l.ReadTokens()), number(l.PromptTokens), number(*l.CachedTokens)))
		if l.IdealTokens != nil {
			details = append(details, phrases.Sentence("cost.ideal-cache", number(*l.IdealTokens)))
		}
	}
	if l.ThoughtTokens != nil {
		each := ""
		if l.ThoughtTokensPerVerdict != nil {
			each = phrases.Sentence("cost.thinking-each", table.Fixed(l.ThoughtTokensPerVerdict, 0))
		}
		details = append(details, phrases.Sentence("cost.thinking",
			number(*l.ThoughtTokens), number(l.GeneratedTokens), each))
	}
	if l.CachedReplies > 0 {
		details = append(details, phrases.Sentence("cost.cached", table.CountWithNoun(l.CachedReplies, "reply")))
	}
	if l.NonJudgmentRequests > 0 {
		details = append(details, phrases.Sentence("cost.extra", table.CountWithNoun(l.NonJudgmentRequests, "request")))
	}
	return details
}
