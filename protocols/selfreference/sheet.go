package selfreference

import (
	"slices"
	"strings"

	"gavel/judging"
	"gavel/scoring"
)

// Columns of a judgment's row in the sheet: whether the judge's own answer to the question is right, counted once for
// each question; whether the agent's answer is right; a table (see tableWidth) for each of the modes cot and self; and
// both tables again over the judgments that count in both modes.
const (
	sheetColumnOwnRight = iota
	sheetColumnOwnKnown
	sheetColumnRight
	sheetColumnAnswers
	columnFirstTable
	judgmentColumnCount = columnFirstTable + 4*tableWidth
)

// tableColumns returns the columns of a table: 0 for mode cot, 1 for self; 2 and 3 for the same modes over the
// judgments that count in both modes.
func tableColumns(mode int) scoring.ColumnSpan {
	return scoring.ColumnSpan{columnFirstTable + mode*tableWidth, columnFirstTable + (mode+1)*tableWidth}
}

// countsVerdict reports whether the metrics include a verdict under the policy m for missing verdicts.
func countsVerdict(m scoring.MissingPolicy, verdict int8) bool {
	return verdict != notAsked && (verdict != noVerdict || m != scoring.MissingDrop)
}

// Sheet returns the sheet from which metrics are computed: a row for each judged answer. Resampling draws questions,
// each with all its judgments.
func (f *selfReferenceScorer) Sheet(policy scoring.MissingPolicy, _ uint64) *scoring.Sheet {
	s := &scoring.Sheet{
		Metrics:         f.metrics(policy),
		ColumnCount:     judgmentColumnCount,
		QuestionColumns: 2,
		Units:           make([]scoring.Unit, len(f.rows)),
		OptionalColumns: []scoring.ColumnSpan{{sheetColumnOwnRight, sheetColumnRight}, tableColumns(0), tableColumns(1)},
		Divisions:       []func(a, b string) int{judging.CompareGroups, strings.Compare},
	}
	for i, j := range f.rows {
		agent := j.agent
		if strings.HasPrefix(agent, optionAgentPrefix) {
			agent = "options"
		}
		s.Units[i] = scoring.Unit{
			ID:      j.question + "\x00" + j.agent,
			Cluster: j.question,
			Groups:  []string{j.group, AgentGroup(agent)},
			Row:     j.row(policy),
			Gold:    rightOrWrong(j.answerIsRight),
			Data:    *j,
		}
	}
	return s
}

// row returns the columns of a judgment in the sheet, with missing verdicts counted by the policy.
func (j judgment) row(policy scoring.MissingPolicy) []float64 {
	row := make([]float64, judgmentColumnCount)
	if j.ownAnswer != ownUnknown {
		row[sheetColumnOwnRight], row[sheetColumnOwnKnown] = scoring.Indicator(j.ownAnswer == ownRight), 1
	}
	row[sheetColumnRight], row[sheetColumnAnswers] = scoring.Indicator(j.answerIsRight), 1
	j.eachCountedVerdict(policy, func(table int, verdict int8) {
		tally(row[tableColumns(table)[0]:], j.ownAnswer, j.answerIsRight, verdict)
	})
	return row
}

// eachCountedVerdict calls add for the verdict of each mode, with the number of the mode's table (see tableColumns). If
// the judgment counts in both modes, it also calls add with that number plus 2.
func (j judgment) eachCountedVerdict(policy scoring.MissingPolicy, add func(table int, verdict int8)) {
	for m, verdict := range j.verdicts {
		if !countsVerdict(policy, verdict) {
			continue
		}
		add(m, verdict)
		if countsVerdict(policy, j.verdicts[1-m]) {
			add(2+m, verdict)
		}
	}
}

// metrics returns the metrics of the answers, then those of each mode of the run, then the
// differences between the modes.
func (f *selfReferenceScorer) metrics(policy scoring.MissingPolicy) []scoring.Metric {
	list := slices.Clone(modeMetrics)
	for i := range list {
		list[i].Columns = tableColumns(0)
		list[i].PossibleRows = possibleTables
		list[i].SubtrahendN = nAll
	}
	return slices.Concat(answerMetrics, f.metricsInModes(list, tableWidth, policy))
}

// metricsInModes returns the metrics in list for each mode of the run and for the difference of both modes. width
// is the number of columns of a table, and the metrics in list have columns in the first of the four
// tables; see [judgment.eachCountedVerdict].
func (f *selfReferenceScorer) metricsInModes(
	list []scoring.Metric, width int, policy scoring.MissingPolicy,
) (all []scoring.Metric) {
	add := func(mode string, m scoring.Metric) {
		m.Mode = mode
		if policy == scoring.MissingDrop {
			m.MissingRule = "judgment left out"
		}
		all = append(all, m)
	}
	columnsIn := func(table int, m scoring.Metric) scoring.ColumnSpan {
		return scoring.ColumnSpan{m.Columns[0] + table*width, m.Columns[1] + table*width}
	}
	for i, mode := range modes {
		for _, m := range list {
			m.Columns = columnsIn(i, m)
			if f.hasMode[i] {
				add(mode, m)
			}
		}
	}
	for _, m := range list {
		if !f.hasMode[0] || !f.hasMode[1] || m.Name == CorrelationGA { // the same in both modes
			continue
		}
		m.Subtrahend = columnsIn(2, m)
		m.Columns = columnsIn(3, m)
		m.Sides = [2]string{"mode cot", "mode self"}
		m.Headline = false
		add(scoring.ModeDifference, m)
	}
	return all
}
