package scoring

import "math"

// Ledger returns what the run cost: requests, tokens and time. It is nil if no server was asked or reported any usage.
func (run *Run) Ledger() *Ledger { return run.ledger(run.sheet(0)) }

// ledger returns what the run cost, as [Run.Ledger] does. It computes it once, because IdealTokens needs all items. The
// sheet tells how many items are right.
func (run *Run) ledger(sheet *Sheet) *Ledger {
	a := &run.account
	if run.calledNoServer() || a.PromptTokens+a.GeneratedTokens+len(a.timeSpans) == 0 || a.cachedLedger != nil {
		return a.cachedLedger
	}
	l := a.Ledger
	l.Seconds = *RoundFraction(a.seconds())
	if l.CachedTokens != nil && l.PromptTokens > 0 && run.folder != "" {
		if share, err := a.sent.IdealUncachedShare(run.Manifest, run.folder); err == nil {
			l.IdealTokens = new(int(math.Round(share * float64(l.PromptTokens))))
		}
	}
	for _, n := range run.Manifest.AuxiliaryRequestCounts {
		l.NonJudgmentRequests += n
	}
	l.right = sheet.rightItemCount()
	l.ComputeDerivedFields(MachineRates{})
	a.cachedLedger = &l
	return a.cachedLedger
}
