package race

import (
	"math"
	"strconv"

	"gavel/scoring/stats"
)

// What a race is about.
const (
	AboutItems     = "items"     // who is best on items like these
	AboutBenchmark = "benchmark" // who is best on these items
)

// Abouts lists them, the default first.
var Abouts = []string{AboutItems, AboutBenchmark}

// Result is what a race comes to.
type Result struct {
	Leader    string     `json:"leader"`
	Left      []Leaver   `json:"left"` // in the order in which they did
	Tied      [][]string `json:"tied"` // sets of judges, every two of which are tied
	Calls     int        `json:"calls"`
	FullCalls int        `json:"full_calls"` // without a race
	Alpha     float64    `json:"alpha"`
	About     string     `json:"about"` // one of Abouts
	Orders    Orders     `json:"orders"`
}

// Leaver is a judge that left.
type Leaver struct {
	Run   string   `json:"run"`
	Items int      `json:"items"` // that this rests on
	E     *float64 `json:"e"`     // E₊, null where nobody can catch up on this benchmark
	By    string   `json:"by"`
}

// Result names the judges. calls is how many one needs for an item.
func (r *Race) Result(names []string, calls int) Result {
	in := r.In()
	out := Result{
		Leader: names[in[0]], Left: []Leaver{}, Tied: [][]string{}, Calls: calls * r.Judgments(), FullCalls: calls * len(names) * r.rules.Items,
		Alpha: r.rules.Alpha, About: AboutItems,
	}
	if r.rules.Benchmark {
		out.About = AboutBenchmark
	}
	for _, l := range r.Left() {
		leaver := Leaver{Run: names[l.Judge], Items: l.Items, By: names[l.By]}
		if e := math.Exp(l.LogE); !math.IsInf(e, 1) {
			e, _ = strconv.ParseFloat(strconv.FormatFloat(e, 'g', 6, 64), 64) // the same whatever the processor
			leaver.E = &e
		}
		out.Left = append(out.Left, leaver)
	}
	var apart [][2]int
	for i := range in {
		for j := range i {
			if !r.Tied(in[i], in[j]) {
				apart = append(apart, [2]int{j, i})
			}
		}
	}
	for _, group := range stats.Tied(len(in), apart) {
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
