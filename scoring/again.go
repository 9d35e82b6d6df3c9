package scoring

import (
	"fmt"

	"gavel/judging"
)

// again is what a run that asks more than once has beside its first time: a scorer of each time, which is given only
// what was answered, so that a unit is scored there only where all of it was; and what each prompt came to.
type again struct {
	times  []Scorer
	items  map[string]*itemPrompts
	ids    map[string]string // the prompt that a reply answered, by the reply's ID
	copies int               // replies that are another's to the same prompt
	shared bool              // replies to different prompts have one ID: it tells nothing
}

// itemPrompts has what the prompts of an item came to, by presentation.
type itemPrompts struct {
	unit string
	each []promptVerdicts
}

// promptVerdicts has what a prompt came to, every time that it was asked.
type promptVerdicts struct {
	first    judging.Verdict
	answered int
	differs  bool // not the same every time
	verdict  bool // some time it got one
}

func newAgain(times int, scorer func() Scorer) *again {
	a := &again{times: make([]Scorer, times), items: map[string]*itemPrompts{}, ids: map[string]string{}}
	for k := range a.times {
		a.times[k] = scorer()
	}
	return a
}

// add takes a judgment of any time, and keeps what was answered. It reports false for a repetition that was taken
// before, or that is none of the run's.
func (a *again) add(r *judging.Record, v judging.Verdict) (added bool, err error) {
	if a == nil || v.Outcome == judging.Failed {
		return true, nil
	}
	if r.Repetition >= len(a.times) {
		return false, nil
	}
	added, err = a.times[r.Repetition].Add(r, v)
	if err != nil || !added {
		return r.Repetition == 0, err
	}
	for turn, reply := range r.Replies {
		prompt := fmt.Sprint(r.Item, r.Presentation, turn)
		was, seen := a.ids[reply.ID]
		switch {
		case reply.ID == "":
		case !seen:
			a.ids[reply.ID] = prompt
		case was == prompt:
			a.copies++
		default:
			a.shared = true
		}
	}
	p := a.items[r.Item]
	if p == nil {
		p = &itemPrompts{unit: r.Unit()}
		a.items[r.Item] = p
	}
	for len(p.each) < max(r.Presentations, r.Presentation+1) {
		p.each = append(p.each, promptVerdicts{})
	}
	is := &p.each[r.Presentation]
	if is.answered++; is.answered == 1 {
		is.first = v
	}
	is.differs = is.differs || !v.Same(is.first)
	is.verdict = is.verdict || v.Outcome.Verdict()
	return true, nil
}
