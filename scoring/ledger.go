package scoring

import (
	"cmp"
	"fmt"
)

// Ledger holds what a run cost: its requests to servers and their usage. Replies from gavel's own cache were paid for
// by another run and are counted apart; failed tries are not counted. Simulated and imported runs have no ledger.
type Ledger struct {
	Calls         int `json:"calls"`         // requests that servers answered
	CachedReplies int `json:"remembered"`    // replies from gavel's own cache
	PromptTokens  int `json:"prompt_tokens"` // of the calls
	// part of `prompt_tokens` that servers took from their prompt caches; left out if none reports it
	CachedTokens *int `json:"cached_tokens,omitempty"`
	// part of `prompt_tokens` that a server with an unlimited prompt cache would read, estimated by bytes
	IdealTokens *int    `json:"ideal_tokens,omitempty"`
	ReplyTokens int     `json:"reply_tokens"` // generated, in the calls
	Seconds     float64 `json:"seconds"`      // time in which at least one judgment was running
	// total of the run's `requests_beside`, over all pages
	ExtraRequests int `json:"requests_beside,omitempty"`
	DecidedItems  int `json:"decided_items"` // items whose every judgment is decided
	// of the first repetition, cached replies included: what the judge needs, whoever paid
	GeneratedTokens int `json:"generated_tokens"`
	// thinking, part of `generated_tokens`: as servers report, else by the bytes of thinking and text; left out without
	// any
	ThoughtTokens *int `json:"thought_tokens,omitempty"`
	// `thought_tokens` per judgment with a verdict
	ThoughtEach *float64 `json:"thought_per_verdict,omitempty"`
	// items right by the headline per 1,000 `generated_tokens`
	PerThousand *float64 `json:"right_per_1000_tokens,omitempty"`
	// with `--watts`: energy over `seconds`
	Joules *float64 `json:"joules,omitempty"`
	// with `--price-per-hour`: price of `seconds`, in the same currency
	Price *float64 `json:"price,omitempty"`
	// the above divided by `decided_items`
	PerItem *PerItem `json:"per_decided_item,omitempty"`

	verdicts int // judgments of the first repetition with a verdict

	right *float64 // items right by the headline; nil if the headline is not a share
}

// PerItem holds the cost per decided item.
type PerItem struct {
	Calls       float64  `json:"calls"`            // requests
	ReadTokens  float64  `json:"read_tokens"`      // `prompt_tokens` without `cached_tokens`
	ReplyTokens float64  `json:"reply_tokens"`     // generated
	Seconds     float64  `json:"seconds"`          // time in which at least one judgment was running
	Joules      *float64 `json:"joules,omitempty"` // with `--watts`
	Price       *float64 `json:"price,omitempty"`  // with `--price-per-hour`
}

// Rates holds the hourly cost of the machine that runs the judge; 0 for rates that are not given.
type Rates struct{ Watts, PricePerHour float64 }

// Check returns an error that names the flag of an impossible rate.
func (r Rates) Check() error {
	for flag, v := range map[string]float64{"--watts": r.Watts, "--price-per-hour": r.PricePerHour} {
		if !(v >= 0 && v < 1e9) {
			return fmt.Errorf("%s %v: a number above 0 is expected", flag, v)
		}
	}
	return nil
}

// ApplyRates sets the fields that are computed from others: energy and price, the cost per decided item, and the tokens
// per verdict.
func (l *Ledger) ApplyRates(r Rates) {
	if l == nil {
		return
	}
	l.PerThousand = perThousand(l.right, l.GeneratedTokens)
	if l.ThoughtTokens != nil && l.verdicts > 0 {
		l.ThoughtEach = Fraction(float64(*l.ThoughtTokens) / float64(l.verdicts))
	}
	n := float64(l.DecidedItems)
	perItem := func(v float64) float64 { return *Fraction(v / n) }
	if n > 0 && l.Calls > 0 {
		l.PerItem = &PerItem{
			Calls:       perItem(float64(l.Calls)),
			ReadTokens:  perItem(float64(l.ReadTokens())),
			ReplyTokens: perItem(float64(l.ReplyTokens)),
			Seconds:     perItem(l.Seconds),
		}
	}
	addRate := func(rate float64, whole, item **float64) {
		if rate > 0 {
			*whole = Fraction(rate * l.Seconds)
			if l.PerItem != nil {
				*item = new(perItem(rate * l.Seconds))
			}
		}
	}
	var none PerItem
	target := cmp.Or(l.PerItem, &none)
	addRate(r.Watts, &l.Joules, &target.Joules)
	addRate(r.PricePerHour/3600, &l.Price, &target.Price)
}

// ReadTokens returns the prompt tokens that servers did not take from their prompt caches, as far as they report it.
func (l *Ledger) ReadTokens() int {
	if l.CachedTokens == nil {
		return l.PromptTokens
	}
	return l.PromptTokens - *l.CachedTokens
}

// Sum returns the total cost of several runs; nil without any. It has no IdealTokens, because prompts of different runs
// may share beginnings.
func Sum(ledgers []*Ledger) *Ledger {
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
		sum.ExtraRequests += l.ExtraRequests
		sum.Seconds = *Fraction(sum.Seconds + l.Seconds)
		sum.DecidedItems += l.DecidedItems
		sum.GeneratedTokens += l.GeneratedTokens
		sum.verdicts += l.verdicts
		sum.ThoughtTokens = addKnown(sum.ThoughtTokens, l.ThoughtTokens)
		sum.CachedTokens = addKnown(sum.CachedTokens, l.CachedTokens)
		sum.right = addKnown(sum.right, l.right)
	}
	sum.ApplyRates(Rates{})
	return sum
}

// addKnown returns the sum of two numbers that may be unknown; nil if both are.
func addKnown[N int | float64](a, b *N) *N {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	return new(*a + *b)
}

// perThousand returns the number of right items per 1,000 generated tokens; nil if either is unknown.
func perThousand(right *float64, tokens int) *float64 {
	if right == nil || tokens == 0 {
		return nil
	}
	return Fraction(1000 * *right / float64(tokens))
}
