package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"gavel/internal/report/table"
	"gavel/scoring"
)

// Next is a command that a person may give now, and what for.
type Next struct{ Command, Purpose string }

// Brief is what a person sees first of a run: the answer and the numbers that stand for it. Of runs that are stages of the last, it has a line of each and the last in full.
func (s Scores) Brief() []table.Table {
	if len(s.Runs) == 0 {
		return nil
	}
	last := s.Runs[len(s.Runs)-1]
	if s.Board != nil {
		return append([]table.Table{{Title: s.Board.Says}, s.Board.table()}, s.ending(nil)...)
	}
	var tables []table.Table
	if len(s.Runs) > 1 {
		stages := table.Table{Title: "stages", Columns: table.Left("", "", ""), Plain: true}
		for _, r := range s.Runs[:len(s.Runs)-1] {
			stages.Row(shapeOf(r), r.Model+" · "+Question(r), r.Says)
		}
		tables = append(tables, stages)
	}
	numbers := numbersOf(last)
	numbers.Warn(slices.DeleteFunc(last.Cautions(), func(w string) bool {
		return strings.HasPrefix(w, scoring.NoInterval) // of numbers that are not shown here
	}))
	tables = append(tables, table.Table{Title: subject(last)})
	if last.Says != "" {
		answer := table.Table{Columns: table.Left("", ""), Plain: true}
		answer.Row(shapeOf(last), last.Says)
		tables = append(tables, answer)
	}
	tables = append(tables, numbers)
	if beneath := layoutOf(last.Protocol).Beneath; beneath != nil {
		tables = append(tables, beneath(last))
	}
	if lines := amongPublished(&last); lines != nil {
		t := table.Table{Columns: table.Left("", ""), Plain: true}
		t.Row("published", lines[0])
		for _, line := range lines[1:] {
			t.Row("", line)
		}
		tables = append(tables, t)
	}
	return append(tables, s.ending(last.Ledger)...)
}

// shapeOf is the level of a run's judge with its shape; "" where nobody can say.
func shapeOf(r scoring.Report) string {
	if r.Diagnosis == nil {
		return ""
	}
	return table.Level(r.Diagnosis.Level)
}

// Question that a run asks, in words.
func Question(r scoring.Report) string {
	if r.Preferences {
		return "which is preferred"
	}
	return cmp.Or(layoutOf(r.Protocol).Question, "which is "+r.Goal)
}

// subject is what a run is of, in a line.
func subject(r scoring.Report) string {
	items := fmt.Sprintf("%d", r.Items)
	if r.Items < r.Expected {
		items += fmt.Sprintf(" of %d", r.Expected)
	}
	noun := layoutOf(r.Protocol).item()
	if r.Expected != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%s · %s · %s · prompt %s · %s %s%s",
		r.Judge(), Question(r), r.Dataset, Prompt(r), items, noun, simulatedMark(r.Simulated))
}

// numbersOf are the tiles of a run in rows, over all and by group.
func numbersOf(r scoring.Report) table.Table {
	t := table.Table{Columns: table.Left("").Right("all"), Plain: true}
	var groups []string
	for _, g := range r.Groups() {
		if g != scoring.Overall && hasTile(r, g) {
			groups = append(groups, g)
		}
	}
	t.Columns = t.Columns.Right(groups...)
	for i := range groups {
		t.Columns[len(t.Columns)-1-i].Spare = i + 1 // the last group first
	}
	l := layoutOf(r.Protocol)
	for _, tile := range l.Tiles {
		x := tile.of(&r)
		if x.Metric == "" || x.Value == nil && (l.Unlabelled != "" || tile.Metric == scoring.WithoutVerdict) ||
			tile.Metric == scoring.WithoutVerdict && *x.Value == 0 {
			continue
		}
		row := []string{tile.label(&r), table.Roughly(x)}
		for _, g := range groups {
			cell := ""
			if x := r.Result(tile.Metric, g, tile.Mode); x.Value != nil {
				cell = table.Rough(x.Value, x)
			}
			row = append(row, cell)
		}
		t.Row(row...)
	}
	return t
}

// hasTile tells whether a group has one of the numbers that are shown first.
func hasTile(r scoring.Report, group string) bool {
	for _, tile := range layoutOf(r.Protocol).Tiles {
		if r.Result(tile.Metric, group, tile.Mode).Value != nil {
			return true
		}
	}
	return false
}

// widestNext is how long commands are at most that stand beside their purpose on a line of 80 columns.
const widestNext = 47

// ending is what it cost, and what one may do next; none where there is nothing to say.
func (s Scores) ending(paid *scoring.Ledger) []table.Table {
	t := table.Table{Columns: table.Left("", ""), Plain: true}
	if cost := costOf(paid); cost != "" {
		t.Row("cost", cost)
	}
	fits := func(n Next) bool { return len(n.Command) <= widestNext }
	width := 0
	for _, n := range s.Next {
		if fits(n) {
			width = max(width, len(n.Command))
		}
	}
	for i, n := range s.Next {
		head := ""
		if i == 0 {
			head = "next"
		}
		if !fits(n) { // a line of its own, which can be copied whole
			t.Row(head, n.Purpose+":")
			t.Commands = append(t.Commands, n.Command)
			continue
		}
		t.Row(head, fmt.Sprintf("%-*s  %s", width, n.Command, n.Purpose))
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return []table.Table{t}
}

// costOf says what a run took, as far as servers told; "" of one that nobody paid for.
func costOf(l *scoring.Ledger) string {
	if l == nil {
		return ""
	}
	parts := []string{table.Count(l.Calls, "call")}
	if l.Calls == 0 {
		parts = nil
	}
	if l.Remembered > 0 {
		parts = append(parts, table.Count(l.Remembered, "reply")+" from the cache")
	}
	if l.PromptTokens+l.ReplyTokens > 0 {
		taken := "read"
		if l.CachedTokens == nil { // the server does not say which it had in its prompt cache
			taken = "sent"
		}
		parts = append(parts, fmt.Sprintf("%s tokens %s, %s written", tokens(l.ReadTokens()), taken, tokens(l.ReplyTokens)))
	}
	if l.Seconds >= 1 {
		parts = append(parts, lasted(l.Seconds))
	}
	if l.Joules != nil {
		parts = append(parts, table.Fixed(l.Joules, 0)+" J")
	}
	if l.Price != nil {
		parts = append(parts, "price "+table.Fixed(l.Price, 2))
	}
	return strings.Join(parts, " · ")
}

// tokens is a number of them in few digits.
func tokens(n int) string {
	switch {
	case n < 10_000:
		return humanize.Comma(int64(n))
	case n < 1_000_000:
		return fmt.Sprintf("%.0f k", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f M", float64(n)/1e6)
}

// lasted is a time in the unit that says it in few digits.
func lasted(seconds float64) string {
	switch d := time.Duration(seconds * float64(time.Second)); {
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	default:
		return fmt.Sprintf("%.1f h", d.Hours())
	}
}
