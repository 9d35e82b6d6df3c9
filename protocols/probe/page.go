package probe

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"gavel/internal/report"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// Layout of runs.
var Layout = &report.Layout{
	Terms:    scoring.Terms(scoring.Lay(metrics, 0)),
	Headline: Steady,
	Noun:     "judgments",
	Item:     "pair",
	Tables:   tables,
	Beneath:  byRewrite,
	Question: "which verdicts change",
	Became:   "each asked as it is, anew, and with four rewrites",
	Parts: []report.PagePart{
		report.Became, report.Cards, moves, report.ByGroup, report.Sureness, report.Lists, report.Among, report.Caveats,
		report.Making,
	},
	Ends: []report.End{
		{Part: PartStays, Look: "right", Words: "right, and stays", Show: "right"},
		{Part: PartMoved, Look: "first", Words: "right, and moved by a rewrite", Show: "inconsistent"},
		{Part: PartWrong, Look: "wrong", Words: "wrong as it is", Show: "wrong"},
		{Part: PartMissing, Look: "none", Words: "no verdict as it is", Show: "open"},
	},
	Tiles: []report.Tile{
		{Metric: Steady}, {Metric: Right}, {Metric: Kept}, {Metric: Again}, report.Verdictless,
	},
}

// byRewrite has a row a rewrite.
func byRewrite(r scoring.Report) table.Table {
	t := table.Table{
		Columns: table.Left("rewrite").Right("changed %", "anew", "neutral", "beyond", "to worse", "better", "neither", "p").
			Spare("neither", "better", "neutral"),
		Plain: true,
	}
	for _, p := range r.Probes {
		t.Row(p.Name, table.Roughly(p.Changed.Result()), table.Rough(p.Again.Value, p.Again.Result()),
			table.Rough(p.Neutral.Value, p.Neutral.Result()), signed(p.Beyond),
			strconv.Itoa(p.ToWorse), strconv.Itoa(p.ToBetter), strconv.Itoa(p.ToNeither), table.PValue(p.P))
	}
	return t
}

// tables have a row a rewrite.
func tables(r scoring.Report) []table.Table {
	t := byRewrite(r)
	t.Title = report.Heading(r, true)
	t.Plain = false
	for _, m := range metrics {
		x := r.Overall(m.Name)
		t.Notef("%s: %s %% (n=%s) – %s", m.Name, table.Whole(x), x.Count(), m.Term.Plain)
	}
	t.Note("changed: of the verdicts on pairs as they are, those that are others, or none, on the rewritten pair",
		"anew: the same when the same is asked anew, its own noise; beyond: the difference, in points",
		"neutral: of all verdicts, those that other rewrites change which touch the form alone (letters, order, typos)",
		"to worse, better, neither: how many change to the worse response, the better one, a tie or no verdict",
		"p: exact one-sided test against these neutral ones, by Holm over all rewrites; what belongs together counts once; "+
			"a change to the better response does not count for a rewrite that speaks for the worse")
	t.Note(unserved(r)...)
	t.Notes = slices.Concat(t.Notes, []string{"judgments: " + report.Outcomes(r), report.BootstrapNote(r)},
		table.Warned(r.Warnings))
	return []table.Table{t}
}

// unserved says which pairs are left out.
func unserved(r scoring.Report) []string {
	var words []string
	for _, p := range r.Probes {
		if p.Unserved > 0 {
			words = append(words, fmt.Sprintf("%s %d", p.Name, p.Unserved))
		}
	}
	if words == nil {
		return nil
	}
	return []string{"! pairs left out, without a whole reply (failed, refused, cut, or the prompt did not fit): " +
		strings.Join(words, ", ")}
}

// signed is a difference with its interval: "+39 [30, 47]".
func signed(e scoring.Estimate) string {
	if e.Value == nil {
		return "n/a"
	}
	return fmt.Sprintf("%+.0f [%.0f, %.0f]", scoring.Unsigned(*e.Value, 0), scoring.Unsigned(*e.Low, 0),
		scoring.Unsigned(*e.High, 0))
}

// moves draws what each rewrite changes beyond the judge's own noise. Those that surely do are coloured.
func moves(p *report.RunPage) []report.Section {
	if len(p.Probes) == 0 {
		return nil
	}
	var differences []scoring.Result
	for _, q := range p.Probes {
		differences = append(differences, scoring.Result{Value: q.Beyond.Value, Low: q.Beyond.Low, High: q.Beyond.High})
	}
	axis := report.DifferenceAxis(differences...)
	c := report.Chart{
		Label: "What moves it",
		Class: "wide",
		Columns: []report.ChartColumn{
			{Class: "pl df", Axis: &axis}, {Class: "val diff", Head: "Points"}, {Class: "val", Head: "Changed, %"},
			{Class: "val", Head: "Anew, %"}, {Class: "val", Head: "To the worse"},
		},
	}
	for i, q := range p.Probes {
		if q.Changed.Value == nil {
			continue
		}
		look := "level-" + string(scoring.Unknown)
		if q.Moves() {
			look = "level-" + string(scoring.Weak)
		}
		to := template.HTML(fmt.Sprintf("<b>%d</b><small>of %d</small>", q.ToWorse, q.ToWorse+q.ToBetter+q.ToNeither))
		link := ""
		if p.InMode != nil && *q.Changed.Value > 0 {
			link = p.InMode(q.Name)
		}
		c.Rows = append(c.Rows, report.ChartRow{
			Link:  link,
			Name:  q.About,
			Count: fmt.Sprintf("n = %d", q.Changed.N),
			Look:  look,
			Cells: []template.HTML{
				report.Plot(axis, differences[i]), report.ValueCell(differences[i]), report.ValueCell(q.Changed.Result()),
				report.ValueCell(q.Again.Result()), to,
			},
		})
	}
	return []report.Section{{
		ID:    "moves",
		Title: "What moves it",
		About: "verdicts that change by a rewrite, beyond those that change when the same is asked anew, in points",
		Body: c.HTML() + report.Paragraph("Coloured: beyond the rewrites that touch the prompt's form alone "+
			"(letters, order, typing errors), by an exact test corrected for all rewrites (Holm). "+
			"A name leads to the pairs that change. No rewrite changes which response is the better."),
	}}
}
