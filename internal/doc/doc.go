// Package doc holds what an analysis found, free of any output format. A document is an answer and blocks; a block is a
// table of typed values with notes, and the kind of chart that a page draws of it. Each format has one renderer, and
// nothing else lays results out: [Document.Text] for terminals, [Document.Markdown], [Document.CSV], [HTML], and
// [Document.Picture] for pictures to share.
package doc

import (
	"encoding/json"
	"html/template"
	"slices"

	"gavel/scoring"
)

// Document holds the results of an analysis in a form that every output format lays out: an answer, and blocks with
// tables.
type Document struct {
	Title  string                 // subject, such as the judge and the dataset
	Level  scoring.UsabilityLevel // how good the judge is, such as strong; "" for none
	Answer string                 // the result in a sentence
	Also   string                 // further sentences
	Blocks []Block                // parts, the most important first

	// CSVRows holds the rows of the CSV file, the names of the columns first. If it is nil, the first table becomes the
	// file.
	CSVRows [][]string

	Data any // value that becomes the document's JSON
}

// MarshalJSON returns the JSON of the document's Data.
func (d Document) MarshalJSON() ([]byte, error) { return json.Marshal(d.Data) }

// Block holds a part of a document: a table or text, with notes and links.
type Block struct {
	ID, Title, About string        // id of the HTML element; heading; small words after the heading
	Surfaces         Surface       // where the block appears; 0 is everywhere
	ShowTitle        bool          // the short text shows the title, too
	Half             bool          // on a wide page, another block may stand beside it
	FoldLabel        string        // on a page, words to click that open the block; "" shows it at once
	Table            *Table        // nil for a block of notes
	Chart            ChartKind     // how a page shows the table
	Bracket          *Bracket      // below the bar of a [ChartStackedBar]; nil for none
	Notes            []Note        // sentences below the table
	Keys             []LegendEntry // explanations of the chart's marks, for pages
	Links            []Link        // links below the table, for pages
	Commands         []Command     // commands to type next, for texts
	Verbatim         string        // text to show unchanged, such as a prompt or a command line

	Body template.HTML // HTML to show in place of a table
}

// Surface is a set of the outputs on which a block, row or column may appear.
type Surface int

const (
	SurfaceShortText Surface = 1 << iota // the text that a command prints by default
	SurfaceFullText                      // text of --format full, and Markdown
	SurfacePage                          // pages and report files

	SurfaceAnyText     = SurfaceShortText | SurfaceFullText // all texts
	SurfaceAllButShort = SurfaceFullText | SurfacePage      // all but the short text
)

// has reports whether something that appears on the surfaces all appears on one of s. The empty set means all surfaces.
func (all Surface) has(s Surface) bool { return all == 0 || all&s != 0 }

// appearsOn reports whether the block appears on a surface and is not empty there.
func (b Block) appearsOn(s Surface) bool {
	return b.Surfaces.has(s) &&
		(b.Table != nil && len(b.Table.Rows) > 0 || b.ShowTitle || b.Notes != nil || b.Commands != nil ||
			b.Body != "" || b.Verbatim != "" && s == SurfacePage)
}

// ChartKind names the template that draws a table on a page.
type ChartKind string

const (
	ChartCellDrawings   ChartKind = ""        // a table whose cells may have drawings
	ChartStackedBar     ChartKind = "stacked" // a bar with a part per row: its first cell counts, its second may be a note
	ChartCards          ChartKind = "cards"   // a card for each row: its first number large, its second cell small
	ChartHeat           ChartKind = "heat"    // a matrix of numbers on one axis, darker where they are larger
	ChartFacts          ChartKind = "facts"   // a list of names, each with words
	ChartItemList       ChartKind = "list"    // a list of items, each with signs of its judgments
	ChartScatter        ChartKind = "scatter" // a point for each row: its first number across, its second upwards
	ChartStrip          ChartKind = "strip"   // a mark for each row on one axis, with the row's name where there is room
	ChartBarPanels      ChartKind = "panels"  // upright bars in panels; a heading row begins a panel
	ChartTableWithTerms ChartKind = "numbers" // a plain table in which words and headings are explained on a click
)

// Table holds rows of values.
type Table struct {
	RowHead string // heading of the column with the names of rows, such as "judge"
	Look    string // CSS class of the table: wide, many, versus, outcomes, race or keep
	Board   bool   // its rows are judges with ranks
	Columns []Column
	Rows    []Row
}

// Column describes a column of a table, except for the first column, which has the names of the rows.
type Column struct {
	Name  string     // heading
	Short string     // name on a terminal; "" stands for Name
	Kind  ColumnKind // how its cells are shown
	Axis  *Axis      // axis on which its numbers are drawn; nil draws none
	// heading of its drawing on a page; for a [ColumnComparedRun] in place of Name, for a [ChartHeat] the text below it
	Head         string
	Surfaces     Surface // where it appears; 0 is everywhere
	HidePriority int     // order in which a narrow terminal leaves columns out, 1 first; 0: last, if at all
}

// ColumnKind selects how the cells of a column are shown.
type ColumnKind int

const (
	ColumnWords       ColumnKind = iota // words
	ColumnInteger                       // a whole number
	ColumnNumber                        // a number with its interval
	ColumnBareNumber                    // a number without its interval
	ColumnShareWithN                    // a share with the number of items (n); or a level, or words
	ColumnShare                         // a share with the number of items and its interval
	ColumnLevel                         // the level of a judge, such as strong
	ColumnShareFrom50                   // a share, drawn as a bar from 50 %
	ColumnBar                           // a thin stacked bar without numbers
	ColumnLargeBar                      // a stacked bar with numbers in it
	ColumnComparedRun                   // a number of one of two compared runs; the first such column has the first run's
	ColumnProgress                      // a number of items, drawn as a bar along an axis
)

// Row holds a row of a table.
type Row struct {
	Name     string
	Detail   string    // small words after the name
	N        int       // number of items behind its numbers; 0 shows none
	Target   Ref       // where its name links to
	Term     string    // name of the term in [PageContext].Terms that explains Name; "" for none
	Look     string    // CSS class of its marks: a level or a part of a bar
	Mark     MarkShape // shape of its number on an axis
	Total    bool      // it sums up the other rows; in a [ChartStrip], it is the judge of the page
	Heading  bool      // it is the title of the rows below it
	Folded   bool      // [ChartCards] leave it out
	Surfaces Surface   // where it appears; 0 is everywhere
	// In a Board, first and last possible rank of the judge, from 1; 0 for none.
	Ranks     [2]int
	Simulated bool // the judge is simulated
	Cells     []Value
}

// MarkShape selects the shape of a number's mark on an axis.
type MarkShape int

const (
	MarkDot     MarkShape = iota // the usual shape
	MarkDiamond                  // published results
	MarkRing                     // the second of two compared runs
	MarkSolid                    // a jury
)

// Value holds a cell of a table.
type Value struct {
	scoring.Result                        // a number, with its interval, n and unit
	Text           string                 // words; beside a number, a remark on it
	Look           string                 // CSS class of a sign in a [ChartItemList], or of the cell
	ExtraDecimals  int                    // decimals beyond the usual number
	Level          scoring.UsabilityLevel // level of a judge, such as strong
	Reference      *scoring.Result        // a number to compare with: a diamond or a line; or a range
	Parts          []BarPart              // parts of a bar
	Total          int                    // number that the whole length of the bar stands for; 0: the sum of its parts
}

// BarPart holds a part of a stacked bar.
type BarPart struct {
	Name   string
	N      int    // its count, such as of items
	Look   string // CSS class: right, wrong, tie, first, last, none or helped
	Target Ref    // where the part links to
	Note   string // words in place of its share; "" shows the share
}

// Bracket marks neighbouring parts of a stacked bar with a line below them and with words, such as the pairs with two
// verdicts.
type Bracket struct {
	FirstPart, To int    // it marks the parts with the numbers From to To−1, counted from 0
	N             int    // count of the marked parts together; 0 draws no bracket
	BoldWords     string // bold words after N
	Words         string // further words on the marked parts
	Beyond        string // words on the parts outside the bracket, after OutsideCount
	OutsideCount  int    // count of the parts outside; 0 says nothing of them
}

// Ref names something that a page may link to: runs, their items, or an address. The zero value is no link.
type Ref struct {
	Runs      []string // names of one run, or of several that are compared
	Address   string   // an address, or an element of the same page such as "#gain"
	Filter    string   // filter of the runs' items, such as "wrong"
	Mode      string   // only items whose verdict this mode changes
	ItemGroup string   // only items of this group
}

// RunRef returns a reference to the run with this name.
func RunRef(run string) Ref { return Ref{Runs: []string{run}} }

// Link holds the words of a link, and what it leads to.
type Link struct {
	Words  string
	Target Ref
}

// Command holds a command line to type next, and what it is for.
type Command struct{ Line, Purpose string }

// LegendEntry explains a sign that a chart uses.
type LegendEntry struct {
	// the sign: dot, diamond, solid, a, b, bar, held, reference, brace, interval, required, or the class of a part of a
	// bar; "" for none
	Sign  string
	Words string
}

// SplitBefore splits the blocks before the block with this ID. Without such a block, rest is empty.
func (d Document) SplitBefore(id string) (before, rest []Block) {
	for i, b := range d.Blocks {
		if b.ID == id {
			return d.Blocks[:i], d.Blocks[i:]
		}
	}
	return d.Blocks, nil
}

// TextCell returns a cell of words.
func TextCell(words string) Value { return Value{Text: words} }

// NumberCell returns a cell with a number.
func NumberCell(x scoring.Result) Value { return Value{Result: x} }

// CountCell returns a cell with a whole number.
func CountCell(n int) Value {
	return Value{Result: scoring.Result{Unit: scoring.UnitCount, Value: new(float64(n))}}
}

// PositiveCountCell returns a cell with a whole number, or an empty cell if n is 0.
func PositiveCountCell(n int) Value {
	if n == 0 {
		return Value{}
	}
	return CountCell(n)
}

// Add appends rows to the table.
func (t *Table) Add(rows ...Row) { t.Rows = append(t.Rows, rows...) }

// Cells returns a cell for each value: a string, an int, a [scoring.Result], a [scoring.UsabilityLevel], or a [Value].
func Cells(values ...any) []Value {
	cells := make([]Value, len(values))
	for i, x := range values {
		switch x := x.(type) {
		case string:
			cells[i] = TextCell(x)
		case int:
			cells[i] = CountCell(x)
		case scoring.Result:
			cells[i] = NumberCell(x)
		case scoring.UsabilityLevel:
			cells[i] = Value{Level: x}
		default:
			cells[i] = x.(Value)
		}
	}
	return cells
}

// forSurface returns the table with the columns and rows that appear on a surface. The axis of a column of differences
// is made as long as these rows need.
func (t Table) forSurface(s Surface) Table {
	t.Rows = slices.DeleteFunc(slices.Clone(t.Rows), func(r Row) bool { return !r.Surfaces.has(s) })
	t.pick(func(k int) bool { return t.Columns[k].Surfaces.has(s) })
	for k, c := range t.Columns {
		if c.Axis == nil || !c.Axis.Signed {
			continue
		}
		var all []scoring.Result
		for _, r := range t.Rows {
			if k < len(r.Cells) {
				all = append(all, r.Cells[k].Result)
				if ref := r.Cells[k].Reference; ref != nil {
					all = append(all, *ref)
				}
			}
		}
		t.Columns[k].Axis = DifferenceAxis(all...)
		t.Columns[k].Axis.Ends = c.Axis.Ends
	}
	return t
}

// WordRow returns a row whose cells hold words.
func WordRow(name string, cells ...string) Row {
	r := Row{Name: name}
	for _, words := range cells {
		r.Cells = append(r.Cells, TextCell(words))
	}
	return r
}

// ColumnsOfKind returns a column of the same kind for each name.
func ColumnsOfKind(kind ColumnKind, names ...string) (all []Column) {
	for _, name := range names {
		all = append(all, Column{Name: name, Kind: kind})
	}
	return all
}

// MetricName returns the label of a protocol's metric, such as "correct in both orders" for strict.
func MetricName(protocol, metric string) string {
	term, _ := scoring.MetricOf(protocol, metric)
	return term.Label
}

// MetricColumn returns a column that is named after a protocol's metric.
func MetricColumn(protocol, metric string, kind ColumnKind) Column {
	term, _ := scoring.MetricOf(protocol, metric)
	return Column{Name: term.Label, Short: term.Short, Kind: kind}
}

// DifferenceLook returns the CSS class of a row with a difference: grey if the difference may be noise, else blue.
func DifferenceLook(noise bool) string {
	if noise {
		return "level-unknown"
	}
	return "level-usable"
}

// DropEmpty removes the columns in which no row has a value.
func (t *Table) DropEmpty() {
	t.pick(func(k int) bool {
		return slices.ContainsFunc(t.Rows, func(r Row) bool { return k < len(r.Cells) && !r.Cells[k].empty() })
	})
}

// pick keeps the columns for whose index takes returns true. Cells of a row beyond the last column stay.
func (t *Table) pick(takes func(column int) bool) {
	var columns []Column
	cells := make([][]Value, len(t.Rows))
	for k, c := range t.Columns {
		if !takes(k) {
			continue
		}
		columns = append(columns, c)
		for i, r := range t.Rows {
			if k < len(r.Cells) {
				cells[i] = append(cells[i], r.Cells[k])
			}
		}
	}
	for i, r := range t.Rows {
		t.Rows[i].Cells = append(cells[i], r.Cells[min(len(r.Cells), len(t.Columns)):]...)
	}
	t.Columns = columns
}

// empty reports whether the cell shows nothing.
func (v Value) empty() bool {
	return v.Result.Value == nil && v.Text == "" && v.Level == "" && v.Parts == nil
}
