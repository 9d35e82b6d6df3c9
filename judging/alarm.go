package judging

import (
	"fmt"
	"strings"
	"sync"
)

// Alarms watches the judgments of a run and warns once, early, of a problem that would waste the rest. It checks after
// [alarmAfter] judgments, then after twice as many, four times as many and so on. Replies that repeat themselves take
// the longest, so it warns of them after the first few.
type Alarms struct {
	mu                   sync.Mutex
	n                    int            // judgments counted
	truncated, noVerdict int            // judgments with a truncated reply; judgments without a verdict, truncated or not
	repetitiveReplies    int            // truncated replies that repeat themselves
	unconstrained        int            // truncated replies that ignore the labels; see [Record.IgnoresConstraint]
	unserved             Unserved       // judgments without a verdict by no fault of the judge
	Manifest             *Manifest      // of the run; may be nil
	verdictsByLabel      map[string]int // verdicts by label
	Message              string         // the warning that the latest check found reason for; "" for none

	reportedKinds map[string]bool // true for each kind of warning that Look has returned; see alarm
	loopAdvice    string          // advice against the latest reply that repeats itself
}

const (
	alarmAfter = 20 // judgments before Alarms checks for the first time
	alarmLoops = 3  // least replies that repeat themselves before Alarms warns of them
	// alarmPercent is the percentage of judgments without a verdict, or with the same label, at which Alarms warns.
	// For truncated replies half of it is enough.
	alarmPercent = 90
)

// Observe counts the judgment of a record. It returns a warning the first time that a check finds reason for one of its
// kind, or else "". It may be called from several goroutines.
func (a *Alarms) Observe(r *Record) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.Imported != nil || r.Outcome == Failed { // calls that fail end a run by themselves
		return ""
	}
	a.n++
	a.unserved.Add(a.Manifest, r, r.Outcome)
	switch r.Outcome {
	case Decided, Tie:
		if a.verdictsByLabel == nil {
			a.verdictsByLabel = map[string]int{}
		}
		if !strings.HasPrefix(r.Agent, "option ") { // most options are wrong
			a.verdictsByLabel[r.Label]++
		}
	case Truncated:
		a.truncated++
		if r.IgnoresConstraint() {
			a.unconstrained++
		} else if r.EndsInLoop() {
			a.repetitiveReplies++
			a.loopAdvice = r.LoopAdvice()
		}
		fallthrough
	default:
		a.noVerdict++
	}
	scheduled := a.n%alarmAfter == 0 && a.n/alarmAfter&(a.n/alarmAfter-1) == 0
	if !scheduled && (a.reportedKinds[loopAlarmKind] || !a.tooManyLoops()) {
		return ""
	}
	var kind string
	kind, a.Message = a.firstWarning()
	if a.reportedKinds[kind] {
		return ""
	}
	if a.reportedKinds == nil {
		a.reportedKinds = map[string]bool{}
	}
	a.reportedKinds[kind] = a.Message != ""
	return a.Message
}

// tooManyLoops reports whether enough replies repeat themselves to warn: alarmLoops of them, and half of alarmPercent.
func (a *Alarms) tooManyLoops() bool {
	return a.repetitiveReplies >= alarmLoops && 200*a.repetitiveReplies >= alarmPercent*a.n
}

// loopAlarmKind names the kind of warning about replies that repeat themselves.
const loopAlarmKind = "loops"

// firstWarning returns the kind and the text of the first warning that the counts call for, or two empty strings.
func (a *Alarms) firstWarning() (kind, text string) {
	if a.tooManyLoops() {
		return loopAlarmKind, fmt.Sprintf("alarm: %d of %d replies repeat themselves until they are cut: %s",
			a.repetitiveReplies, a.n, a.loopAdvice)
	}
	if n := a.unserved.Total(); 100*n >= alarmPercent*a.n && 2*(n-a.unserved.Refused) > n {
		return "room", fmt.Sprintf("alarm: %d of %d judgments have no verdict (%s): %s", n, a.n, a.unserved, contextAdvice)
	}
	if 200*a.unconstrained >= alarmPercent*a.n {
		return "unheld", fmt.Sprintf("alarm: %d of %d replies run on past the labels: "+
			"the server ignores --constrain, so leave it out", a.unconstrained, a.n)
	}
	if 200*a.truncated >= alarmPercent*a.n {
		return "cut", fmt.Sprintf("alarm: %d of %d replies were cut at the token limit: "+
			"raise --max-tokens, or choose a prompt that asks for less", a.truncated, a.n)
	}
	if 100*a.noVerdict >= alarmPercent*a.n {
		return "silent", fmt.Sprintf("alarm: %d of %d replies have no verdict: "+
			"read one of them, and try --constrain or another prompt", a.noVerdict, a.n)
	}
	for label, n := range a.verdictsByLabel {
		if label != "" && n >= alarmAfter/2 && 100*n >= alarmPercent*(a.n-a.noVerdict) {
			return "one label", fmt.Sprintf("alarm: %d of %d verdicts are %q: "+
				"the judge may go by the position or the prompt and not by what it reads", n, a.n-a.noVerdict, label)
		}
	}
	return "", ""
}
