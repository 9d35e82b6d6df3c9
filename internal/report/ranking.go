package report

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"gavel/internal/doc"
	"gavel/internal/phrases"
	"gavel/internal/report/table"
	"gavel/judging"
	"gavel/scoring"
)

// SuiteRanking holds the results of a suite: the ranking of its judges under each condition.
type SuiteRanking struct {
	Says       string            `json:"says"` // the result in a sentence or two
	Suite      string            `json:"suite"`
	Judges     []string          `json:"judges"`
	Conditions []RankedCondition `json:"conditions"`
	Ledgers    []JudgeCost       `json:"ledgers,omitempty"` // costs of the judges that were asked
	Study      *Study            `json:"study,omitempty"`   // results of a suite that was made for a study
}

// RankedCondition holds the results of a suite's judges under one condition: a protocol and dataset with settings.
type RankedCondition struct {
	scoring.SuiteCondition
	Runs     []RankedRun       `json:"cells"`     // runs, one for each judge
	Rankings []scoring.Ranking `json:"standings"` // one for each headline metric
	// the result in a sentence or two; left out if nothing is judged
	Says   string  `json:"says,omitempty"`
	Across *Across `json:"across,omitempty"` // what an analysis finds in all judges together

	board Board // board of the first of Rankings
}

// RankedRun holds the run of a judge under a condition, begun or not.
type RankedRun struct {
	Judge             string `json:"judge"`
	Run               string `json:"run"`
	Status            string `json:"status"`
	ExpectedJudgments int    `json:"judgments"`       // judgments of the whole run
	Answered          int    `json:"answered"`        // judgments so far, without failed ones
	RankingIndex      int    `json:"place"`           // index in the rankings; −1 if there is nothing to score
	Error             string `json:"error,omitempty"` // why the run cannot be read

	run    *scoring.Run    // nil if there is nothing to score
	report *scoring.Report // scores of the run
}

// Statuses of a run of a suite, besides those in its run.json.
const (
	NotBegun   = "not begun"
	Unreadable = "unreadable"
)

// NewRanking ranks the judges of a suite under each condition. load loads a run by its path, which begins with dir; for
// a run that has not begun it returns [fs.ErrNotExist].
func NewRanking(
	suite *scoring.SuiteMatrix, dir string, load func(run string) (*scoring.Run, error),
) (*SuiteRanking, error) {
	out := &SuiteRanking{Suite: suite.Name, Judges: suite.Judges}
	var all [][]scoring.Ranking
	ledgers := map[string][]*scoring.Ledger{}
	for _, k := range suite.Conditions {
		row := RankedCondition{SuiteCondition: k}
		var runs []*scoring.Run
		for _, c := range suite.Cells {
			if c.Condition != k.Name {
				continue
			}
			cell, run := loadRankedRun(c.Judge, path.Join(dir, c.Run), load)
			if run != nil && run.Answered > 0 {
				cell.RankingIndex = len(runs)
				runs = append(runs, run)
				cell.run = run
				ledgers[c.Judge] = append(ledgers[c.Judge], run.Ledger())
			}
			row.Runs = append(row.Runs, cell)
		}
		var err error
		row.Rankings, err = scoring.Rank(runs, scoring.DefaultOptions.Bootstrap)
		if err != nil {
			return nil, err
		}
		all = append(all, row.Rankings)
		out.Conditions = append(out.Conditions, row)
	}
	for _, judge := range out.Judges {
		if sum := scoring.SumLedgers(ledgers[judge]); sum != nil {
			out.Ledgers = append(out.Ledgers, JudgeCost{Judge: judge, Ledger: sum})
		}
	}
	scoring.ApplyHolmToRankings(all...) // they are the rows of one table
	for i := range out.Conditions {
		out.Conditions[i].makeBoard()
	}
	out.Says = out.answer()
	if goals := suite.GoalPairs(); suite.Study == scoring.StudyGRP && len(goals) > 0 {
		out.Study = newStudy(goals, out)
		out.Says = out.Study.Says
	}
	return out, nil
}

// loadRankedRun returns the run called name as a RankedRun, and as load returns it: nil if it cannot be loaded.
func loadRankedRun(judge, name string, load func(run string) (*scoring.Run, error)) (RankedRun, *scoring.Run) {
	cell := RankedRun{Judge: judge, Run: name, Status: NotBegun, RankingIndex: -1}
	run, err := load(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return cell, nil
	case err != nil:
		cell.Status = Unreadable
		cell.Error = err.Error()
		return cell, nil
	}
	cell.Status = run.Manifest.Status
	cell.ExpectedJudgments = run.Manifest.Judgments
	cell.Answered = run.Answered
	if cell.Status == judging.Running && cell.Answered == cell.ExpectedJudgments {
		cell.Status = judging.Complete
	}
	return cell, run
}

// makeBoard makes the condition's board and sentences from its first ranking.
func (c *RankedCondition) makeBoard() {
	if len(c.Rankings) == 0 {
		return
	}
	var names []string
	for i, cell := range c.Runs {
		if cell.RankingIndex >= 0 {
			names = append(names, cell.Judge)
			c.Runs[i].report = c.Rankings[0].Runs[cell.RankingIndex].Report
		}
	}
	c.board = NewBoard(c.Rankings[0], names)
	c.Says = c.board.Says
	c.Across = c.board.AcrossAllJudges
}

// answer returns a sentence that names the best judges: those of the board if there is one condition, else those that
// are most often among the best.
func (s SuiteRanking) answer() string {
	often := map[string]int{}
	ranked := 0
	text := ""
	for _, c := range s.Conditions {
		if len(c.board.scoredRows()) == 0 {
			continue
		}
		ranked++
		text = c.Says
		for _, best := range c.board.BestJudges() {
			often[best.Name]++
		}
	}
	switch {
	case ranked == 0:
		return phrases.Sentence("suite.nothing")
	case ranked == 1 || len(s.Judges) == 1:
		return text
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
		return phrases.Sentence("suite.none-best", ranked)
	}
	code := "suite.best-one"
	if len(first) > 1 {
		code = "suite.best"
	}
	return phrases.Sentence(code, table.Shortlist(first), often[first[0]], ranked)
}

// Document returns the suite's results as a document: the answer, the blocks, and a CSV row for each number.
func (s SuiteRanking) Document() doc.Document {
	d := doc.Document{Answer: s.Says, Blocks: s.Blocks()}
	if s.Study == nil {
		d.CSVRows = s.csvRows()
	}
	return d
}

// Blocks returns a board for each condition, tables of every number and of the costs, and notes on how to read them.
func (s SuiteRanking) Blocks() (all []doc.Block) {
	for i, c := range s.Conditions {
		id := fmt.Sprintf("condition-%d", i+1)
		all = append(all, c.block(id, c.Says != s.Says && len(s.Conditions) > 1))
		all = append(all, c.Across.blocks(id+"-")...)
	}
	for i, c := range s.Conditions {
		all = append(all, c.numbersBlock(fmt.Sprintf("numbers-%d", i+1)))
	}
	if s.Study != nil {
		for i := range all {
			all[i].Surfaces = doc.SurfaceAllButShort
		}
		all = append(s.Study.blocks(), all...)
	}
	all = append(all, costBlocks(s.Ledgers)...)
	warnings := doc.Block{ID: "warnings"}
	sure := doc.Block{ID: "sure", Surfaces: doc.SurfaceAllButShort, FoldLabel: "How to read this"}
	s.addNotes(&sure, &warnings)
	return append(all, warnings, sure)
}

// Terms returns the definitions of the metrics of all conditions, for pages.
func (s SuiteRanking) Terms() (all []scoring.Term) {
	for _, c := range s.Conditions {
		all = append(all, scoring.MetricsOf(c.Protocol)...)
	}
	return all
}

// block returns the board of the condition with notes on runs that are not complete, and with its answer if wanted.
func (c RankedCondition) block(id string, withAnswer bool) doc.Block {
	b := c.board.block()
	b.ID = id
	b.Title = c.Name
	b.ShowTitle = true
	b.About = dotted(c.Protocol, c.Dataset, "prompt "+c.Prompt, c.Options)
	if withAnswer && c.Says != "" {
		b.AddPlainNotes(c.Says)
	}
	for _, cell := range c.Runs {
		judge := scoring.QuoteName(cell.Judge)
		switch {
		case cell.RankingIndex < 0 && cell.ExpectedJudgments > 0:
			b.Remark("ranking.unasked", judge, cell.Answered, cell.ExpectedJudgments, cell.Status)
		case cell.RankingIndex < 0:
			b.Remark("ranking.open", judge, cell.Status)
		case !cell.complete():
			b.Remark("ranking.partial", judge, cell.Answered, cell.ExpectedJudgments, cell.Status)
		}
	}
	return b
}

// numbersBlock returns a folded table with a row for each judge and headline metric.
func (c RankedCondition) numbersBlock(id string) doc.Block {
	t := &doc.Table{RowHead: "judge", Columns: []doc.Column{
		{Name: "metric"}, {Name: "value", Kind: doc.ColumnNumber}, {Name: "n", Kind: doc.ColumnInteger}, {Name: "letters"},
		{Name: "noise floor", Kind: doc.ColumnBareNumber}, {Name: "self-agreement", Kind: doc.ColumnNumber},
	}}
	for _, cell := range c.Runs {
		if cell.RankingIndex < 0 {
			t.Add(doc.Row{Name: cell.Judge, Cells: doc.Cells(cell.Status)})
			continue
		}
		for _, st := range c.Rankings {
			r := st.Runs[cell.RankingIndex]
			value := doc.NumberCell(r.Result)
			if !cell.complete() {
				value.Text = "*"
			}
			t.Add(doc.Row{Name: cell.Judge, Target: doc.RunRef(cell.Run), Cells: doc.Cells(
				strings.TrimSpace(doc.MetricName(c.Protocol, st.Metric)+" "+st.Mode), value, r.N,
				r.Letters, scoring.Result{Value: r.NoiseFloor, Unit: st.Unit},
				*cmp.Or(r.SelfAgreement, &scoring.Result{}),
			)})
		}
	}
	t.DropEmpty()
	return doc.Block{
		ID:        id,
		Title:     c.Name,
		Surfaces:  doc.SurfaceAllButShort,
		FoldLabel: "Every number: " + c.Name,
		Chart:     doc.ChartTableWithTerms,
		Table:     t,
	}
}

// statusLooks maps statuses of runs to the CSS classes of their parts of a bar.
var statusLooks = map[string]string{
	judging.Complete: "right", judging.Running: "a", Unreadable: "wrong", "damaged": "wrong",
	"interrupted": "first", "incomplete": "first", "stopped": "first",
}

// StatusBar returns a bar with a part for each of these statuses; counts has the number of runs by status.
func StatusBar(statuses []string, counts map[string]int) doc.Block {
	t := &doc.Table{RowHead: "runs"}
	for _, status := range statuses {
		if n := counts[status]; n > 0 {
			t.Add(doc.Row{Name: status, Look: cmp.Or(statusLooks[status], "none"), Cells: doc.Cells(n)})
		}
	}
	return doc.Block{ID: "finished", Chart: doc.ChartStackedBar, Table: t}
}

// complete reports whether the run has all its judgments.
func (c RankedRun) complete() bool { return c.RankingIndex >= 0 && c.Answered >= c.ExpectedJudgments }

// addNotes adds notes on how to read the numbers to b, and warnings to warnings.
func (s SuiteRanking) addNotes(b, warnings *doc.Block) {
	var tests []string
	var undefined table.Remarks
	judges := 0
	simulated := false
	hasRepeats := false
	for _, c := range s.Conditions {
		for _, st := range c.Rankings {
			if test := st.Metric + " by " + st.Test; !slices.Contains(tests, test) {
				tests = append(tests, test)
			}
			judges = max(judges, len(st.Runs))
			for _, r := range st.Runs {
				hasRepeats = hasRepeats || r.SelfAgreement != nil
				simulated = simulated || r.Simulated
				if r.Value == nil {
					undefined.Add(strings.TrimSpace(r.Model+" "+c.Name+" "+st.Mode), r.Note)
				}
			}
		}
		for _, cell := range c.Runs {
			if cell.Error != "" {
				warnings.Remark(doc.WarningCode, cell.Error)
			}
		}
	}
	if judges > 1 {
		above := textIf(hasRepeats, phrases.Sentence("ranking.above-noise"))
		b.Remark("ranking.letters", above, strings.Join(tests, ", of "))
	}
	if hasRepeats {
		b.Remark("ranking.noise-floor")
		b.Remark("ranking.self-agreement")
	}
	b.AddPlainNotes(append(s.intervalNotes(), undefined.Lines()...)...)
	if simulated {
		warnings.Remark(doc.WarningCode, phrases.Sentence("ranking.simulated"))
	}
}

// intervalNotes returns a note on how intervals were computed for each kind of unit, such as pairs.
func (s SuiteRanking) intervalNotes() (lines []string) {
	var kinds []scoring.BootstrapInfo
	used := map[scoring.BootstrapInfo][]string{}
	for _, c := range s.Conditions {
		for _, st := range c.Rankings {
			if used[st.Boot] == nil {
				kinds = append(kinds, st.Boot)
			}
			for _, r := range st.Runs {
				used[st.Boot] = append(used[st.Boot], r.IntervalMethod)
			}
		}
	}
	for _, b := range kinds {
		lines = append(lines, IntervalMethodsNote(b, used[b]))
	}
	return lines
}

// csvRows returns the rows of the CSV file: one for each condition, judge and headline metric. Judges that were asked
// more than once have further rows for the noise floor and the self-agreement.
func (s SuiteRanking) csvRows() [][]string {
	rows := [][]string{strings.Fields("condition protocol dataset prompt options judge run status answered judgments " +
		"metric mode unit value low high n letters note")}
	for _, c := range s.Conditions {
		for _, cell := range c.Runs {
			row := []string{
				c.Name, c.Protocol, c.Dataset, c.Prompt, c.Options, cell.Judge, cell.Run, cell.Status,
				strconv.Itoa(cell.Answered), strconv.Itoa(cell.ExpectedJudgments),
			}
			if cell.RankingIndex < 0 {
				rows = append(rows, append(row, "", "", "", "", "", "", "", "", cell.Error))
				continue
			}
			var same *scoring.Result
			add := func(x scoring.Result, places int, n, letters string) {
				rows = append(rows, slices.Concat(row, []string{
					x.Metric, x.Mode, x.Unit, table.CSVNumber(x.Value, places), table.CSVNumber(x.Low, places),
					table.CSVNumber(x.High, places), n, letters, x.Note,
				}))
			}
			for _, st := range c.Rankings {
				r := st.Runs[cell.RankingIndex]
				r.Metric, r.Mode = st.Metric, st.Mode
				add(r.Result, decimals(r.Unit), strconv.Itoa(r.N), r.Letters)
				if r.SelfAgreement != nil {
					add(scoring.Result{
						Metric: scoring.NoiseFloorPrefix + st.Metric,
						Mode:   st.Mode,
						Unit:   r.Unit,
						Value:  r.NoiseFloor,
						Note:   cmp.Or(r.Unit, "percentage points"),
					}, 6, "", "")
					same = r.SelfAgreement
				}
			}
			if same != nil {
				add(*same, 6, strconv.Itoa(same.N), "")
			}
		}
	}
	return rows
}
