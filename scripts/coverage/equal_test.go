package coverage

import (
	"math/rand/v2"
	"strconv"
	"sync"

	"gavel/scoring"
	"gavel/scoring/stats"
)

// equals lists judges of equal strength: of pairs, most of whose rows are correct or not and use McNemar's test, and of
// three options, whose rows use permutation tests.
var equals = []world{
	{name: "pairs", protocol: "pairwise", units: pairUnits},
	{name: "three options", protocol: "multi-option", units: func(p float64) []unit { return optionUnits(p)[5:10] }},
}

// equality describes a simulation: tables that compare judges of equal strength on the same n items in two groups.
type equality struct {
	tables, judges, n, rounds int
	strength                  float64
}

// differing counts the tables of "gavel compare" with a significant row, their tests, and the rankings with a
// significant difference.
func (e equality) differing(w world) (wrong, tests, apart int) {
	units := numbered(w.units(e.strength))
	var mu sync.Mutex
	spread(e.tables, func(i int) {
		c, rankings := e.table(rand.New(rand.NewPCG(uint64(i), uint64(e.judges*e.n))), w, units)
		tested := 0
		differs := false
		separate := false
		for _, one := range c.Comparisons {
			for _, d := range one.Differences {
				tested, differs = tested+int(scoring.Indicator(d.P != nil)), differs || !d.NotSignificant
			}
		}
		for _, ranking := range rankings {
			for _, v := range ranking.Pairs {
				separate = separate || !v.NotSignificant
			}
		}
		mu.Lock()
		defer mu.Unlock()
		wrong += int(scoring.Indicator(differs))
		apart += int(scoring.Indicator(separate))
		tests = max(tests, tested)
	})
	return wrong, tests, apart
}

// table compares and ranks judges that differ by chance only.
func (e equality) table(rng *rand.Rand, w world, units []unit) (*scoring.Comparisons, []scoring.Ranking) {
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
	bootstrap := stats.Bootstrap{Rounds: e.rounds, Level: 0.95, Seed: rng.Uint64()}
	c, err := scoring.Compare(runs, bootstrap)
	if err != nil {
		panic(err)
	}
	ranked, err := scoring.Rank(runs, bootstrap)
	if err != nil {
		panic(err)
	}
	return c, ranked
}
