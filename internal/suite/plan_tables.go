package suite

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gavel/internal/doc"
	"gavel/internal/eval"
	"gavel/internal/phrases"
)

// Document returns the tables of the plan: one with a row for each cell, and one with a row for each judge.
func (p *Plan) Document() doc.Document {
	cells := doc.Table{RowHead: "judge", Columns: append(doc.ColumnsOfKind(doc.ColumnWords, "condition"),
		doc.ColumnsOfKind(doc.ColumnInteger, "judgments", "there", "cached", "calls", "prompt tokens")...)}
	var unplanned []string
	for _, c := range p.Cells {
		a := c.totalAmounts()
		row := doc.WordRow(c.Judge, c.Condition, strconv.Itoa(a.Judgments), strconv.Itoa(a.Completed),
			strconv.Itoa(a.CachedJudgments), strconv.Itoa(a.Calls), a.promptTokens())
		if c.Error != "" {
			row = doc.WordRow(c.Judge, c.Condition, "?", "", "", "?", "")
			unplanned = append(unplanned, phrases.Sentence("suite.unplanned", c.Cell, c.Error))
		}
		cells.Add(row)
	}
	judges := doc.Table{RowHead: "judge", Columns: append(
		doc.ColumnsOfKind(doc.ColumnInteger,
			"cells", "judgments", "there", "cached", "calls", "prompt tokens", "reply tokens", "time"),
		doc.ColumnsOfKind(doc.ColumnWords, "measured by")...)}
	summary := doc.Block{Title: phrases.Sentence("suite.plan-only"), ShowTitle: true, Table: &judges}
	summary.Remark("suite.prompts")
	for _, j := range append(slices.Clone(p.Judges), judgePlan{Judge: "all", Cells: len(p.Cells), amounts: p.Total}) {
		judges.Add(doc.WordRow(
			j.Judge, strconv.Itoa(j.Cells), strconv.Itoa(j.Judgments), strconv.Itoa(j.Completed),
			strconv.Itoa(j.CachedJudgments),
			eval.CallRange(j.Calls, j.MaxCalls, ""), j.promptTokens(), j.measuredText(strconv.Itoa(j.ReplyTokens)),
			j.measuredText(eval.DurationText(3600*j.Hours)), strings.Join(j.SpeedSources, "; "),
		))
		if len(j.ContextSizes) > 1 {
			summary.Remark("suite.contexts", j.Judge, strings.Trim(fmt.Sprint(j.ContextSizes), "[]"))
		}
	}
	if p.Total.CallsOfLaterStages > 0 {
		summary.Remark("suite.later", p.Total.CallsOfLaterStages)
	}
	if p.Total.TooLong > 0 {
		summary.Remark("suite.too-long", p.Total.TooLong)
	}
	for _, a := range p.Exceeded {
		summary.Remark(doc.WarningCode, phrases.Sentence("suite.exceeded", a))
	}
	title := phrases.Sentence("suite.plan-title", p.Suite, phrases.CountWithNoun(p.Conditions, "condition"),
		phrases.CountWithNoun(len(p.Cells), "cell"), p.Out)
	return doc.Document{Blocks: []doc.Block{
		{Title: title, ShowTitle: true, Table: &cells, Notes: doc.WarningNotes(unplanned)},
		summary,
	}}
}

// totalAmounts returns the amounts of the cell with those of its agents.
func (c *cellPlan) totalAmounts() amounts {
	a := c.amounts
	for _, name := range slices.Sorted(maps.Keys(c.AgentAmounts)) {
		a.add(*c.AgentAmounts[name])
	}
	return a
}

func (a amounts) promptTokens() string {
	if a.CallsOfLaterStages > 0 {
		return strconv.Itoa(a.PromptTokens) + "+"
	}
	return strconv.Itoa(a.PromptTokens)
}

// measuredText returns a measured number, with a plus sign if it is known for only some of the calls; "?" if for none.
func (a amounts) measuredText(text string) string {
	switch {
	case a.Calls > 0 && len(a.SpeedSources) == 0:
		return "?"
	case a.UnmeasuredCalls > 0:
		return text + "+"
	}
	return text
}
