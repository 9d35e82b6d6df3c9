package doc

import (
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"math"
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

// Paper turns blocks into HTML.
type Paper struct {
	Link   func(Ref) string // returns the address of a reference, "" for none; nil where there are no links
	Prefix string           // of the ids of its elements, where a page has several documents
	Terms  []scoring.Term   // explain the words of tables

	Explained map[string]bool // the terms that the page explains already; nil where it has no other blocks
}

var pages = sync.OnceValue(Templates)

// Templates returns the templates of blocks, to which a page adds its own.
func Templates() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"clean":    table.Clean,
		"harmless": table.ReplaceControls,
		"spaced":   Spaced,
		"level":    levelDots,
		"capital":  Capital,
		"at":       Coordinate,
	}).ParseFS(assets, "assets/*.html"))
}

// Blocks returns the blocks that stand on pages.
func (p Paper) Blocks(all []Block) (template.HTML, error) {
	if p.Explained == nil {
		p.Explained = map[string]bool{}
	}
	var page strings.Builder
	views := make([]blockView, 0, len(all))
	for _, b := range all {
		if b.on(Page) && (b.Table != nil || b.Body != "" || b.Notes != nil || b.Verbatim != "") {
			if b.Table != nil {
				b.Table = new(b.Table.on(Page))
			}
			views = append(views, blockView{Block: b, page: p})
		}
	}
	if err := pages().ExecuteTemplate(&page, "blocks", views); err != nil {
		return "", err
	}
	var terms []scoring.Term
	for _, v := range views {
		for _, word := range v.words() {
			if t := word.Term; t != nil && !p.Explained[t.ID()] {
				p.Explained[t.ID()] = true
				terms = append(terms, *t)
			}
		}
	}
	err := pages().ExecuteTemplate(&page, "explanations", terms)
	return template.HTML(page.String()), err
}

// word holds a word of a page, with its definition if there is one. A button shows it, without any script.
type word struct {
	Text   string
	Term   *scoring.Term
	Number bool // it stands in a column of numbers
}

// explain returns a word with its definition, if the page has one.
func (p Paper) explain(text string) word {
	if t, ok := scoring.TermIn(p.Terms, text); ok {
		return word{Text: text, Term: &t}
	}
	return word{Text: text}
}

// Tree returns the HTML of the children of a sanitized node.
func Tree(root *html.Node) (template.HTML, error) {
	var b strings.Builder
	for n := range root.ChildNodes() {
		if err := html.Render(&b, n); err != nil {
			return "", err
		}
	}
	return template.HTML(b.String()), nil
}

// Spaced keeps numbers on the line of their unit.
func Spaced(words string) string { return strings.ReplaceAll(table.Clean(words), " %", "\u00a0%") }

// Capital makes the first letter of words large.
func Capital(words string) string {
	if words == "" {
		return ""
	}
	return strings.ToUpper(words[:1]) + words[1:]
}

// levelDots returns three dots for a level, of which better levels fill more.
func levelDots(level scoring.Level) []bool {
	good := slices.Index([]scoring.Level{scoring.Weak, scoring.Usable, scoring.Strong}, level) + 1
	return []bool{good > 0, good > 1, good > 2}
}

// blockView presents a block to its template.
type blockView struct {
	Block
	page Paper
}

// ID of the block on its page.
func (b blockView) ID() string { return b.page.Prefix + b.Block.ID }

func (p Paper) address(r Ref) string {
	switch {
	case strings.HasPrefix(r.Page, "#"):
		return "#" + p.Prefix + r.Page[1:]
	case p.Link == nil || r.Runs == nil && r.Page == "":
		return ""
	}
	return p.Link(r)
}

// Linked returns the links of the block that lead somewhere.
func (b blockView) Linked() (all [][2]string) {
	for _, l := range b.Links {
		if to := b.page.address(l.Target); to != "" {
			all = append(all, [2]string{l.Words, to})
		}
	}
	return all
}

// Remarks returns the notes of the block that are warnings, or the others.
func (b blockView) Remarks(warnings bool) (all []Note) {
	for _, n := range b.Notes {
		if (n.Code == Warning) == warnings {
			all = append(all, n)
		}
	}
	return all
}

// sheet holds a block's table in words.
type sheet struct {
	Heads []word
	Rows  [][]word
	Notes []Note
}

// Sheet returns the block's table in words, for a table of numbers.
func (b blockView) Sheet() sheet {
	t := b.table(Page)
	out := sheet{Notes: b.Notes}
	for _, c := range t.Columns {
		head := b.page.explain(c.Name)
		head.Number = c.Right
		out.Heads = append(out.Heads, head)
	}
	for _, r := range t.Rows {
		row := make([]word, len(r))
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

// words returns the words of the block's table that a page may explain.
func (b blockView) words() (all []word) {
	switch {
	case b.Chart == Numbers:
		s := b.Sheet()
		return slices.Concat(s.Heads, slices.Concat(s.Rows...))
	case b.Table != nil:
		for _, r := range b.Table.Rows {
			all = append(all, b.page.explain(r.Term))
		}
	}
	return all
}

// kinds maps the kind of a column to the class and the drawing of its cells.
var kinds = map[ColumnKind]struct{ class, draw string }{
	Words:      {class: "kp", draw: "words"},
	Whole:      {class: "n", draw: "count"},
	Number:     {class: "val", draw: "number"},
	Bare:       {class: "ab", draw: "bare"},
	ShareWithN: {class: "kp", draw: "of"},
	Share:      {class: "val r", draw: "share"},
	LevelCell:  {class: "lv", draw: "level"},
	AroundHalf: {class: "bi", draw: "lean"},
	Bar:        {class: "mini", draw: "bar"},
	LargeBar:   {class: "bar", draw: "large bar"},
	Side:       {class: "ab", draw: "bare"},
	Progress:   {class: "pl", draw: "lap"},
}

// headView presents a column to its template.
type headView struct {
	Class, Name string
	Unseen      string // what a screen reader says of a column without a name
	Axis        *Axis
	Side        int // 1 or 2 where a sign stands for the name

	draw   string // the name of the drawing of its cells
	column int    // of the table
}

// heads returns the columns of the page: two of one that is drawn.
func (t Table) heads() (heads []headView) {
	sides := 0
	for k, c := range t.Columns {
		kind := kinds[c.Kind]
		head := headView{Class: kind.class, Name: c.Name, Unseen: "drawn", draw: kind.draw, column: k}
		plot := headView{Class: "pl", Unseen: "drawn", Axis: c.Axis, draw: "plot", column: k}
		switch c.Kind {
		case Number, Bare:
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
			case c.Kind == Bare:
			case c.Axis.Signed:
				head.Class = "val diff"
			case c.Axis.Unit != "":
				head.Class = "val r"
			}
		case Side:
			sides++
			if sides == 1 && c.Axis != nil {
				plot.draw = "dumbbell"
				heads = append(heads, plot)
			}
			head.Name = cmp.Or(c.Head, c.Name)
			head.Side = sides
		case Progress:
			head.Axis = c.Axis
			head.Name = ""
		}
		heads = append(heads, head)
	}
	return heads
}

// Columns returns the columns of the block's table.
func (b blockView) Columns() []headView { return b.Table.heads() }

// Width returns how many columns the block's table has, with the names of its rows.
func (b blockView) Width() int { return 1 + len(b.Table.heads()) }

// rowView presents a row to its template.
type rowView struct {
	Row
	Explained word
	Link      string
	Bracket   string // first, mid or last of the judges that one joins
	Cells     []cellView
}

// cellView presents a cell to its template.
type cellView struct {
	Value
	Draw  string // the name of its drawing
	Class string
	Head  string
	Axis  *Axis

	Bracket string // of the row
	mark    Mark
	other   *float64 // of a dumbbell
	page    Paper
}

// Rows returns the rows of the block's table.
func (b blockView) Rows() (rows []rowView) {
	heads := b.Table.heads()
	brackets := b.Table.brackets()
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
		for k, x := range r.Cells {
			if k >= len(b.Table.Columns) { // a mark of a list
				v.Cells = append(v.Cells, cellView{Value: x})
			}
		}
		rows = append(rows, v)
	}
	return rows
}

// cell returns the cell of a row in a column of the page. An axis draws no number of another unit.
func (b blockView) cell(r Row, h headView) cellView {
	c := cellView{
		Value: r.Cells[h.column],
		Draw:  h.draw,
		Class: h.Class,
		Head:  h.Name,
		Axis:  b.Table.Columns[h.column].Axis,
		mark:  r.Mark,
		page:  b.page,
	}
	isPlot := h.draw == "plot" || h.draw == "dumbbell"
	switch {
	case isPlot && c.Unit != c.Axis.Unit:
		c.Value = Value{}
	case isPlot && c.Value.Value != nil && h.column+1 < len(r.Cells):
		c.other = r.Cells[h.column+1].Value
	case !isPlot && c.Level != "":
		c.Draw = "level"
	}
	return c
}

// brackets returns "first", "mid" or "last" for the rows of judges that are tied with each other and with nobody else,
// "" for others.
func (t Table) brackets() []string {
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

// Broken returns the name of a row in parts, between which a line may break: after punctuation, not within a word.
func (r Row) Broken() []string {
	return strings.FieldsFunc(breaks.Replace(table.Clean(r.Name)), func(c rune) bool { return c == '\x00' })
}

var breaks = strings.NewReplacer(",", ",\x00", "=", "=\x00", ":", ":\x00", "_", "_\x00", "/", "/\x00")

// RanksText returns the ranks of a row.
func (r Row) RanksText() string { return cmp.Or(r.ranks(), "–") }

// Words of the cell, for readers.
func (c cellView) Words() string {
	switch {
	case c.Value.Value == nil:
		return cmp.Or(c.Text, "–")
	case c.Unit == scoring.UnitCount:
		return humanize.Comma(int64(*c.Value.Value))
	}
	return Shortly(c.Result, *c.Value.Value, c.Places)
}

// Ends of the cell's interval: "53–63", or "−2 to +4" where one may be negative.
func (c cellView) Ends() string { return Ends(c.Result) }

// Percent reports whether the cell is a share.
func (c cellView) Percent() bool {
	return c.Value.Value != nil && c.Unit == "" && c.Mode != scoring.ModeDifference
}

// Shortly writes a number as charts do: percent and points whole, others with two places, and so many more.
func Shortly(x scoring.Result, v float64, more int) string {
	places := more
	if x.Unit == scoring.UnitScore || x.Unit == scoring.UnitCorrelation {
		places += 2
	}
	return minus(table.Signed(&v, x, places))
}

// Brief writes a number as charts do, "–" for none.
func Brief(x scoring.Result) string {
	if x.Value == nil {
		return "–"
	}
	return Shortly(x, *x.Value, 0)
}

// Ends writes the ends of a number's interval: "53–63", or "−2 to +4" where one may be negative.
func Ends(x scoring.Result) string {
	if !x.HasInterval() {
		return ""
	}
	between := "–"
	if *x.Low < 0 || x.Mode == scoring.ModeDifference || x.Unit == scoring.UnitCorrelation {
		between = " to "
	}
	return Shortly(x, *x.Low, 0) + between + Shortly(x, *x.High, 0)
}

// shape holds a mark of a plot: its kind and its place, and the interval behind it.
type shape struct {
	Mark       string
	At         string
	Low, Width string
}

var markNames = [...]string{Dot: "dot", Diamond: "diamond", Ring: "ring", Solid: "solid"}

// Shapes of the plot, the first below the others.
func (c cellView) Shapes() (all []shape) {
	if c.Reference != nil {
		all = append(all, c.Axis.shape(*c.Reference, Diamond))
	}
	return append(all, c.Axis.shape(c.Result, c.mark))
}

func (a *Axis) shape(x scoring.Result, mark Mark) shape {
	s := shape{At: a.position(x.Value)}
	if x.HasInterval() {
		low := a.Place(*x.Low)
		s.Low = Coordinate(low)
		s.Width = Coordinate(a.Place(*x.High) - low)
	}
	if x.Value != nil {
		s.Mark = markNames[mark]
	}
	return s
}

// First and Second return the places of a dumbbell's ends, "" for none.
func (c cellView) First() string  { return c.Axis.position(c.Value.Value) }
func (c cellView) Second() string { return c.Axis.position(c.other) }

func (a *Axis) position(v *float64) string {
	if v == nil {
		return ""
	}
	return Coordinate(a.Place(*v)) + "%"
}

// Around returns the drawing of a share around its half: the start of the bar, its width, and its class.
func (c cellView) Around() (out struct{ X, Width, Class string }) {
	const width, half, leaning = 54.0, 27.0, 60
	v := *c.Value.Value
	end := width * v / 100
	out.X = Coordinate(min(end, half))
	out.Width = Coordinate(max(end, half) - min(end, half))
	switch away := max(v, 100-v); {
	case away >= scoring.MostByPlace:
		out.Class = " level-unusable"
	case away >= leaning:
		out.Class = " level-weak"
	}
	return out
}

// Lap returns the drawing of the number of items that a judge was asked.
func (c cellView) Lap() (out struct {
	End, Class string
	Late       bool // its words stand before the end
}) {
	out.End = c.Axis.position(c.Value.Value)
	out.Class = "in"
	if c.Text != "" {
		out.Class = "out"
	}
	out.Late = c.Axis.Place(*c.Value.Value) > 60
	return out
}

// Narrowest shares, in percent, in which a number of a bar stands on a page, in a row, and on a phone.
const (
	narrowestPart      = 3.2
	narrowestRowPart   = 5
	narrowestPhonePart = 9
)

// partView presents a part of a bar to its template.
type partView struct {
	BarPart
	Link, X, Width string
	Class          string // of its number; "" for none
	Of             int
	Share          string // or what to say in its place
}

// Pieces returns the parts of the cell's bar.
func (c cellView) Pieces() []partView {
	narrowest := 100.0
	if c.Draw == "large bar" {
		narrowest = narrowestRowPart
	}
	return c.page.pieces(c.Parts, c.Total, narrowest)
}

func (p Paper) pieces(parts []BarPart, length int, narrowest float64) (all []partView) {
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
			if width < narrowestPhonePart {
				v.Class = "n small"
			}
		}
		all = append(all, v)
		begin += width
	}
	return all
}

// Pieces returns the parts of the block's one bar.
func (b blockView) Pieces() []partView { return b.page.pieces(b.Table.parts(), 0, narrowestPart) }

// parts returns the rows of the table as parts of a bar.
func (t Table) parts() (parts []BarPart) {
	for _, r := range t.Rows {
		part := BarPart{Name: r.Name, N: int(*r.Cells[0].Value), Look: r.Look, Target: r.Target}
		if len(r.Cells) > 1 {
			part.Note = r.Cells[1].Text
		}
		parts = append(parts, part)
	}
	return parts
}

// Clickable reports whether a part of the bar has a link.
func (b blockView) Clickable() bool {
	return b.Chart == StackedBar && slices.ContainsFunc(b.Pieces(), func(p partView) bool { return p.Link != "" })
}

// Joined returns the line of the block's bracket in pieces: before, along and beyond the parts that it joins.
func (b blockView) Joined() []shape {
	pieces := b.Pieces()
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
		{Low: "0%", Width: edge(b.Bracket.From)},
		{Mark: "kept", Low: edge(b.Bracket.From), Width: edge(b.Bracket.To)},
		{Low: edge(b.Bracket.To), Width: "100%"},
	}
}

// heatSteps is the number of shades of a matrix, not counting the lightest.
const heatSteps = 10

// Shade of a cell of a matrix.
func (c cellView) Shade() string {
	if c.Value.Value == nil || c.Axis == nil {
		return ""
	}
	return fmt.Sprintf("h%d", int(math.Round(heatSteps*c.Axis.Place(*c.Value.Value)/100)))
}
