package report

import (
	"cmp"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"

	"gavel/internal/report/table"
	"gavel/scoring"
)

// Ranking is `gavel suite results`: judges under conditions.
type Ranking struct {
	Says       string      `json:"says"` // the answer in a sentence or two
	Suite      string      `json:"suite"`
	Judges     []string    `json:"judges"`
	Conditions []Condition `json:"conditions"`
	Ledgers    []JudgeCost `json:"ledgers,omitempty"` // of the judges that were asked
}

// JudgeCost is what a judge cost under all conditions.
type JudgeCost struct {
	Judge  string          `json:"judge"`
	Ledger *scoring.Ledger `json:"ledger"`
}

// Condition is what all judges of a suite were asked alike.
type Condition struct {
	Name     string            `json:"condition"`
	Protocol string            `json:"protocol"`
	Dataset  string            `json:"dataset"`
	Prompt   string            `json:"prompt"`
	Options  string            `json:"options,omitempty"`
	Cells    []Cell            `json:"cells"`     // one for each judge
	Rankings []scoring.Ranking `json:"standings"` // one for each headline
	// the answer in a sentence or two; left out where nothing is judged
	Says string `json:"says,omitempty"`

	board Board
}

// Cell is a judge's run under a condition.
type Cell struct {
	Judge    string `json:"judge"`
	Run      string `json:"run"`
	Status   string `json:"status"`
	Expected int    `json:"judgments"`
	Answered int    `json:"answered"`
	Place    int    `json:"place"` // in the rankings; −1 where there is nothing to score
	Error    string `json:"error,omitempty"`
}

// Statuses of a cell beside those of its run.
const (
	NotBegun   = "not begun"
	Unreadable = "unreadable"
)

// NewRanking holds the runs of each condition against each other. look says what is known of the run of a cell, and
// gives the run itself where it has anything to score.
func NewRanking(suite *scoring.Suite, look func(run string) (Cell, *scoring.Run)) (*Ranking, error) {
	out := &Ranking{Suite: suite.Name, Judges: suite.Judges}
	var all []*scoring.Ranking
	ledgers := map[string][]*scoring.Ledger{}
	for _, k := range suite.Conditions {
		row := Condition{Name: k.Name, Protocol: k.Protocol, Dataset: k.Dataset, Prompt: k.Prompt, Options: k.Options}
		var runs []*scoring.Run
		for _, c := range suite.Cells {
			if c.Condition != k.Name {
				continue
			}
			cell, run := look(c.Run)
			cell.Judge, cell.Place = c.Judge, -1
			if run != nil && run.Records > 0 {
				cell.Place = len(runs)
				runs = append(runs, run)
				ledgers[c.Judge] = append(ledgers[c.Judge], run.Ledger())
			}
			row.Cells = append(row.Cells, cell)
		}
		var err error
		row.Rankings, err = scoring.Rank(runs, scoring.DefaultOptions.Bootstrap)
		if err != nil {
			return nil, err
		}
		for i := range row.Rankings {
			all = append(all, &row.Rankings[i])
		}
		out.Conditions = append(out.Conditions, row)
	}
	for _, judge := range out.Judges {
		if sum := scoring.Sum(ledgers[judge]); sum != nil {
			out.Ledgers = append(out.Ledgers, JudgeCost{judge, sum})
		}
	}
	scoring.Correct(all) // they are the rows of one table
	for i := range out.Conditions {
		out.Conditions[i].rank()
	}
	out.Says = out.answer()
	return out, nil
}

// rank puts the judges of a condition on a board.
func (c *Condition) rank() {
	if len(c.Rankings) == 0 {
		return
	}
	var reports []scoring.Report
	var names []string
	for _, cell := range c.Cells {
		if cell.Place >= 0 {
			reports = append(reports, *c.Rankings[0].Runs[cell.Place].Report)
			names = append(names, cell.Judge)
		}
	}
	c.board = NewBoard(c.Rankings[0], reports, names)
	c.Says = c.board.Says
}

// Sentences are the answer.
func (s Ranking) Sentences() []string {
	if s.Says == "" {
		return nil
	}
	return []string{s.Says}
}

// answer says which judge to use: under one condition what its board says, under several who is most often among the
// best.
func (s Ranking) answer() string {
	often := map[string]int{}
	ranked := 0
	says := ""
	for _, c := range s.Conditions {
		if len(c.board.placed()) == 0 {
			continue
		}
		ranked++
		says = c.Says
		for _, best := range c.board.Best() {
			often[best.Name]++
		}
	}
	switch {
	case ranked == 0:
		return "Nothing has been judged yet."
	case ranked == 1 || len(s.Judges) == 1:
		return says
	}
	var first []string
	for _, judge := range s.Judges {
		if len(first) == 0 || often[judge] > often[first[0]] {
			first = nil
		}
		if len(first) == 0 || often[judge] == often[first[0]] {
			first = append(first, judge)
		}
	}
	if len(first) == len(s.Judges) {
		return fmt.Sprintf("No judge is more often among the best than the others, under %d conditions.", ranked)
	}
	is := "is"
	if len(first) > 1 {
		is = "are"
	}
	return fmt.Sprintf("%s %s most often among the best: under %d of %d conditions.",
		listed3(first), is, often[first[0]], ranked)
}

// Brief is one table of the numbers that stand for a judge, a row for each under each condition.
func (s Ranking) Brief() []table.Table {
	t := table.Table{
		Plain: true,
		Columns: table.Left("condition", "judge", "good for").
			Right("score", "where agreed", "pairs kept", "picks first").
			Spare("picks first", "pairs kept"),
	}
	pairs := false
	var headlines []string
	for _, c := range s.Conditions {
		name := c.Name
		if len(c.board.Rows) > 0 && !slices.Contains(headlines, c.board.headline()) {
			headlines = append(headlines, c.board.headline())
		}
		for _, r := range c.board.Rows {
			t.Row(name, r.Name, table.Level(r.Level), table.Roughly(r.Headline), given(r.RightWhereAlike),
				given(r.Coverage), given(r.NamesFirst))
			name = ""
			pairs = pairs || r.RightWhereAlike.Value != nil
		}
		for _, cell := range c.Cells {
			if cell.Place < 0 {
				t.Row(name, cell.Judge, cell.Status)
				name = ""
			}
		}
	}
	if len(headlines) > 0 {
		about := "score, %: " + strings.Join(headlines, "; ")
		if pairs {
			about += "; where agreed: right where both orders agree"
		}
		t.Note(about)
	}
	t.Note("which can be told apart, and what they cost: --full")
	for _, note := range s.notes() {
		if strings.HasPrefix(note, "! ") {
			t.Note(note)
		}
	}
	return []table.Table{t}
}

// given is a number in few digits; "" where there is none.
func given(x scoring.Result) string {
	if x.Value == nil {
		return ""
	}
	return table.Rough(x.Value, x)
}

// complete tells whether all of a run is there.
func (c Cell) complete() bool { return c.Place >= 0 && c.Answered >= c.Expected }

// Tables is one table of conditions and headlines down, judges across, and one of what the judges cost.
func (s Ranking) Tables() []table.Table {
	t := table.Table{
		Title: fmt.Sprintf("suite %s: %s × %s (95 %% intervals)",
			s.Suite, table.Count(len(s.Judges), "judge"), table.Count(len(s.Conditions), "condition")),
		Columns: table.Left("condition", "metric").Right(s.Judges...),
		InCells: map[[2]int]scoring.Term{},
	}
	for _, c := range s.Conditions {
		if len(c.Rankings) == 0 {
			row := []string{c.Name, ""}
			for _, cell := range c.Cells {
				row = append(row, cell.Status)
			}
			t.Row(row...)
		}
		for i, st := range c.Rankings {
			explainedRow(&t, c.Protocol, st.Metric, rankingRow(c, st, i == 0))
			for _, row := range againRows(c, st, i == len(c.Rankings)-1) {
				explainedRow(&t, c.Protocol, row[1], row)
			}
		}
	}
	t.Notes = s.notes()
	return append([]table.Table{t}, s.costs()...)
}

// explainedRow adds a row whose second cell names a metric.
func explainedRow(t *table.Table, protocol, metric string, row []string) {
	if term, ok := scoring.TermIn(Terms(protocol), metric); ok {
		t.InCells[[2]int{len(t.Rows), 1}] = term
	}
	t.Row(row...)
}

// costs are what the judges cost.
func (s Ranking) costs() []table.Table {
	var rows []costRow
	for _, j := range s.Ledgers {
		rows = append(rows, costRow{j.Judge, j.Ledger})
	}
	return costs("judge", rows)
}

// Explanations are of the metrics of the numbers.
func (s Ranking) Explanations() (template.HTML, error) { return Explanations(s.Numbers()) }

func rankingRow(c Condition, st scoring.Ranking, first bool) []string {
	name := ""
	if first {
		name = c.Name
	}
	row := []string{name, strings.TrimSpace(st.Metric + " " + st.Mode)}
	for _, cell := range c.Cells {
		if cell.Place < 0 {
			row = append(row, cell.Status)
			continue
		}
		text := table.Whole(st.Runs[cell.Place].Result)
		if l := st.Runs[cell.Place].Letters; l != "" {
			text += " " + l
		}
		if !cell.complete() {
			text += " *"
		}
		row = append(row, text)
	}
	return row
}

// repeated tells whether a judge was asked more than once.
func repeated(st scoring.Ranking) bool {
	return slices.ContainsFunc(st.Runs, func(p scoring.Placed) bool { return p.SelfAgreement != nil })
}

// againRows are what asking more than once showed of a headline, and of the judges beneath the last one; none
// where all were asked once.
func againRows(c Condition, st scoring.Ranking, last bool) [][]string {
	if !repeated(st) {
		return nil
	}
	floors, same := []string{"", "noise floor"}, []string{"", "self-agreement"}
	for _, cell := range c.Cells {
		floor, agreed := "", ""
		if cell.Place >= 0 {
			p := st.Runs[cell.Place]
			floor, agreed = table.Plain(scoring.Result{Value: p.NoiseFloor, Unit: st.Unit}),
				table.Whole(*cmp.Or(p.SelfAgreement, &scoring.Result{}))
		}
		floors, same = append(floors, floor), append(same, agreed)
	}
	if !last {
		return [][]string{floors}
	}
	return [][]string{floors, same}
}

// notes are what a ranking has to say beneath.
func (s Ranking) notes() (lines []string) {
	var tests, warnings []string
	var undefined table.Remarks
	judges := 0
	in := "in percent"
	simulated := false
	again := false
	for _, c := range s.Conditions {
		for _, st := range c.Rankings {
			if test := st.Metric + " by " + st.Test; !slices.Contains(tests, test) {
				tests = append(tests, test)
			}
			again = again || repeated(st)
			if st.Unit != "" {
				in = "in percent, but scores as the papers print them"
			}
			judges = max(judges, len(st.Runs))
			for _, r := range st.Runs {
				simulated = simulated || r.Simulated
				if r.Value == nil {
					undefined.Add(strings.TrimSpace(r.Model+" "+c.Name+" "+st.Mode), r.Note)
				}
			}
		}
		for _, cell := range c.Cells {
			if cell.Error != "" {
				warnings = append(warnings, cell.Error)
			} else if cell.Place >= 0 && !cell.complete() {
				warnings = append(warnings, fmt.Sprintf("* %s, %s: %d of %d judgments (%s): "+
					"its value is of those, and comparisons are of what both have judged",
					cell.Judge, c.Name, cell.Answered, cell.Expected, cell.Status))
			}
		}
	}
	if judges > 1 {
		above := ""
		if again {
			above = ", and a difference larger than the noise floor of either"
		}
		lines = append(lines,
			"judges that share a letter in a row cannot be told apart there; "+
				"the order of columns is that of the file, and no ranking",
			fmt.Sprintf("told apart: p below 0.05 after Holm's correction over every two judges of all rows%s; "+
				"p of %s, item by item", above, strings.Join(tests, ", of ")))
	}
	if again {
		lines = append(lines, noiseNote,
			"self-agreement: prompts with the same verdict every time, of those that got a verdict")
	}
	if made := s.intervals(); made != nil {
		lines = append(lines, in+"; "+strings.Join(made, "; "))
	}
	lines = append(lines, undefined.Lines()...)
	if simulated {
		warnings = slices.Insert(warnings, 0, "simulated judges: not results of a model")
	}
	return append(lines, table.Warned(warnings)...)
}

// intervals says how those of a ranking were made, of each kind of unit by itself.
func (s Ranking) intervals() (made []string) {
	var kinds []scoring.Bootstrap
	used := map[scoring.Bootstrap][]string{}
	for _, c := range s.Conditions {
		for _, st := range c.Rankings {
			if used[st.Boot] == nil {
				kinds = append(kinds, st.Boot)
			}
			for _, r := range st.Runs {
				used[st.Boot] = append(used[st.Boot], r.Interval)
			}
		}
	}
	for _, b := range kinds {
		made = append(made, Intervals(b, used[b]))
	}
	return made
}

// CSV has a row for each judge, condition and headline, and where it was asked more than once those of [further].
func (s Ranking) CSV(w io.Writer) error {
	rows := [][]string{{
		"condition", "protocol", "dataset", "prompt", "options", "judge", "run", "status", "answered",
		"judgments", "metric", "mode", "unit", "value", "low", "high", "n", "letters", "note",
	}}
	for _, c := range s.Conditions {
		for _, cell := range c.Cells {
			row := []string{
				c.Name, c.Protocol, c.Dataset, c.Prompt, c.Options, cell.Judge, cell.Run, cell.Status,
				strconv.Itoa(cell.Answered), strconv.Itoa(cell.Expected),
			}
			if cell.Place < 0 {
				rows = append(rows, append(row, "", "", "", "", "", "", "", "", cell.Error))
				continue
			}
			var same *scoring.Result
			for _, st := range c.Rankings {
				r := st.Runs[cell.Place]
				d := decimals(r.Unit)
				rows = append(rows, slices.Concat(row, []string{
					st.Metric, st.Mode, r.Unit, table.Cell(r.Value, d), table.Cell(r.Low, d),
					table.Cell(r.High, d), strconv.Itoa(r.N), r.Letters, r.Note,
				}))
				if r.SelfAgreement != nil {
					rows = append(rows, slices.Concat(row, []string{
						"noise-floor:" + st.Metric, st.Mode, r.Unit, table.Cell(r.NoiseFloor, 6), "", "", "",
						"", cmp.Or(r.Unit, "percentage points"),
					}))
					same = r.SelfAgreement
				}
			}
			if same != nil {
				rows = append(rows, slices.Concat(row, []string{
					same.Metric, "", "", table.Cell(same.Value, 6), table.Cell(same.Low, 6),
					table.Cell(same.High, 6), strconv.Itoa(same.N), "", same.Note,
				}))
			}
		}
	}
	return table.WriteCSV(w, rows)
}
