package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"gavel/internal/report/table"
	"gavel/scoring"
	"gavel/scoring/race"
)

// RaceOf is a race that asks, as its file says. name says what the judge of a run is called.
func RaceOf(s *race.State, name func(run string) string) *Race {
	out := &Race{Unfinished: !s.Over, rules: race.Rules{Items: s.Items, Margin: s.Margin / 100}}
	if s.Result == nil {
		return out
	}
	out.Result = *s.Result
	for i, run := range s.Runs {
		row := racer{run: run, name: name(run), items: s.Asked[i]}
		if i < len(s.Shares) {
			row.share = scoring.Result{Value: s.Shares[i].Value, Low: s.Shares[i].Low, High: s.Shares[i].High}
		}
		out.rows = append(out.rows, row)
	}
	out.stand(name)
	slices.SortStableFunc(out.rows, func(a, b racer) int {
		return cmp.Or(cmp.Compare(scoring.One(a.left != nil), scoring.One(b.left != nil)),
			cmp.Compare(scoring.One(b.run == out.Leader), scoring.One(a.run == out.Leader)), cmp.Compare(b.items, a.items))
	})
	out.Says = out.answer()
	return out
}

// calls that a judge took.
func (out *Race) calls(row racer) string {
	each := out.FullCalls / max(1, out.rules.Items*len(out.rows))
	return humanize.Comma(int64(row.items * each))
}

// ended says what became of a judge.
func (r racer) ended() string {
	switch {
	case r.left != nil:
		return scoring.InSentence(r.by) + " is better"
	case r.items == 0:
		return "not asked yet"
	}
	return strings.TrimSuffix(r.state, " from the leader")
}

// raceWidth is how many characters a drawn race has.
const raceWidth = 14

// Brief is a row for each judge: how many items it was asked, drawn, and what became of it.
func (out *Race) Brief() []table.Table {
	t := table.Table{
		Plain: true,
		Columns: table.Left("", "asked of "+humanize.Comma(int64(out.rules.Items))).
			Right("right, %", "calls").
			Left("").
			Spare("calls"),
	}
	for _, r := range out.rows {
		n := (raceWidth*r.items + out.rules.Items - 1) / max(1, out.rules.Items)
		bar := strings.Repeat("━", n)
		if r.left != nil && n > 0 {
			bar = strings.Repeat("━", n-1) + "╸"
		}
		bar += strings.Repeat("·", max(0, raceWidth-n))
		asked := fmt.Sprintf("%s %*d", bar, len(fmt.Sprint(out.rules.Items)), r.items)
		share := ""
		if r.share.Value != nil {
			share = table.Roughly(r.share)
		}
		t.Row(r.name, asked, share, out.calls(r), r.ended())
	}
	t.Note(fmt.Sprintf("the best one leaves with probability at most %s, however often one looks", decimal(out.Alpha)),
		"intervals hold at every look at once, so they are wider than those of gavel score")
	if out.rules.Margin > 0 {
		t.Notef("tied: surely less than %s points apart", decimal(100*out.rules.Margin))
	}
	if o := out.Orders; o.Tried > 0 {
		t.Note(out.otherOrders())
	}
	if out.Hours != nil && *out.FullHours >= 0.01 {
		t.Notef("asking took %s h here; all items would have taken some %s h", decimal(*out.Hours), decimal(*out.FullHours))
	}
	if out.Unfinished {
		t.Note("! broken off, or going on: the same command goes on")
	}
	if out.rights != nil {
		t.Warn(out.rights.Warnings)
	}
	return []table.Table{t}
}

// otherOrders says how often the race erred in others.
func (out *Race) otherOrders() string {
	o := out.Orders
	orders := table.Count(o.Tried, "other order")
	behind := ""
	if out.rules.Margin > 0 {
		behind = ", one behind by more than the margin"
	}
	if o.Erred == 0 {
		return fmt.Sprintf("in %s the race never ended with a wrong leader%s", orders, behind)
	}
	return fmt.Sprintf("in %s the race ended with a wrong leader%s %s (%.1f %%)", orders, behind, timesOf(o.Erred),
		100*float64(o.Erred)/float64(o.Tried))
}

// timesOf is how often something was.
func timesOf(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// Chart draws where each judge left. link is the address of a run's page; nil: there is none.
func (out *Race) Chart(link func(run string) string) template.HTML {
	axis := askedAxis(out.rules.Items)
	c := Chart{
		Label:   "How many items each judge was asked",
		Class:   "race",
		Columns: []ChartColumn{{Class: "pl", Axis: &axis}},
	}
	shares := slices.ContainsFunc(out.rows, func(r racer) bool { return r.share.Value != nil })
	if shares {
		c.Columns = append(c.Columns, ChartColumn{Class: "val", Head: "Right, %"})
	}
	c.Columns = append(c.Columns, ChartColumn{Class: "n", Head: "Calls"},
		ChartColumn{Class: "kp", Head: "What became of it"})
	in := 0
	for _, r := range out.rows {
		in += int(scoring.One(r.left == nil && r.items > 0))
	}
	for i, r := range out.rows {
		bracket := ""
		switch {
		case in < 2 || i >= in:
		case i == 0:
			bracket = "first"
		case i == in-1:
			bracket = "last"
		default:
			bracket = "mid"
		}
		row := ChartRow{Name: r.name, Cells: []template.HTML{lap(axis, r, bracket)}}
		if link != nil {
			row.Link = link(r.run)
		}
		if shares {
			row.Cells = append(row.Cells, ValueCell(r.share))
		}
		row.Cells = append(row.Cells, template.HTML(out.calls(r)), template.HTML(template.HTMLEscapeString(r.ended())))
		c.Rows = append(c.Rows, row)
	}
	keys := []template.HTML{"a bar ends where the judge left"}
	if in > 1 {
		keys = append(keys, "bracket: these cannot be told apart")
	}
	if shares {
		keys = append(keys, "intervals hold at every look at once, so they are wider than on the leaderboard")
	}
	return c.HTML() + Key(keys...)
}

// askedAxis is from 0 to so many items.
func askedAxis(items int) Axis {
	a := Axis{Max: float64(max(1, items)), Ticks: []float64{0}, Zero: -1}
	step := 1.0
	for _, s := range []float64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000} {
		step = s
		if a.Max/s <= 5 {
			break
		}
	}
	for v := step; v < a.Max-step/2; v += step {
		a.Ticks = append(a.Ticks, v)
	}
	a.Ticks = append(a.Ticks, a.Max)
	return a
}

// lap draws how many items a judge was asked, and beside the first of those that are in the bracket that joins them.
func lap(a Axis, r racer, bracket string) template.HTML {
	var b strings.Builder
	b.WriteString(`<svg class="plot" aria-hidden="true">`)
	a.lines(&b)
	items := r.items
	look := "in"
	if r.left != nil {
		items = r.left.Items
		look = "out"
	}
	end := a.at(float64(items))
	fmt.Fprintf(&b, `<rect class="lap-%s" x="0" y="12" width="%s" height="12" rx="3"/>`, look, end)
	if r.left != nil {
		fmt.Fprintf(&b, `<line class="stop" x1="%[1]s" x2="%[1]s" y1="9" y2="27"/>`, end)
		words := fmt.Sprintf("out after %d", r.left.Items)
		if a.place(float64(items)) > 60 {
			fmt.Fprintf(&b, `<text class="e beside" x="%s" dx="-8" y="22">%s</text>`, end, words)
		} else {
			fmt.Fprintf(&b, `<text x="%s" dx="8" y="22">%s</text>`, end, words)
		}
	}
	switch bracket {
	case "first":
		b.WriteString(`<path class="brace" d="M-6 14h-6v40"/>`)
	case "mid":
		b.WriteString(`<path class="brace" d="M-12 -8v60"/>`)
	case "last":
		b.WriteString(`<path class="brace" d="M-12 -8v30h6"/>`)
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String())
}
