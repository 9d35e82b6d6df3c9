package race

import (
	"math"
	"strconv"

	"gavel/scoring/stats"
)

// Questions of a race.
const (
	AboutItems     = "items"     // the best judge on items like these
	AboutBenchmark = "benchmark" // the best judge on these items
)

// Abouts lists them, the default first.
var Abouts = []string{AboutItems, AboutBenchmark}

// about returns the race's question, as --about takes it.
func (r Rules) about() string {
	if r.Benchmark {
		return AboutBenchmark
	}
	return AboutItems
}

// Result holds what a race has found so far.
type Result struct {
	Leader    string     `json:"leader"`     // of the judges that are in at the end the one that is right most often
	Left      []Leaver   `json:"left"`       // in the order in which they left
	Tied      [][]string `json:"tied"`       // sets of judges that are in, every two of which are tied
	Calls     int        `json:"calls"`      // judgments of the race, in the order of `--seed`
	FullCalls int        `json:"full_calls"` // judgments of all judges on all items
	Alpha     float64    `json:"alpha"`      // the chance that the best one is lost is at most this
	About     string     `json:"about"`      // `items` or `benchmark`
	Orders    Orders     `json:"orders"`     // of `--orders` races over the same judgments
}

// Leaver is a judge that left.
type Leaver struct {
	Run   string   `json:"run"`   // the judge's
	Items int      `json:"items"` // after how many
	E     *float64 `json:"e"`     // one-sided E-value; null where nobody can catch up on this benchmark
	By    string   `json:"by"`    // the judge that is better
}

// Result returns what the race has found so far, with the names of the judges. calls is the number of judgments of an
// item.
func (r *Race) Result(names []string, calls int) Result {
	in := r.In()
	out := Result{
		Leader:    names[in[0]],
		Left:      []Leaver{},
		Tied:      [][]string{},
		Calls:     calls * r.Judgments(),
		FullCalls: calls * len(names) * r.Rules.Items,
		Alpha:     r.Rules.Alpha,
		About:     r.Rules.about(),
	}
	for _, l := range r.Left() {
		leaver := Leaver{Run: names[l.Judge], Items: l.Items, By: names[l.By]}
		if e := math.Exp(l.LogE); !math.IsInf(e, 1) {
			e, _ = strconv.ParseFloat(strconv.FormatFloat(e, 'g', 6, 64), 64) // the same whatever the processor
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
