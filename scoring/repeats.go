package scoring

import (
	"fmt"

	"gavel/judging"
)

// repeats holds the repetitions of a run that asks every prompt several times: one scorer for each repetition, and the
// verdicts of each prompt. The scorers get only judgments without a failed call, so each scores the units that were
// fully answered in its repetition.
type repeats struct {
	scorers           []Scorer                       // one scorer for each repetition
	items             map[string]*itemPromptVerdicts // verdicts by item id
	promptByReplyID   map[string]string              // by reply ID: the prompt that the reply answers
	copies            int                            // replies that a proxy sent again: same ID, same prompt
	hasSharedReplyIDs bool                           // different prompts share an ID, so IDs reveal no copies
}

// itemPromptVerdicts holds the verdicts of an item's prompts, by presentation.
type itemPromptVerdicts struct {
	unit    string           // id of the item's unit for resampling
	prompts []promptVerdicts // by presentation, the order in which the item is shown
}

// promptVerdicts summarizes the verdicts of a prompt over all repetitions.
type promptVerdicts struct {
	firstVerdict judging.Verdict // the first verdict that was added
	answered     int             // repetitions in which the call did not fail
	differs      bool            // not all verdicts are the same
	hasVerdict   bool            // at least one repetition has a verdict
}

// newRepeats returns the repeats of a run that asks every prompt so many times; scorer makes the scorer of a
// repetition.
func newRepeats(times int, scorer func() Scorer) *repeats {
	a := &repeats{
		scorers:         make([]Scorer, times),
		items:           map[string]*itemPromptVerdicts{},
		promptByReplyID: map[string]string{},
	}
	for k := range a.scorers {
		a.scorers[k] = scorer()
	}
	return a
}

// add takes a judgment of any repetition with its verdict and keeps it unless its call failed. It returns false for a
// judgment that it has already, or whose repetition is beyond those of the run.
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
		previous, ok := a.promptByReplyID[reply.ID]
		switch {
		case reply.ID == "":
		case !ok:
			a.promptByReplyID[reply.ID] = prompt
		case previous == prompt:
			a.copies++
		default:
			a.hasSharedReplyIDs = true
		}
	}
	p := a.items[r.Item]
	if p == nil {
		p = &itemPromptVerdicts{unit: r.ResamplingUnit()}
		a.items[r.Item] = p
	}
	for len(p.prompts) < max(r.Presentations, r.Presentation+1) {
		p.prompts = append(p.prompts, promptVerdicts{})
	}
	verdicts := &p.prompts[r.Presentation]
	if verdicts.answered++; verdicts.answered == 1 {
		verdicts.firstVerdict = v
	}
	verdicts.differs = verdicts.differs || !v.Same(verdicts.firstVerdict)
	verdicts.hasVerdict = verdicts.hasVerdict || v.Outcome.IsVerdict()
	return true, nil
}
