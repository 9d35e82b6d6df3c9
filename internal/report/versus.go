package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"gavel/internal/report/table"
	"gavel/scoring"
)

// ComparisonPage is what a page says of two runs on the items that both have judged. What the page has no address of,
// it says without a link.
type ComparisonPage struct {
	*scoring.Comparison
	Boot    scoring.Bootstrap
	Reports [2]*scoring.Report // of the whole runs; nil while nobody knows
	Items   ItemLinks          // to items of both
	Own     func(side int, show string) string
	Links   [2]string // to the runs
	Family  string    // what Holm's correction is over
	Command string
}

// layout of the protocol.
func (p *ComparisonPage) layout() *Layout { return layoutOf(p.A.Protocol) }

// unit is what is judged, in the singular.
func (p *ComparisonPage) unit() string { return cmp.Or(p.Unit, p.layout().item()) }

// Says is the answer.
func (p *ComparisonPage) Says() template.HTML {
	first, _ := p.Sentences()
	return spaced(first)
}

// Also is what else there is to say.
func (p *ComparisonPage) Also() template.HTML {
	_, rest := p.Sentences()
	return spaced(strings.TrimSpace(rest + " " + p.open()))
}

// open says on how many each judge has no verdict to keep, where verdicts to keep tell them apart.
func (p *ComparisonPage) open() string {
	if p.Alike == nil || p.Alike.Noise {
		return ""
	}
	names := p.Names()
	var open [2]int
	for side, b := range p.Became {
		kept := 0
		for _, end := range p.layout().Ends {
			if end.Look == "right" || end.Look == "wrong" {
				kept += b.Count(end.Part)
			}
		}
		open[side] = b.N - kept
	}
	leaves := func(side int, of string) string {
		switch open[side] {
		case 0:
			return names[side] + " leaves none" + of + " open"
		case 1:
			return names[side] + " leaves one" + of + " open"
		}
		return fmt.Sprintf("%s leaves %d%s open", names[side], open[side], of)
	}
	return fmt.Sprintf("For that %s; %s.", leaves(0, " of the "+table.Count(p.Became[0].N, p.unit())), leaves(1, ""))
}

// Answer is the comparison in words.
func (p *ComparisonPage) Answer() template.HTML { return part("versus-answer", p) }

// Above are the parts of the page between its headline and the items.
func (p *ComparisonPage) Above() template.HTML {
	if p.A.ID == p.B.ID {
		return blocks(nil, p.costs())
	}
	return blocks(nil, p.difference(), p.who(), p.costs(), p.flips(), warned(p.Warnings))
}

// InReport are the parts that a report has of the comparison, beside the pages of both runs.
func (p *ComparisonPage) InReport() template.HTML {
	all := []Section{p.difference(), p.who(), p.flips()}
	for i := range all {
		all[i].ID = "compared-" + all[i].ID
		all[i].Half = false
	}
	return blocks(nil, all...)
}

// Below are the parts of the page below the items.
func (p *ComparisonPage) Below() template.HTML {
	return blocks(nil, p.making(), sure(p.Family, p.Alike != nil))
}

// differenceRow is a difference under a name.
type differenceRow struct {
	name, link string
	scoring.Difference
}

// valueAxis is the axis of values of a unit.
func valueAxis(unit string) Axis {
	switch unit {
	case scoring.UnitCorrelation:
		return Axis{Min: -1, Max: 1, Ticks: []float64{-1, -.5, 0, .5, 1}}
	case scoring.UnitScore:
		return Axis{Min: 0, Max: 1, Ticks: []float64{0, .25, .5, .75, 1}, Zero: .5}
	}
	return PercentAxis
}

// differenceChart draws differences that share a unit, in parts that each have a name.
func differenceChart(label string, names [2]string, better scoring.Best, parts []differencePart) Chart {
	var all []scoring.Result
	tables := false
	unit := ""
	for _, part := range parts {
		for _, row := range part.rows {
			all = append(all, row.Result())
			tables = tables || row.Table != nil
			unit = row.Unit
		}
	}
	values := valueAxis(unit)
	differences := DifferenceAxis(all...)
	first, second := shortName(names[0], endLetters), shortName(names[1], endLetters)
	if first == second {
		first, second = "the first", "the second"
	}
	how := "higher"
	switch better {
	case scoring.Lower:
		first, second = second, first
		how = "better"
	case scoring.Higher:
		how = "better"
	}
	differences.Ends = [2]string{fmt.Sprintf("← %s %s", first, how), fmt.Sprintf("%s %s →", second, how)}
	c := Chart{
		Label: label,
		Class: "versus",
		Columns: []ChartColumn{
			{Class: "pl", Axis: &values},
			{Class: "ab", Head: names[0], Sign: SignA},
			{Class: "ab", Head: names[1], Sign: SignB},
			{Class: "pl df", Axis: &differences},
			{Class: "diff", Head: pointsOf(unit)},
		},
	}
	if tables {
		c.Columns = append(c.Columns, ChartColumn{Class: "mini", Head: "Who is right"})
	}
	for _, part := range parts {
		if part.name != "" {
			c.Rows = append(c.Rows, ChartRow{Name: part.name, Count: part.about})
		}
		for _, row := range part.rows {
			c.Rows = append(c.Rows, row.of(c, names, values, differences))
		}
	}
	return c
}

// endLetters is how long a name is above an axis.
const endLetters = 11

// pointsOf is what differences of a unit are called.
func pointsOf(unit string) string {
	if unit == "" {
		return "Points"
	}
	return "Difference"
}

// differencePart are rows under a heading.
type differencePart struct {
	name, about string
	rows        []differenceRow
}

// of the chart a row.
func (d differenceRow) of(c Chart, names [2]string, values, differences Axis) ChartRow {
	x := d.Result()
	side := func(v *float64) template.HTML { return BareCell(scoring.Result{Unit: d.Unit, Value: v}) }
	row := ChartRow{
		Name:  d.name,
		Link:  d.link,
		Count: fmt.Sprintf("n = %d", d.N),
		Look:  DifferenceLook(d.Noise),
		All:   d.Group == scoring.Overall,
		Cells: []template.HTML{
			Dumbbell(values, d.A, d.B), side(d.A), side(d.B), Plot(differences, x), ValueCell(x),
		},
	}
	switch {
	case d.Table != nil:
		row.Cells = append(row.Cells, Stack(Thin, d.Table.N(), rightPieces(d.Table, names)))
	case len(c.Columns) > len(row.Cells):
		row.Cells = append(row.Cells, "")
	}
	return row
}

// rightPieces are units by who is right on them.
func rightPieces(t *scoring.Table2x2, names [2]string) []Piece {
	return []Piece{
		{N: t.Both, Look: "right", Words: "both right"},
		{N: t.OnlyA, Look: "a", Words: "only " + names[0]},
		{N: t.OnlyB, Look: "b", Words: "only " + names[1]},
		{N: t.Neither, Look: "wrong", Words: "neither"},
	}
}

// difference is how far the runs are apart, overall and by category.
func (p *ComparisonPage) difference() Section {
	head := p.Headline()
	if head == nil || head.Diff == nil {
		return Section{}
	}
	row := func(d scoring.Difference, name string) differenceRow {
		out := differenceRow{name: name, Difference: d}
		if d.Group != scoring.Overall && d.Table != nil {
			out.link = p.Items.link("differ", d.Group)
		}
		return out
	}
	named := func(d scoring.Difference) differenceRow {
		if d.Group == scoring.Overall {
			return row(d, "All")
		}
		return row(d, d.Group)
	}
	first := differencePart{
		name:  capital(MetricName(p.A.Protocol, head.Metric)),
		about: "of all " + p.unit() + "s",
	}
	more := differencePart{name: "Beside it"}
	for _, d := range p.Differences {
		switch {
		case d.Metric == head.Metric && d.Mode == head.Mode:
			first.rows = append(first.rows, named(d))
		case p.Alike == nil && d.Group == scoring.Overall && d.Unit == head.Unit && d.Diff != nil:
			if name := p.tileName(d); name != "" {
				more.rows = append(more.rows, row(d, name))
			}
		}
	}
	parts := []differencePart{first}
	if p.Alike != nil {
		alike := differencePart{
			name: "Right where both orders agree",
			about: fmt.Sprintf("of the %s on which each judge has such a verdict · by chance 50",
				table.Count(p.Alike.N, p.unit())),
		}
		for _, d := range append([]scoring.Difference{*p.Alike}, p.AlikeByGroup...) {
			alike.rows = append(alike.rows, named(d))
		}
		parts = append(parts, alike)
	}
	if len(more.rows) > 0 {
		parts = append(parts, more)
	}
	about := "points, with 95 % interval"
	if head.Unit != "" {
		about = "with 95 % interval"
	}
	return Section{
		ID:    "difference",
		Title: "The difference",
		About: about + " · one that holds 0 may be noise",
		Body: differenceChart("The difference", p.Names(), best(p.A.Protocol, head.Metric), parts).HTML() +
			differenceKey(p.Names()) +
			Paragraph(p.tested(*head)),
	}
}

// differenceKey says what the signs of a chart of differences mean.
func differenceKey(names [2]string) template.HTML {
	return Key(SignA+" "+escaped(names[0])+", better on the left", SignB+" "+escaped(names[1])+", better on the right",
		"blue: beyond noise · grey: may be noise")
}

func escaped(words string) template.HTML {
	return template.HTML(template.HTMLEscapeString(table.Clean(words)))
}

// tileName is how the first numbers of a run call a metric; "" where it is none of them.
func (p *ComparisonPage) tileName(d scoring.Difference) string {
	for _, t := range p.layout().Tiles {
		if t.Metric == d.Metric && t.Mode == d.Mode {
			return capital(t.Name)
		}
	}
	return ""
}

// tested says what the test of the headline comes to, and what another way to count does.
func (p *ComparisonPage) tested(head scoring.Difference) string {
	words := fmt.Sprintf("%s − %s. All: %s (%s)", p.Names()[1], p.Names()[0], pWords(head.P),
		cmp.Or(head.Test, "exact McNemar"))
	if head.P == nil {
		words = fmt.Sprintf("%s − %s. There is no test", p.Names()[1], p.Names()[0])
	}
	for _, d := range p.Differences {
		if d.Metric == "half-tie" && d.Group == scoring.Overall && d.Diff != nil {
			x := d.Result()
			words += fmt.Sprintf(". With a tie or a flip as half a point the difference is %s [%s]",
				short(x, *x.Value), strings.Replace(shortEnds(x), " to ", ", ", 1))
		}
	}
	return words + "."
}

// pWords is a p as a sentence has it: "p = 0.20", "p < 0.001".
func pWords(p *float64) string {
	switch {
	case *p < 0.001:
		return "p < 0.001"
	case *p < 0.1:
		return fmt.Sprintf("p = %.3f", *p)
	}
	return fmt.Sprintf("p = %.2f", *p)
}

// who says which units the judges part on.
func (p *ComparisonPage) who() Section {
	head := p.Headline()
	if head == nil || head.Table == nil || head.Table.N() == 0 {
		return Section{}
	}
	t := head.Table
	pieces := rightPieces(t, p.Names())
	for i, show := range []string{"both", "a", "b", "neither"} {
		pieces[i].Link = p.Items.link(show, "")
	}
	pieces = slices.DeleteFunc(pieces, func(x Piece) bool { return x.N == 0 })
	b := partsBar{
		Bar:     Stack(Tall, t.N(), pieces),
		Pieces:  pieces,
		Of:      t.N(),
		Bracket: &Bracket{N: t.OnlyA + t.OnlyB, Bold: p.unit() + "s part them", BeyondLength: t.Neither},
	}
	if b.N == 1 {
		b.Bold = p.unit() + " parts them"
	}
	b.Words = fmt.Sprintf("%d to %d", t.OnlyA, t.OnlyB)
	if head.P != nil {
		b.Words += ", " + pWords(head.P)
	}
	b.Beyond = "are too hard for both"
	if t.Neither == 1 {
		b.Beyond = "is too hard for both"
	}
	if b.N > 0 {
		share := func(n int) string { return coordinate(100 * float64(n) / float64(t.N())) }
		b.Line = template.HTML(fmt.Sprintf(`<svg class="brkline" width="100%%" height="3" aria-hidden="true">`+
			`<line x1="0" x2="100%%" y1="1" y2="1"/><line class="kept" x1="%s%%" x2="%s%%" y1="1" y2="1"/></svg>`,
			share(t.Both), share(t.Both+b.N)))
	}
	about := fmt.Sprintf("%s, %s", MetricName(p.A.Protocol, head.Metric), table.Count(t.N(), p.unit()))
	if p.Items != nil {
		about += " · click a part to read its items"
	}
	return Section{
		ID:    "who",
		Title: "Who is right on what",
		About: about,
		Body:  part("run-bar", b),
	}
}

// sidesRow is a number of both judges.
type sidesRow struct {
	Name  string
	Cells [2]template.HTML
}

// costs are the numbers of each judge by itself, and what they take.
func (p *ComparisonPage) costs() Section {
	if p.Reports[0] == nil || p.Reports[1] == nil {
		return Section{}
	}
	var rows []sidesRow
	add := func(name string, of func(r *scoring.Report) template.HTML) {
		row := sidesRow{Name: name, Cells: [2]template.HTML{of(p.Reports[0]), of(p.Reports[1])}}
		if row.Cells[0] != "" || row.Cells[1] != "" {
			rows = append(rows, row)
		}
	}
	add("Good for", func(r *scoring.Report) template.HTML {
		if r.Diagnosis == nil {
			return ""
		}
		return Chip(r.Diagnosis.Level)
	})
	for _, t := range p.layout().Tiles {
		head := p.Headline()
		if t.Metric == scoring.WithoutVerdict && p.verdictless() == 0 ||
			p.OnlyA+p.OnlyB == 0 && head != nil && t.Metric == head.Metric && t.Mode == head.Mode {
			continue // it is said above
		}
		add(tileHead(t, p.Reports[:]), func(r *scoring.Report) template.HTML { return sideCell(t.of(r)) })
	}
	add(capital(p.layout().Noun), func(r *scoring.Report) template.HTML {
		return template.HTML(fmt.Sprint(r.Judgments()))
	})
	add("Judgments for a verdict to keep", func(r *scoring.Report) template.HTML {
		if p.layout().Bracket == nil || r.Repetitions != nil {
			return ""
		}
		if b := p.layout().Bracket(r); b != nil && b.N > 0 {
			return template.HTML(fmt.Sprintf("%.1f", float64(r.Judgments())/float64(b.N)))
		}
		return "no such verdict"
	})
	each := func(of func(e scoring.Each) string) func(r *scoring.Report) template.HTML {
		return func(r *scoring.Report) template.HTML {
			switch {
			case r.Simulated:
				return `<span class="muted">none, simulated</span>`
			case r.Ledger == nil || r.Ledger.Each == nil:
				return `<span class="muted">not stored</span>`
			}
			return template.HTML(of(*r.Ledger.Each))
		}
	}
	add("Time for each decided "+p.layout().item(), each(func(e scoring.Each) string {
		return fmt.Sprintf("%.1f s", e.Seconds)
	}))
	add("Tokens written for it", each(func(e scoring.Each) string { return fmt.Sprintf("%.0f", e.ReplyTokens) }))
	about := ""
	if p.OnlyA+p.OnlyB > 0 {
		about = "of all that each has judged"
	}
	return Section{
		ID:    "each",
		Title: "How each judges, and what it costs",
		About: about,
		Half:  true,
		Body: part("versus-sides", struct {
			Names, Links [2]string
			Rows         []sidesRow
		}{p.Names(), p.Links, rows}),
	}
}

// tileHead is a number of several runs in a few words.
func tileHead(t Tile, reports []*scoring.Report) string {
	label := t.label(reports[0])
	if strings.HasPrefix(t.Name, "right") || slices.ContainsFunc(reports, func(r *scoring.Report) bool {
		return t.label(r) != label
	}) {
		label = t.Name
	}
	return capital(label)
}

// verdictless is how many judgments of both runs have no verdict.
func (p *ComparisonPage) verdictless() (n int) {
	for _, r := range p.Reports {
		if x := r.Verdictless(); x.Value != nil && *x.Value > 0 {
			n++
		}
	}
	return n
}

// sideCell is a number with what it is of.
func sideCell(x scoring.Result) template.HTML {
	switch {
	case x.Value == nil && x.Metric == "":
		return ""
	case x.Value == nil:
		return "–"
	case x.Unit != "":
		return template.HTML("<b>" + short(x, *x.Value) + "</b>")
	}
	return template.HTML(fmt.Sprintf("<b>%s %%</b> <small>of %d</small>", short(x, *x.Value), x.N))
}

// flips are what became of the same units in both runs.
func (p *ComparisonPage) flips() Section {
	if p.Became[0].N == 0 || p.Became[1].N == 0 || len(p.layout().Ends) == 0 {
		return Section{}
	}
	type sideBar struct {
		Sign, Bar template.HTML
		Words     string
	}
	var bars []sideBar
	for side, b := range p.Became {
		pieces := p.layout().pieces(b, func(show string) string {
			if p.Own == nil {
				return ""
			}
			return p.Own(side, show)
		})
		bars = append(bars, sideBar{
			Sign:  []template.HTML{SignA, SignB}[side],
			Bar:   Stack(Tall, b.N, pieces),
			Words: p.Names()[side] + p.flipped(pieces),
		})
	}
	title := "The same " + p.layout().item() + "s"
	if p.Turned != nil {
		title = "Flips of the same pair"
	}
	ends := slices.DeleteFunc(slices.Clone(p.layout().Ends), func(e End) bool {
		return p.Became[0].Count(e.Part)+p.Became[1].Count(e.Part) == 0
	})
	return Section{
		ID:    "flips",
		Title: title,
		About: "what became of " + table.Count(p.Became[0].N, p.layout().item()),
		Half:  true,
		Body: part("versus-flips", struct {
			Bars  []sideBar
			Ends  []End
			Turns template.HTML
		}{bars, ends, p.turns()}),
	}
}

// flipped says how many pairs flip with the order, and have a tie; "" of other units.
func (p *ComparisonPage) flipped(pieces []Piece) string {
	if p.Turned == nil {
		return ""
	}
	flips := 0
	ties := 0
	for _, x := range pieces {
		switch x.Look {
		case "first", "last":
			flips += x.N
		case "tie":
			ties += x.N
		}
	}
	words := ": none flips with the order"
	switch {
	case flips == 1:
		words = ": 1 flips with the order"
	case flips > 1:
		words = fmt.Sprintf(": %d flip with the order", flips)
	}
	switch {
	case ties == 1:
		words += ", 1 has a tie"
	case ties > 1:
		words += fmt.Sprintf(", %d have a tie", ties)
	}
	return words
}

// turns says which verdicts turn from one run to the other, and on which the label may be wrong.
func (p *ComparisonPage) turns() template.HTML {
	head := p.Headline()
	if head == nil || head.Table == nil {
		return ""
	}
	linked := func(words, show string) string {
		words = template.HTMLEscapeString(words)
		if to := p.Items.link(show, ""); to != "" {
			return `<a href="` + template.HTMLEscapeString(to) + `">` + words + `</a>`
		}
		return words
	}
	turn := func(n int, how string) string {
		switch n {
		case 0:
			return "none turns " + how
		case 1:
			return "1 turns " + how
		}
		return fmt.Sprintf("%d turn %s", n, how)
	}
	names := p.Names()
	text := fmt.Sprintf("From %s to %s %s and %s.", escaped(names[0]), escaped(names[1]),
		linked(turn(head.Table.OnlyB, "right"), "b"), linked(turn(head.Table.OnlyA, "wrong"), "a"))
	if p.Alike != nil && p.Alike.Table.Neither > 0 {
		text += fmt.Sprintf(" Both name the same response, against the label, in both orders of %s: is the label right?",
			linked(table.Count(p.Alike.Table.Neither, p.unit()), "confident"))
	}
	return template.HTML(text)
}

// warned are the warnings of a comparison, but that judges are simulated, which stands beside their names.
func warned(warnings []string) Section {
	var all []string
	for _, w := range warnings {
		if !strings.HasPrefix(w, "simulated") {
			all = append(all, sentence(w))
		}
	}
	if len(all) == 0 {
		return Section{}
	}
	n := min(len(all), mostCaveats)
	return Section{
		ID:    "warnings",
		Title: "Before you trust it",
		Body:  part("run-caveats", struct{ First, Rest []string }{all[:n], all[n:]}),
	}
}

// making says how the comparison was made.
func (p *ComparisonPage) making() Section {
	names := p.Names()
	var facts []scoring.Metadatum
	for i, side := range []scoring.Side{p.A, p.B} {
		facts = append(facts, scoring.Metadatum{
			Name: names[i],
			Value: strings.Join([]string{"prompt " + prompted(side.Prompt, side.Settings), side.Dataset,
				side.ID[:min(8, len(side.ID))]}, " · "),
		})
	}
	if head := p.Headline(); head != nil && head.Diff != nil {
		facts = append(facts,
			scoring.Metadatum{Name: "test", Value: cmp.Or(head.Test, "exact McNemar") + ", Holm over " + p.Family},
			scoring.Metadatum{
				Name:  "interval",
				Value: strings.TrimPrefix(Intervals(p.Boot, []string{head.Interval}), "intervals: "),
			})
	}
	return madeBy(facts, p.Command, p.Markdown())
}

func madeBy(facts []scoring.Metadatum, command, markdown string) Section {
	return Section{
		ID:    "made",
		Title: "How it was made",
		Body: part("versus-made", struct {
			Facts             []scoring.Metadatum
			Command, Markdown string
		}{facts, command, markdown}),
	}
}

// sure says how sure a comparison is, and how to read it.
func sure(family string, alike bool) Section {
	lines := []string{
		"Judges are compared item by item: only items on which one alone is right tell them apart.",
		"The interval of a difference holds the true one in 95 of 100 such comparisons. Where it holds 0, neither may " +
			"be the better.",
		"Grey is also what may be chance by its test: p is not below 0.05, corrected by Holm's method over " + family + ".",
	}
	if alike {
		lines = append(lines, "Right where both orders agree is over the pairs on which each of the two gives one "+
			"verdict in both orders, so that it is not the number that either has alone. By category Holm's correction "+
			"is over the categories.")
	}
	return Section{ID: "sure", Body: part("versus-sure", lines)}
}

// Markdown is the comparison in short, for a message or a page of one's own.
func (p *ComparisonPage) Markdown() string {
	var b strings.Builder
	brief := Comparison{&scoring.Comparisons{Comparisons: []*scoring.Comparison{p.Comparison}}}.Brief()
	for i := range brief {
		brief[i].Notes = slices.DeleteFunc(brief[i].Notes, func(note string) bool { return note == fullHint })
	}
	if err := table.Writer(table.Markdown).Each(&b, brief); err != nil {
		panic(err) // nothing fails that writes to memory
	}
	return b.String()
}
