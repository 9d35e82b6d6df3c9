package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"gavel/internal/report/table"
	"gavel/scoring"
)

// Charts have a chart of the judges for each condition. link is the address of a run's page.
func (s Ranking) Charts(link func(run string) string) template.HTML {
	var all []Section
	for i, c := range s.Conditions {
		if c.Says == s.Says {
			c.Says = "" // the page begins with it
		}
		all = append(all, c.section(fmt.Sprintf("condition-%d", i+1), link))
	}
	return blocks(nil, all...)
}

// section of a condition: what its judges come to, and who has nothing to show yet.
func (c Condition) section(id string, link func(run string) string) Section {
	view := struct {
		Says  string
		Chart template.HTML
		Open  []string
	}{Says: c.Says}
	for _, cell := range c.Cells {
		if cell.Place < 0 {
			view.Open = append(view.Open, scoring.InSentence(cell.Judge)+": "+cell.Status)
		} else if !cell.complete() {
			view.Open = append(view.Open, fmt.Sprintf("%s: %d of %d judgments, %s",
				scoring.InSentence(cell.Judge), cell.Answered, cell.Expected, cell.Status))
		}
	}
	s := Section{ID: id, Title: c.Name, About: strings.Join([]string{c.Protocol, c.Dataset, "prompt " + c.Prompt}, " · ")}
	if c.Options != "" {
		s.About += " · " + c.Options
	}
	if len(c.board.Rows) > 0 {
		l := Leaderboard{Board: c.board, Prefix: id + "-"}
		l.Rows = append([]Standing(nil), c.board.Rows...)
		for i := range l.Rows {
			l.Rows[i].Link = link(l.Rows[i].Run)
		}
		view.Chart = l.chart().Body
	}
	s.Body = part("ranking-condition", view)
	return s
}

// Numbers are every number of the page: of each condition a table with a row for each headline of each judge, and one
// of what the judges cost.
func (s Ranking) Numbers() (tables []table.Table) {
	for _, c := range s.Conditions {
		again := slices.ContainsFunc(c.Rankings, repeated)
		t := table.Table{
			Title:   c.Name,
			Columns: table.Left("judge", "metric").Right("value", "n").Left("letters"),
			Terms:   Terms(c.Protocol),
			InCells: map[[2]int]scoring.Term{},
		}
		if again {
			t.Columns = t.Columns.Right("noise floor", "self-agreement")
		}
		for _, cell := range c.Cells {
			if cell.Place < 0 {
				t.Row(cell.Judge, cell.Status)
				continue
			}
			for _, st := range c.Rankings {
				r := st.Runs[cell.Place]
				row := []string{
					cell.Judge, strings.TrimSpace(st.Metric + " " + st.Mode), table.Whole(r.Result), strconv.Itoa(r.N), r.Letters,
				}
				if again {
					row = append(row, given(scoring.Result{Value: r.NoiseFloor, Unit: st.Unit}),
						table.Whole(*cmp.Or(r.SelfAgreement, &scoring.Result{})))
				}
				explainedRow(&t, c.Protocol, st.Metric, row)
			}
		}
		tables = append(tables, t)
	}
	for _, note := range s.notes() {
		if strings.HasPrefix(note, "judges that share a letter") {
			note = "judges that share a letter cannot be told apart by this metric"
		}
		tables[len(tables)-1].Note(note)
	}
	return append(tables, s.costs()...)
}

// Finished is a bar of how many runs of each status there are.
func Finished(statuses []string, count func(status string) int) template.HTML {
	b := partsBar{}
	for _, status := range statuses {
		n := count(status)
		if n == 0 {
			continue
		}
		p := Piece{N: n, Words: status, Look: "none"}
		switch status {
		case "complete":
			p.Look = "right"
		case "running":
			p.Look = "a"
		case Unreadable, "damaged":
			p.Look = "wrong"
		case "interrupted", "incomplete", "stopped":
			p.Look = "first"
		}
		b.Of += n
		b.Pieces = append(b.Pieces, p)
	}
	b.Bar = Stack(Thin, b.Of, b.Pieces)
	return part("run-bar", b)
}
