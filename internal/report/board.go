package report

import (
	"cmp"
	"slices"

	"gavel/internal/doc"
	"gavel/scoring"
)

// Board is judges of one condition by a headline, the best first. Those without a value are last.
type Board struct {
	Metric string     `json:"metric"`
	Mode   string     `json:"mode,omitempty"`
	Test   string     `json:"test"`   // of two judges; empty where they were not tested
	Family string     `json:"family"` // what Holm's correction is over
	Unit   string     `json:"unit"`   // what was judged: `pair`
	Says   string     `json:"says"`   // the answer in a sentence or two
	Rows   []Standing `json:"judges"`
}

// Standing is a judge on a board. Nobody can say its rank; what is sure is that it lies from First to Last.
type Standing struct {
	// one more than the judges that are surely better; 0 where the judge has no value
	First int `json:"rank_first"`
	// as many as there are judges with a value, less those that are surely worse
	Last      int            `json:"rank_last"`
	Name      string         `json:"name"`
	Detail    string         `json:"detail,omitempty"`    // what else tells it from others: its server, its prompt
	Reference bool           `json:"reference,omitempty"` // its replies or verdicts were published
	Mark      string         `json:"mark,omitempty"`      // of a note that is printed beneath
	Run       string         `json:"run"`
	Model     string         `json:"model"`
	Simulated bool           `json:"simulated"`
	Level     scoring.Level  `json:"level"`
	Headline  scoring.Result `json:"headline"`
	// of pairs; left empty by protocols that have no such metric
	RightWhereAlike scoring.Result `json:"right_where_alike"`
	Coverage        scoring.Result `json:"coverage"`
	NamesFirst      scoring.Result `json:"first_position"`
	// of an item, while at least one judgment was being made; left out where no server was asked
	Seconds *float64 `json:"seconds_per_item,omitempty"`

	Report *scoring.Report `json:"-"` // for what else a table shows
	target doc.Ref         // its run
}

// NewBoard returns the board of a ranking's runs, the best first. names are the judges' names in the ranking's order; a
// judge without one is named by its model.
func NewBoard(r scoring.Ranking, names []string) Board {
	b := Board{Metric: r.Metric, Mode: r.Mode, Test: r.Test, Family: r.Family, Unit: r.Boot.Unit}
	ranks := rankRanges(r)
	for i, run := range r.Runs {
		rep := run.Report
		row := Standing{
			First:           ranks[i][0],
			Last:            ranks[i][1],
			Name:            run.Model,
			Run:             run.Run,
			Model:           run.Model,
			Simulated:       run.Simulated,
			Level:           LevelOf(rep),
			Headline:        run.Result,
			RightWhereAlike: rep.Overall(scoring.RightWhereAlike),
			Coverage:        rep.Overall(scoring.Coverage),
			NamesFirst:      rep.Overall(scoring.FirstPosition),
			Report:          rep,
		}
		if i < len(names) {
			row.Name = cmp.Or(names[i], row.Name)
		}
		b.Rows = append(b.Rows, row)
	}
	slices.SortStableFunc(b.Rows, func(x, y Standing) int {
		if x.Headline.Value == nil || y.Headline.Value == nil {
			return cmp.Compare(scoring.One(x.Headline.Value == nil), scoring.One(y.Headline.Value == nil))
		}
		return cmp.Compare(*y.Headline.Value, *x.Headline.Value)
	})
	b.Says = b.answer()
	return b
}

// rankRanges returns the first and the last rank that each run may have, by the significant differences of the ranking.
func rankRanges(r scoring.Ranking) [][2]int {
	valued := 0
	for _, run := range r.Runs {
		if run.Value != nil {
			valued++
		}
	}
	ranks := make([][2]int, len(r.Runs))
	for i, run := range r.Runs {
		if run.Value != nil {
			ranks[i] = [2]int{1, valued}
		}
	}
	for _, v := range r.Pairs {
		a := r.Runs[v.A].Value
		b := r.Runs[v.B].Value
		switch {
		case v.Same || a == nil || b == nil:
		case *a > *b:
			ranks[v.A][1]--
			ranks[v.B][0]++
		case *a < *b:
			ranks[v.A][0]++
			ranks[v.B][1]--
		}
	}
	return ranks
}

// ForBoard returns the part of a report that boards show: its numbers over all items, and its headline by category.
func ForBoard(r *scoring.Report) *scoring.Report {
	head := Headline(r)
	small := scoring.Report{
		Run:      r.Run,
		ID:       r.ID,
		Protocol: r.Protocol,
		Goal:     r.Goal,
		Question: r.Question,
		Items:    r.Items,
		Expected: r.Expected,
		Answer:   r.Answer,
		Method:   scoring.Method{Bootstrap: r.Bootstrap},
		Extras:   scoring.Extras{Rules: r.Rules},
	}
	for _, x := range r.Results {
		if x.Group == scoring.Overall || head != nil && x.Metric == head.Metric && x.Mode == head.Mode {
			small.Results = append(small.Results, x)
		}
	}
	return &small
}

// Unranked returns the ranking of judges by their headline, before any two of them are tested.
func Unranked(judges []Judge) scoring.Ranking {
	r := scoring.Ranking{Boot: judges[0].Report.Bootstrap}
	for _, j := range judges {
		head := cmp.Or(Headline(j.Report), &scoring.Result{Group: scoring.Overall})
		r.Metric = cmp.Or(head.Metric, r.Metric)
		r.Mode = head.Mode
		r.Unit = cmp.Or(head.Unit, r.Unit)
		r.Runs = append(r.Runs, scoring.Placed{
			Run:       j.Report.Run,
			Model:     j.Report.Model,
			Simulated: j.Report.Simulated,
			Result:    *head,
			Report:    j.Report,
		})
	}
	return r
}
