package coverage

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// judge is a kind of judge with a known diagnosis.
type judge struct {
	name string
	world
	code string // of the diagnosis on a run that is large enough
}

// judges lists judges of every protocol.
var judges = []judge{
	{name: "right", world: pairsOf(1, 0), code: "strong"},
	{name: "right on 95 %, by the first in 5 %", world: pairsOf(0.95, 0.05), code: "strong"},
	{name: "right on 80 %, by the first in 20 %", world: pairsOf(0.8, 0.2), code: "usable"},
	{name: "right on 68 %, by the first in 35 %", world: pairsOf(0.68, 0.35), code: "weak"},
	{
		name:  "a coin",
		world: worldOf("pairwise", pairOf(1, "A", "A"), pairOf(1, "A", "B"), pairOf(1, "B", "A"), pairOf(1, "B", "B")),
		code:  "chance",
	},
	{name: "knows nothing, and is consistent", world: pairsOf(0.5, 0), code: "chance"},
	{name: "names the worse", world: pairsOf(0.1, 0.05), code: "inverted"},
	{name: "by the first in 95 %", world: pairsOf(0.8, 0.95), code: "position"},
	{name: "names the second", world: worldOf("pairwise", pairOf(1, "B", "A")), code: "position"},
	{name: "silent", world: worldOf("pairwise", pairOf(1, "", "")), code: "silent"},
	{
		name: "silent in 20 %",
		world: worldOf("pairwise", pairOf(0.64*0.9, "A", "A"), pairOf(0.64*0.1, "B", "B"),
			pairOf(0.16, "A", ""), pairOf(0.16, "", "A"), pairOf(0.04, "", "")),
		code: "silent",
	},
	{
		name:  "says that most are equal",
		world: worldOf("pairwise", tied(0.8), pairOf(0.2, "A", "A")),
		code:  "ties",
	},

	{name: "answers 60 % right", world: answersOf(0.6), code: "usable"},
	{
		name:  "answers 60 %, and 20 % not at all",
		world: worldOf("answer", answered(0.6, "A"), answered(0.2, "B"), answered(0.2, "")),
		code:  "silent",
	},
	{name: "answers by chance", world: answersOf(1.0 / 3), code: "chance"},

	{name: "calls all Correct", world: judgmentsOf(1, 1), code: "label"},
	{name: "a coin of judgments", world: judgmentsOf(0.5, 0.5), code: "chance"},
	{name: "tells answers apart", world: judgmentsOf(0.95, 0.05), code: "strong"},
	{name: "tells some answers apart", world: judgmentsOf(0.8, 0.25), code: "usable"},
	{name: "tells few answers apart", world: judgmentsOf(0.63, 0.37), code: "weak"},

	{
		name: "the first option",
		world: worldOf("multi-option", choiceUnit(2, 1, []int{0, 1}), choiceUnit(3, 1, []int{0, 1, 2}),
			choiceUnit(4, 1, []int{0, 1, 2, 3})),
		code: "position",
	},
	{
		name:  "the right option in 95 %",
		world: worldOf("multi-option", optionUnits(0.95)...),
		code:  "strong",
	},
	{
		name:  "the right option in 68 %",
		world: worldOf("multi-option", optionUnits(0.4)...),
		code:  "weak",
	},
	{
		name: "keeps to its choice, right in 50 %", // with a Grade score of 1
		world: worldOf("multi-option", choiceUnit(4, 3, always(4, 0)), choiceUnit(4, 1, always(4, 1)), choiceUnit(4, 1, always(4, 2)),
			choiceUnit(4, 1, always(4, 3))),
		code: "weak",
	},
	{
		name:  "a wrong option",
		world: worldOf("multi-option", choiceUnit(3, 1, always(3, 1)), choiceUnit(4, 1, always(4, 2))),
		code:  "inverted",
	},
}

func worldOf(protocol string, units ...unit) world {
	return world{protocol: protocol, units: func(float64) []unit { return units }}
}

// pairsOf returns pairs of which a share prefers the first response regardless of content; of the rest a share is
// correct in both orders.
func pairsOf(right, first float64) world {
	return worldOf("pairwise", pairOf((1-first)*right, "A", "A"), pairOf((1-first)*(1-right), "B", "B"),
		pairOf(first, "A", "B"))
}

func answersOf(p float64) world { return worldOf("answer", answered(p, "A"), answered(1-p, "B")) }

// tied returns pairs judged equal in both orders.
func tied(weight float64) unit {
	return unit{weight: weight, records: func(position place, agent string) []*judging.Record {
		records := pairOf(1, "", "").records(position, agent)
		for _, r := range records {
			r.Outcome = judging.Tie
		}
		return records
	}}
}

// judgmentsOf returns judgments that call a share of correct answers Correct, and a share of wrong ones.
func judgmentsOf(hits, alarms float64) world {
	var units []unit
	for _, own := range []bool{true, false} {
		units = append(units,
			unit{weight: hits, records: judgments(own, true, true, true)},
			unit{weight: 1 - hits, records: judgments(own, true, false, false)},
			unit{weight: alarms, records: judgments(own, false, false, false)},
			unit{weight: 1 - alarms, records: judgments(own, false, true, true)})
	}
	return worldOf("self-reference", units...)
}

// diagnose counts the diagnoses of runs of n units.
func (j judge) diagnose(runs, n int) (codes map[string]int, levels map[scoring.UsabilityLevel]int) {
	codes, levels = map[string]int{}, map[scoring.UsabilityLevel]int{}
	units := numbered(j.units(0))
	var mu sync.Mutex
	var todo sync.WaitGroup
	for w := range 2 {
		todo.Go(func() {
			for i := w; i < runs; i += 2 {
				records, _ := j.draw(rand.New(rand.NewPCG(uint64(i), uint64(n))), units, nil, separate(n))
				d := j.run(records).Score(stats.Bootstrap{Rounds: 200, Level: 0.95, Seed: uint64(i)}).Diagnosis
				mu.Lock()
				codes[d.Code]++
				levels[d.Level]++
				mu.Unlock()
			}
		})
	}
	todo.Wait()
	return codes, levels
}

// shares lists codes with their frequency in percent, the most frequent first.
func shares(codes map[string]int, runs int) string {
	var list []string
	for code, k := range codes {
		list = append(list, fmt.Sprintf("%.1f %s", 100*float64(k)/float64(runs), code))
	}
	slices.SortFunc(list, func(a, b string) int {
		return strings.Compare(fmt.Sprintf("%12s", b), fmt.Sprintf("%12s", a))
	})
	return strings.Join(list, ", ")
}
