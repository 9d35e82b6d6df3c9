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
	for m, said := range j.said {
		if counts(how, said) {
			tally(row[tableOf(m)[0]:], j.own, j.right, said)
		}
		if counts(how, j.said[0]) && counts(how, j.said[1]) {
			tally(row[tableOf(2 + m)[0]:], j.own, j.right, said)
		}
	}
	return row
}

// metrics are those of the judge's own answers and the agents', then those of each mode, then the differences.
func (f *judgments) metrics(how scoring.MissingPolicy) []scoring.Metric {
	list := slices.Clone(answerMetrics)
	add := func(m scoring.Metric) {
		if how == scoring.MissingDrop {
			m.Missing = "judgment left out"
		}
		list = append(list, m)
	}
	for i, mode := range modes {
		for _, m := range modeMetrics {
			m.Cells = tableCells
			m.Mode, m.Columns = mode, tableOf(i)
			if f.asked[i] {
				add(m)
			}
		}
	}
	for _, m := range modeMetrics {
		if !f.asked[0] || !f.asked[1] || m.Name == CorrelationGA { // which is the same in both
			continue
		}
		m.Mode = scoring.ModeDifference
		m.Less = tableOf(2)
		m.Columns = tableOf(3)
		m.Sides = [2]string{"mode cot", "mode self"}
		// what was judged Correct is not the same in both
		m.Cells = tableCells
		m.Compared = scoring.Nowhere
		m.Headline = false
		m.All = nAll
		add(m)
	}
	return list
}
