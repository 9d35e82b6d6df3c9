// Package race finds the best of several judges with as few judgments as it can: judges are asked about the same items,
// in blocks, and leave when another one is surely better. It knows no records and asks nobody: it says who is to
// judge up to where, and is told what was right.
package race

import (
	"math"
	"slices"

	"gavel/scoring/stats"
)

// Rules of a race.
type Rules struct {
	Items int // there are in all
	// Alpha bounds the probability that the best judge leaves and, where there is a margin, that of a tie with the best of
	// one that is farther from it than the margin.
	Alpha float64
	// Margin is how far apart, as a share, two judges may be who are tied; with 0 nobody is, or only who is the same
	// to the last item where the race is about the benchmark.
	Margin    float64
	Benchmark bool // the question is who is best on these items; else on items like these
}

// Race is a race under way, of judges numbered from 0.
//
// Judge j leaves when some i who is still in has E₊(i is better than j) ≥ (K−1)/α: if j is the best, each of
// the K−1 others gets there with probability at most α/(K−1), however often one looks. So looks are free, and
// there is one after every judgment.
type Race struct {
	Rules    Rules
	right    [][]bool // of each judge, by item
	pairs    [][]*pair
	left     []*Left // nil: still in
	crossing *stats.Crossing
	enough   float64 // logarithm of an e-value

	from, to int   // the block
	turn     []int // judges that are still to be asked in it, the next one first
	loads    int
	over     bool
}

// Left says why a judge left.
type Left struct {
	Judge int
	By    int     // who is better
	Items int     // that this rests on
	LogE  float64 // +∞: nobody can catch up on this benchmark
}

// firstBlock is how many items the first block has, and the second; after that they double.
const firstBlock = 16

// New begins a race of k judges.
func New(k int, rules Rules) *Race {
	share := rules.Alpha / float64(max(1, k-1))
	r := &Race{
		Rules:    rules,
		right:    make([][]bool, k),
		pairs:    make([][]*pair, k),
		left:     make([]*Left, k),
		crossing: stats.NewCrossing(share),
		enough:   -math.Log(share),
	}
	for j := range r.pairs {
		for range j {
			r.pairs[j] = append(r.pairs[j], newPair(rules))
		}
	}
	r.block()
	return r
}

// block begins the next one: the leader is asked first, so that others leave early.
func (r *Race) block() {
	r.from = r.to
	r.to = min(r.Rules.Items, r.from+max(firstBlock, r.from))
	r.turn = r.In()
	if r.over || r.from == r.to || len(r.turn) < 2 {
		r.turn, r.over = nil, true
	}
	r.loads += min(1, len(r.turn))
}

// Next is the judge that is to be asked, up to which item (from 0, in the race's order) if it stays in. It is
// false when the race is over.
func (r *Race) Next() (judge, upTo int, ok bool) {
	if r.over {
		return 0, 0, false
	}
	return r.turn[0], r.to, true
}

// Asked is how many items a judge was told right or wrong of: its next item.
func (r *Race) Asked(judge int) int { return len(r.right[judge]) }

// Add tells whether the judge of Next was right on its next item.
func (r *Race) Add(right bool) {
	j := r.turn[0]
	item := len(r.right[j])
	r.right[j] = append(r.right[j], right)
	changed := item+1 == r.Rules.Items
	for i := range r.right {
		if i != j && r.left[i] == nil && r.left[j] == nil && len(r.right[i]) > item {
			changed = r.meet(min(i, j), max(i, j), item) || changed
		}
	}
	switch {
	case changed && r.settled():
		r.turn, r.over = nil, true
	case r.left[j] == nil && item+1 < r.to:
	default:
		r.turn = r.turn[1:]
		r.skip()
	}
}

// skip passes over judges that left before their turn, and counts the load of the next.
func (r *Race) skip() {
	for len(r.turn) > 0 && r.left[r.turn[0]] != nil {
		r.turn = r.turn[1:]
	}
	if len(r.turn) == 0 {
		r.block()
		return
	}
	r.loads++
}

// meet holds two judges against each other on an item; one of them may leave.
func (r *Race) meet(first, second, item int) (changed bool) {
	p := r.pairs[second][first]
	changed = p.add(r.right[first][item], r.right[second][item], r.enough)
	for side, judge := range []int{first, second} {
		if p.ahead(side, r.crossing, r.enough) {
			worse := first + second - judge
			r.left[worse] = &Left{
				Judge: worse,
				By:    judge,
				Items: p.items,
				LogE:  p.logE(side),
			}
			return true
		}
	}
	return changed
}

func number(right bool) int {
	if right {
		return 1
	}
	return 0
}

// settled tells whether one judge is left, or all that are left are tied.
func (r *Race) settled() bool {
	in := r.In()
	for k, i := range in {
		for _, j := range in[k+1:] {
			if !r.Tied(i, j) {
				return false
			}
		}
	}
	return true
}

// Tied tells whether two judges are surely within the margin.
func (r *Race) Tied(i, j int) bool {
	return r.pairs[max(i, j)][min(i, j)].tied(r.Rules.Items)
}

// In are the judges that are still in, who was right most often on what all of them were asked first, else by number.
func (r *Race) In() []int {
	var in []int
	common := r.Rules.Items
	for j, left := range r.left {
		if left == nil {
			in = append(in, j)
			common = min(common, len(r.right[j]))
		}
	}
	score := func(j int) (n int) {
		for _, right := range r.right[j][:common] {
			n += number(right)
		}
		return n
	}
	slices.SortStableFunc(in, func(i, j int) int { return score(j) - score(i) })
	return in
}

// Left are those that left, in the order in which they did.
func (r *Race) Left() (all []Left) {
	for _, l := range r.left {
		if l != nil {
			all = append(all, *l)
		}
	}
	slices.SortStableFunc(all, func(a, b Left) int { return a.Items - b.Items })
	return all
}

// Judgments is how many items all judges were asked.
func (r *Race) Judgments() (n int) {
	for _, items := range r.right {
		n += len(items)
	}
	return n
}

// Loads is how often a judge was begun with: on one GPU, how often a model is loaded.
func (r *Race) Loads() int { return r.loads }

// Share returns the share of its items that a judge was right on, with the interval that holds at every look.
func (r *Race) Share(judge int) (share float64, iv stats.Interval) {
	k, level := 0, 1-r.Rules.Alpha
	scores := make([]float64, len(r.right[judge]))
	for i, right := range r.right[judge] {
		scores[i] = 2*float64(number(right)) - 1
		k += number(right)
	}
	share = float64(k) / float64(len(scores))
	if !r.Rules.Benchmark {
		return share, stats.Sequence(k, len(scores), level)
	}
	iv = stats.Betting(scores, r.Rules.Items, level)
	return share, stats.Interval{Low: (1 + iv.Low) / 2, High: (1 + iv.High) / 2}
}

// Ahead is by how much the first judge is right more often than the second on the items that both were asked, with the
// interval that holds at every look: beyond its ends are the differences against which E is enough to leave.
func (r *Race) Ahead(first, second int) (ahead float64, iv stats.Interval) {
	a, b := r.right[first], r.right[second]
	scores := make([]float64, min(len(a), len(b)))
	of := 0
	if r.Rules.Benchmark {
		of = r.Rules.Items
	}
	for i := range scores {
		scores[i] = float64(number(a[i]) - number(b[i]))
		ahead += scores[i]
	}
	return ahead / float64(len(scores)), stats.Betting(scores, of, 1-2*math.Exp(-r.enough))
}
