package pairwise

import (
	"fmt"
	"slices"
	"strings"

	"gavel/datasets"
	"gavel/judging"
	"gavel/scoring"
)

// judgment is one judgment of a pair, as scores need it.
type judgment struct {
	outcome judging.Outcome
	choice  int8 // candidate judged the better; -1 for none
	first   int8 // candidate shown first
	seen    bool
}

// decided tells whether the judgment names a response.
func (g judgment) decided() bool { return g.outcome == judging.Decided }

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
	item string
	*pattern
}

// pattern is all of a pair that scores look at. There are few, whatever the number of pairs, and the pairs share them.
type pattern struct {
	group     string
	gold      int8 // candidate labelled the better; -1 where nobody said
	level     int8 // 1 + place of its level in datasets.Levels; 0 where the dataset tells none
	own       int8 // the judge's own answer to the question, where it was shown: see the own constants
	soft      int8 // what the probabilities of both judgments come to: see the soft constants
	judgments [2]judgment
}

func (p *pattern) complete() bool { return p.judgments[0].seen && p.judgments[1].seen }

// pairs scores runs that compare two responses in both orders.
type pairs struct {
	manifest *judging.Manifest
	asked    judging.Asker
	rows     []pair // in the end: with both judgments, by item

	items    judging.IDs
	patterns []*pattern         // the distinct ones
	number   map[pattern]uint32 // of a pattern in patterns
	of       []uint32           // 1 + the pattern of each item; 0: no record yet

	level      func(id string) string // of the dataset's items; nil where it tells none
	levelled   bool                   // level is known
	unlabelled int                    // rows without a label
	halves     map[int]float64        // odds of the items of which one judgment told them
	softOdds   map[int]float64        // of those of which both did: of response A over B, as natural logarithms
}

// NewScorer scores runs that compare two responses in both orders.
func NewScorer(m *judging.Manifest) scoring.Scorer {
	asked, _ := judging.AskerOf(m) // which the loader has found there
	return &pairs{manifest: m, asked: asked, number: map[pattern]uint32{}}
}

func (*pairs) Words() scoring.Words {
	return scoring.Words{Unit: "pair", Record: "judgment", Lacking: "pairs have not both judgments"}
}

// judgmentOf is the judgment that a record is of.
func (f *pairs) judgmentOf(r *judging.Record, v judging.Verdict) (judgment, error) {
	if len(r.Order) != 2 || r.Presentation > 1 {
		return judgment{}, fmt.Errorf("%s has two presentations of two candidates, this record is of another kind",
			f.manifest.Spec.Protocol)
	}
	return judgment{outcome: v.Outcome, choice: int8(v.Choice), first: candidate(r, r.Order[0]), seen: true}, nil
}

func (f *pairs) Add(r *judging.Record, v judging.Verdict) (bool, error) {
	made, err := f.judgmentOf(r, v)
	if err != nil {
		return false, err
	}
	i := f.item(r.Item)
	if !f.levelled {
		f.level, f.levelled = datasets.LevelOf(r.Source), true
	}
	is := pattern{group: r.Group, gold: candidate(r, r.Gold), own: knownOwn(r)}
	if n := f.of[i]; n > 0 {
		is = *f.patterns[n-1]
	}
	if f.level != nil {
		is.level = int8(1 + slices.Index(datasets.Levels, f.level(r.Item)))
	}
	judgment := &is.judgments[r.Presentation]
	if judgment.seen {
		return false, nil // the first stands, as for the run itself
	}
	*judgment = made
	f.soften(i, &is, r)
	f.of[i] = f.patternOf(is) + 1
	return true, nil
}

// item numbers an item.
func (f *pairs) item(id string) int {
	i, _ := f.items.Add(id)
	for len(f.of) <= i {
		f.of = append(f.of, 0)
	}
	return i
}

func (f *pairs) patternOf(p pattern) uint32 {
	n, ok := f.number[p]
	if !ok {
		p.group = strings.Clone(p.group) // not a view into a record
		n = uint32(len(f.patterns))
		f.patterns, f.number[p] = append(f.patterns, &p), n
	}
	return n
}

func (f *pairs) Finish() (complete, partial int) {
	for i, n := range f.of {
		switch {
		case n == 0:
		case f.patterns[n-1].complete():
			f.rows = append(f.rows, pair{f.items.At(i), f.patterns[n-1]})
			if f.patterns[n-1].gold < 0 {
				f.unlabelled++
			}
		default:
			partial++
		}
	}
	slices.SortFunc(f.rows, func(a, b pair) int { return strings.Compare(a.item, b.item) })
	return len(f.rows), partial
}

// Unlabelled is how many pairs have no label: they are no part of what needs one.
func (f *pairs) Unlabelled() int { return f.unlabelled }

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
