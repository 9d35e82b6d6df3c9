package race

import (
	"math"
	"strconv"

	"gavel/scoring/stats"
)

// The questions that a race can answer.
const (
	AboutItems     = "items"     // the best judge on items like these
	AboutBenchmark = "benchmark" // the best judge on these items
)

// Abouts lists the questions, the default first.
var Abouts = []string{AboutItems, AboutBenchmark}

// question returns the race's question as a value of --about.
func (r Rules) question() string {
	if r.Benchmark {
		return AboutBenchmark
	}
	return AboutItems
}

// Result holds the findings of a race so far.
type Result struct {
	Leader    string     `json:"leader"`     // the remaining judge with the highest score
	Left      []Leaver   `json:"left"`       // in the order in which they left
	Tied      [][]string `json:"tied"`       // sets of remaining judges that are all tied with each other
	Calls     int        `json:"calls"`      // judgments of the race, in the order of `--seed`
	FullCalls int        `json:"full_calls"` // judgments of all judges on all items
	Alpha     float64    `json:"alpha"`      // largest probability that the best judge was lost
	About     string     `json:"about"`      // `items` or `benchmark`
	Orders    Orders     `json:"orders"`     // summary of `--orders` races over the same judgments
}

// Leaver holds a judge that left.
type Leaver struct {
	Run   string   `json:"run"`   // name of the judge's run
	Items int      `json:"items"` // number of items after which it left
	E     *float64 `json:"e"`     // one-sided e-value; null if the judge could no longer catch up on this benchmark
	By    string   `json:"by"`    // name of the better judge's run
}

// Result returns the findings of the race so far. names are those of the judges' runs, and calls is the number of
// judgments per item.
func (r *Race) Result(names []string, calls int) Result {
	in := r.In()
	out := Result{
		Leader:    names[in[0]],
		Left:      []Leaver{},
		Tied:      [][]string{},
		Calls:     calls * r.Judgments(),
		FullCalls: calls * len(names) * r.Rules.Items,
		Alpha:     r.Rules.Alpha,
		About:     r.Rules.question(),
	}
	for _, l := range r.Left() {
		leaver := Leaver{Run: names[l.Judge], Items: l.Items, By: names[l.By]}
		if e := math.Exp(l.LogE); !math.IsInf(e, 1) {
			e, _ = strconv.ParseFloat(strconv.FormatFloat(e, 'g', 6, 64), 64) // equal on all processors
			leaver.E = &e
		}
		out.Left = append(out.Left, leaver)
	}
	for _, group := range stats.Tied(len(in), r.untied(in)) {
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
