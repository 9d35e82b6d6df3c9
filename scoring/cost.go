package scoring

import "math"

// Ledger of the run; nil where nothing was asked of a server, or nobody tells what it took.
func (run *Run) Ledger() *Ledger { return run.ledger(run.sheet(0)) }

// ledger returns the ledger, which is made once: to find its ideal takes reading all items.
func (run *Run) ledger(sheet *Sheet) *Ledger {
	a := &run.account
	if run.unpaid() || a.PromptTokens+a.GeneratedTokens+len(a.spans) == 0 || a.made != nil {
		return a.made
	}
	l := a.Ledger
	l.Seconds = *Fraction(a.seconds())
	if l.CachedTokens != nil && l.PromptTokens > 0 && run.folder != "" {
		if share, err := a.sent.Tree(run.Manifest, run.folder); err == nil {
			l.IdealTokens = new(int(math.Round(share * float64(l.PromptTokens))))
		}
	}
	for _, n := range run.Manifest.Beside {
		l.Beside += n
	}
	l.right = sheet.right()
	l.At(Rates{})
	a.made = &l
	return a.made
}
