// Races says how often races err, what they cost and what they find: worlds of judges of whom everything is known are
// raced by gavel's own code. The fixed test beside them looks once, after all items.
//
//	go run ./scripts/races                                 the table in full: 10,000 worlds a row
//	go run ./scripts/races -worlds 500                     a rough one
//	go run ./scripts/races -until                          gates of one run: --until
//	go run ./scripts/races -runs runs/a,runs/b,runs/c      races over runs that are there, instead; -figure FILE.svg draws them
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"gavel/datasets"
	"gavel/internal/report/figure"
	"gavel/judging"
	_ "gavel/protocols"
	"gavel/scoring"
	"gavel/scoring/race"
	"gavel/scoring/stats"
)

func main() {
	worlds := flag.Int("worlds", 10_000, "of a row")
	about := flag.String("about", "", "only races about this: items or benchmark")
	runs := flag.String("runs", "",
		"folders of runs, with commas between: every two of them, and all, are raced in 1,000 orders")
	picture := flag.String("figure", "", "with -runs: the share of calls against the true difference, as this SVG file")
	until := flag.Bool("until", false, "runs that end when a question is answered, instead")
	flag.Parse()
	if *until {
		gates(os.Stdout, *worlds)
		return
	}
	if *runs == "" {
		simulate(os.Stdout, *about, *worlds, []int{350, 620}, []int{2, 4, 8})
		return
	}
	if err := replay(os.Stdout, strings.Split(*runs, ","), *picture); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

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

// one races in a world. The judge that is the best is the first; who is asked first does not depend on it.
func one(rng *rand.Rand, judges, n int, behind float64, benchmark bool) tally {
	right := race.World(rng, judges, n, behind)
	at := rng.IntN(judges)
	right[0], right[at] = right[at], right[0]
	r := race.Replay(right, rng.Perm(n), race.Rules{Items: n, Alpha: alpha, Benchmark: benchmark})
	in := r.In()
	t := tally{worlds: 1, calls: float64(r.Judgments()) / float64(judges*n)}
	t.lost = number(!slices.Contains(in, at))
	t.alone = number(len(in) == 1 && in[0] == at)
	t.anyLeft = number(len(in) < judges)
	t.behind = number(race.Behind(right, in[0]) > 1e-9)
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

func simulate(out io.Writer, only string, worlds int, sizes, judges []int) {
	for _, about := range race.Abouts {
		if !strings.HasPrefix(about, only) {
			continue
		}
		benchmark := about == race.AboutBenchmark
		table := tabwriter.NewWriter(out, 2, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintf(out, "\nabout %s, %d worlds a row, %g discordant, alpha %g\n", about, worlds, stats.Discordant, alpha)
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
						k, n, points, share(erred), 100*stats.Exact(erred, t.worlds, 0.95).High,
						100*t.calls/float64(t.worlds), share(t.alone), share(t.fixed), share(t.anyLeft))
				}
			}
		}
		table.Flush()
	}
}

// replay races runs that are there: every two of them, and all at once.
func replay(out io.Writer, dirs []string, picture string) error {
	var runs []*scoring.Run
	for _, dir := range dirs {
		run, err := scoring.Load(dir, judging.Reading{Policy: judging.Unique})
		if err != nil {
			return err
		}
		runs = append(runs, run)
	}
	sets := [][]*scoring.Run{}
	for i, a := range runs {
		for _, b := range runs[i+1:] {
			sets = append(sets, []*scoring.Run{a, b})
		}
	}
	if len(runs) > 2 {
		sets = append(sets, runs)
	}
	table := tabwriter.NewWriter(out, 2, 0, 2, ' ', 0)
	fmt.Fprintln(table, "judges\titems\tapart, points\tabout\terred\tcalls, %")
	sums, drawn := map[string]*bin{}, map[string][]figure.Point{}
	for _, set := range sets {
		if err := replaySet(table, set, sums, drawn); err != nil {
			return err
		}
	}
	fmt.Fprintln(table, "\ntwo judges apart, points\tabout\tpairs\torders\terred\tcalls, %, mean of medians")
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		b := sums[name]
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%.1f\n", name, b.pairs, b.pairs*orders, b.erred, b.calls/float64(b.pairs))
	}
	if picture != "" {
		if err := draw(picture, drawn); err != nil {
			return err
		}
	}
	return table.Flush()
}

// draw draws what races of two cost against how far the two are apart.
func draw(file string, points map[string][]figure.Point) error {
	chart := figure.Scatter{
		X:  figure.Axis{Label: "difference of the two judges on all items, points of strict", Max: 30, Decimals: 1},
		Y:  figure.Percent("calls of the race, % of all"),
		Of: "two judges",
	}
	for i, about := range race.Abouts {
		chart.Series = append(chart.Series,
			figure.Series{Name: "about " + about, Look: i, Hollow: i > 0, Points: points[about]})
	}
	f, ok := figure.Spec{
		ID:     "races",
		Title:  "Calls of races of two judges",
		Panels: []figure.Panel{{Chart: chart}},
	}.Draw()
	if !ok {
		return errors.New("there is nothing to draw")
	}
	return os.WriteFile(file, []byte(f.Pictures[0].Alone()), 0o644)
}

const orders = 1000

// bin sums up pairs of judges that differ by about as much.
type bin struct {
	pairs, erred int
	calls        float64
}

// binOf is the name of the bin of a difference in points.
func binOf(points float64) string {
	ends := []float64{0, 2, 5, 10, 15, 100}
	for i, end := range ends[1:] {
		if points < end {
			return fmt.Sprintf("%2g to %g", ends[i], end)
		}
	}
	return "100"
}

func replaySet(table io.Writer, runs []*scoring.Run, sums map[string]*bin, drawn map[string][]figure.Point) error {
	rights, err := scoring.RightsOf(runs)
	if err != nil {
		return err
	}
	n := len(rights.Units)
	order := func(seed int64) []int {
		return datasets.Order(n, func(i int) string { return rights.Units[i] }, seed)
	}
	var behind []float64
	for j := range runs {
		behind = append(behind, race.Behind(rights.Right, j))
	}
	slices.Sort(behind)
	name := fmt.Sprintf("all %d", len(runs))
	if len(runs) == 2 {
		name = runs[0].Dir + ", " + runs[1].Dir
	}
	for _, about := range race.Abouts {
		o := race.ReplayAll(rights.Right, order, orders, rights.Calls,
			race.Rules{Items: n, Alpha: alpha, Benchmark: about == race.AboutBenchmark})
		calls := 100 * o.Calls / float64(rights.Calls*n*len(runs))
		fmt.Fprintf(table, "%s\t%d\t%.1f\t%s\t%d\t%.1f\n", name, n, 100*behind[1], about, o.Erred, calls)
		if len(runs) == 2 {
			key := binOf(100*behind[1]) + "\t" + about
			if sums[key] == nil {
				sums[key] = new(bin)
			}
			b := sums[key]
			dot := func(value float64) figure.Dot { return figure.Dot{Value: &value, N: n} }
			drawn[about] = append(drawn[about], figure.Point{Name: name, X: dot(100 * behind[1]), Y: dot(calls)})
			b.pairs++
			b.erred += o.Erred
			b.calls += calls
		}
	}
	return nil
}
