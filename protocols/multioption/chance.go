package multioption

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// chance holds the scores that judges which do not read get on an item: one that guesses, one that always names the
// first position, and one that always names the same option. They depend on the orders in which the item was shown, on
// which options are equal, and on which judgments have no verdict: the guessing judge has none there either.
type chance struct {
	randomPosition itemScores // every judgment with a verdict names a random position: the mean
	se             float64    // standard error of the random Grade score; 0 if computed exactly
	alwaysFirst    itemScores // every judgment names the first position
	perfect        itemScores // every judgment names the same option: the mean over all options
	itemKind       int        // number of the kind of item; items of one kind have the same chance
}

// Limits of the work to compute chances. An outcome is one way in which a guessing judge can answer all orders of an
// item.
const (
	maxExactOutcomes  = 1 << 20 // outcomes of one kind of item up to which all are counted
	maxTotalOutcomes  = 1 << 22 // outcomes counted for all kinds of items in a run
	mostDraws         = 1 << 17 // most outcomes drawn at random for a kind with more
	fewestDraws       = 1000    // fewest outcomes drawn at random
	maxExactJudgments = 64      // judgments up to which the choice score is computed exactly
)

// chances returns the chance of each item. Few differ: with rotations, only those of items with another
// number of options or with other equal options. The kinds of items with the fewest outcomes are computed
// exactly, the others by simulation.
func chances(ballots []*ballot, policy scoring.MissingPolicy, seed uint64) []*chance {
	kinds := map[string]*chance{}
	out := make([]*chance, len(ballots))
	var todo []*ballot // one ballot of each kind
	for i, b := range ballots {
		key := b.chanceKey()
		if kinds[key] == nil {
			kinds[key] = &chance{itemKind: len(todo)}
			todo = append(todo, b)
		}
		out[i] = kinds[key]
	}
	slices.SortStableFunc(todo, func(a, b *ballot) int { return cmp.Compare(a.outcomeCount(), b.outcomeCount()) })
	budget := float64(maxTotalOutcomes)
	for i, b := range todo {
		draws := 0
		if n := b.outcomeCount(); n <= min(maxExactOutcomes, budget) {
			budget -= n
		} else {
			draws = min(mostDraws, max(fewestDraws, maxTotalOutcomes/8/(len(todo)-i)))
		}
		kinds[b.chanceKey()].computeScores(b, policy, draws, seed)
	}
	return out
}

// outcomeCount returns the number of ways to name a position in each judgment of the item that has a verdict.
func (b *ballot) outcomeCount() float64 {
	return math.Pow(float64(len(b.ids)), float64(b.verdictCount()))
}

// chanceKey returns a key of the item that has everything on which its chance depends.
func (b *ballot) chanceKey() string {
	key := binary.AppendUvarint(nil, uint64(len(b.ids)))
	for _, c := range b.equalTextClass {
		key = binary.AppendUvarint(key, uint64(c))
	}
	for _, order := range b.orders {
		for _, c := range order {
			key = binary.AppendUvarint(key, uint64(c))
		}
	}
	for i, position := range b.positions {
		if position == judging.NoCandidate {
			key = binary.AppendUvarint(key, uint64(i))
		}
	}
	return string(key)
}

// computeScores computes the scores of c for the item of b; exactly if draws is 0, else with this many random outcomes.
func (c *chance) computeScores(b *ballot, policy scoring.MissingPolicy, draws int, seed uint64) {
	n := len(b.ids)
	k := b.verdictCount()
	total := len(b.orders)
	if policy == scoring.MissingUsable {
		total = max(k, 1)
	}
	c.alwaysFirst, c.perfect = alwaysFirst(b), alwaysSameScores(b)
	if draws == 0 {
		c.randomPosition = cachedMean(b, policy)
	} else {
		h := fnv.New64a()
		h.Write([]byte(b.chanceKey()))
		c.randomPosition, c.se = sampledMean(b, policy, draws, rand.New(rand.NewPCG(seed, h.Sum64())))
	}
	// The LLM score and mostly the choice score are exact in any case: in every judgment each
	// position, and so each option, is equally likely.
	positions, options := make([]float64, n), make([]float64, n)
	for i := range n {
		positions[i] = 1 / float64(n)
		options[b.equalTextClass[i]] += 1 / float64(n)
	}
	c.randomPosition[llmIndex] = stats.ExpectedEntropy(k, positions) / maxEntropy(n)
	if k <= maxExactJudgments {
		options = slices.DeleteFunc(options, func(p float64) bool { return p == 0 })
		c.randomPosition[choiceIndex] = stats.ExpectedLargestCount(k, options) / float64(total)
	}
}

// maxEntropy returns the entropy in bits of n equally frequent positions.
func maxEntropy(n int) float64 { return math.Log2(float64(n)) }

// alwaysFirst returns the scores on an item of a judge that always names the first position.
func alwaysFirst(b *ballot) itemScores {
	always := *b
	always.positions = make([]int, len(b.orders))
	return always.scores(scoring.MissingUsable)
}

// alwaysSameScores returns the scores on an item of a judge that names the same option in every order, as the mean over
// all options. With rotations, where each option is at every position equally often, they are 1; with random
// orders they may be lower.
func alwaysSameScores(b *ballot) itemScores {
	var mean itemScores
	always := *b
	always.positions = make([]int, len(b.orders))
	for c := range b.ids {
		for i, order := range b.orders {
			always.positions[i] = slices.Index(order, c)
		}
		mean = mean.plus(always.scores(scoring.MissingUsable))
	}
	return mean.divideBy(float64(len(b.ids)))
}

// exactMeanCache caches the scores that exactMean returns, by policy, weight and [ballot.chanceKey]. Runs of one
// dataset share them: computing them takes as long as the rest of a score.
var exactMeanCache sync.Map

// cachedMean returns exactMean of an item, from exactMeanCache if it is there.
func cachedMean(b *ballot, policy scoring.MissingPolicy) itemScores {
	key := fmt.Sprint(policy, b.weight, b.chanceKey())
	mean, ok := exactMeanCache.Load(key)
	if !ok {
		mean = exactMean(b, policy)
		exactMeanCache.Store(key, mean)
	}
	return mean.(itemScores)
}

// exactMean returns the mean scores of an item over all ways to name a position in each judgment with a verdict.
func exactMean(b *ballot, policy scoring.MissingPolicy) itemScores {
	var sum itemScores
	random := *b
	random.positions = slices.Clone(b.positions)
	var from func(judgment int)
	from = func(judgment int) {
		switch {
		case judgment == len(b.positions):
			sum = sum.plus(random.scores(policy))
		case b.positions[judgment] == judging.NoCandidate:
			from(judgment + 1)
		default:
			for position := range b.ids {
				random.positions[judgment] = position
				from(judgment + 1)
			}
		}
	}
	from(0)
	return sum.divideBy(b.outcomeCount())
}

// sampledMean returns the mean scores of an item over random ways to name a position in each judgment with a verdict,
// and the standard error of the Grade score.
func sampledMean(b *ballot, policy scoring.MissingPolicy, draws int, rng *rand.Rand) (mean itemScores, se float64) {
	var squares float64
	random := *b
	random.positions = slices.Clone(b.positions)
	for range draws {
		for i, position := range b.positions {
			if position != judging.NoCandidate {
				random.positions[i] = rng.IntN(len(b.ids))
			}
		}
		g := random.scores(policy)
		mean = mean.plus(g)
		squares += g[gradeIndex] * g[gradeIndex]
	}
	n := float64(draws)
	mean = mean.divideBy(n)
	variance := max(0, squares/n-mean[gradeIndex]*mean[gradeIndex]) * n / (n - 1)
	return mean, math.Sqrt(variance / n)
}

// chanceNote returns a note on how the Grade score of a guessing judge was computed on these items. Items of one kind
// share a simulation, and so its error.
func chanceNote(ballots []scoredBallot, seed uint64) string {
	items, se := map[int]float64{}, map[int]float64{}
	simulated := 0
	for _, c := range ballots {
		if items[c.itemKind]++; c.se > 0 {
			se[c.itemKind] = c.se
			simulated++
		}
	}
	if simulated == 0 {
		return "exact: all outcomes counted"
	}
	variance := 0.0
	for _, n := range slices.Sorted(maps.Keys(se)) { // the sum of floats depends on the order
		share := items[n] / float64(len(ballots))
		variance += share * share * se[n] * se[n]
	}
	return fmt.Sprintf("simulated for %d of %d items, the others exact: standard error %.5f, seed %d",
		simulated, len(ballots), math.Sqrt(variance), seed)
}
