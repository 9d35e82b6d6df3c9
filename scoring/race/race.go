// Package race finds the best of several judges with few judgments. All are asked about the same items, in blocks, and
// a judge leaves the race when another one is significantly better. The package reads no records and sends no requests:
// it names the next judge to ask and takes the outcomes.
package race

import (
	"math"
	"slices"

	"gavel/scoring/stats"
)

// Rules holds the settings of a race.
type Rules struct {
	Items int // number of items in the dataset
	// Alpha bounds the probability that the best judge leaves. With a margin it also bounds the probability that a
	// judge is called tied with the best although it is behind by more than the margin.
	Alpha float64
	// TieMargin is the difference between two judges' shares of right items, 0 to 1, below which they are tied. With 0 no
	// judges are tied, except, in a race about the benchmark, those with the same score on all of it.
	TieMargin      float64
	OnlyTheseItems bool // find the best judge on these items, not on items like these
}

// Race holds a race in progress. Judges are numbered from 0.
//
// Of K judges, judge j leaves when for some remaining judge i the e-value E₊(i is better than j) is at least
// (K−1)/α: if j is the best, each of the K−1 others reaches that with probability at most α/(K−1), however
// often it is checked. So checks cost nothing, and there is one after every judgment.
type Race struct {
	Rules           Rules
	outcomesByJudge [][]bool              // by judge, by item in the race's order: the judge was right
	pairs           [][]*pair             // pairs[j][i] compares judges i and j, with i below j
	exits           []*Elimination        // by judge: why it left; nil for judges that remain
	winsToLeave     *stats.HeadsThreshold // wins at which a judge leaves, in a race about items like these
	threshold       float64               // natural logarithm of the e-value at which a judge leaves

	blockStart, blockEnd int   // first item of the current block, and the item after its last
	turnQueue            []int // judges still to ask about the block, the next one first; none when the race is over
	modelLoads           int   // turns of judges so far: on a single GPU, the number of model loads
}

// Elimination records why a judge left the race.
type Elimination struct {
	Judge  int     // number of the judge that left
	Winner int     // number of the judge that is better
	Items  int     // number of items that both had judged
	LogE   float64 // natural logarithm of the e-value; +∞ if the judge cannot catch up on this benchmark
}

// firstBlock is the number of items in the first and in the second block; each later block has twice as many as the one
// before.
const firstBlock = 16

// New starts a race between k judges, numbered from 0.
func New(k int, rules Rules) *Race {
	share := rules.Alpha / float64(max(1, k-1))
	r := &Race{
		Rules:           rules,
		outcomesByJudge: make([][]bool, k),
		pairs:           make([][]*pair, k),
		exits:           make([]*Elimination, k),
		winsToLeave:     stats.NewHeadsThreshold(share),
		threshold:       -math.Log(share),
	}
	for j := range r.pairs {
		for range j {
			r.pairs[j] = append(r.pairs[j], newPair(rules))
		}
	}
	r.startBlock()
	return r
}

// startBlock starts the next block of items. The leader is asked first, so that others leave early.
func (r *Race) startBlock() {
	r.blockStart = r.blockEnd
	r.blockEnd = min(r.Rules.Items, r.blockStart+max(firstBlock, r.blockStart))
	r.turnQueue = r.Remaining()
	if r.blockStart == r.blockEnd || len(r.turnQueue) < 2 {
		r.turnQueue = nil
	}
	r.modelLoads += min(1, len(r.turnQueue))
}

// Next returns the number of the next judge to ask, and the end of the current block: the judge is asked the items
// before that one, in the race's order, unless it leaves. ok is false when the race is over.
func (r *Race) Next() (judge, upTo int, ok bool) {
	if len(r.turnQueue) == 0 {
		return 0, 0, false
	}
	return r.turnQueue[0], r.blockEnd, true
}

// OutcomeCount returns the number of outcomes added for a judge. This is also the index of its next item.
func (r *Race) OutcomeCount(judge int) int { return len(r.outcomesByJudge[judge]) }

// Add records whether the judge returned by Next was right on its next item.
func (r *Race) Add(right bool) {
	j := r.turnQueue[0]
	item := len(r.outcomesByJudge[j])
	r.outcomesByJudge[j] = append(r.outcomesByJudge[j], right)
	changed := item+1 == r.Rules.Items
	for i := range r.outcomesByJudge {
		if i != j && r.exits[i] == nil && r.exits[j] == nil && len(r.outcomesByJudge[i]) > item {
			changed = r.compare(min(i, j), max(i, j), item) || changed
		}
	}
	switch {
	case changed && len(r.untiedPairs(r.Remaining())) == 0:
		r.turnQueue = nil
	case r.exits[j] == nil && item+1 < r.blockEnd:
	default:
		r.turnQueue = r.turnQueue[1:]
		r.advanceTurn()
	}
}

// advanceTurn passes over judges that left before their turn in the block, starts the next block after the last turn,
// and counts the turn of the next judge.
func (r *Race) advanceTurn() {
	for len(r.turnQueue) > 0 && r.exits[r.turnQueue[0]] != nil {
		r.turnQueue = r.turnQueue[1:]
	}
	if len(r.turnQueue) == 0 {
		r.startBlock()
		return
	}
	r.modelLoads++
}

// compare compares two judges on an item; first is the lower number. One of them may leave. It reports whether a judge
// left or the two became tied.
func (r *Race) compare(first, second, item int) (changed bool) {
	p := r.pairs[second][first]
	changed = p.add(r.outcomesByJudge[first][item], r.outcomesByJudge[second][item], r.threshold)
	for side, judge := range []int{first, second} {
		if p.isAhead(side, r.winsToLeave, r.threshold) {
			worse := first + second - judge
			r.exits[worse] = &Elimination{
				Judge:  worse,
				Winner: judge,
				Items:  p.items,
				LogE:   p.logE(side),
			}
			return true
		}
	}
	return changed
}

func indicator(right bool) int {
	if right {
		return 1
	}
	return 0
}

// CountRight returns the number of items on which a judge is right.
func CountRight(right []bool) (n int) {
	for _, ok := range right {
		n += indicator(ok)
	}
	return n
}

func shareOf(right []bool) float64 { return float64(CountRight(right)) / float64(len(right)) }

// untiedPairs returns the pairs of judges in a list that are not tied, as indexes in the list.
func (r *Race) untiedPairs(judges []int) (pairs [][2]int) {
	for j := range judges {
		for i := range j {
			if !r.AreTied(judges[i], judges[j]) {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	}
	return pairs
}

// AreTied reports whether two judges, given by number, are significantly within the margin.
func (r *Race) AreTied(i, j int) bool {
	return r.pairs[max(i, j)][min(i, j)].tied(r.Rules.Items)
}

// Remaining returns the numbers of the remaining judges: the highest score on the items that all of them have judged
// first, then the lower number.
func (r *Race) Remaining() []int {
	var in []int
	common := r.Rules.Items
	for j, exit := range r.exits {
		if exit == nil {
			in = append(in, j)
			common = min(common, len(r.outcomesByJudge[j]))
		}
	}
	right := func(j int) int { return CountRight(r.outcomesByJudge[j][:common]) }
	slices.SortStableFunc(in, func(i, j int) int { return right(j) - right(i) })
	return in
}

// Eliminations returns the judges that left, the first to leave first.
func (r *Race) Eliminations() (all []Elimination) {
	for _, l := range r.exits {
		if l != nil {
			all = append(all, *l)
		}
	}
	slices.SortStableFunc(all, func(a, b Elimination) int { return a.Items - b.Items })
	return all
}

// Judgments returns the number of outcomes added for all judges together.
func (r *Race) Judgments() (n int) {
	for _, items := range r.outcomesByJudge {
		n += len(items)
	}
	return n
}

// ModelLoads returns the number of turns of judges so far: on a single GPU, the number of model loads.
func (r *Race) ModelLoads() int { return r.modelLoads }

// ShareOfRight returns the share of its items on which a judge was right, with an interval valid at every check.
func (r *Race) ShareOfRight(judge int) (share float64, iv stats.Interval) {
	right, level := r.outcomesByJudge[judge], 1-r.Rules.Alpha
	if !r.Rules.OnlyTheseItems {
		return shareOf(right), stats.ShareConfidenceSequence(CountRight(right), len(right), level)
	}
	scores := make([]float64, len(right))
	for i, ok := range right {
		scores[i] = 2*float64(indicator(ok)) - 1
	}
	iv = stats.BettingSequence(scores, r.Rules.Items, level)
	return shareOf(right), stats.Interval{Low: (1 + iv.Low) / 2, High: (1 + iv.High) / 2}
}

// Lead returns the share of right items of the first judge minus that of the second, on the items that both have
// judged, with an interval that is valid at every check. The e-value reaches the threshold for every difference outside
// the interval.
func (r *Race) Lead(first, second int) (ahead float64, iv stats.Interval) {
	a, b := r.outcomesByJudge[first], r.outcomesByJudge[second]
	scores := make([]float64, min(len(a), len(b)))
	total := 0
	if r.Rules.OnlyTheseItems {
		total = r.Rules.Items
	}
	for i := range scores {
		scores[i] = float64(indicator(a[i]) - indicator(b[i]))
		ahead += scores[i]
	}
	return ahead / float64(len(scores)), stats.BettingSequence(scores, total, 1-2*math.Exp(-r.threshold))
}
