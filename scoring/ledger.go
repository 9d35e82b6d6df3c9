package scoring

import (
	"cmp"
	"fmt"
)

// Ledger holds what a run cost: its requests to servers and their usage. Replies from gavel's own cache were paid for
// by another run and are counted apart; failed tries are not counted. Simulated and imported runs have no ledger.
type Ledger struct {
	Calls         int `json:"calls"`         // requests of judgments that servers answered
	CachedReplies int `json:"remembered"`    // replies from gavel's own cache, which took no request
	PromptTokens  int `json:"prompt_tokens"` // tokens of the prompts in `calls`
	// part of `prompt_tokens` that servers took from their prompt caches; left out if none reports it
	CachedTokens *int `json:"cached_tokens,omitempty"`
	// part of `prompt_tokens` that a server would still have to process if its prompt cache forgot nothing, estimated by
	// bytes
	IdealTokens *int    `json:"ideal_tokens,omitempty"`
	ReplyTokens int     `json:"reply_tokens"` // tokens of the replies in `calls`, thinking included
	Seconds     float64 `json:"seconds"`      // seconds in which at least one judgment was running
	// other requests of the run than those of judgments: total of `requests_beside` in the manifest
	NonJudgmentRequests int `json:"requests_beside,omitempty"`
	DecidedItems        int `json:"decided_items"` // items whose every judgment names a response
	// tokens of the replies of the first repetition, also of those from gavel's cache: what the judge needs, whoever paid
	GeneratedTokens int `json:"generated_tokens"`
	// part of `generated_tokens` spent on thinking: as servers report, else by the bytes of thinking and text; left out
	// if there is none
	ThoughtTokens *int `json:"thought_tokens,omitempty"`
	// `thought_tokens` per judgment with a verdict
	ThoughtTokensPerVerdict *float64 `json:"thought_per_verdict,omitempty"`
	// items right by the headline metric per 1,000 `generated_tokens`
	RightPerThousandTokens *float64 `json:"right_per_1000_tokens,omitempty"`
	// with `--watts`: energy in joules over `seconds`
	Joules *float64 `json:"joules,omitempty"`
	// with `--price-per-hour`: price of `seconds`, in the currency of that flag
	Price *float64 `json:"price,omitempty"`
	// requests, tokens, time, energy and price, each divided by `decided_items`
	PerItem *CostPerItem `json:"per_decided_item,omitempty"`

	verdicts int // judgments of the first repetition with a verdict

	right *float64 // items right by the headline metric; nil if that is not a share
}

// CostPerItem holds what a run cost per decided item, an item whose every judgment names a response.
type CostPerItem struct {
	Calls float64 `json:"calls"` // requests per decided item
	// prompt tokens that were not in a server's prompt cache, per decided item
	ReadTokens  float64  `json:"read_tokens"`
	ReplyTokens float64  `json:"reply_tokens"`     // tokens of the replies, per decided item
	Seconds     float64  `json:"seconds"`          // seconds in which at least one judgment was running, per decided item
	Joules      *float64 `json:"joules,omitempty"` // with `--watts`: joules per decided item
	Price       *float64 `json:"price,omitempty"`  // with `--price-per-hour`: price per decided item
}

// MachineRates holds the power, in watts, and the price per hour of the machine that runs the judge; 0 if not given.
type MachineRates struct{ Watts, PricePerHour float64 }

// Check returns an error, which names the flag, for a rate below 0 or too large.
func (r MachineRates) Check() error {
	for flag, v := range map[string]float64{"--watts": r.Watts, "--price-per-hour": r.PricePerHour} {
		if !(v >= 0 && v < 1e9) {
			return fmt.Errorf("%s %v: a number above 0 is expected", flag, v)
		}
	}
	return nil
}

// ComputeDerivedFields sets the fields that are computed from others: energy and price by the rates, the cost per
// decided item, thinking tokens per verdict, and right items per 1,000 tokens.
func (l *Ledger) ComputeDerivedFields(r MachineRates) {
	if l == nil {
		return
	}
	l.RightPerThousandTokens = rightPerThousandTokens(l.right, l.GeneratedTokens)
	if l.ThoughtTokens != nil && l.verdicts > 0 {
		l.ThoughtTokensPerVerdict = RoundFraction(float64(*l.ThoughtTokens) / float64(l.verdicts))
	}
	n := float64(l.DecidedItems)
	perItem := func(v float64) float64 { return *RoundFraction(v / n) }
	if n > 0 && l.Calls > 0 {
		l.PerItem = &CostPerItem{
			Calls:       perItem(float64(l.Calls)),
			ReadTokens:  perItem(float64(l.ReadTokens())),
			ReplyTokens: perItem(float64(l.ReplyTokens)),
			Seconds:     perItem(l.Seconds),
		}
	}
	addRate := func(rate float64, whole, item **float64) {
		if rate > 0 {
			*whole = RoundFraction(rate * l.Seconds)
			if l.PerItem != nil {
				*item = new(perItem(rate * l.Seconds))
			}
		}
	}
	var none CostPerItem
	target := cmp.Or(l.PerItem, &none)
	addRate(r.Watts, &l.Joules, &target.Joules)
	addRate(r.PricePerHour/3600, &l.Price, &target.Price)
}

// ReadTokens returns the number of prompt tokens that servers did not take from their prompt caches; all of them if no
// server reports it.
func (l *Ledger) ReadTokens() int {
	if l.CachedTokens == nil {
		return l.PromptTokens
	}
	return l.PromptTokens - *l.CachedTokens
}

// SumLedgers returns the total cost of several runs; nil if all ledgers are nil. It has no IdealTokens, because prompts
// of different runs may share beginnings.
func SumLedgers(ledgers []*Ledger) *Ledger {
	var sum *Ledger
	for _, l := range ledgers {
		if l == nil {
			continue
		}
		sum = cmp.Or(sum, &Ledger{})
		sum.Calls += l.Calls
		sum.CachedReplies += l.CachedReplies
		sum.PromptTokens += l.PromptTokens
		sum.ReplyTokens += l.ReplyTokens
		sum.NonJudgmentRequests += l.NonJudgmentRequests
		sum.Seconds = *RoundFraction(sum.Seconds + l.Seconds)
		sum.DecidedItems += l.DecidedItems
		sum.GeneratedTokens += l.GeneratedTokens
		sum.verdicts += l.verdicts
		sum.ThoughtTokens = addKnown(sum.ThoughtTokens, l.ThoughtTokens)
		sum.CachedTokens = addKnown(sum.CachedTokens, l.CachedTokens)
		sum.right = addKnown(sum.right, l.right)
	}
	sum.ComputeDerivedFields(MachineRates{})
	return sum
}

// addKnown returns the sum of two numbers, either of which may be unknown (nil); nil if both are.
func addKnown[N int | float64](a, b *N) *N {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	return new(*a + *b)
}

// rightPerThousandTokens returns the right items per 1,000 generated tokens; nil if right is nil or tokens is 0.
func rightPerThousandTokens(right *float64, tokens int) *float64 {
	if right == nil || tokens == 0 {
		return nil
	}
	return RoundFraction(1000 * *right / float64(tokens))
}
