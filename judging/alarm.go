package judging

import (
	"fmt"
	"sync"
)

// Alarms looks at the judgments of a run as they come, and tells early, and once, what makes the rest of them a waste.
// It looks after [alarmAfter] of them, at twice as many, four times as many and so on; for replies that repeat
// themselves, which take the longest, after the first few.
type Alarms struct {
	mu        sync.Mutex
	n         int
	cut, lost int
	repeating int       // of those that were cut
	unheld    int       // of those that were cut; see [Record.Unheld]
	room      Unserved  // of those without a verdict
	Manifest  *Manifest // of the run; may be nil
	labels    map[string]int
	Said      string // what the last look told; "" where nothing is wrong any more

	told     map[string]bool // by what is wrong
	endLoops string
}

const (
	alarmAfter = 20
	alarmLoops = 3 // replies that repeat themselves
	// alarmFrom is the share, in percent, from which on it is told of judgments without a verdict and of one label;
	// replies that are cut are told of from half of it on.
	alarmFrom = 90
)

// Look takes a judgment, and gives what there is to tell: "" mostly. It may be called from many goroutines.
func (a *Alarms) Look(r *Record) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.Imported != nil || r.Outcome == Failed { // calls that fail end a run by themselves
		return ""
	}
	a.n++
	a.room.Add(a.Manifest, r, r.Outcome)
	switch r.Outcome {
	case Decided, Tie:
		if a.labels == nil {
			a.labels = map[string]int{}
		}
		a.labels[r.Label]++
	case Cut:
		a.cut++
		if r.Unheld() {
			a.unheld++
		} else if r.Repeats() {
			a.repeating++
			a.endLoops = r.EndLoops()
		}
		fallthrough
	default:
		a.lost++
	}
	scheduled := a.n%alarmAfter == 0 && a.n/alarmAfter&(a.n/alarmAfter-1) == 0
	if !scheduled && (a.told[looping] || !a.loops()) {
		return ""
	}
	var wrong string
	wrong, a.Said = a.alarm()
	if a.told[wrong] {
		return ""
	}
	if a.told == nil {
		a.told = map[string]bool{}
	}
	a.told[wrong] = a.Said != ""
	return a.Said
}

// loops tells whether enough replies repeat themselves to be told of.
func (a *Alarms) loops() bool { return a.repeating >= alarmLoops && 200*a.repeating >= alarmFrom*a.n }

// looping is what is wrong with replies that repeat themselves.
const looping = "loops"

// alarm is what is wrong, in a word and in a line; "" where nothing is.
func (a *Alarms) alarm() (wrong, text string) {
	if a.loops() {
		const line = "alarm: %d of %d replies repeat themselves until they are cut: %s"
		return looping, fmt.Sprintf(line, a.repeating, a.n, a.endLoops)
	}
	if n := a.room.All(); 100*n >= alarmFrom*a.n && 2*(n-a.room.Refused) > n {
		return "room", fmt.Sprintf("alarm: %d of %d judgments have no verdict (%s): %s", n, a.n, a.room, moreRoom)
	}
	if 200*a.unheld >= alarmFrom*a.n {
		const line = "alarm: %d of %d replies run on past the labels: the server ignores --constrain, so leave it out"
		return "unheld", fmt.Sprintf(line, a.unheld, a.n)
	}
	if 200*a.cut >= alarmFrom*a.n {
		return "cut", fmt.Sprintf("alarm: %d of %d replies were cut at the token limit: "+
			"raise --max-tokens, or choose a prompt that asks for less", a.cut, a.n)
	}
	if 100*a.lost >= alarmFrom*a.n {
		return "silent", fmt.Sprintf("alarm: %d of %d replies have no verdict: "+
			"read one of them, and try --constrain or another prompt", a.lost, a.n)
	}
	for label, n := range a.labels {
		if label != "" && n >= alarmAfter/2 && 100*n >= alarmFrom*(a.n-a.lost) {
			return "one label", fmt.Sprintf("alarm: %d of %d verdicts are %q: "+
				"the judge may go by the position or the prompt and not by what it reads", n, a.n-a.lost, label)
		}
	}
	return "", ""
}
