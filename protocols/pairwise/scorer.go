package pairwise

import (
	"fmt"
	"slices"
	"unique"

	"gavel/datasets"
	"gavel/judging"
	"gavel/scoring"
)

// judgment is one judgment of a pair, as scores need it.
type judgment struct {
	outcome judging.Outcome
	choice  int8 // candidate judged the better; -1 for none
	first   int8 // candidate shown first
	worse   bool // the judge was asked for the worse response, so its answer is the other candidate
	seen    bool
}

// decided tells whether the judgment names a response.
func (g judgment) decided() bool { return g.outcome == judging.Decided }

// picksFirst tells whether a decided judgment's answer is the response shown first, whichever goal was asked for.
func (g judgment) picksFirst() bool { return (g.choice == g.first) != g.worse }

// verdict tells whether the judgment says anything: a tie is a verdict.
func (g judgment) verdict() bool { return g.decided() || g.outcome == judging.Tie }

// points is JudgeBench's: +1 for the labelled answer, −1 for the opposite, 0 for anything else.
func (g judgment) points(gold int8) int {
	switch {
	case !g.decided():
		return 0
	case g.choice == gold:
		return 1
	}
	return -1
}

// pair is what is scored and resampled: two responses with their two judgments.
type pair struct {
	item      string
	group     string
	gold      int8 // candidate labelled the better; -1 where nobody said
	level     int8 // 1 + place of its level in datasets.Levels; 0 where the dataset tells none
	own       int8 // the judge's own answer to the question, where it was shown: see the own constants
	judgments [2]judgment
	odds      []float64 // of response A over B, as natural logarithms, of the judgments that tell them
}

func (u *pair) complete() bool { return u.judgments[0].seen && u.judgments[1].seen }

// pairs scores runs that compare two responses in both orders.
type pairs struct {
	scoring.Gathering[pair]
	manifest *judging.Manifest
	asked    judging.Asker
	rows     []*pair // in the end: with both judgments, by item

	level func(id string) string // of the dataset's items; nil where it tells none
}

// NewScorer scores runs that compare two responses in both orders.
func NewScorer(m *judging.Manifest) scoring.Scorer {
	asked, _ := judging.AskerOf(m) // which the loader has found there
	return &pairs{
		Gathering: scoring.Gathering[pair]{Complete: (*pair).complete, Metrics: pairMetrics}, manifest: m, asked: asked,
	}
}

func (f *pairs) Words() scoring.Words {
	w := scoring.Words{Unit: "pair", Record: "judgment", Lacking: "pairs have not both judgments"}
	if f.manifest.Spec.Goal == goalWorse {
		w.Asked = " (which is worse)"
	}
	return w
}

func (f *pairs) Add(r *judging.Record, v judging.Verdict) (bool, error) {
	if len(r.Order) != 2 || r.Presentation > 1 {
		return false, fmt.Errorf("%s has two presentations of two candidates, this record is of another kind",
			f.manifest.Spec.Protocol)
	}
	u := f.Of(r.Item, func(item string) pair {
		f.level = datasets.LevelOf(r.Source)
		u := pair{item: item, group: unique.Make(r.Group).Value(), gold: candidate(r, r.Gold), own: knownOwn(r)}
		if f.level != nil {
			u.level = int8(1 + slices.Index(datasets.Levels, f.level(item)))
		}
		return u
	})
	if u.judgments[r.Presentation].seen {
		return false, nil // the first stands, as for the run itself
	}
	u.judgments[r.Presentation] = judgment{
		outcome: v.Outcome,
		choice:  int8(v.Choice),
		first:   candidate(r, r.Order[0]),
		worse:   f.manifest.Spec.Goal == goalWorse,
		seen:    true,
	}
	odds, told := f.odds(r)
	if told && u.gold >= 0 {
		u.odds = append(u.odds, odds)
	}
	return true, nil
}

func (f *pairs) Finish() (complete int) {
	f.rows = f.Gathered()
	return len(f.rows)
}

// Unlabelled is how many pairs have no label: they are no part of what needs one.
func (f *pairs) Unlabelled() (n int) {
	for _, u := range f.rows {
		n += int(scoring.One(u.gold < 0))
	}
	return n
}

// candidate is the index of a candidate of a pair; -1 of none.
func candidate(r *judging.Record, id string) int8 {
	switch id {
	case "":
		return -1
	case r.CandidateID(0):
		return 0
	}
	return 1
}
