package pairwise

import (
	"fmt"
	"slices"
	"unique"

	"gavel/datasets"
	"gavel/judging"
	"gavel/scoring"
)

// judgment holds the verdict on a pair in one of its two orders.
type judgment struct {
	outcome        judging.Outcome
	choice         int8 // candidate judged the better; -1 for none
	firstCandidate int8 // candidate shown first
	asksForWorse   bool // the judge was asked for the worse response, so it named the other candidate
	present        bool // the run has a record of this judgment
}

// decided reports whether the judgment names a response; a tie names none.
func (g judgment) decided() bool { return g.outcome == judging.Decided }

// picksFirst reports whether a decided judgment picks the response shown first, whatever the goal.
func (g judgment) picksFirst() bool { return (g.choice == g.firstCandidate) != g.asksForWorse }

// hasVerdict reports whether the judgment has a verdict. A tie is one.
func (g judgment) hasVerdict() bool { return g.decided() || g.outcome == judging.Tie }

// points returns JudgeBench's points: +1 for the labelled response, −1 for the other, 0 for anything else.
func (g judgment) points(gold int8) int {
	switch {
	case !g.decided():
		return 0
	case g.choice == gold:
		return 1
	}
	return -1
}

// pair holds two responses with their two judgments. It is the unit of scores and of resampling.
type pair struct {
	item      string
	group     string
	label     int8        // candidate labelled the better; -1 without a label
	gold      int8        // the label, for metrics of both orders; -1 if the pair is shown in one
	level     int8        // 1 + index of the pair's level in datasets.DifficultyLevels; 0 without levels
	ownRight  *bool       // whether the judge's own answer to the question is right; nil: none, or unknown
	judgments [2]judgment // in the published order, and with the responses swapped
	odds      []float64   // log odds of response A over B, of each judgment that has label probabilities
}

// complete reports whether the pair has records in both orders.
func (u *pair) complete() bool { return u.judgments[0].present && u.judgments[1].present }

// pairScorer scores runs that compare two responses in both orders.
type pairScorer struct {
	scoring.Collector[pair]
	manifest *judging.Manifest
	asker    judging.Asker // reads the labels that have probabilities
	rows     []*pair       // pairs with records in all orders, by item; set by Finish
	oneOrder bool          // pairs are shown in one order

	itemLevel func(id string) string // level of an item, such as hard; nil if the dataset has no levels
}

// NewScorer returns a scorer of runs that compare two responses in both orders.
func NewScorer(m *judging.Manifest) scoring.Scorer {
	asker, _ := judging.AskerOf(m) // the loader has checked the protocol
	return &pairScorer{
		Collector: scoring.Collector[pair]{Complete: (*pair).complete, Metrics: pairMetrics}, manifest: m, asker: asker,
		oneOrder: m.Spec.ProtocolOptions[OneOrder] == "true",
	}
}

func (f *pairScorer) Terms() scoring.ScorerTerms {
	w := scoring.ScorerTerms{Unit: "pair", Record: "judgment", IncompleteItemsPhrase: "pairs lack a judgment"}
	if f.manifest.Spec.Goal == goalWorse {
		w.MetricSuffix = " (which is worse)"
	}
	return w
}

func (f *pairScorer) Add(r *judging.Record, v judging.Verdict) (bool, error) {
	if len(r.Order) != 2 || r.Presentation > 1 {
		return false, fmt.Errorf("%s has two presentations of two candidates, this record is of another kind",
			f.manifest.Spec.Protocol)
	}
	u := f.Get(r.Item, func(item string) pair {
		f.itemLevel = datasets.DifficultyFunc(r.Source)
		u := pair{
			item:  item,
			group: unique.Make(r.Group).Value(),
			gold:  candidateIndex(r, r.Gold),
		}
		u.label = u.gold
		if f.oneOrder {
			u.gold = -1
			u.judgments[1].present = true // not asked for
		}
		if r.Own != nil {
			u.ownRight = new(r.Own.Right)
		}
		if f.itemLevel != nil {
			u.level = int8(1 + slices.Index(datasets.DifficultyLevels, f.itemLevel(item)))
		}
		return u
	})
	if u.judgments[r.Presentation].present {
		return false, nil // the first counts, as in the run itself
	}
	u.judgments[r.Presentation] = judgment{
		outcome:        v.Outcome,
		choice:         int8(v.Choice),
		firstCandidate: candidateIndex(r, r.Order[0]),
		asksForWorse:   f.manifest.Spec.Goal == goalWorse,
		present:        true,
	}
	odds, ok := f.verdictLogOdds(r)
	if ok && u.gold >= 0 {
		u.odds = append(u.odds, odds)
	}
	return true, nil
}

func (f *pairScorer) Finish() (complete int) {
	f.rows = f.CompleteUnits()
	return len(f.rows)
}

// Unlabelled returns the number of pairs without a label. Metrics that need a label leave them out.
func (f *pairScorer) Unlabelled() (n int) {
	for _, u := range f.rows {
		n += int(scoring.Indicator(u.label < 0))
	}
	return n
}

// candidateIndex returns the index in the dataset of a pair's candidate, by its id; -1 for the id "".
func candidateIndex(r *judging.Record, id string) int8 {
	switch id {
	case "":
		return -1
	case r.CandidateID(0):
		return 0
	}
	return 1
}
