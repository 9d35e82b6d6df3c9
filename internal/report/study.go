package report

import (
	"encoding/json"
	"slices"
	"strings"

	"gavel/datasets/references"
	"gavel/internal/doc"
	"gavel/internal/phrases"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// Study holds the results of a suite that compares two goals of judges of pairs: to name the better response, or the
// worse. The first dataset and the last prompt are the main ones, and answer the question.
type Study struct {
	Says         string            `json:"says"`
	Dataset      string            `json:"dataset"` // the main one
	Prompt       string            `json:"prompt"`  // the main one
	SecondPrompt string            `json:"second_prompt,omitempty"`
	Differences  []StudyDifference `json:"differences"`
	Judges       []StudyJudge      `json:"judges,omitempty"` // those whose runs of the main dataset are complete
}

// StudyDifference holds the score of a judge under the reversed goal, B, minus that under the other goal, A.
type StudyDifference struct {
	// tests that Holm's correction covers together: main, categories, prompts, datasets, both-goals or own-answers. In
	// both-goals A is the goal better with two prompts, B both goals with the main prompt. In own-answers B is the
	// judge's difference between the goals on answers of its own family, A the mean difference of the other judges.
	Family     string    `json:"family"`
	Judge      string    `json:"judge"`
	ScoresOnly bool      `json:"published,omitempty"` // only the scores are known
	Dataset    string    `json:"dataset"`
	Prompt     string    `json:"prompt"`
	OwnFamily  bool      `json:"own_answers,omitempty"` // the judge's own family wrote the answers
	Marks      [3]string `json:"marks"`                 // of A, B and the difference, if they are published
	Verdict    string    `json:"verdict"`               // helps, hurts, n.s., unclear, no test, not complete or published
	scoring.Difference

	runs                []*scoring.Run // of both goals
	unfinished          bool
	noVerdictDifference float64 // by how many points fewer pairs lack a verdict under the reversed goal
}

// StudyJudge holds further results of a judge on the main dataset: its biases under each goal, and both goals as one
// judge.
type StudyJudge struct {
	Judge string `json:"judge"`
	// the mode is the goal, or what votes together: the goal better with both prompts, or both goals with the main one
	Results []scoring.Result `json:"results"`

	differenceIndex int // place of the difference of the votes
}

// Families of tests, in the order of their importance.
const (
	mainTestFamily       = "main"
	categoryTestFamily   = "categories"
	promptTestFamily     = "prompts"
	datasetTestFamily    = "datasets"
	bothGoalsTestFamily  = "both-goals"
	ownAnswersTestFamily = "own-answers"
)

// Verdicts on the reversed goal.
const (
	reversalHelps       = "helps"
	reversalHurts       = "hurts"
	reversalNoEffect    = "n.s."
	reversalUnclear     = "unclear" // significant, but verdicts that are missing under one goal explain it
	reversalNoTest      = "no test"
	reversalNotComplete = "not complete"
)

// newStudy compares the goals of all judges; goals pairs the conditions.
func newStudy(goals [][2]scoring.SuiteCondition, ranking *SuiteRanking) *Study {
	cells := map[string][]RankedRun{} // by condition, in the order of the judges
	for _, k := range ranking.Conditions {
		cells[k.Name] = k.Runs
	}
	s := &Study{Dataset: goals[0][0].Dataset, Prompt: goals[len(goals)-1][0].Prompt}
	conditions := map[string]bool{}
	for i, judge := range ranking.Judges {
		var main, other [2]RankedRun
		for _, goal := range goals {
			k := goal[0]
			pair := [2]RankedRun{cells[k.Name][i], cells[goal[1].Name][i]}
			s.compare(judge, k, pair)
			conditions[k.Dataset+" "+k.Prompt] = true
			switch s.testFamilyName(k.Dataset, k.Prompt, scoring.Overall) {
			case mainTestFamily:
				main = pair
			case promptTestFamily:
				other, s.SecondPrompt = pair, k.Prompt
			}
		}
		s.addBothGoals(judge, main, other)
	}
	s.addOwnAnswers()
	var published []StudyDifference
	_ = json.Unmarshal(references.GoalReversedScores, &published) // a test reads it
	for _, d := range published {
		d.Family = s.testFamilyName(d.Dataset, d.Prompt, d.Group)
		if d.Family != "" && conditions[d.Dataset+" "+d.Prompt] {
			s.Differences = append(s.Differences, d)
		}
	}
	for _, family := range []string{
		mainTestFamily, categoryTestFamily, promptTestFamily,
		datasetTestFamily, bothGoalsTestFamily, ownAnswersTestFamily,
	} {
		s.test(family)
	}
	s.Says = s.answer()
	return s
}

// testFamilyName returns the family of the tests of a group; "" if there is none.
func (s *Study) testFamilyName(dataset, prompt, group string) string {
	overall := group == scoring.Overall
	switch {
	case overall && dataset != s.Dataset:
		return datasetTestFamily
	case overall && prompt != s.Prompt:
		return promptTestFamily
	case overall:
		return mainTestFamily
	case dataset == s.Dataset && prompt == s.Prompt:
		return categoryTestFamily
	}
	return ""
}

// answerModelFamilies maps datasets to the families of the models whose answers they have.
var answerModelFamilies = map[string]string{"judgebench-gpt4o": "gpt", "judgebench-claude": "claude"}

// compare adds the differences between the goals of one judge under one condition.
func (s *Study) compare(judge string, k scoring.SuiteCondition, pair [2]RankedRun) {
	d := StudyDifference{
		Judge:      judge,
		Dataset:    k.Dataset,
		Prompt:     k.Prompt,
		unfinished: !pair[0].complete() || !pair[1].complete(),
	}
	writer := answerModelFamilies[k.Dataset]
	d.OwnFamily = writer != "" && strings.Contains(strings.ToLower(judge), writer)
	c := &scoring.Comparison{Differences: []scoring.Difference{{Group: scoring.Overall}}}
	if pair[0].run != nil && pair[1].run != nil {
		d.runs = []*scoring.Run{pair[0].run, pair[1].run}
		all, err := scoring.Compare(d.runs, scoring.DefaultOptions.Bootstrap)
		if err == nil {
			c = all.Comparisons[0]
		} else {
			c.Differences[0].Note = err.Error()
			d.unfinished = true
		}
	}
	lacking := c.OutcomeCounts[0].Count("missing") - c.OutcomeCounts[1].Count("missing")
	d.noVerdictDifference = float64(100*lacking) / float64(max(1, c.N))
	for _, x := range c.Differences {
		d.Difference = x
		d.Family = s.testFamilyName(k.Dataset, k.Prompt, x.Group)
		if d.Family != "" && x.Metric == c.HeadlineDifference().Metric {
			s.Differences = append(s.Differences, d)
		}
	}
}

// addOwnAnswers adds, for each judge of the family that wrote the answers of a dataset, its difference between the
// goals minus the mean difference of the other judges, on the same pairs.
func (s *Study) addOwnAnswers() {
	for _, d := range s.Differences {
		if !d.OwnFamily || d.Group != scoring.Overall || d.Prompt != s.Prompt {
			continue
		}
		runs := slices.Clip(d.runs)
		for _, o := range s.Differences {
			if !o.OwnFamily && o.Dataset == d.Dataset && o.Prompt == d.Prompt && o.Group == d.Group {
				runs = append(runs, o.runs...)
				d.unfinished = d.unfinished || o.unfinished
			}
		}
		if d.unfinished || len(runs) == 2 {
			continue
		}
		rights, err := scoring.RightUnitsOf(runs)
		if err == nil {
			d.Family = ownAnswersTestFamily
			d.Difference = ownAnswersDifference(rights)
			s.Differences = append(s.Differences, d)
		}
	}
}

// ownAnswersDifference returns the difference between the goals of the first judge minus the mean difference of the
// other judges. Runs of rights are, for each judge, the goal better and the goal worse.
func ownAnswersDifference(rights *scoring.RightUnits) scoring.Difference {
	rows := rights.ClusterRows(func(u int) []float64 {
		row := []float64{0, 1, 0, 1}
		for i, right := range rights.Right {
			difference := float64(2*(i%2)-1) * scoring.Indicator(right[u])
			if i < 2 {
				row[2] += difference
			} else {
				row[0] += difference / float64(len(rights.Right)/2-1)
			}
		}
		return row
	})
	metric := []scoring.Metric{{
		Name:    rights.Metric,
		Kind:    scoring.KindRatio,
		Columns: scoring.ColumnSpan{0, 2},
		Value:   func(sums []float64) float64 { return sums[0] / sums[1] },
	}}
	sample := scoring.IndependentRows(rights.Unit, metric, rows)
	return sample.Differences(metric, 2, scoring.DefaultOptions.Bootstrap)[0]
}

// addBothGoals adds what both goals say as one judge, beside the goal better with a second prompt.
func (s *Study) addBothGoals(judge string, main, other [2]RankedRun) {
	if s.SecondPrompt == "" {
		return
	}
	d := StudyDifference{Family: bothGoalsTestFamily, Judge: judge, Dataset: s.Dataset, Prompt: s.Prompt, unfinished: true}
	if main[0].complete() && main[1].complete() && other[0].complete() {
		rights, err := scoring.RightUnitsOf([]*scoring.Run{main[0].run, main[1].run, other[0].run})
		if err == nil {
			d.unfinished = false
			j := StudyJudge{Judge: judge, differenceIndex: len(s.Differences)}
			d.Difference, j.Results = bothGoalsAccuracy(rights)
			j.Results = slices.Concat(
				positionBiasResults(main[0].report, "better"),
				positionBiasResults(main[1].report, "worse"),
				j.Results,
			)
			s.Judges = append(s.Judges, j)
		}
	}
	s.Differences = append(s.Differences, d)
}

// bothGoalsAccuracy returns the accuracy of both goals, minus that of one goal with two prompts, and the results of
// each. Runs of rights are the goal better, the goal worse, and the goal better with another prompt.
func bothGoalsAccuracy(rights *scoring.RightUnits) (scoring.Difference, []scoring.Result) {
	metric := func(name, mode string, from int) scoring.Metric {
		return scoring.Metric{
			Name:          name,
			Mode:          mode,
			MissingRule:   "not kept",
			NoValueReason: "the judgments agree on no pair",
			Columns:       scoring.ColumnSpan{from, from + 2},
		}
	}
	rows := rights.ClusterRows(func(u int) (row []float64) {
		better, worse := rights.Outcomes[0][u], rights.Outcomes[1][u]
		right := scoring.Indicator(better == "right")
		consistent := func(part string) bool { return part == "right" || part == "wrong" }
		for _, other := range []string{rights.Outcomes[2][u], worse} {
			same := scoring.Indicator(consistent(better) && better == other)
			row = append(row, same*right, same, same, 1)
		}
		conflict := scoring.Indicator(consistent(better) && consistent(worse) && better != worse)
		return append(row, conflict, 1, conflict*right, conflict)
	})
	calls := metric("calls", "goals", 6)
	calls.Kind, calls.Unit = scoring.KindRatio, scoring.UnitScore
	calls.Value = func(c []float64) float64 { return 4 * c[1] / c[0] }
	all := []scoring.Metric{
		metric(scoring.AccuracyWhenConsistent, "goals", 4), metric(scoring.Coverage, "goals", 6),
		metric(scoring.AccuracyWhenConsistent, "prompts", 0), metric(scoring.Coverage, "prompts", 2), calls,
		metric("contradiction", "goals", 8), metric("better-right", "goals", 10),
	}
	sample := scoring.IndependentRows(rights.Unit, all, rows)
	b := scoring.DefaultOptions.Bootstrap
	return sample.Differences(all[2:3], 4, b)[0], sample.Results(scoring.Overall, all, b)
}

// positionBiasResults returns how often a judge prefers the first response, and its consistency. With the goal worse it
// prefers the response that it does not name.
func positionBiasResults(rep *scoring.Report, goal string) []scoring.Result {
	results := []scoring.Result{rep.Overall(scoring.FirstPosition), rep.Overall(scoring.Consistency)}
	for i := range results {
		results[i].Mode = goal
	}
	if first := results[0]; goal == "worse" && first.HasInterval() {
		results[0].Value = new(100 - *first.Value)
		results[0].Low = new(100 - *first.High)
		results[0].High = new(100 - *first.Low)
	}
	return results
}

// test applies Holm's correction within a family and sets its verdicts. Before all runs of the family are complete it
// removes the tests: an early look is not one of them.
func (s *Study) test(family string) {
	var all []*scoring.Difference
	members := s.differencesInFamily(family)
	unfinished := slices.ContainsFunc(members, func(d *StudyDifference) bool { return d.unfinished })
	for _, d := range members {
		if unfinished {
			d.P, d.Holm = nil, nil
		}
		all = append(all, &d.Difference)
	}
	scoring.ApplyHolmToFamily(all)
	for _, d := range members {
		d.Verdict = d.verdict()
	}
}

// differencesInFamily returns the differences of a family, without those of published judges.
func (s *Study) differencesInFamily(family string) (all []*StudyDifference) {
	for i := range s.Differences {
		if d := &s.Differences[i]; d.Family == family && !d.ScoresOnly {
			all = append(all, d)
		}
	}
	return all
}

func (d *StudyDifference) verdict() string {
	switch {
	case d.unfinished:
		return reversalNotComplete
	case d.P == nil:
		return reversalNoTest
	case d.NotSignificant:
		return reversalNoEffect
	case d.noVerdictDifference / *d.BMinusA >= 1: // of the same sign, and as many points
		return reversalUnclear
	case *d.BMinusA > 0:
		return reversalHelps
	}
	return reversalHurts
}

// answer returns which judges the reversed goal helps and which it hurts.
func (s *Study) answer() string {
	judges := map[string][]string{}
	main := s.differencesInFamily(mainTestFamily)
	for _, d := range main {
		judges[d.Verdict] = append(judges[d.Verdict], d.Judge)
	}
	if open := judges[reversalNotComplete]; len(open) > 0 {
		return phrases.Sentence("study.open", table.Shortlist(open), len(main)-len(open), len(main))
	}
	var sentences []string
	for _, verdict := range []string{reversalHelps, reversalHurts, reversalNoEffect, reversalUnclear, reversalNoTest} {
		if names := judges[verdict]; len(names) > 0 {
			sentences = append(sentences, phrases.Sentence("study.answer-"+verdict, table.Enumerate(names)))
		}
	}
	return strings.Join(sentences, " ")
}

// Document returns the study as a document.
func (s *Study) Document() doc.Document { return doc.Document{Answer: s.Says, Blocks: s.blocks()} }

// SoFar returns the main difference of each judge whose runs are complete, with its interval.
func (s *Study) SoFar() string {
	var all []string
	for _, d := range s.differencesInFamily(mainTestFamily) {
		if !d.unfinished {
			all = append(all, d.Judge+" "+table.WithInterval(d.Result())+" points")
		}
	}
	return strings.Join(all, " · ")
}

// blocks returns the answer in numbers, the same by category, prompt and dataset, the biases, and both goals as one
// judge.
func (s *Study) blocks() []doc.Block {
	block := func(id, title string, t *doc.Table) doc.Block {
		return doc.Block{ID: id, Title: title, ShowTitle: true, Table: t}
	}
	main := block("study", phrases.Sentence("study.title"), s.mainTable())
	main.About = dotted(s.Dataset, "prompt "+s.Prompt)
	main.Remark("study.family", phrases.CountWithNoun(len(s.differencesInFamily(mainTestFamily)), "judge"))
	if s.Differences[len(s.Differences)-1].ScoresOnly {
		main.Remark("study.published")
	}
	where := block("study-where", phrases.Sentence("study.where"), s.differencesTable())
	where.Remark("study.secondary")
	all := []doc.Block{main, where}
	if len(s.Judges) > 0 {
		bias := block("study-bias", phrases.Sentence("study.bias"), s.resultsTable(0,
			"prefers first, better", "consistent, better", "prefers first, worse", "consistent, worse"))
		bias.Remark("study.same-meaning")
		votes := block("study-together", phrases.Sentence("study.together"), s.resultsTable(4,
			"both goals", "coverage", "2 prompts", "its coverage", "calls a verdict", "contradict", "better right"))
		votes.Remark("study.unanimous", s.Prompt, s.SecondPrompt)
		all = append(all, bias, votes)
	}
	return all
}

// mainTable has the row of each judge that answers the question.
func (s *Study) mainTable() *doc.Table {
	t := &doc.Table{RowHead: "judge", Columns: slices.Concat(
		doc.ColumnsOfKind(doc.ColumnNumber, "better", "worse"),
		[]doc.Column{{Name: "difference", Kind: doc.ColumnNumber, Axis: &doc.Axis{Signed: true}}},
		doc.ColumnsOfKind(doc.ColumnWords, "p", ""), []doc.Column{{Name: "pairs needed", Surfaces: doc.SurfaceFullText}})}
	for _, d := range s.Differences {
		if d.Family != mainTestFamily {
			continue
		}
		row := doc.Row{Name: d.Judge, N: d.N, Look: doc.DifferenceLook(d.NotSignificant)}
		if d.ScoresOnly {
			row.Mark = doc.MarkDiamond
		}
		row.Cells = doc.Cells(
			doc.Value{Result: scoring.Result{Value: d.A}, Text: d.Marks[0]},
			doc.Value{Result: scoring.Result{Value: d.B}, Text: d.Marks[1]},
			d.Result(), table.PValue(d.Holm), d.Verdict, d.PairsNeeded(),
		)
		t.Add(row)
	}
	return t
}

// differencesTable returns differences with a row for each judge and a column for each category, prompt and dataset.
func (s *Study) differencesTable() *doc.Table {
	t := &doc.Table{RowHead: "judge"}
	var judges, columns []string
	cells := map[[2]string]doc.Value{}
	for _, d := range s.Differences {
		name := d.Prompt
		switch d.Family {
		case categoryTestFamily:
			name = d.Group
		case datasetTestFamily:
			name = d.Dataset + " " + d.Prompt
		case ownAnswersTestFamily:
			name = d.Dataset + ", own − others"
		case bothGoalsTestFamily:
			continue
		}
		cell := doc.Value{Result: d.Result(), Text: d.star()}
		if d.OwnFamily {
			cell.Text += "°"
		}
		cells[[2]string{d.Judge, name}] = cell
		if !slices.Contains(columns, name) {
			columns = append(columns, name)
			t.Columns = append(t.Columns, doc.Column{Name: name, Kind: doc.ColumnBareNumber, Surfaces: doc.SurfaceShortText},
				doc.Column{Name: name, Kind: doc.ColumnNumber, Surfaces: doc.SurfaceAllButShort})
		}
		if !slices.Contains(judges, d.Judge) {
			judges = append(judges, d.Judge)
		}
	}
	for _, judge := range judges {
		row := doc.Row{Name: judge}
		for _, name := range columns {
			cell := cells[[2]string{judge, name}]
			row.Cells = append(row.Cells, cell, cell)
		}
		t.Add(row)
	}
	return t
}

// star marks a significant difference, and a published one as in its marks.
func (d *StudyDifference) star() string {
	if d.NotSignificant {
		return d.Marks[2]
	}
	return "*"
}

// resultsTable returns a table of results of the judges, from one place in their lists on. If they are on votes, it has
// the difference too.
func (s *Study) resultsTable(from int, columns ...string) *doc.Table {
	t := &doc.Table{RowHead: "judge"}
	if from > 0 {
		t.Columns = doc.ColumnsOfKind(doc.ColumnNumber, "difference")
	}
	t.Columns = append(t.Columns, doc.ColumnsOfKind(doc.ColumnShareWithN, columns...)...)
	for _, j := range s.Judges {
		d := s.Differences[j.differenceIndex]
		row := doc.Row{Name: j.Judge, N: d.N}
		if from > 0 {
			row.Cells = []doc.Value{{Result: d.Result(), Text: d.star()}}
		}
		for i := range columns {
			row.Cells = append(row.Cells, doc.NumberCell(j.Results[from+i]))
		}
		t.Add(row)
	}
	return t
}
