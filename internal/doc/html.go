package doc

import (
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/dustin/go-humanize"
	"golang.org/x/net/html"

	"gavel/internal/report/table"
	"gavel/scoring"
)

//go:embed assets/*.html
var assets embed.FS

// PageContext holds what a page needs to turn blocks into HTML.
type PageContext struct {
	Link   func(Ref) string // returns the address of a reference, or "" for none; nil if the page has no links
	Prefix string           // prefix of the ids of HTML elements, if a page has several documents
	Terms  []scoring.Term   // definitions of words in tables, shown on a click

	DefinedTerms map[string]bool // ids of terms whose definitions the page has already; nil if it has no other blocks
}

// parsedTemplates returns the templates, which it reads once.
var parsedTemplates = sync.OnceValue(Templates)

// Templates returns the templates of blocks. The server and report files add their own.
func Templates() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"clean":    table.SanitizeLine,
		"harmless": table.ReplaceControls,
		"spaced":   JoinPercentSigns,
		"level":    levelDots,
		"capital":  Capital,
		"at":       Coordinate,
	}).ParseFS(assets, "assets/*.html"))
}

// RenderBlocks returns the HTML of those blocks that appear on pages, with the definitions of their terms.
func (p PageContext) RenderBlocks(all []Block) (template.HTML, error) {
	if p.DefinedTerms == nil {
		p.DefinedTerms = map[string]bool{}
	}
	var page strings.Builder
	views := make([]blockView, 0, len(all))
	for _, b := range all {
		if b.appearsOn(SurfacePage) && (b.Table != nil || b.Body != "" || b.Notes != nil || b.Verbatim != "") {
			if b.Table != nil {
				b.Table = new(b.Table.forSurface(SurfacePage))
			}
			views = append(views, blockView{Block: b, page: p})
		}
	}
	if err := parsedTemplates().ExecuteTemplate(&page, "blocks", views); err != nil {
		return "", err
	}
	var terms []scoring.Term
	for _, v := range views {
		for _, word := range v.tableWords() {
			if t := word.Term; t != nil && !p.DefinedTerms[t.ID()] {
				p.DefinedTerms[t.ID()] = true
				terms = append(terms, *t)
			}
		}
	}
	err := parsedTemplates().ExecuteTemplate(&page, "explanations", terms)
	return template.HTML(page.String()), err
}

// glossaryWord holds a word of a table, with its definition if there is one: a click on the word shows it.
type glossaryWord struct {
	Text   string
	Term   *scoring.Term
	Number bool // it stands in a column of numbers
}

// explain returns a word of a table, with its definition if p.Terms has one.
func (p PageContext) explain(text string) glossaryWord {
	if t, ok := scoring.FindTerm(p.Terms, text); ok {
		return glossaryWord{Text: text, Term: &t}
	}
	return glossaryWord{Text: text}
}

// InnerHTML returns the HTML of the children of root. They must be sanitized already: Tree removes no element.
func InnerHTML(root *html.Node) (template.HTML, error) {
	var b strings.Builder
	for n := range root.ChildNodes() {
		if err := html.Render(&b, n); err != nil {
			return "", err
		}
	}
	return template.HTML(b.String()), nil
}

// JoinPercentSigns joins numbers to the % after them, so that no line breaks between.
func JoinPercentSigns(words string) string {
	return strings.ReplaceAll(table.SanitizeLine(words), " %", "\u00a0%")
}

// Capital returns words with their first letter in upper case.
func Capital(words string) string {
	if words == "" {
		return ""
	}
	return strings.ToUpper(words[:1]) + words[1:]
}

// levelDots reports for each of the three dots of a level whether it is filled: one for weak, two for usable, three for
// strong.
func levelDots(level scoring.UsabilityLevel) []bool {
	good := slices.Index([]scoring.UsabilityLevel{scoring.LevelWeak, scoring.LevelUsable, scoring.LevelStrong}, level) + 1
	return []bool{good > 0, good > 1, good > 2}
}

// blockView holds a block as the data of its template, with the page that it is on.
type blockView struct {
	Block
	page PageContext
}

// ID returns the id of the block's HTML element.
func (b blockView) ID() string { return b.page.Prefix + b.Block.ID }

// address returns the address of a reference on the page; "" for none.
func (p PageContext) address(r Ref) string {
	switch {
	case strings.HasPrefix(r.Address, "#"):
		return "#" + p.Prefix + r.Address[1:]
	case p.Link == nil || r.Runs == nil && r.Address == "":
		return ""
	}
	return p.Link(r)
}

// Linked returns the words and addresses of those links of the block that lead somewhere on this page.
func (b blockView) Linked() (all [][2]string) {
	for _, l := range b.Links {
		if to := b.page.address(l.Target); to != "" {
			all = append(all, [2]string{l.Words, to})
		}
	}
	return all
}

// Remarks returns the block's notes: those that are warnings, or the others.
func (b blockView) Remarks(warnings bool) (all []Note) {
	for _, n := range b.Notes {
		if (n.Code == WarningCode) == warnings {
			all = append(all, n)
		}
	}
	return all
}

// sheet holds a block's table as words: the data of the template for a [ChartTableWithTerms] chart.
type sheet struct {
	Heads []glossaryWord
	Rows  [][]glossaryWord
	Notes []Note
}

// Sheet returns the block's table as words, for a [ChartTableWithTerms] chart.
func (b blockView) Sheet() sheet {
	t := b.table(SurfacePage)
	out := sheet{Notes: b.Notes}
	for _, c := range t.Columns {
		head := b.page.explain(c.Name)
		head.Number = c.Right
		out.Heads = append(out.Heads, head)
	}
	for _, r := range t.Rows {
		row := make([]glossaryWord, len(r))
		for k, text := range r {
			number := t.Columns[k].Right
			if k == 0 || !number {
				row[k] = b.page.explain(text)
			} else {
				row[k].Text = text
			}
			row[k].Number = number
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// tableWords returns the words of the block's table that the page may have definitions of.
func (b blockView) tableWords() (all []glossaryWord) {
	switch {
	case b.Chart == ChartTableWithTerms:
		s := b.Sheet()
		return slices.Concat(s.Heads, slices.Concat(s.Rows...))
	case b.Table != nil:
		for _, r := range b.Table.Rows {
			all = append(all, b.page.explain(r.Term))
		}
	}
	return all
}

// columnKinds maps the kind of a column to the CSS class of its cells, and to the name of the template that draws them.
var columnKinds = map[ColumnKind]struct{ class, draw string }{
	ColumnWords:       {class: "kp", draw: "words"},
	ColumnInteger:     {class: "n", draw: "count"},
	ColumnNumber:      {class: "val", draw: "number"},
	ColumnBareNumber:  {class: "ab", draw: "bare"},
	ColumnShareWithN:  {class: "kp", draw: "of"},
	ColumnShare:       {class: "val r", draw: "share"},
	ColumnLevel:       {class: "lv", draw: "level"},
	ColumnShareFrom50: {class: "bi", draw: "lean"},
	ColumnBar:         {class: "mini", draw: "bar"},
	ColumnLargeBar:    {class: "bar", draw: "large bar"},
	ColumnComparedRun: {class: "ab", draw: "bare"},
	ColumnProgress:    {class: "pl", draw: "lap"},
}

// headView holds a column of a page as the data of its template. A column of a table becomes two if it has a drawing.
type headView struct {
	Class, Name string
	Unseen      string // what screen readers say if the column has no name
	Axis        *Axis  // axis in the heading of a drawing; nil for none
	RunNumber   int    // 1 or 2 if a sign for the first or second run stands in place of the name

	cellTemplate string // name of the template that draws its cells
	column       int    // index of the table's column
}

// Columns returns the columns of the block's table on the page. A column whose numbers are drawn becomes two: the
// drawing and the numbers.
func (b blockView) Columns() (heads []headView) {
	sides := 0
	for k, c := range b.Table.Columns {
		kind := columnKinds[c.Kind]
		head := headView{Class: kind.class, Name: c.Name, Unseen: "drawn", cellTemplate: kind.draw, column: k}
		plot := headView{Class: "pl", Unseen: "drawn", Axis: c.Axis, cellTemplate: "plot", column: k}
		switch c.Kind {
		case ColumnNumber, ColumnBareNumber:
			head.Unseen = "as a number"
			if c.Axis == nil {
				break
			}
			plot.Name = c.Head
			if c.Axis.Signed {
				plot.Class = "pl df"
			}
			heads = append(heads, plot)
			switch {
			case c.Kind == ColumnBareNumber:
			case c.Axis.Signed:
				head.Class = "val diff"
			case c.Axis.Unit != "":
				head.Class = "val r"
			}
		case ColumnComparedRun:
			sides++
			if sides == 1 && c.Axis != nil {
				plot.cellTemplate = "dumbbell"
				heads = append(heads, plot)
			}
			head.Name = cmp.Or(c.Head, c.Name)
			head.RunNumber = sides
		case ColumnProgress:
			head.Axis = c.Axis
			head.Name = ""
		}
		heads = append(heads, head)
	}
	return heads
}

// Width returns the number of columns on the page, that of the rows' names included.
func (b blockView) Width() int { return 1 + len(b.Columns()) }

// rowView holds a row as the data of its template.
type rowView struct {
	Row
	Explained glossaryWord // name of the row, with its definition if there is one
	Link      string       // address that the name leads to; "" for none
	Bracket   string       // first, mid or last among tied judges, which a bracket joins; "" for none
	Cells     []cellView
}

// cellView holds a cell as the data of its template.
type cellView struct {
	Value
	DrawTemplate string // name of the template that draws it
	Class        string // CSS class
	Head         string // name of its column
	Axis         *Axis  // axis on which its number is drawn; nil for none

	Bracket        string    // first, mid or last among tied judges; "" for none
	mark           MarkShape // shape of its number on the axis
	secondRunValue *float64  // number of the second run, which a line joins with the first; nil for none
	page           PageContext
}

// Rows returns the rows of the block's table as data of their template.
func (b blockView) Rows() (rows []rowView) {
	heads := b.Columns()
	brackets := b.Table.tieBrackets()
	for i, r := range b.Table.Rows {
		v := rowView{Row: r, Link: b.page.address(r.Target), Bracket: brackets[i]}
		v.Explained = b.page.explain(r.Term)
		v.Explained.Text = r.Name
		for _, h := range heads {
			if h.column < len(r.Cells) {
				c := b.cell(r, h)
				c.Bracket = v.Bracket
				v.Cells = append(v.Cells, c)
			}
		}
		for _, x := range r.Cells[min(len(r.Cells), len(b.Table.Columns)):] { // marks of a list
			v.Cells = append(v.Cells, cellView{Value: x})
		}
		rows = append(rows, v)
	}
	return rows
}

// cell returns the cell of a row in a column of the page. It has no number if the number's unit is not that of the
// axis.
func (b blockView) cell(r Row, h headView) cellView {
	c := cellView{
		Value:        r.Cells[h.column],
		DrawTemplate: h.cellTemplate,
		Class:        h.Class + r.Cells[h.column].Look,
		Head:         h.Name,
		Axis:         b.Table.Columns[h.column].Axis,
		mark:         r.Mark,
		page:         b.page,
	}
	isPlot := h.cellTemplate == "plot" || h.cellTemplate == "dumbbell"
	switch {
	case isPlot && c.Unit != c.Axis.Unit:
		c.Value = Value{}
	case isPlot && c.Value.Value != nil && h.column+1 < len(r.Cells):
		c.secondRunValue = r.Cells[h.column+1].Value
	case !isPlot && c.Level != "":
		c.DrawTemplate = "level"
	}
	return c
}

// tieBrackets returns a text for each row: "first", "mid" or "last" among judges that are tied with each other and with
// no other judge; "" for the rest.
func (t Table) tieBrackets() []string {
	out := make([]string, len(t.Rows))
	for i := range t.Rows {
		ranks := t.Rows[i].Ranks
		first, last := ranks[0], ranks[1]
		if first == 0 || first != i+1 || last <= first || last > len(t.Rows) {
			continue
		}
		if slices.ContainsFunc(t.Rows[i:last], func(r Row) bool { return r.Ranks != ranks }) {
			continue
		}
		for j := i; j < last; j++ {
			out[j] = "mid"
		}
		out[i] = "first"
		out[last-1] = "last"
	}
	return out
}

// BreakableName splits the name of the row where a line may break: after punctuation, not within a word.
func (r Row) BreakableName() []string {
	return breakablePart.FindAllString(table.SanitizeLine(r.Name), -1)
}

// breakablePart matches a part of a name up to the place where the name may break.
var breakablePart = regexp.MustCompile(`[^,=:_/]*[,=:_/]|[^,=:_/]+`)

// RanksText returns the possible ranks of the row's judge, such as "2–4"; "–" for none.
func (r Row) RanksText() string { return cmp.Or(r.rankRange(), "–") }

// Words returns the cell's number or text as the page shows it; "–" for none.
func (c cellView) Words() string {
	switch {
	case c.Value.Value == nil:
		return cmp.Or(c.Text, "–")
	case c.Unit == scoring.UnitCount:
		return humanize.Comma(int64(*c.Value.Value))
	}
	return ShortInUnit(c.Result, *c.Value.Value, c.ExtraDecimals)
}

// Ends returns the ends of the cell's interval: "53–63", or "−2 to +4" if one may be negative.
func (c cellView) Ends() string { return IntervalEnds(c.Result) }

// Percent reports whether the cell's number is a share in percent, and not a difference.
func (c cellView) Percent() bool {
	return c.Value.Value != nil && c.Unit == "" && c.Mode != scoring.ModeDifference
}

// ShortInUnit returns the words for v, a number of the unit of x, as charts show it: percent and points as whole
// numbers, others with two decimals, and more further decimals.
func ShortInUnit(x scoring.Result, v float64, more int) string {
	places := more
	if slices.Contains([]string{scoring.UnitScore, scoring.UnitCorrelation, scoring.UnitStatistic}, x.Unit) {
		places += 2
	}
	return minus(table.Signed(&v, x, places))
}

// ShortNumber returns the words for a number as charts show it; "–" for none.
func ShortNumber(x scoring.Result) string {
	if x.Value == nil {
		return "–"
	}
	return ShortInUnit(x, *x.Value, 0)
}

// IntervalEnds returns a number's interval as "53–63", or "−2 to +4" if an end may be negative; "" if it has none.
func IntervalEnds(x scoring.Result) string {
	if !x.HasInterval() {
		return ""
	}
	between := "–"
	if *x.Low < 0 || x.Mode == scoring.ModeDifference || x.Unit == scoring.UnitCorrelation {
		between = " to "
	}
	return ShortInUnit(x, *x.Low, 0) + between + ShortInUnit(x, *x.High, 0)
}

// shape holds a mark on an axis, or a piece of a bracket's line. All positions are in percent of the width.
type shape struct {
	Mark       string // dot, diamond, ring or solid; "" for a range without a number
	At         string // position of the mark, or end of the range
	Low, Width string // start and width of the interval; start and end of a line
}

// markNames maps marks to their names in templates.
var markNames = [...]string{MarkDot: "dot", MarkDiamond: "diamond", MarkRing: "ring", MarkSolid: "solid"}

// Shapes returns the marks of the cell's number and of the number that it is compared with, which lies below.
func (c cellView) Shapes() (all []shape) {
	if c.Reference != nil {
		all = append(all, c.Axis.shape(*c.Reference, MarkDiamond))
	}
	return append(all, c.Axis.shape(c.Result, c.mark))
}

// shape returns the mark of a number on the axis, with its interval.
func (a *Axis) shape(x scoring.Result, mark MarkShape) shape {
	s := shape{At: a.cssPosition(cmp.Or(x.Value, x.High))}
	if x.Low != nil && x.High != nil {
		low := a.PositionPercent(*x.Low)
		s.Low = Coordinate(low)
		s.Width = Coordinate(a.PositionPercent(*x.High) - low)
	}
	if x.Value != nil {
		s.Mark = markNames[mark]
	}
	return s
}

// First returns the position of the first run's number on the axis; "" for none.
func (c cellView) First() string { return c.Axis.cssPosition(c.Value.Value) }

// Second returns the position of the second run's number on the axis; "" for none.
func (c cellView) Second() string { return c.Axis.cssPosition(c.secondRunValue) }

// cssPosition returns where a number lies on the axis, such as "25%"; "" for none.
func (a *Axis) cssPosition(v *float64) string {
	if v == nil {
		return ""
	}
	return Coordinate(a.PositionPercent(*v)) + "%"
}

// DivergingBar returns the drawing of a share as a bar from 50 %: its start and width in pixels, and its CSS class.
func (c cellView) DivergingBar() (out struct{ X, Width, Class string }) {
	const width, half, leaning = 54.0, 27.0, 60
	v := *c.Value.Value
	end := width * v / 100
	out.X = Coordinate(min(end, half))
	out.Width = Coordinate(max(end, half) - min(end, half))
	switch away := max(v, 100-v); {
	case away >= scoring.MaxOnePositionPercent:
		out.Class = " level-unusable"
	case away >= leaning:
		out.Class = " level-weak"
	}
	return out
}

// RaceBar returns the drawing of how many items a judge was asked in a race: the end of its bar, and whether it has
// left.
func (c cellView) RaceBar() (out struct {
	End, Class string
	Late       bool // its words stand before the end
}) {
	out.End = c.Axis.cssPosition(c.Value.Value)
	out.Class = "in"
	if c.Text != "" {
		out.Class = "out"
	}
	out.Late = c.Axis.PositionPercent(*c.Value.Value) > 60
	return out
}

// Narrowest parts of a bar, in percent of its length, that have room for their number.
const (
	minPartForNumber      = 3.2 // as wide as the page
	minPartForNumberRow   = 5   // in a row of a table
	minPartForNumberPhone = 9   // on a phone
)

// partView holds a part of a bar as the data of its template.
type partView struct {
	BarPart
	Link, X, Width string // address, "" for none; start and width in percent of the bar
	Class          string // CSS class of its number; "" leaves the number out
	Of             int    // sum of all parts
	Share          string // share in percent of Of, or the part's note
}

// BarParts returns the parts of the bar in a cell.
func (c cellView) BarParts() []partView {
	narrowest := 100.0
	if c.DrawTemplate == "large bar" {
		narrowest = minPartForNumberRow
	}
	return c.page.barPartViews(c.Parts, c.Total, narrowest)
}

// barPartViews returns the parts of a bar. length is the number that the whole bar stands for; 0 for the sum of the
// parts. Parts up to narrowest percent show no number.
func (p PageContext) barPartViews(parts []BarPart, length int, narrowest float64) (all []partView) {
	sum := 0
	for _, part := range parts {
		sum += part.N
	}
	total := float64(max(1, cmp.Or(length, sum)))
	begin := 0.0
	for _, part := range parts {
		width := 100 * float64(part.N) / total
		v := partView{
			BarPart: part,
			Link:    p.address(part.Target),
			X:       Coordinate(begin),
			Width:   Coordinate(width),
			Of:      sum,
			Share:   cmp.Or(part.Note, fmt.Sprintf("%.0f %%", 100*float64(part.N)/float64(max(1, sum)))),
		}
		if width > narrowest {
			v.Class = "n"
			if width < minPartForNumberPhone {
				v.Class = "n small"
			}
		}
		all = append(all, v)
		begin += width
	}
	return all
}

// BarParts returns the parts of the block's bar, if it is a [ChartStackedBar].
func (b blockView) BarParts() []partView {
	return b.page.barPartViews(b.Table.barParts(), 0, minPartForNumber)
}

// barParts returns the rows of the table of a [ChartStackedBar] as parts of its bar.
func (t Table) barParts() (parts []BarPart) {
	for _, r := range t.Rows {
		part := BarPart{Name: r.Name, N: int(*r.Cells[0].Value), Look: r.Look, Target: r.Target}
		if len(r.Cells) > 1 {
			part.Note = r.Cells[1].Text
		}
		parts = append(parts, part)
	}
	return parts
}

// Clickable reports whether a part of the block's bar has a link.
func (b blockView) Clickable() bool {
	return b.Chart == ChartStackedBar && slices.ContainsFunc(b.BarParts(), func(p partView) bool { return p.Link != "" })
}

// BracketLine returns the line of the block's bracket in three pieces: before, along and after the marked parts; nil
// without a bracket.
func (b blockView) BracketLine() []shape {
	pieces := b.BarParts()
	if b.Bracket == nil || b.Bracket.N == 0 {
		return nil
	}
	edge := func(i int) string {
		if i >= len(pieces) {
			return "100%"
		}
		return pieces[i].X + "%"
	}
	return []shape{
		{Low: "0%", Width: edge(b.Bracket.FirstPart)},
		{Mark: "kept", Low: edge(b.Bracket.FirstPart), Width: edge(b.Bracket.To)},
		{Low: edge(b.Bracket.To), Width: "100%"},
	}
}

// heatSteps is the number of shades in a [ChartHeat] chart, not counting the lightest.
const heatSteps = 10

// Shade returns the CSS class for the background of a cell in a [ChartHeat] chart, from h0 to h10; "" without a number.
func (c cellView) Shade() string {
	if c.Value.Value == nil || c.Axis == nil {
		return ""
	}
	return fmt.Sprintf("h%d", int(math.Round(heatSteps*c.Axis.PositionPercent(*c.Value.Value)/100)))
}
