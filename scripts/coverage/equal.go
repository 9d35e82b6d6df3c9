package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"sync"
	"text/tabwriter"

	"gavel/scoring"
	"gavel/scoring/stats"
)

// equals are judges of one strength: of pairs, most of whose rows are right or wrong and have McNemar's test, and of
// three options, whose rows are tested by exchanges.
var equals = []world{
	{name: "pairs", protocol: "pairwise", units: pairUnits},
	{name: "three options", protocol: "multi-option", units: func(p float64) []unit { return optionUnits(p)[5:10] }},
}

// equality is what is simulated: so many tables that compare so many judges of a strength on the
// same n items in two groups.
type equality struct {
	tables, judges, n, rounds int
	strength                  float64
}

// differing counts the tables in which any row is called different, and the tests of a table.
func (e equality) differing(w world) (wrong, tests int) {
	units := numbered(w.units(e.strength))
	var mu sync.Mutex
	spread(e.tables, func(i int) {
		c := e.table(rand.New(rand.NewPCG(uint64(i), uint64(e.judges*e.n))), w, units)
		tested, differs := 0, false
		for _, one := range c.Comparisons {
			for _, d := range one.Differences {
				tested, differs = tested+int(scoring.One(d.P != nil)), differs || !d.Noise
			}
		}
		mu.Lock()
		defer mu.Unlock()
		wrong, tests = wrong+int(scoring.One(differs)), max(tests, tested)
	})
	return wrong, tests
}

// table compares judges that differ by chance alone.
func (e equality) table(rng *rand.Rand, w world, units []unit) *scoring.Comparisons {
	var runs []*scoring.Run
	for range e.judges {
		records, _ := w.draw(rng, units, nil, separate(e.n))
		for _, r := range records {
			item, err := strconv.Atoi(r.Item[:4])
			if err != nil {
				panic(err)
			}
			r.Group = []string{"even", "odd"}[item%2]
		}
		runs = append(runs, w.run(records))
	}
	c, err := scoring.Compare(runs, stats.Bootstrap{Rounds: e.rounds, Level: 0.95, Seed: rng.Uint64()})
	if err != nil {
		panic(err)
	}
	return c
}

// print is a table of worlds and how many tables of equal judges call some different.
func (e equality) print(out io.Writer) {
	table := tabwriter.NewWriter(out, 2, 0, 2, ' ', 0)
	fmt.Fprintln(table, "world\tjudges\titems\ttests of a table\ttables\tsome row differs\tin percent\t95 % interval")
	for _, w := range equals {
		wrong, tests := e.differing(w)
		iv := stats.Exact(wrong, e.tables, 0.95)
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%d\t%.1f\t%.1f to %.1f\n", w.name, e.judges, e.n, tests,
			e.tables, wrong, 100*float64(wrong)/float64(e.tables), 100*iv.Low, 100*iv.High)
	}
	table.Flush()
}
