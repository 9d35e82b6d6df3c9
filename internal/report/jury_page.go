package report

import (
	"fmt"
	"html/template"
	"maps"
	"math"
	"slices"
	"strings"

	"gavel/internal/jury"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// TakeJury makes the page that of a jury: its answer is what the jury is worth.
func (p *RunPage) TakeJury(j *Jury) {
	p.Jury = j
	p.juryAlone = strings.TrimSpace(p.Says + " " + p.Also)
	p.Says = j.Says
	p.Also = j.Also
}

// Headline is the answer. No name of a member is broken into two lines.
func (p *RunPage) Headline() template.HTML {
	if p.Jury == nil {
		return spaced(p.Says)
	}
	return unbroken(p.Says, slices.Collect(maps.Values(p.Jury.names())))
}

// sections of the page of a jury, above those of its run.
func (j *Jury) sections(alone string) []Section {
	all := []Section{j.among(), j.gains(), j.agreement(), j.votes()}
	if alone != "" {
		all = append(all, Section{ID: "alone", Title: "The jury as one judge", Body: part("jury-alone", alone)})
	}
	return all
}

// unit is what is judged, in the plural.
func (j *Jury) unit() string { return layoutOf(j.Scored.Protocol).item() + "s" }

// link to a run; "" where there is none.
func (j *Jury) link(run string) string {
	if j.Links.Run == nil {
		return ""
	}
	return j.Links.Run(run)
}

// among has a row for the jury and each of its members.
func (j *Jury) among() Section {
	axis := valueAxis(j.Value.Unit)
	c := Chart{
		Label: "The jury among its members, the best first",
		Columns: []ChartColumn{
			{Class: "lv", Head: "Good for"},
			{Class: "pl", Axis: &axis},
			{Class: "val", Head: "Right"},
		},
	}
	rows := j.rows()
	kept := slices.ContainsFunc(rows, func(r juryRow) bool { return r.scored.Overall("right-where-alike").Value != nil })
	counted := slices.ContainsFunc(rows, func(r juryRow) bool { return r.calls > 0 })
	if kept {
		c.Columns = append(c.Columns, ChartColumn{Class: "kp", Head: "Where both orders agree"})
	}
	if counted {
		c.Columns = append(c.Columns, ChartColumn{Class: "n", Head: "Calls"})
	}
	for _, r := range rows {
		row := ChartRow{Name: r.name, Look: "level-" + string(levelOf(r.scored))}
		plot := Plot
		if r.jury {
			row.Count = string(j.Rule) + " of " + scoring.CountWord(len(j.Members))
			row.All = true
			plot = plotJury
		} else {
			row.Link = j.link(r.run)
		}
		value := ValueCell(r.value)
		if r.value.Value != nil { // to one decimal, as in the headline
			value = template.HTML(fmt.Sprintf("<b>%.1f</b><small>%s</small>", *r.value.Value, shortEnds(r.value)))
		}
		row.Cells = []template.HTML{Chip(levelOf(r.scored)), plot(axis, r.value), value}
		if kept {
			row.Cells = append(row.Cells, KeptCell(r.scored.Overall("right-where-alike"), strings.TrimSuffix(j.unit(), "s")))
		}
		if counted {
			row.Cells = append(row.Cells, template.HTML(r.said()))
		}
		c.Rows = append(c.Rows, row)
	}
	return Section{
		ID:    "members",
		Title: "The jury among its members",
		About: fmt.Sprintf("%s, percent of %d %s, with 95 %% interval",
			MetricName(j.Scored.Protocol, j.Metric), j.N, j.unit()),
		Body: c.HTML() + Key(keyMember+"member", keyJury+"the jury", tooHigh) + part("jury-sure", j),
	}
}

// Signs of the chart, for the words below it.
const (
	keyMember template.HTML = `<svg width="12" height="12" class="level-usable plot-key" aria-hidden="true">` +
		`<circle class="pt" cx="6" cy="6" r="5.5"/></svg>`
	keyJury template.HTML = `<svg width="14" height="14" class="level-usable plot-key" aria-hidden="true">` +
		`<rect class="pt" x="-4.5" y="-4.5" width="9" height="9" transform="translate(7 7) rotate(45)"/></svg>`
)

// plotJury is [Plot] with a full diamond in place of the dot.
func plotJury(a Axis, x scoring.Result) template.HTML { return Signs(a, Sign{Result: x, Look: "full"}) }

// gains draws the difference to the best member.
func (j *Jury) gains() Section {
	d := j.Gain
	if d.Diff == nil || len(j.Members) == 0 {
		return Section{}
	}
	x := d.Result()
	axis := DifferenceAxis(x)
	view := struct {
		Look, Only, Link, Name string
		Axis, Plot             template.HTML
	}{
		Look: DifferenceLook(d.Noise),
		Only: j.onlyRight(),
		Name: j.Members[0].Name,
		Axis: axis.heads(),
		Plot: plotJury(axis, x),
	}
	if j.Links.Apart != nil {
		view.Link = j.Links.Apart(j.Members[0].Run, "differ")
	}
	return Section{
		ID:    "gain",
		Title: "What the jury gains",
		About: "points against the best member, same " + j.unit(),
		Half:  true,
		Body:  part("jury-gain", view),
	}
}

// mostInMatrix is how many members stand in a matrix; of more there is a list of those most alike.
const mostInMatrix = 8

// agreement is of every two members: how often they say the same, and how alike they err.
func (j *Jury) agreement() Section {
	s := Section{
		ID:    "agree",
		Title: "Who agrees with whom",
		Half:  len(j.Members) <= 4,
	}
	if len(j.Members) > mostInMatrix {
		s.Half = true
		s.Body = j.alikeList()
		return s
	}
	of := map[[2]string]jury.Likeness{}
	same := false
	for _, l := range j.Errors {
		of[[2]string{l.A, l.B}] = l
		of[[2]string{l.B, l.A}] = l
		same = same || l.Same != nil
	}
	type cell struct{ Class, Value, Beneath string }
	type row struct {
		Name  template.HTML
		Cells []cell
	}
	view := struct {
		Heads []template.HTML
		Rows  []row
		Same  bool
	}{Same: same}
	for i, a := range j.Members {
		view.Heads = append(view.Heads, breakable(a.Name))
		r := row{Name: breakable(a.Name)}
		for k, b := range j.Members {
			l := of[[2]string{a.Run, b.Run}]
			c := cell{}
			switch {
			case i == k:
			case k > i && l.Same != nil:
				c = cell{
					Class:   heatOf((*l.Same - 50) / 50),
					Value:   fmt.Sprintf("%.0f %%", *l.Same),
					Beneath: fmt.Sprintf("of %d", l.SameOf),
				}
			case k > i && !same:
			case k > i:
				c.Value = "–"
			default:
				c = cell{Value: "–", Beneath: fmt.Sprintf("both wrong: %d", l.BothFail)}
				if l.Kappa != nil {
					c.Class = heatOf(*l.Kappa)
					c.Value = strings.Replace(table.Fixed(l.Kappa, 2), "-", "−", 1)
				}
			}
			r.Cells = append(r.Cells, c)
		}
		view.Rows = append(view.Rows, r)
	}
	s.Body = part("jury-matrix", view)
	return s
}

// heatOf is the class of a share from 0 to 1.
func heatOf(share float64) string {
	return fmt.Sprintf("h%d", int(math.Round(heatSteps*max(0, min(1, share)))))
}

// alikeList are the members that err most alike.
func (j *Jury) alikeList() template.HTML {
	names := j.names()
	var lines []string
	for _, l := range j.mostAlike()[:min(len(j.Errors), mostInMatrix)] {
		line := fmt.Sprintf("%s and %s: κ %s, both wrong on %d", names[l.A], names[l.B], table.Fixed(l.Kappa, 2), l.BothFail)
		if l.Same != nil {
			line += fmt.Sprintf(", the same verdict on %.0f %% of %d", *l.Same, l.SameOf)
		}
		lines = append(lines, line)
	}
	return part("jury-list", lines)
}

// votes is a bar of the units by how many members are right on them.
func (j *Jury) votes() Section {
	of := len(j.Members)
	b := partsBar{Of: j.N}
	for _, v := range j.Votes {
		if v.N == 0 {
			continue
		}
		p := Piece{N: v.N, Words: rightWords(v.Right, of)}
		switch {
		case v.Right == of:
			p.Look = "right"
		case v.Right == 0:
			p.Look = "wrong"
		case 2*v.Right > of:
			p.Look = "right-some"
		default:
			p.Look = "wrong-some"
		}
		switch {
		case v.Jury == v.N:
			p.Note = "the jury is right"
		case v.Jury == 0:
			p.Note = "the jury is wrong"
		case 2*v.Jury > v.N:
			p.Note = fmt.Sprintf("the jury is right on %d", v.Jury)
		default:
			p.Note = fmt.Sprintf("the jury is wrong on %d", v.N-v.Jury)
		}
		if j.Links.Votes != nil {
			p.Link = j.Links.Votes(v.Right)
		}
		b.Pieces = append(b.Pieces, p)
	}
	b.Bar = Stack(Tall, b.Of, b.Pieces)
	about := "how many members are " + MetricName(j.Scored.Protocol, j.Metric)
	if slices.ContainsFunc(b.Pieces, func(p Piece) bool { return p.Link != "" }) {
		about += " · click a part to read its " + j.unit()
	}
	return Section{ID: "votes", Title: "Votes and outcome", About: about, Body: part("run-bar", b)}
}

// rightWords says how many of so many are right: "all three right", "one right".
func rightWords(right, of int) string {
	switch right {
	case 0:
		return "none right"
	case 1:
		return "one right"
	case of:
		if of == 2 {
			return "both right"
		}
		return "all " + scoring.CountWord(of) + " right"
	}
	return scoring.CountWord(right) + " right"
}
