package scoring

import (
	"cmp"
	"fmt"
)

// Ledger is what a run cost: its requests to servers and what they counted. Replies from gavel's own cache were paid
// for by another run and are counted apart; tries that failed are not counted. Simulated and imported runs have none.
type Ledger struct {
	Calls        int `json:"calls"`         // requests that servers answered
	Remembered   int `json:"remembered"`    // replies from gavel's own cache
	PromptTokens int `json:"prompt_tokens"` // of the calls
	// of `prompt_tokens`, those that servers took from their prompt caches; left out where none tells
	CachedTokens *int `json:"cached_tokens,omitempty"`
	// of `prompt_tokens`, those that a server would read whose prompt cache forgets nothing, estimated by bytes
	IdealTokens *int    `json:"ideal_tokens,omitempty"`
	ReplyTokens int     `json:"reply_tokens"` // generated, in the calls
	Seconds     float64 `json:"seconds"`      // in which at least one judgment was being made
	// `requests_beside` of the run, all pages together
	Beside       int `json:"requests_beside,omitempty"`
	DecidedItems int `json:"decided_items"` // items whose every judgment has a decided verdict
	// of the judgments of the first time, remembered ones too: what the judge needs, whoever paid
	GeneratedTokens int `json:"generated_tokens"`
	// of `generated_tokens`, thinking: as servers tell, else by the bytes of thinking and text;
	// left out where none was seen
	ThoughtTokens *int `json:"thought_tokens,omitempty"`
	// of a judgment with a verdict, all `thought_tokens` divided
	ThoughtEach *float64 `json:"thought_per_verdict,omitempty"`
	// items right by the headline for 1,000 `generated_tokens`
	PerThousand *float64 `json:"right_per_1000_tokens,omitempty"`
	// with `--watts`: of `seconds`
	Joules *float64 `json:"joules,omitempty"`
	// with `--price-per-hour`: of `seconds`, in its currency
	Price *float64 `json:"price,omitempty"`
	// all that divided by `decided_items`
	Each *Each `json:"per_decided_item,omitempty"`

	verdicts int // judgments of the first time that have one

	right *float64 // items, by the headline; nil of protocols whose headline is no share
}

// Each is what a decided item cost.
type Each struct {
	Calls       float64  `json:"calls"`            // requests
	ReadTokens  float64  `json:"read_tokens"`      // `prompt_tokens` without `cached_tokens`
	ReplyTokens float64  `json:"reply_tokens"`     // generated
	Seconds     float64  `json:"seconds"`          // as above
	Joules      *float64 `json:"joules,omitempty"` // with `--watts`
	Price       *float64 `json:"price,omitempty"`  // with `--price-per-hour`
}

// Rates are what an hour of the machine that judges costs; 0 where that is not asked.
type Rates struct{ Watts, PricePerHour float64 }

// Check refuses what no machine costs; its error names the flag.
func (r Rates) Check() error {
	for flag, v := range map[string]float64{"--watts": r.Watts, "--price-per-hour": r.PricePerHour} {
		if !(v >= 0 && v < 1e9) {
			return fmt.Errorf("%s %v: a number above 0 is expected", flag, v)
		}
	}
	return nil
}

// At adds what the seconds come to, what a decided item does, and how much is right for what was written.
func (l *Ledger) At(r Rates) {
	if l == nil {
		return
	}
	l.PerThousand = perThousand(l.right, l.GeneratedTokens)
	if l.ThoughtTokens != nil && l.verdicts > 0 {
		l.ThoughtEach = Fraction(float64(*l.ThoughtTokens) / float64(l.verdicts))
	}
	n := float64(l.DecidedItems)
	each := func(v float64) float64 { return *Fraction(v / n) }
	if n > 0 && l.Calls > 0 {
		l.Each = &Each{
			Calls:       each(float64(l.Calls)),
			ReadTokens:  each(float64(l.ReadTokens())),
			ReplyTokens: each(float64(l.ReplyTokens)),
			Seconds:     each(l.Seconds),
		}
	}
	at := func(rate float64, whole, item **float64) {
		if rate > 0 {
			*whole = Fraction(rate * l.Seconds)
			if l.Each != nil {
				*item = new(each(rate * l.Seconds))
			}
		}
	}
	var none Each
	to := cmp.Or(l.Each, &none)
	at(r.Watts, &l.Joules, &to.Joules)
	at(r.PricePerHour/3600, &l.Price, &to.Price)
}

// ReadTokens are those of the prompts that servers did not take from their prompt caches, as far as they tell.
func (l *Ledger) ReadTokens() int {
	if l.CachedTokens == nil {
		return l.PromptTokens
	}
	return l.PromptTokens - *l.CachedTokens
}

// Sum is what several runs cost together; nil of none. Whether one server took them all for beginnings of each other
// nobody knows, so that it has no ideal.
func Sum(ledgers []*Ledger) *Ledger {
	var sum *Ledger
	for _, l := range ledgers {
		if l == nil {
			continue
		}
		sum = cmp.Or(sum, &Ledger{})
		sum.Calls += l.Calls
		sum.Remembered += l.Remembered
		sum.PromptTokens += l.PromptTokens
		sum.ReplyTokens += l.ReplyTokens
		sum.Beside += l.Beside
		sum.Seconds = *Fraction(sum.Seconds + l.Seconds)
		sum.DecidedItems += l.DecidedItems
		sum.GeneratedTokens += l.GeneratedTokens
		sum.verdicts += l.verdicts
		sum.ThoughtTokens = plus(sum.ThoughtTokens, l.ThoughtTokens)
		sum.CachedTokens = plus(sum.CachedTokens, l.CachedTokens)
		sum.right = plus(sum.right, l.right)
	}
	sum.At(Rates{})
	return sum
}

// plus is the sum of two numbers that may be unknown; nil where both are.
func plus[N int | float64](a, b *N) *N {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	return new(*a + *b)
}

// perThousand is how many items are right for 1,000 tokens that the judge generated; nil where nobody can tell.
func perThousand(right *float64, tokens int) *float64 {
	if right == nil || tokens == 0 {
		return nil
	}
	return Fraction(1000 * *right / float64(tokens))
}
