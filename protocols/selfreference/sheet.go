package selfreference

import (
	"slices"
	"strings"

	"gavel/judging"
	"gavel/scoring"
)

// Columns of a judgment: whether the judge's own answer to its question is right, which is the question's; the agent's
// answer; then a table each of cot and self, and both again of judgments that count in both.
const (
	columnOwnRight = iota
	columnOwnKnown
	columnRight
	columnAnswers
	columnTables
	judgmentWidth = columnTables + 4*tableWidth
)

// tableOf are the columns of a mode; of the judgments that count in both, 2 more.
func tableOf(mode int) scoring.Span {
	return scoring.Span{columnTables + mode*tableWidth, columnTables + (mode+1)*tableWidth}
}

// counts tells whether what was said is in the numbers.
func counts(m scoring.MissingPolicy, said int8) bool {
	return said != notAsked && (said != saidNothing || m != scoring.MissingDrop)
}

// Sheet lays out the judgments; questions are what is resampled, each with all that belongs to it.
func (f *judgments) Sheet(how scoring.MissingPolicy, _ uint64) *scoring.Sheet {
	s := &scoring.Sheet{
		Metrics: f.metrics(how), Width: judgmentWidth, Own: 2, Units: make([]scoring.Unit, len(f.rows)),
		Blocks:    []scoring.Span{{columnOwnRight, columnRight}, tableOf(0), tableOf(1)},
		Divisions: []func(a, b string) int{judging.GroupOrder, strings.Compare},
	}
	for i, j := range f.rows {
		s.Units[i] = scoring.Unit{
			ID:      j.question + "\x00" + j.agent,
			Cluster: j.question,
			Groups:  []string{j.group, AgentGroup(j.agent)},
			Row:     j.row(how),
			Gold:    rightOrWrong(j.right),
			Of:      *j,
		}
	}
	return s
}

// row counts a judgment.
func (j judgment) row(how scoring.MissingPolicy) []float64 {
	row := make([]float64, judgmentWidth)
	if j.own != ownUnknown {
		row[columnOwnRight], row[columnOwnKnown] = scoring.One(j.own == ownRight), 1
	}
	row[columnRight], row[columnAnswers] = scoring.One(j.right), 1
	j.count(how, func(table int, said int8) { tally(row[tableOf(table)[0]:], j.own, j.right, said) })
	return row
}

// count adds what was said in each mode to its table and, where it counts in both modes, to the table 2 further.
func (j judgment) count(how scoring.MissingPolicy, add func(table int, said int8)) {
	for m, said := range j.said {
		if !counts(how, said) {
			continue
		}
		add(m, said)
		if counts(how, j.said[1-m]) {
			add(2+m, said)
		}
	}
}

// metrics are those of the judge's own answers and the agents', then those of each mode, then the differences.
func (f *judgments) metrics(how scoring.MissingPolicy) []scoring.Metric {
	list := slices.Clone(modeMetrics)
	for i := range list {
		list[i].Columns = tableOf(0)
		list[i].Cells = tableCells
		list[i].All = nAll
	}
	return slices.Concat(answerMetrics, f.inModes(list, tableWidth, how))
}

// inModes returns metrics of each mode that was asked, and of the difference of both. They have the columns of the
// first of four tables of some width; see [judgment.count].
func (f *judgments) inModes(list []scoring.Metric, width int, how scoring.MissingPolicy) (all []scoring.Metric) {
	add := func(mode string, m scoring.Metric) {
		m.Mode = mode
		if how == scoring.MissingDrop {
			m.Missing = "judgment left out"
		}
		all = append(all, m)
	}
	at := func(table int, m scoring.Metric) scoring.Span {
		return scoring.Span{m.Columns[0] + table*width, m.Columns[1] + table*width}
	}
	for i, mode := range modes {
		for _, m := range list {
			m.Columns = at(i, m)
			if f.asked[i] {
				add(mode, m)
			}
		}
	}
	for _, m := range list {
		if !f.asked[0] || !f.asked[1] || m.Name == CorrelationGA { // which is the same in both
			continue
		}
		m.Less = at(2, m)
		m.Columns = at(3, m)
		m.Sides = [2]string{"mode cot", "mode self"}
		m.Headline = false
		add(scoring.ModeDifference, m)
	}
	return all
}
