package suite

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gavel/internal/eval"
	"gavel/internal/report/table"
)

// Tables lays the plan out: the matrix, then the judges.
func (p *Plan) Tables() []table.Table {
	cells := table.Table{
		Title: fmt.Sprintf("suite %s: %d conditions, %d cells in %s", p.Suite, p.Conditions, len(p.Cells), p.Out),
	}
	cells.Columns = table.Left("judge", "condition").Right("judgments", "there", "cached", "calls", "prompt tokens")
	for _, c := range p.Cells {
		a := c.whole()
		if c.Error != "" {
			cells.Row(c.Judge, c.Condition, "?", "", "", "?", "")
			cells.Note("! " + c.Cell + " cannot be planned: " + c.Error)
			continue
		}
		cells.Row(
			c.Judge, c.Condition, strconv.Itoa(a.Judgments), strconv.Itoa(a.Completed),
			strconv.Itoa(a.Cached), strconv.Itoa(a.Calls), a.promptTokens(),
		)
	}
	judges := table.Table{Title: "nothing is asked by this plan"}
	judges.Columns = table.Left("judge").
		Right("cells", "judgments", "there", "cached", "calls", "prompt tokens", "reply tokens", "time").
		Left("measured by")
	for _, j := range append(slices.Clone(p.Judges), judgePlan{Judge: "all", Cells: len(p.Cells), amounts: p.Total}) {
		judges.Row(
			j.Judge, strconv.Itoa(j.Cells), strconv.Itoa(j.Judgments), strconv.Itoa(j.Completed), strconv.Itoa(j.Cached),
			eval.CallRange(j.Calls, j.AtMost), j.promptTokens(), j.measured(strconv.Itoa(j.ReplyTokens)),
			j.measured(eval.Span(3600*j.Hours)), strings.Join(j.Basis, "; "),
		)
		if len(j.NumCtx) > 1 {
			judges.Notef("%s is loaded once for each num_ctx (%s): to load it once, set num-ctx for the judge",
				j.Judge, strings.Trim(fmt.Sprint(j.NumCtx), "[]"))
		}
	}
	judges.Note("prompt tokens: about, 4 bytes a token; reply tokens and time: " +
		"as this judge's calls took before, as many at once")
	if p.Total.Later > 0 {
		judges.Notef("+: %d of the calls need answers that are not there yet; "+
			"their prompts are not counted", p.Total.Later)
	}
	if p.Total.TooLong > 0 {
		judges.Notef("%d prompts are too long and will not be asked", p.Total.TooLong)
	}
	for _, a := range p.Above {
		judges.Note("! above the suite's limit, so that it runs with --yes only: " + a)
	}
	return []table.Table{cells, judges}
}

func (c *cellPlan) whole() amounts {
	a := c.amounts
	for _, name := range sorted(c.Agents) {
		a.add(*c.Agents[name])
	}
	return a
}

func (a amounts) promptTokens() string {
	if a.Later > 0 {
		return strconv.Itoa(a.PromptTokens) + "+"
	}
	return strconv.Itoa(a.PromptTokens)
}

// measured marks what stands for a part of the calls alone.
func (a amounts) measured(text string) string {
	switch {
	case a.Calls > 0 && len(a.Basis) == 0:
		return "?"
	case a.Unmeasured > 0:
		return text + "+"
	}
	return text
}

// CSV has the rows of the matrix; --json has more of each.
func (p *Plan) CSV(w io.Writer) error { return table.CSV(w, p.Tables()[0]) }

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
