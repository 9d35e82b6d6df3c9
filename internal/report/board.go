package report

import (
	"cmp"
	"slices"
	"strings"

	"gavel/internal/doc"
	"gavel/internal/phrases"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// Board ranks the judges of one condition by a headline, the best first. Those without a value are last.
type Board struct {
	Metric string     `json:"metric"`
	Mode   string     `json:"mode,omitempty"`
	Test   string     `json:"test"`   // of two judges; empty where they were not tested
	Family string     `json:"family"` // what Holm's correction is over
	Unit   string     `json:"unit"`   // what was judged: `pair`
	Says   string     `json:"says"`   // the answer in a sentence or two
	Rows   []BoardRow `json:"judges"`
	Across *Across    `json:"across,omitempty"` // what the judges show together
}

// BoardRow holds a judge on a board. Its rank is uncertain: it lies from First to Last.
type BoardRow struct {
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
	PrefersFirst    scoring.Result `json:"first_position"`
	// of an item, while at least one judgment was being made; left out where no server was asked
	Seconds *float64 `json:"seconds_per_item,omitempty"`

	Report *scoring.Report `json:"-"` // has the values of further columns
	target doc.Ref         // its run
}

// NewBoard returns the board of a ranking's runs, the best first. names are the judges' names in the ranking's order; a
// judge without one is named by its model.
func NewBoard(r scoring.Ranking, names []string) Board {
	b := Board{Metric: r.Metric, Mode: r.Mode, Test: r.Test, Family: r.Family, Unit: r.Boot.Unit}
	ranks := rankRanges(r)
	for i, run := range r.Runs {
		rep := run.Report
		row := BoardRow{
			First:           ranks[i][0],
			Last:            ranks[i][1],
			Name:            run.Model,
			Run:             run.Run,
			Model:           run.Model,
			Simulated:       run.Simulated,
			Level:           rep.Level(),
			Headline:        run.Result,
			RightWhereAlike: rep.Overall(scoring.RightWhereAlike),
			Coverage:        rep.Overall(scoring.Coverage),
			PrefersFirst:    rep.Overall(scoring.FirstPosition),
			Report:          rep,
		}
		if i < len(names) {
			row.Name = cmp.Or(names[i], row.Name)
		}
		b.Rows = append(b.Rows, row)
	}
	slices.SortStableFunc(b.Rows, func(x, y BoardRow) int {
		if x.Headline.Value == nil || y.Headline.Value == nil {
			return cmp.Compare(scoring.Indicator(x.Headline.Value == nil), scoring.Indicator(y.Headline.Value == nil))
		}
		return cmp.Compare(*y.Headline.Value, *x.Headline.Value)
	})
	b.Says = b.answer()
	b.Across = findAcross(b.Rows)
	return b
}

// rankRanges returns the first and the last rank that each run may have, by the significant differences of the ranking.
func rankRanges(r scoring.Ranking) [][2]int {
	withValue := 0
	ranks := make([][2]int, len(r.Runs))
	for _, run := range r.Runs {
		if run.Value != nil {
			withValue++
		}
	}
	for i, run := range r.Runs {
		if run.Value != nil {
			ranks[i] = [2]int{1, withValue}
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
		Run:             r.Run,
		ID:              r.ID,
		Protocol:        r.Protocol,
		Goal:            r.Goal,
		Question:        r.Question,
		Items:           r.Items,
		Expected:        r.Expected,
		RunSummary:      r.RunSummary,
		Method:          scoring.Method{Bootstrap: r.Bootstrap},
		OptionalResults: scoring.OptionalResults{Rules: r.Rules},
	}
	for _, x := range r.Results {
		if x.Group == scoring.Overall || head != nil && x.Metric == head.Metric && x.Mode == head.Mode {
			small.Results = append(small.Results, x)
		}
	}
	return &small
}

// report returns the report of the first judge, an empty one where there are no judges.
func (b Board) report() *scoring.Report {
	if len(b.Rows) == 0 {
		return &scoring.Report{}
	}
	return b.Rows[0].Report
}

// layout returns the layout of the judges' runs.
func (b Board) layout() *Layout { return layoutOf(b.report().Protocol) }

// itemCount returns the number of items that the judges with the most items judged, in words.
func (b Board) itemCount() string { return table.Count(mostItems(b.Rows), b.Unit) }

// axis returns the axis of the headline.
func (b Board) axis() *doc.Axis {
	if len(b.Rows) == 0 {
		return doc.AxisOf("")
	}
	return doc.AxisOf(b.Rows[0].Headline.Unit)
}

// headline returns the label of the board's metric.
func (b Board) headline() string { return ScoreName(b.report(), b.Metric) }

// ScoreName returns the label of the metric that judges are ranked by.
func ScoreName(r *scoring.Report, metric string) string {
	if r.Preferences {
		return agreementWithPeople
	}
	return doc.MetricName(r.Protocol, metric)
}

// mostItems returns the largest number of items that one of some judges judged.
func mostItems(rows []BoardRow) (n int) {
	for _, s := range rows {
		n = max(n, s.Headline.N)
	}
	return n
}

// standings returns the judges that have a value.
func (b Board) standings() []BoardRow {
	return slices.DeleteFunc(slices.Clone(b.Rows), func(s BoardRow) bool { return s.First == 0 })
}

// Best returns the judges that no other is significantly better than, from the first row to the first that is not
// one. A judge of fewer than half of the items of others is left out: it has too few items for any rank.
func (b Board) Best() (best []BoardRow) {
	standings := b.standings()
	items := mostItems(standings)
	for _, s := range standings {
		if s.First > 1 {
			break
		}
		if 2*s.Headline.N >= items {
			best = append(best, s)
		}
	}
	if len(best) == 0 {
		return standings[:min(1, len(standings))]
	}
	return best
}

// answer returns the sentences on the best judges, how good they are, and whether they differ significantly.
func (b Board) answer() string {
	first, rest := b.sentences()
	return strings.TrimSpace(first + " " + rest)
}

// sentences returns the answer and the sentences after it.
func (b Board) sentences() (first, rest string) {
	standings := b.standings()
	if len(standings) == 0 {
		return phrases.Say("board.nothing"), ""
	}
	best := b.Best()
	allTied := !slices.ContainsFunc(standings, func(s BoardRow) bool { return s.First > 1 })
	switch {
	case len(standings) == 1:
		first = phrases.Say("board.one", standings[0].Name, b.values(standings))
	case b.Test == "":
		first = phrases.Say("board.untested-best", namesOf(standings[:1]), b.values(standings[:1]))
		rest = phrases.Say("board.not-tested")
	case allTied && len(standings) == 2:
		first = phrases.Say("board.two-tied", namesOf(standings), b.values(standings))
	case allTied:
		first = phrases.Say("board.all-tied", len(standings), b.values(standings))
	default:
		first = phrases.Say("board.best", namesOf(best), b.verb(len(best)), b.values(best))
		if len(best) > 1 {
			rest = phrases.Say("board.tied")
		}
	}
	return first, strings.TrimSpace(rest + " " + b.warning())
}

// verb returns the verb of a sentence on so many best judges. A headline need not be a share of what is right.
func (b Board) verb(judges int) string {
	several := min(judges, 2) - 1
	if !b.ofRight() {
		return phrases.Say([]string{"board.has-highest", "board.have-highest"}[several], b.headline())
	}
	return phrases.Say([]string{"board.judges-best", "board.judge-best"}[several])
}

// ofRight reports whether the headline is a share of what is right.
func (b Board) ofRight() bool { return strings.HasPrefix(b.headline(), "correct") }

// warning returns a warning if the headline does not know what is right, or if no judge is usable; "" otherwise.
func (b Board) warning() string {
	if l := b.layout(); l.Unlabelled == b.Metric {
		return strings.TrimSpace(l.UnlabelledNote + " " + b.useless())
	}
	return b.useless()
}

// useless returns a warning if no judge is usable; "" otherwise.
func (b Board) useless() string {
	unknown := 0
	for _, s := range b.Rows {
		switch s.Level {
		case scoring.Usable, scoring.Strong:
			return ""
		case scoring.Unknown:
			unknown++
		}
	}
	switch {
	case len(b.Rows) == 1 && unknown == 1:
		return phrases.Say("board.unknown-one")
	case len(b.Rows) == 1:
		return phrases.Say("board.level-of-one", b.Rows[0].Level)
	case unknown == 0:
		return phrases.Say("board.none-usable")
	case unknown == len(b.Rows):
		return phrases.Say("board.unknown-all")
	}
	return phrases.Say("board.none-known")
}

// namesOf lists the names of judges.
func namesOf(rows []BoardRow) string {
	names := make([]string, len(rows))
	for i, s := range rows {
		names[i] = scoring.InSentence(s.Name)
	}
	return table.Shortlist(names)
}

// values returns a sentence on the judges' headline values: "correct in both orders on 81, 80 and 76 % of the pairs."
func (b Board) values(rows []BoardRow) string {
	var values []string
	for _, s := range rows {
		if v := table.Rounded(s.Headline.Value, s.Headline); !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	all := table.Enumerate(values)
	if len(values) > table.MostListed {
		all = values[len(values)-1] + " to " + values[0]
	}
	if rows[0].Headline.Unit == "" {
		all += " %"
	}
	if b.ofRight() {
		return phrases.Say("board.values", b.headline(), all, b.Unit)
	}
	return all + "."
}
