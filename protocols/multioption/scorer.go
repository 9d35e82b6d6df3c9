package multioption

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// ballot holds an item with its judgments, one for each order in which the options were shown. It is the unit of
// scores and of resampling.
type ballot struct {
	item           string
	ids            []string   // options shown, sorted; other fields refer to options by index
	equalTextClass []int      // for each option: the first option with the same text
	rightOptions   []int      // options that are right to name; empty without a label
	unrelated      int        // the option taken from another item; NoCandidate for none
	orders         [][]int    // orders[i][position] is an option; nil where a record is missing
	positions      []int      // position chosen in each order, from 0; NoCandidate without a verdict
	gradeRow       [6]float64 // the columns of gradeMetrics
	weight         float64    // see [judging.ReadingOptions]; 0: 1
}

// ownOptionCount returns the number of the item's own options, without the unrelated one.
func (b *ballot) ownOptionCount() int {
	if b.unrelated != judging.NoCandidate {
		return len(b.ids) - 1
	}
	return len(b.ids)
}

// complete reports whether the item has a record in every order.
func (b *ballot) complete() bool {
	return !slices.ContainsFunc(b.orders, func(o []int) bool { return o == nil })
}

// choice returns the option chosen in order i, or [judging.NoCandidate] without a verdict.
func (b *ballot) choice(i int) int {
	if b.positions[i] == judging.NoCandidate {
		return judging.NoCandidate
	}
	return b.orders[i][b.positions[i]]
}

// verdictCount returns the number of the item's judgments that have a verdict.
func (b *ballot) verdictCount() (n int) {
	for _, p := range b.positions {
		if p != judging.NoCandidate {
			n++
		}
	}
	return n
}

// positionCounts returns how often the judge chose each position of the item.
func (b *ballot) positionCounts() []int {
	counts := make([]int, len(b.ids))
	for _, p := range b.positions {
		if p != judging.NoCandidate {
			counts[p]++
		}
	}
	return counts
}

// choiceCounts returns how often the judge chose each option. Options with the same text count as the first of them,
// since a verdict does not tell them apart.
func (b *ballot) choiceCounts() []int {
	counts := make([]int, len(b.ids))
	for i := range b.positions {
		if c := b.choice(i); c != judging.NoCandidate {
			counts[b.equalTextClass[c]]++
		}
	}
	return counts
}

// modes returns the options chosen most often, of options with the same text only the first; none without verdicts.
func (b *ballot) modes() []int {
	counts := b.choiceCounts()
	highest := slices.Max(counts)
	var modes []int
	for c, n := range counts {
		if n > 0 && n == highest {
			modes = append(modes, c)
		}
	}
	return modes
}

// isRightOption reports whether an option, or one with the same text, is right to name. [judging.NoCandidate] is not.
func (b *ballot) isRightOption(option int) bool {
	return option != judging.NoCandidate && slices.ContainsFunc(b.rightOptions, func(r int) bool {
		return b.equalTextClass[r] == b.equalTextClass[option]
	})
}

// multiOptionScorer scores runs that choose one of several options (PROTOCOLS.md §3).
type multiOptionScorer struct {
	goal         string
	labelled     bool    // some item has a label; set by Finish
	vary         string  // value of varyOption
	choiceWeight float64 // of the choice score in the Grade score; 0: 1

	items       scoring.Collector[ballot]
	itemsByAxis scoring.Collector[ballot] // by axis and item, with marks in place of positions
	ballots     []*ballot                 // items with a record in every order; set by Finish
}

// NewScorer returns a scorer of runs that choose one of several options.
func NewScorer(m *judging.Manifest) scoring.Scorer {
	return &multiOptionScorer{
		goal:         m.Spec.ProtocolOptions.Get(goalOption),
		vary:         m.Spec.ProtocolOptions.Get(varyOption),
		choiceWeight: m.GradeWeight,
		items:        scoring.Collector[ballot]{Complete: (*ballot).complete},
	}
}

func (*multiOptionScorer) Terms() scoring.ScorerTerms {
	return scoring.ScorerTerms{
		Unit:                  "item",
		Record:                "judgment",
		ComparisonUnit:        "item",
		IncompleteItemsPhrase: "items lack a judgment",
		Policies:              []scoring.MissingPolicy{scoring.MissingUsable, scoring.MissingStrict},
	}
}

func (f *multiOptionScorer) Add(r *judging.Record, v judging.Verdict) (bool, error) {
	if r.Shape != "options" {
		return false, fmt.Errorf(
			"a judgment of several options is of an item of the shape options, this record is of %q", r.Shape,
		)
	}
	items, key := &f.items, r.Item
	if f.vary != varyNone {
		r = asRotation(*r)
	}
	if r.Mode != "" {
		items, key = &f.itemsByAxis, r.Mode+r.Item
	}
	b := items.Get(key, func(item string) ballot { return f.newBallot(item, r) })
	if len(b.ids) != len(r.Order) || len(b.orders) != r.Presentations {
		return false, fmt.Errorf("the records of item %s do not agree on its options, or on how often they are shown", r.Item)
	}
	if b.orders[r.Presentation] != nil {
		return false, nil // the first stands
	}
	b.orders[r.Presentation] = r.CandidateOrder()
	if v.Outcome == judging.Decided {
		b.positions[r.Presentation] = slices.Index(b.orders[r.Presentation], v.Choice)
		if r.Prompt == gradePrompt && f.goal == goalBest && r.Mode == "" && len(r.Replies) > 0 {
			b.addGrades(r)
		}
	}
	return true, nil
}

// ballot returns a ballot without judgments for the item of a record.
func (f *multiOptionScorer) newBallot(item string, r *judging.Record) ballot {
	b := ballot{
		item:      item,
		orders:    make([][]int, r.Presentations),
		positions: make([]int, r.Presentations),
		weight:    f.choiceWeight,
	}
	for i := range b.positions {
		b.positions[i] = judging.NoCandidate
	}
	for c := range r.Order {
		b.ids, b.equalTextClass = append(b.ids, strings.Clone(r.CandidateID(c))), append(b.equalTextClass, c)
	}
	for _, same := range r.EqualOptions {
		for _, id := range same {
			b.equalTextClass[b.optionIndex(id)] = b.equalTextClass[b.optionIndex(same[0])]
		}
	}
	b.unrelated = b.optionIndex(r.UnrelatedID)
	for _, id := range targetIDs(r, f.goal) {
		b.rightOptions = append(b.rightOptions, b.optionIndex(id))
	}
	return b
}

// idsOf returns the ids of the given options.
func (b *ballot) idsOf(options []int) (ids []string) {
	for _, c := range options {
		ids = append(ids, b.ids[c])
	}
	return ids
}

// optionIndex returns the index of the option with an id; −1 for none.
func (b *ballot) optionIndex(id string) int { return slices.Index(b.ids, id) }

// correctOptionIDs returns the ids of the options that are right to name under a goal, with options of the same text.
// The worst option is the unrelated one if there is one, since it answers another instruction; otherwise those ranked
// last, if all options are ranked and their ranks differ.
func correctOptionIDs(r *judging.Record, goal string) []string {
	ids := targetIDs(r, goal)
	for _, same := range r.EqualOptions {
		if slices.ContainsFunc(same, func(id string) bool { return slices.Contains(ids, id) }) {
			for _, id := range same {
				if !slices.Contains(ids, id) {
					ids = append(ids, id)
				}
			}
		}
	}
	return ids
}

// targetIDs returns the ids that correctOptionIDs begins with: without other options of the same text.
func targetIDs(r *judging.Record, goal string) (ids []string) {
	switch {
	case goal != GoalWorst && r.Gold != "":
		return []string{r.Gold}
	case goal != GoalWorst:
		return nil
	case r.UnrelatedID != "":
		return []string{r.UnrelatedID}
	case len(r.Ranks) < len(r.Order):
		return nil
	}
	ranks := slices.Collect(maps.Values(r.Ranks))
	last, best := slices.Max(ranks), slices.Min(ranks)
	for c := range r.Order {
		if id := r.CandidateID(c); r.Ranks[id] == last && last > best {
			ids = append(ids, id)
		}
	}
	return ids
}

func (f *multiOptionScorer) Finish() (complete int) {
	f.ballots = f.items.CompleteUnits()
	f.labelled = slices.ContainsFunc(f.ballots, func(b *ballot) bool { return len(b.rightOptions) > 0 })
	return len(f.ballots)
}

// itemScores holds the three scores of one item, from 0 to 1: see [ballot.scores].
type itemScores [3]float64

// Indexes of [itemScores].
const (
	gradeIndex = iota
	llmIndex
	choiceIndex
)

// plus returns the sums of the scores.
func (g itemScores) plus(o itemScores) itemScores {
	for i, x := range o {
		g[i] += x
	}
	return g
}

// divideBy returns the scores divided by n.
func (g itemScores) divideBy(n float64) itemScores {
	for i := range g {
		g[i] /= n
	}
	return g
}

// scores computes the scores. The entropy of the chosen positions is divided by the largest that so many positions can
// have: the paper's log₂ of the number of rotations, also where the options are shown in more orders than that. A
// judgment without a verdict counts in neither share; under the strict policy it counts in the denominator of the
// choice score.
//
//	LLM score    H₂(positions) / log₂ n
//	choice score how often the most chosen option was chosen / judgments
//	Grade score  their harmonic mean, with the weights 1 and b.weight; 0 where both are 0
func (b *ballot) scores(missing scoring.MissingPolicy) (g itemScores) {
	total := len(b.positions)
	usable := b.verdictCount()
	if missing == scoring.MissingUsable {
		total = usable
	}
	if usable == 0 || len(b.ids) < 2 {
		return g
	}
	llm := stats.Entropy(b.positionCounts()) / maxEntropy(len(b.ids))
	choice := float64(slices.Max(b.choiceCounts())) / float64(total)
	g[llmIndex], g[choiceIndex] = llm, choice
	if llm+choice > 0 {
		w := cmp.Or(b.weight, 1)
		g[gradeIndex] = (1 + w) * llm * choice / (w*llm + choice)
	}
	return g
}
