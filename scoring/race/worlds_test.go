package race_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"text/tabwriter"

	"gavel/scoring/race"
	"gavel/scoring/stats"
)

// Here worlds of judges of whom everything is known say how often races err, what they cost and what they find. The
// fixed test beside them looks once, after all items. By day little is tried; with GAVEL_TRIALS and -v the tables of
// docs/race.md are printed.

// alpha is that of all races and tests here.
const alpha = 0.05

// tally is what races in worlds came to.
type tally struct {
	worlds, lost, anyLeft, alone, fixed int
	calls                               float64
	behind                              int // of all items
}

func (t *tally) plus(u tally) {
	t.worlds += u.worlds
	t.lost += u.lost
	t.anyLeft += u.anyLeft
	t.alone += u.alone
	t.fixed += u.fixed
	t.calls, t.behind = t.calls+u.calls, t.behind+u.behind
}

// world is a best judge, the first, and others, each behind it by a share of the n items: of each of them and the
// best one a share of the items are discordant. Nothing else is said of two others.
func world(rng *rand.Rand, judges, n int, behind float64) [][]bool {
	const best = 0.6 // how often it is right
	right := make([][]bool, judges)
	for j := range right {
		right[j] = make([]bool, n)
	}
	for i := range n {
		right[0][i] = rng.Float64() < best
		for j := 1; j < judges; j++ {
			flips := (stats.DefaultDiscordantShare - behind) / 2 / (1 - best)
			if right[0][i] {
				flips = (stats.DefaultDiscordantShare + behind) / 2 / best
			}
			right[j][i] = right[0][i] != (rng.Float64() < flips)
		}
	}
	return right
}

// one races in a world. The judge that is the best is the first; who is asked first does not depend on it.
func one(rng *rand.Rand, judges, n int, behind float64, benchmark bool) tally {
	right := world(rng, judges, n, behind)
	at := rng.IntN(judges)
	right[0], right[at] = right[at], right[0]
	r := race.Replay(right, rng.Perm(n), race.Rules{Items: n, Alpha: alpha, OnlyTheseItems: benchmark})
	in := r.Remaining()
	t := tally{worlds: 1, calls: float64(r.Judgments()) / float64(judges*n)}
	t.lost = number(!slices.Contains(in, at))
	t.alone = number(len(in) == 1 && in[0] == at)
	t.anyLeft = number(len(in) < judges)
	t.behind = number(race.ShareBehindBest(right, in[0]) > 1e-9)
	t.fixed = number(beatsAll(right, at))
	return t
}

// beatsAll is the fixed test: after all items the judge is better than every other, by McNemar's test with Bonferroni's
// correction.
func beatsAll(right [][]bool, best int) bool {
	for j, other := range right {
		wins, losses := 0, 0
		for i, is := range right[best] {
			wins += number(is && !other[i])
			losses += number(other[i] && !is)
		}
		if j != best && (wins <= losses || stats.McNemar(losses, wins) >= alpha/float64(len(right)-1)) {
			return false
		}
	}
	return true
}

func number(is bool) int {
	if is {
		return 1
	}
	return 0
}

// raced is the sum over so many worlds; the same whatever the number of processors.
func raced(worlds, judges, n int, behind float64, benchmark bool) (sum tally) {
	const share = 100
	parts := make([]tally, (worlds+share-1)/share)
	todo := make(chan int)
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for p := range todo {
				rng := rand.New(rand.NewPCG(uint64(p), uint64(judges*1000+n)))
				for range min(share, worlds-p*share) {
					parts[p].plus(one(rng, judges, n, behind, benchmark))
				}
			}
		})
	}
	for p := range parts {
		todo <- p
	}
	close(todo)
	all.Wait()
	for _, p := range parts {
		sum.plus(p)
	}
	return sum
}

// simulate is the table of races about this.
func simulate(out io.Writer, about string, worlds int, sizes, judges []int) {
	benchmark := about == race.QuestionBenchmark
	table := tabwriter.NewWriter(out, 2, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(out, "\nabout %s, %d worlds a row, %g discordant, alpha %g\n", about, worlds, stats.DefaultDiscordantShare, alpha)
	fmt.Fprintln(table, "K\titems\tpoints\terred, %\tat most, %\tcalls, %\tfound, %\tfixed test, %\tany left, %\t")
	for _, k := range judges {
		for _, n := range sizes {
			for _, points := range []float64{0, 5, 10, 15, 20} {
				t := raced(worlds, k, n, points/100, benchmark)
				erred := t.lost
				if benchmark {
					erred = t.behind
				}
				share := func(count int) float64 { return 100 * float64(count) / float64(t.worlds) }
				fmt.Fprintf(table, "%d\t%d\t%g\t%.2f\t%.2f\t%.1f\t%.1f\t%.1f\t%.1f\t\n",
					k, n, points, share(erred), 100*stats.ClopperPearson(erred, t.worlds, 0.95).High,
					100*t.calls/float64(t.worlds), share(t.alone), share(t.fixed), share(t.anyLeft))
			}
		}
	}
	table.Flush()
}
