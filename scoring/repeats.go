package scoring

import (
	"fmt"

	"gavel/judging"
)

// repeats holds the repetitions of a run that asks every prompt several times: one scorer per repetition, and the
// verdicts of each prompt. The scorers get only answered judgments, so each scores the fully answered units.
type repeats struct {
	scorers []Scorer
	items   map[string]*itemPrompts
	prompts map[string]string // prompt answered by each reply, by the reply's ID
	copies  int               // replies that copy an earlier one to the same prompt
	shared  bool              // replies to different prompts share an ID, so IDs do not reveal copies
}

// itemPrompts holds the verdicts of an item's prompts, by presentation.
type itemPrompts struct {
	unit    string
	prompts []promptVerdicts
}

// promptVerdicts summarizes the verdicts of a prompt over all repetitions.
type promptVerdicts struct {
	first    judging.Verdict
	answered int
	differs  bool // not all verdicts are the same
	verdict  bool // at least one repetition has a verdict
}

func newRepeats(times int, scorer func() Scorer) *repeats {
	a := &repeats{scorers: make([]Scorer, times), items: map[string]*itemPrompts{}, prompts: map[string]string{}}
	for k := range a.scorers {
		a.scorers[k] = scorer()
	}
	return a
}

// add takes a judgment of any repetition and keeps answered ones. It returns false for a repetition that it has
// already, or that is beyond those of the run.
func (a *repeats) add(r *judging.Record, v judging.Verdict) (added bool, err error) {
	if a == nil || v.Outcome == judging.Failed {
		return true, nil
	}
	if r.Repetition >= len(a.scorers) {
		return false, nil
	}
	added, err = a.scorers[r.Repetition].Add(r, v)
	if err != nil || !added {
		return r.Repetition == 0, err
	}
	for turn, reply := range r.Replies {
		prompt := fmt.Sprint(r.Item, r.Presentation, turn)
		previous, ok := a.prompts[reply.ID]
		switch {
		case reply.ID == "":
		case !ok:
			a.prompts[reply.ID] = prompt
		case previous == prompt:
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
	for len(p.prompts) < max(r.Presentations, r.Presentation+1) {
		p.prompts = append(p.prompts, promptVerdicts{})
	}
	verdicts := &p.prompts[r.Presentation]
	if verdicts.answered++; verdicts.answered == 1 {
		verdicts.first = v
	}
	verdicts.differs = verdicts.differs || !v.Same(verdicts.first)
	verdicts.verdict = verdicts.verdict || v.Outcome.Verdict()
	return true, nil
}
