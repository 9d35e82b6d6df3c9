package race

import (
	"math"
	"strconv"

	"gavel/scoring/stats"
)

// The questions that a race can answer, values of --about.
const (
	QuestionSimilarItems = "items"     // the best judge on items like these
	QuestionBenchmark    = "benchmark" // the best judge on these items
)

// Questions lists the questions, the default first.
var Questions = []string{QuestionSimilarItems, QuestionBenchmark}

// question returns the race's question as a value of --about.
func (r Rules) question() string {
	if r.OnlyTheseItems {
		return QuestionBenchmark
	}
	return QuestionSimilarItems
}

// Result holds the findings of a race so far.
type Result struct {
	Leader     string          `json:"leader"` // run of the remaining judge with the highest score
	Eliminated []EliminatedRun `json:"left"`   // judges that left, in the order in which they left
	Tied       [][]string      `json:"tied"`   // sets of remaining judges, by run, that are all tied with each other
	// judgments made in the race, which took the items in the order of `--seed`
	Calls     int     `json:"calls"`
	FullCalls int     `json:"full_calls"` // judgments that all judges would make on all items
	Alpha     float64 `json:"alpha"`      // largest probability that the best judge left
	// `items`: the best judge on items like these; `benchmark`: on these items
	Question      string `json:"about"`
	OrdersSummary Orders `json:"orders"` // summary of `--orders` races over the same judgments
}

// EliminatedRun holds a judge that left a race because another one is better.
type EliminatedRun struct {
	Run   string `json:"run"`   // folder of the judge's run
	Items int    `json:"items"` // number of items after which the judge left
	// one-sided e-value for "the other judge is better"; null if this one could no longer catch up on this benchmark
	E      *float64 `json:"e"`
	Winner string   `json:"by"` // folder of the better judge's run
}

// Result returns the findings of the race so far. names are those of the judges' runs, by judge, and calls is the
// number of judgments per item.
func (r *Race) Result(names []string, calls int) Result {
	in := r.Remaining()
	out := Result{
		Leader:     names[in[0]],
		Eliminated: []EliminatedRun{},
		Tied:       [][]string{},
		Calls:      calls * r.Judgments(),
		FullCalls:  calls * len(names) * r.Rules.Items,
		Alpha:      r.Rules.Alpha,
		Question:   r.Rules.question(),
	}
	for _, l := range r.Eliminations() {
		leaver := EliminatedRun{Run: names[l.Judge], Items: l.Items, Winner: names[l.Winner]}
		if e := math.Exp(l.LogE); !math.IsInf(e, 1) {
			e, _ = strconv.ParseFloat(strconv.FormatFloat(e, 'g', 6, 64), 64) // equal on all processors
			leaver.E = &e
		}
		out.Eliminated = append(out.Eliminated, leaver)
	}
	for _, group := range stats.TieGroups(len(in), r.untiedPairs(in)) {
		if len(group) < 2 {
			continue
		}
		var tied []string
		for _, i := range group {
			tied = append(tied, names[in[i]])
		}
		out.Tied = append(out.Tied, tied)
	}
	return out
}
