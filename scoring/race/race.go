// Package race finds the best of several judges with few judgments: judges are asked about the same items, in blocks,
// and leave when another one is significantly better. It reads no records and sends no requests: it names the judge to
// ask next and takes the outcomes.
package race

import (
	"math"
	"slices"

	"gavel/scoring/stats"
)

// Rules of a race.
type Rules struct {
	Items int // of the dataset
	// Alpha bounds the probability that the best judge leaves and, with a margin, that a judge farther from the best than
	// the margin is called tied with it.
	Alpha float64
	// Margin is the difference of shares below which two judges are tied. With 0 no judges are, except, in a race about
	// the benchmark, those with the same score on all of it.
	Margin    float64
	Benchmark bool // find the best judge on these items; else on items like these
}

// Race is a race in progress, of judges numbered from 0.
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
	turn     []int // judges still to be asked in the block, the next one first; none when the race is over
	loads    int
}

// Left is the reason why a judge left.
type Left struct {
	Judge int
	By    int     // the better judge
	Items int     // that both had judged
	LogE  float64 // +∞ if the judge cannot catch up on this benchmark
}

// firstBlock is the number of items of the first block and of the second; after that blocks double.
const firstBlock = 16

// New starts a race of k judges.
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

// block starts the next block. The leader is asked first, so that others leave early.
func (r *Race) block() {
	r.from = r.to
	r.to = min(r.Rules.Items, r.from+max(firstBlock, r.from))
	r.turn = r.In()
	if r.from == r.to || len(r.turn) < 2 {
		r.turn = nil
	}
	r.loads += min(1, len(r.turn))
}

// Next returns the judge to ask next, and the end of its block: it is asked about items, in the race's order, up to
// there unless it leaves. ok is false when the race is over.
func (r *Race) Next() (judge, upTo int, ok bool) {
	if len(r.turn) == 0 {
		return 0, 0, false
	}
	return r.turn[0], r.to, true
}

// Asked returns the number of items added for a judge, which is the place of its next item.
func (r *Race) Asked(judge int) int { return len(r.right[judge]) }

// Add takes the outcome of the judge of Next on its next item.
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
	case changed && len(r.untied(r.In())) == 0:
		r.turn = nil
	case r.left[j] == nil && item+1 < r.to:
	default:
		r.turn = r.turn[1:]
		r.skip()
	}
}

// skip skips judges that left before their turn, and counts the load of the next.
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

// meet compares two judges on an item; one of them may leave. It reports whether a judge left or two became tied.
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

func count(right []bool) (n int) {
	for _, is := range right {
		n += number(is)
	}
	return n
}

func shareOf(right []bool) float64 { return float64(count(right)) / float64(len(right)) }

// untied returns the pairs of judges in a list that are not tied, by their places there.
func (r *Race) untied(judges []int) (pairs [][2]int) {
	for j := range judges {
		for i := range j {
			if !r.Tied(judges[i], judges[j]) {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	}
	return pairs
}

// Tied reports whether two judges are significantly within the margin.
func (r *Race) Tied(i, j int) bool {
	return r.pairs[max(i, j)][min(i, j)].tied(r.Rules.Items)
}

// In returns the judges that are still in: by their score on the items that all of them have judged, then by number.
func (r *Race) In() []int {
	var in []int
	common := r.Rules.Items
	for j, left := range r.left {
		if left == nil {
			in = append(in, j)
			common = min(common, len(r.right[j]))
		}
	}
	slices.SortStableFunc(in, func(i, j int) int { return count(r.right[j][:common]) - count(r.right[i][:common]) })
	return in
}

// Left returns the judges that left, in the order in which they did.
func (r *Race) Left() (all []Left) {
	for _, l := range r.left {
		if l != nil {
			all = append(all, *l)
		}
	}
	slices.SortStableFunc(all, func(a, b Left) int { return a.Items - b.Items })
	return all
}

// Judgments returns the number of outcomes added for all judges.
func (r *Race) Judgments() (n int) {
	for _, items := range r.right {
		n += len(items)
	}
	return n
}

// Loads counts the turns of judges: on one GPU, the times that a model is loaded.
func (r *Race) Loads() int { return r.loads }

// Share returns the share of its items that a judge was right on, with the interval that holds at every look.
func (r *Race) Share(judge int) (share float64, iv stats.Interval) {
	right, level := r.right[judge], 1-r.Rules.Alpha
	if !r.Rules.Benchmark {
		return shareOf(right), stats.Sequence(count(right), len(right), level)
	}
	scores := make([]float64, len(right))
	for i, is := range right {
		scores[i] = 2*float64(number(is)) - 1
	}
	iv = stats.Betting(scores, r.Rules.Items, level)
	return shareOf(right), stats.Interval{Low: (1 + iv.Low) / 2, High: (1 + iv.High) / 2}
}

// Ahead returns the share of the first judge minus that of the second on the items that both have judged, with the
// interval that holds at every look: E is enough to leave against the differences beyond its ends.
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
