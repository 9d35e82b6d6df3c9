package multioption

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// chance is what judges that judge nothing come to on an item, and what one that never wavers does. It depends on the
// orders that the item was shown in, and on which of its options are the same; of the verdicts, on which there are
// none: the random judge is silent where the judge was.
type chance struct {
	random  grades  // every judgment with a verdict names any of the positions, all alike
	se      float64 // standard error of random.grade; 0 where all outcomes were counted
	first   grades  // every judgment names the first position
	perfect grades  // every judgment names the same option: the mean over all of them
	number  int     // items with the same number have the same chance
}

// Work that is done to find chances, in outcomes looked at.
const (
	mostOutcomes = 1 << 20 // all of one kind of item
	allOutcomes  = 1 << 22 // all of all kinds of a run
	mostDraws    = 1 << 17
	fewestDraws  = 1000
	mostExact    = 64 // judgments for which the choice score is computed rather than drawn
)

// chances finds the chance of each ballot. Few differ: with rotations, only items with another number of options, or
// other options that are the same. The kinds with the fewest outcomes are counted out, the others drawn.
func chances(ballots []*ballot, how scoring.MissingPolicy, seed uint64) []*chance {
	kinds := map[string]*chance{}
	out := make([]*chance, len(ballots))
	var todo []*ballot // one of each kind
	for i, b := range ballots {
		key := b.kind()
		if kinds[key] == nil {
			kinds[key] = &chance{number: len(todo)}
			todo = append(todo, b)
		}
		out[i] = kinds[key]
	}
	slices.SortStableFunc(todo, func(a, b *ballot) int { return cmp.Compare(a.outcomes(), b.outcomes()) })
	left := float64(allOutcomes)
	for i, b := range todo {
		draws := 0
		if n := b.outcomes(); n <= min(mostOutcomes, left) {
			left -= n
		} else {
			draws = min(mostDraws, max(fewestDraws, allOutcomes/8/(len(todo)-i)))
		}
		kinds[b.kind()].find(b, how, draws, seed)
	}
	return out
}

// outcomes is how many ways there are to name a position in each judgment with a verdict.
func (b *ballot) outcomes() float64 { return math.Pow(float64(len(b.ids)), float64(b.usable())) }

// kind is all of a ballot that its chance depends on.
func (b *ballot) kind() string {
	key := binary.AppendUvarint(nil, uint64(len(b.ids)))
	for _, c := range b.class {
		key = binary.AppendUvarint(key, uint64(c))
	}
	for _, order := range b.orders {
		for _, c := range order {
			key = binary.AppendUvarint(key, uint64(c))
		}
	}
	for i, position := range b.positions {
		if position == judging.Nobody {
			key = binary.AppendUvarint(key, uint64(i))
		}
	}
	return string(key)
}

// find fills in the chance; of no draws, all outcomes are counted.
func (c *chance) find(b *ballot, how scoring.MissingPolicy, draws int, seed uint64) {
	n := len(b.ids)
	k := b.usable()
	of := len(b.orders)
	if how == scoring.MissingUsable {
		of = max(k, 1)
	}
	c.first, c.perfect = alwaysFirst(b), alwaysSame(b)
	if draws == 0 {
		c.random = counted(b, how)
	} else {
		h := fnv.New64a()
		h.Write([]byte(b.kind()))
		c.random, c.se = drawnOutcomes(b, how, draws, rand.New(rand.NewPCG(seed, h.Sum64())))
	}
	// Two of the three are known exactly whatever was done above: each position, and
	// so each option, is as likely as another in every judgment.
	positions, options := make([]float64, n), make([]float64, n)
	for i := range n {
		positions[i] = 1 / float64(n)
		options[b.class[i]] += 1 / float64(n)
	}
	c.random.llm = stats.ExpectedEntropy(k, positions) / maxEntropy(n)
	if k <= mostExact {
		options = slices.DeleteFunc(options, func(p float64) bool { return p == 0 })
		c.random.choice = stats.ExpectedMost(k, options) / float64(of)
	}
}

func maxEntropy(n int) float64 { return math.Log2(float64(n)) }

// alwaysFirst is the judge that names what stands first.
func alwaysFirst(b *ballot) grades {
	always := *b
	always.positions = make([]int, len(b.orders))
	return always.grades(scoring.MissingUsable)
}

// alwaysSame is the judge that names the same option in every order, the mean over all options. Where each stands at
// all positions equally often, as with rotations, it scores 1; with orders that were drawn it may not.
func alwaysSame(b *ballot) grades {
	var mean grades
	always := *b
	always.positions = make([]int, len(b.orders))
	for c := range b.ids {
		for i, order := range b.orders {
			always.positions[i] = slices.Index(order, c)
		}
		mean = mean.plus(always.grades(scoring.MissingUsable))
	}
	return mean.over(float64(len(b.ids)))
}

// countedOut are the means over every outcome, by what they depend on. Runs of one dataset share them: to count them
// out takes as long as all else of a score.
var countedOut sync.Map

// counted is everyOutcome, counted out once.
func counted(b *ballot, how scoring.MissingPolicy) grades {
	key := string(how) + " " + b.kind()
	mean, known := countedOut.Load(key)
	if !known {
		mean = everyOutcome(b, how)
		countedOut.Store(key, mean)
	}
	return mean.(grades)
}

// everyOutcome is the mean over all the ways to name a position in each judgment with a verdict.
func everyOutcome(b *ballot, how scoring.MissingPolicy) grades {
	var sum grades
	random := *b
	random.positions = slices.Clone(b.positions)
	var from func(judgment int)
	from = func(judgment int) {
		switch {
		case judgment == len(b.positions):
			sum = sum.plus(random.grades(how))
		case b.positions[judgment] == judging.Nobody:
			from(judgment + 1)
		default:
			for position := range b.ids {
				random.positions[judgment] = position
				from(judgment + 1)
			}
		}
	}
	from(0)
	return sum.over(b.outcomes())
}

// drawnOutcomes is the mean over draws of them, with the standard error of the Grade score's.
func drawnOutcomes(b *ballot, how scoring.MissingPolicy, draws int, rng *rand.Rand) (mean grades, se float64) {
	var squares float64
	random := *b
	random.positions = slices.Clone(b.positions)
	for range draws {
		for i, position := range b.positions {
			if position != judging.Nobody {
				random.positions[i] = rng.IntN(len(b.ids))
			}
		}
		g := random.grades(how)
		mean = mean.plus(g)
		squares += g.grade * g.grade
	}
	n := float64(draws)
	mean = mean.over(n)
	variance := math.Max(0, squares/n-mean.grade*mean.grade) * n / (n - 1)
	return mean, math.Sqrt(variance / n)
}

// chanceNote says how the Grade score of a random judge was come by. Items of
// one kind share one simulation, and so its error.
func chanceNote(of []countedChoices, seed uint64) string {
	items, se := map[int]float64{}, map[int]float64{}
	simulated := 0
	for _, c := range of {
		if items[c.number]++; c.se > 0 {
			se[c.number] = c.se
			simulated++
		}
	}
	if simulated == 0 {
		return "exact: all outcomes counted"
	}
	var numbers []int
	for n := range se {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers) // sums in one order have one value
	variance := 0.0
	for _, n := range numbers {
		share := items[n] / float64(len(of))
		variance += share * share * se[n] * se[n]
	}
	return fmt.Sprintf("simulated for %d of %d items, the others exact: standard error %.5f, seed %d",
		simulated, len(of), math.Sqrt(variance), seed)
}
