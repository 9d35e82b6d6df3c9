package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"gavel/internal/doc"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// RunPage is what a page says of a run, whether a server shows it or a file holds it. What the page has no address of,
// it says without a link.
type RunPage struct {
	Run
	Items   ItemLinks
	InMode  func(mode string) string // address of the items that are judged otherwise in a mode; nil where there is none
	Board   string                   // address of the leaderboard
	Lists   []ItemList
	Others  []Other
	Twin    *Twin                // nil: there is none
	Command string               // that makes the run
	Prompt  string               // its text
	Prefix  string               // of the ids of its elements, where several runs are on a page
	Link    func(doc.Ref) string // the address of what the page refers to; nil where it has none

	juryAlone string // what is said of a jury as of any judge
}

// NewRunPage is what a run comes to, without addresses.
func NewRunPage(run Run) *RunPage {
	p := &RunPage{Run: run}
	if run.Jury != nil {
		p.TakeJury(run.Jury)
	}
	return p
}

// ItemList is the first of the items of a kind.
type ItemList struct {
	ID, Title, About, Link string
	Items                  []ListedItem
}

// ListedItem is an item with a mark for each judgment.
type ListedItem struct {
	Words, Link string
	Marks       []ItemMark
}

// ItemMark is a judgment as a sign.
type ItemMark struct{ Kind, Sign, Words string }

// Other is another judge of the same items.
type Other struct {
	Name      string
	Link      string
	Level     scoring.Level
	Reference bool    // its replies were published
	Value     float64 // of the headline
}

// Twin is the run of the same judge over the same items that was asked the opposite.
type Twin struct {
	Report              *scoring.Report
	Link, Compare       string // addresses of its page and of both beside each other
	*scoring.Comparison        // of the better or best, then of the worse or worst; nil: nobody knows
}

// SameLayout tells whether runs of two protocols are laid out together.
func SameLayout(a, b string) bool { return layoutOf(a) == layoutOf(b) }

// Section is a part of a page.
type Section = doc.Block

// blocks are parts of a page. link returns the address of what they refer to; nil where the page has none.
func blocks(link func(doc.Ref) string, all ...Section) template.HTML {
	html, err := doc.Paper{Link: link}.Blocks(all)
	if err != nil {
		panic(err) // templates are part of the program, and so is what they are given
	}
	return html
}

// part makes what a template of pages makes of data.
func part(name string, of any) template.HTML {
	var b strings.Builder
	if err := pages().ExecuteTemplate(&b, name, of); err != nil {
		panic(err) // templates are part of the program, and so is what they are given
	}
	return template.HTML(b.String())
}

// End is one that units of a run come to, as a bar has it.
type End struct {
	Part  string // of [scoring.Breakdown]
	Look  string // right, wrong, tie, first, last or none
	Words string
	Show  string // the filter of items that takes these
}

// Pieces of the bar of a group, and how many units it is of.
func (p *RunPage) Pieces(group string) (pieces []Piece, of int) {
	b := p.BreakdownOf(group)
	return layoutOf(p.Protocol).pieces(b, func(show string) string { return p.ItemsOf(show, group) }), b.N
}

// pieces of a bar of what units came to. link is the address of the items that a filter takes.
func (l *Layout) pieces(b scoring.Breakdown, link func(show string) string) (pieces []Piece) {
	for _, end := range l.Ends {
		if n := b.Count(end.Part); n > 0 {
			pieces = append(pieces, Piece{N: n, Look: end.Look, Words: end.Words, Link: link(end.Show)})
		}
	}
	return pieces
}

// ItemsOf is the address of the items of a group that a filter takes; "" where there is none.
func (p *RunPage) ItemsOf(show, group string) string {
	return p.Items.link(show, group)
}

// ItemLinks are the addresses of the items that a filter takes, of a group or "" for all; nil where there are none.
type ItemLinks func(show, group string) string

// link to the items of a group; "" where there is none.
func (address ItemLinks) link(show, group string) string {
	if address == nil {
		return ""
	}
	if group == scoring.Overall {
		group = ""
	}
	return address(show, group)
}

// Level of the judge; unknown where nobody can say.
func (p *RunPage) Level() scoring.Level { return levelOf(&p.Report) }

func levelOf(r *scoring.Report) scoring.Level {
	if r.Diagnosis == nil {
		return scoring.Unknown
	}
	return r.Diagnosis.Level
}

// Judge is the name of the judge: the one that was given, else that of the model without its path.
func (p *RunPage) Judge() string { return cmp.Or(p.Name, p.Report.Judge()) }

// Metadatum of the run by its name; "" where there is none.
func (p *RunPage) Metadatum(name string) string {
	if i := slices.IndexFunc(p.Metadata, func(m scoring.Metadatum) bool { return m.Name == name }); i >= 0 {
		return p.Metadata[i].Value
	}
	return ""
}

// Meta says in a line what was asked, of how many.
func (p *RunPage) Meta() string {
	l := layoutOf(p.Protocol)
	if _, models, is := scoring.JuryOf(p.Model); is {
		made := JuryRule(p.Report.Prompt) + " of " + models
		if p.Jury != nil {
			made = p.Jury.made()
		}
		return strings.Join([]string{Question(p.Report) + l.How, made, p.Dataset, table.Count(p.Report.Items, l.item()),
			"no model was asked"}, " · ")
	}
	failed := "none failed"
	if n := p.Outcomes["failed"]; n > 0 {
		failed = fmt.Sprintf("%d failed", n)
	}
	noun := l.Noun
	if p.Judgments() == 1 {
		noun = strings.TrimSuffix(noun, "s")
	}
	of := fmt.Sprintf("%s, %d %s, %s", table.Count(p.Report.Items, l.item()), p.Judgments(), noun, failed)
	if p.Report.Items < p.Expected {
		of = fmt.Sprintf("%d of %s, %d %s, %s", p.Report.Items, table.Count(p.Expected, l.item()),
			p.Judgments(), noun, failed)
	}
	how := l.How
	if l.Ways != nil {
		how = l.Ways(&p.Report)
	}
	parts := []string{Question(p.Report) + how, "prompt " + Prompt(p.Report), p.Dataset, of}
	if p.Metadatum("imported from") != "" {
		parts = append(parts, "stored replies")
	}
	return strings.Join(parts, " · ")
}

// Head is the name of the judge, with its level.
func (p *RunPage) Head() template.HTML { return part("run-head", p) }

// Spaced are words whose numbers stay on the line of their unit.
func (*RunPage) Spaced(words string) string {
	return strings.ReplaceAll(table.Clean(words), " %", "\u00a0%")
}

// Answer is what the run comes to, in words.
func (p *RunPage) Answer() template.HTML { return part("run-answer", p) }

// Body is what the run comes to, drawn.
func (p *RunPage) Body() template.HTML { return blocks(p.Link, p.Sections()...) }

// PagePart makes sections of the page of a run, one after the other; none where it has nothing to say.
type PagePart func(p *RunPage) []Section

// parts are those of pages whose layout has none of its own.
var parts = []PagePart{Became, Cards, ByGroup, Sureness, Lists, Among, Caveats, Making}

// Sections are the parts of the page below its headline, in their order.
func (p *RunPage) Sections() (all []Section) {
	of := layoutOf(p.Protocol).Parts
	if of == nil {
		of = parts
	}
	if p.Jury != nil {
		of = append([]PagePart{juryParts}, of...)
	}
	for _, sections := range of {
		for _, s := range sections(p) {
			s.ID = p.Prefix + s.ID
			all = append(all, s)
		}
	}
	return all
}

// juryParts are the parts of a jury's page above those of its run.
func juryParts(p *RunPage) []Section {
	all := p.Jury.blocks()
	if p.juryAlone != "" {
		alone := doc.Block{ID: "alone", Title: "The jury as one judge", Notes: []doc.Note{doc.Plain(p.juryAlone)}}
		all = append(all, alone)
	}
	return all
}

// Lists of the items that one looks at first.
func Lists(p *RunPage) (all []Section) {
	for _, list := range p.Lists {
		all = append(all, Section{
			ID:    list.ID,
			Title: list.Title,
			About: list.About,
			Half:  true,
			Body:  part("run-list", list),
		})
	}
	return all
}

// partsBar is what became of the units of a run.
type partsBar struct {
	Bar    template.HTML
	Pieces []Piece
	Of     int
	*Bracket
	Line template.HTML
}

// Bracket joins the first units of a bar.
type Bracket struct {
	N            int
	Bold, Words  string
	Beyond       string // of the others
	BeyondLength int
}

// Shared is a piece's share of the bar, or what else is said of it.
func (b partsBar) Shared(p Piece) string { return cmp.Or(p.Note, p.share(b.Of)) }

// Became is a bar of what became of the units, its parts with links to their items.
func Became(p *RunPage) []Section {
	l := layoutOf(p.Protocol)
	pieces, of := p.Pieces(scoring.Overall)
	if of == 0 {
		return nil
	}
	b := partsBar{Bar: Stack(Tall, of, pieces), Pieces: pieces, Of: of}
	if l.Bracket != nil {
		b.Bracket = l.Bracket(&p.Report)
	}
	if b.Bracket != nil && b.N > 0 {
		at := coordinate(100 * float64(b.N) / float64(of))
		b.Line = template.HTML(fmt.Sprintf(`<svg class="brkline" width="100%%" height="3" aria-hidden="true">`+
			`<line class="kept" x1="0" x2="%[1]s%%" y1="1" y2="1"/><line x1="%[1]s%%" x2="100%%" y1="1" y2="1"/></svg>`, at))
	}
	about := l.Became
	if about == "" && l.Ways != nil {
		about = strings.Replace(l.Ways(&p.Report), "?", "judged", 1)
	}
	if p.Items != nil {
		about = strings.TrimPrefix(about+" · click a part to read its items", " · ")
	}
	return []Section{{
		ID:    "became",
		Title: "What became of " + table.Count(of, l.item()),
		About: about,
		Body:  part("run-bar", b),
	}}
}

// card is a number that is shown large.
type card struct{ Name, Value, Ends, About string }

// Cards are the numbers that stand for the run.
func Cards(p *RunPage) []Section {
	var cards []card
	head := Headline(&p.Report)
	for _, t := range layoutOf(p.Protocol).Tiles {
		x := t.of(&p.Report)
		if x.Value == nil || t.Folded {
			continue
		}
		c := card{Name: capital(t.label(&p.Report)), Value: short(x, *x.Value), Ends: shortEnds(x), About: t.About}
		if valueAxis(x.Unit).Max == 100 {
			c.Value += " %"
		}
		if t.Note != nil {
			c.About = t.Note(&p.Report)
		}
		if place := p.place(); place != "" && t.Metric == head.Metric && t.Mode == head.Mode {
			c.About = place
		}
		cards = append(cards, c)
	}
	if len(cards) == 0 {
		return nil
	}
	return []Section{{ID: "cards", Body: part("run-cards", cards)}}
}

func capital(s string) string { return doc.Capital(s) }

// ByGroup is the headline by category.
func ByGroup(p *RunPage) []Section {
	l := layoutOf(p.Protocol)
	groups := p.Groups()
	head := Headline(&p.Report)
	if len(groups) < 2 || head == nil || head.Unit != "" {
		return nil
	}
	name := capital(p.metricName(head.Metric))
	var key template.HTML
	if p.Overall(l.Held).Value != nil {
		key = Key(SignDiamond + template.HTML(template.HTMLEscapeString(l.HeldWords)))
	}
	c := Chart{
		Label: name + " by category",
		Columns: []ChartColumn{
			{Class: "pl", Axis: &PercentAxis},
			{Class: "val", Head: "Right"},
			{Class: "mini", Head: "What became of the " + l.item() + "s"},
		},
	}
	if l.Beside != "" {
		c.Columns = append(c.Columns, ChartColumn{Class: "kp", Head: l.BesideWords})
	}
	for _, g := range groups {
		x := p.Result(head.Metric, g, head.Mode)
		if x.Metric == "" {
			continue
		}
		row := ChartRow{Name: g, Count: fmt.Sprintf("n = %d", x.N), Look: "level-" + string(p.Level())}
		if g == scoring.Overall {
			row.Name, row.All = "All", true
		}
		pieces, of := p.Pieces(g)
		held := Sign{Result: p.Result(l.Held, g, ""), Look: "diamond"}
		drawn := Signs(PercentAxis, held, Sign{Result: x, Look: "dot"})
		row.Cells = []template.HTML{drawn, ValueCell(x), Stack(Thin, of, pieces)}
		if l.Beside != "" {
			beside := p.Result(l.Beside, g, "")
			cell := template.HTML("–")
			if beside.Value != nil {
				cell = template.HTML(fmt.Sprintf("<b>%s %%</b> of %d", short(beside, *beside.Value), beside.N))
			}
			row.Cells = append(row.Cells, cell)
		}
		c.Rows = append(c.Rows, row)
	}
	return []Section{{
		ID:    "groups",
		Title: "By category",
		About: strings.ToLower(name[:1]) + name[1:] + ", percent, with 95 % interval",
		Body:  c.HTML() + key,
	}}
}

// metricName is a metric in plain words.
func (p *RunPage) metricName(metric string) string { return MetricName(p.Protocol, metric) }

// MetricName is a metric of a protocol in plain words.
func MetricName(protocol, metric string) string {
	for _, t := range layoutOf(protocol).Tiles {
		if t.Metric == metric {
			return t.Name
		}
	}
	term, _ := scoring.TermIn(Terms(protocol), metric)
	return cmp.Or(term.Name, metric)
}

// Trust says what to know before the numbers are believed: what matters, and the rest.
func (p *RunPage) Trust() (first, rest []string) {
	var all []string
	if own := layoutOf(p.Protocol).Caveats; own != nil {
		all = own(p)
	} else {
		all = p.disjoint()
	}
	for _, w := range p.Cautions() {
		all = append(all, sentence(w))
	}
	if p.Repetitions == nil && p.Metadatum("imported from") == "" && !p.Simulated && !isJury(p.Model) && p.Judgments() > 0 {
		all = append(all, "Each question was asked once. --repeat 2 would show how much of the rest is noise.")
	}
	n := min(len(all), mostCaveats)
	return all[:n], all[n:]
}

// mostCaveats is how many are not folded.
const mostCaveats = 4

// sentence makes one of a warning.
func sentence(w string) string {
	w = capital(w)
	if strings.HasSuffix(w, ".") || strings.HasSuffix(w, "!") || strings.HasSuffix(w, "?") {
		return w
	}
	return w + "."
}

// wideInterval is how long, in points, the interval of a category is that says little.
const wideInterval = 25

// disjoint says in which categories the judge is worst and best, where their intervals do not meet; else which one is
// hardly known.
func (p *RunPage) disjoint() []string {
	head := Headline(&p.Report)
	if head == nil || head.Unit != "" {
		return nil
	}
	var worst, best, widest *scoring.Result
	for _, g := range p.Groups() {
		x := p.Result(head.Metric, g, head.Mode)
		if g == scoring.Overall || x.Value == nil || x.Low == nil || x.High == nil {
			continue
		}
		if widest == nil || *x.High-*x.Low > *widest.High-*widest.Low {
			widest = &x
		}
		if worst == nil || *x.Value < *worst.Value {
			worst = &x
		}
		if best == nil || *x.Value > *best.Value {
			best = &x
		}
	}
	unit := layoutOf(p.Protocol).item()
	switch {
	case worst == nil:
		return nil
	case *worst.High >= *best.Low && *widest.High-*widest.Low >= wideInterval:
		return []string{fmt.Sprintf("%s is %s only: its %.0f %% may as well be %.0f or %.0f.",
			capital(widest.Group), table.Count(widest.N, unit), *widest.Value, *widest.Low, *widest.High)}
	case *worst.High >= *best.Low:
		return nil
	}
	return []string{fmt.Sprintf("It is worst on %s: %.0f %% of %s. On %s it is right on %.0f %% of %d.",
		worst.Group, *worst.Value, table.Count(worst.N, unit), best.Group, *best.Value, best.N)}
}

// Caveats are what to know before the numbers are believed.
func Caveats(p *RunPage) []Section {
	first, rest := p.Trust()
	if len(first) == 0 {
		return nil
	}
	return []Section{{
		ID:    "warnings",
		Title: "Before you trust it",
		Half:  true,
		Body:  part("run-caveats", struct{ First, Rest []string }{first, rest}),
	}}
}

// shownFirst are the settings of a run that are not folded.
var shownFirst = []string{"model", "dataset", "items", "server", "prompt", "run"}

// Making says how the run was made.
func Making(p *RunPage) []Section {
	var first, rest []scoring.Metadatum
	for _, m := range p.Metadata {
		if slices.Contains(shownFirst, m.Name) {
			first = append(first, m)
		} else {
			rest = append(rest, m)
		}
	}
	if len(first) == 0 {
		return nil
	}
	first = append(first, scoring.Metadatum{Name: "reading", Value: scoring.HowRead(p.Report)})
	return []Section{{
		ID:    "made",
		Title: "How it was made",
		Body: part("run-made", struct {
			First, Rest             []scoring.Metadatum
			Command, Prompt, Prefix string
		}{first, rest, p.Command, p.Prompt, p.Prefix}),
	}}
}
