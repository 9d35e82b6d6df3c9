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

// Document holds the answer and the blocks of an analysis.
type Document struct {
	Title  string        // the subject
	Level  scoring.Level // of the judge; "" for none
	Answer string        // in a sentence
	Also   string        // further sentences on the answer
	Blocks []Block       // the most important first

	// Sheet has the rows of a CSV file, the first with the names of the columns. Nil writes the first table.
	Sheet [][]string

	Data any // its JSON
}

// MarshalJSON writes the data of the document.
func (d Document) MarshalJSON() ([]byte, error) { return json.Marshal(d.Data) }

// Block holds one part of a document.
type Block struct {
	ID, Title, About string
	In               Surface  // where it stands; 0 is everywhere
	ShowTitle        bool     // the short text has its title, too
	Half             bool     // a wide page shows another block beside it
	Fold             string   // on a page, a summary that opens the block; "" shows it at once
	Table            *Table   // nil for a block of notes
	Chart            Chart    // how a page shows the table
	Bracket          *Bracket // of a [StackedBar]
	Notes            []Note
	Keys             []Key  // explain the marks of the chart, for pages
	Links            []Link // for pages
	Commands         []Command
	Verbatim         string // text as it stands, such as a prompt or a command line

	Body template.HTML // of a block that has its HTML already
}

// Surface holds a set of places where a block may stand.
type Surface int

const (
	Short Surface = 1 << iota // the text that a command prints by default
	Full                      // text of --format full, and Markdown
	Page                      // pages and report files

	Printed = Short | Full // all texts
	Detail  = Full | Page  // all but the short text
)

// has reports whether two sets of surfaces overlap; the empty set stands for all.
func (all Surface) has(s Surface) bool { return all == 0 || all&s != 0 }

// on reports whether the block has something to show on a surface.
func (b Block) on(s Surface) bool {
	return b.In.has(s) && (b.Table != nil && len(b.Table.Rows) > 0 || b.ShowTitle || b.Notes != nil || b.Commands != nil ||
		b.Body != "" || b.Verbatim != "" && s == Page)
}

// Chart names the template that shows a table on a page.
type Chart string

const (
	RowChart   Chart = ""        // a row for each row, with drawings in its cells
	StackedBar Chart = "stacked" // one bar; each row is a part of it: its first cell counts, its second may hold a note
	Cards      Chart = "cards"   // each row is a number that is shown large, with a word about it
	Heat       Chart = "heat"    // a matrix of numbers on one axis, darker where they are larger
	Facts      Chart = "facts"   // names and words
	List       Chart = "list"    // items, each with marks of its judgments
	Scatter    Chart = "scatter" // each row is a point: its first number across, its second upwards
	Strip      Chart = "strip"   // each row is a mark on one axis, with its name where there is room
	BarPanels  Chart = "panels"  // upright bars; a heading row begins a panel
	Numbers    Chart = "numbers" // a table of words and numbers, every number explained
)

// Table holds rows of values.
type Table struct {
	RowHead string // the heading of the names of its rows, such as "judge"
	Look    string // the class of its style: wide, many, versus, outcomes, race or keep
	Board   bool   // its rows have ranks
	Columns []Column
	Rows    []Row
}

// Column of a table, beside the first, which has the names of its rows.
type Column struct {
	Name  string
	Short string // its name on a terminal; "" is the name
	Kind  ColumnKind
	Axis  *Axis  // of a drawing of its numbers; nil draws none
	Head  string // the heading of the drawing on a page; of a Side, its heading instead of Name
	In    Surface
	Spare int // the order in which a narrow terminal leaves columns out, 1 first; 0 always stays
}

// ColumnKind says how the cells of a column are shown.
type ColumnKind int

const (
	Words      ColumnKind = iota
	Whole                 // a whole number
	Number                // a number with its interval
	Bare                  // a number without its interval
	ShareWithN            // a share with its n, a level or words
	Share                 // the same with its interval
	LevelCell             // the level of a judge
	AroundHalf            // a share, drawn around its half
	Bar                   // a stacked bar beside words
	LargeBar              // a stacked bar with numbers in it
	Side                  // a number of the first or the second of two runs that are compared
	Progress              // a number of items, drawn as a bar along an axis
)

// Row of a table.
type Row struct {
	Name    string
	Detail  string // after the name, in small letters
	N       int    // of its numbers; 0 shows nothing
	Target  Ref    // of its link
	Term    string // the term of [Paper] that explains its name
	Look    string // the class of its marks: a level, or a part of a bar
	Mark    Mark
	Total   bool // it sums up the other rows
	Heading bool // it is the title of the rows beneath it
	Folded  bool // it has no card
	In      Surface
	// Of a board: the first and the last of the possible ranks of a judge; 0 for none.
	Ranks     [2]int
	Simulated bool
	Cells     []Value
}

// Mark says which shape marks a number on an axis.
type Mark int

const (
	Dot     Mark = iota
	Diamond      // published results
	Ring         // the second of two
	Solid        // a jury
)

// Value holds a cell of a table.
type Value struct {
	scoring.Result                 // a number, with its interval, n and unit
	Text           string          // words; beside a number, a remark on it
	Look           string          // the class of a mark
	Places         int             // additional decimals
	Level          scoring.Level   // of a judge
	Reference      *scoring.Result // a number to compare with, drawn as a diamond
	Parts          []BarPart       // of a bar
	Total          int             // the total of the bar; 0 is the sum of its parts
}

// BarPart of a bar.
type BarPart struct {
	Name   string
	N      int
	Look   string // its class: right, wrong, tie, first, last, none or helped
	Target Ref
	Note   string // replaces its share
}

// Bracket joins the first parts of a bar.
type Bracket struct {
	From, To   int // the parts that it joins
	N          int
	Bold       string // after N
	Words      string
	Beyond     string // words for the other parts
	BeyondSize int
}

// Ref names something that a page may link to. The zero value leads nowhere.
type Ref struct {
	Runs  []string // one run, or several that are compared
	Page  string   // an address, or an element of this page: "#gain"
	Show  string   // a filter of the runs' items
	Mode  string   // the items on which this mode changes the verdict
	Group string   // a category of the runs' items
}

// RunRef returns a reference to a run.
func RunRef(run string) Ref { return Ref{Runs: []string{run}} }

// Link holds words that lead somewhere.
type Link struct {
	Words  string
	Target Ref
}

// Command holds a next command to type, and its purpose.
type Command struct{ Line, Purpose string }

// Key explains a mark of a chart.
type Key struct {
	// the name of its drawing: dot, diamond, solid, a, b, bar, held, reference, brace, interval, or a part of a bar; "" is
	// none
	Sign  string
	Words string
}

// Cut returns the blocks before one, and that one with the rest; all before it where there is no such block.
func (d Document) Cut(id string) (before, rest []Block) {
	for i, b := range d.Blocks {
		if b.ID == id {
			return d.Blocks[:i], d.Blocks[i:]
		}
	}
	return d.Blocks, nil
}

// Text returns a cell of words.
func Text(words string) Value { return Value{Text: words} }

// Num returns a cell of a number.
func Num(x scoring.Result) Value { return Value{Result: x} }

// Count returns a cell of a whole number.
func Count(n int) Value {
	return Value{Result: scoring.Result{Unit: scoring.UnitCount, Value: new(float64(n))}}
}

// Positive returns a cell of a whole number that says nothing where it is 0.
func Positive(n int) Value {
	if n == 0 {
		return Value{}
	}
	return Count(n)
}

// Add adds rows.
func (t *Table) Add(rows ...Row) { t.Rows = append(t.Rows, rows...) }

// Cells returns cells of words, whole numbers, results and levels; a [Value] is a cell as it is.
func Cells(values ...any) []Value {
	cells := make([]Value, len(values))
	for i, x := range values {
		switch x := x.(type) {
		case string:
			cells[i] = Text(x)
		case int:
			cells[i] = Count(x)
		case scoring.Result:
			cells[i] = Num(x)
		case scoring.Level:
			cells[i] = Value{Level: x}
		default:
			cells[i] = x.(Value)
		}
	}
	return cells
}

// on returns the columns and rows of the table that stand on a surface. An axis of differences is as long as these
// need.
func (t Table) on(s Surface) Table {
	t.Rows = slices.DeleteFunc(slices.Clone(t.Rows), func(r Row) bool { return !r.In.has(s) })
	t.pick(func(k int) bool { return t.Columns[k].In.has(s) })
	for k, c := range t.Columns {
		if c.Axis == nil || !c.Axis.Signed {
			continue
		}
		var all []scoring.Result
		for _, r := range t.Rows {
			if k < len(r.Cells) {
				all = append(all, r.Cells[k].Result)
			}
		}
		t.Columns[k].Axis = DifferenceAxis(all...)
		t.Columns[k].Axis.Ends = c.Axis.Ends
	}
	return t
}

// WordRow returns a row of words.
func WordRow(name string, cells ...string) Row {
	r := Row{Name: name}
	for _, words := range cells {
		r.Cells = append(r.Cells, Text(words))
	}
	return r
}

// Columns returns columns of one kind.
func Columns(kind ColumnKind, names ...string) (all []Column) {
	for _, name := range names {
		all = append(all, Column{Name: name, Kind: kind})
	}
	return all
}

// MetricName returns the label of a metric of a protocol.
func MetricName(protocol, metric string) string {
	term, _ := scoring.MetricOf(protocol, metric)
	return term.Label
}

// MetricColumn returns the column of a metric of a protocol.
func MetricColumn(protocol, metric string, kind ColumnKind) Column {
	term, _ := scoring.MetricOf(protocol, metric)
	return Column{Name: term.Label, Short: term.Short, Kind: kind}
}

// DifferenceLook returns the class of a row with a difference: blue for a significant one, else grey.
func DifferenceLook(noise bool) string {
	if noise {
		return "level-unknown"
	}
	return "level-usable"
}

// DropEmpty takes out the columns in which no row has a value.
func (t *Table) DropEmpty() {
	t.pick(func(k int) bool {
		return slices.ContainsFunc(t.Rows, func(r Row) bool { return k < len(r.Cells) && !r.Cells[k].empty() })
	})
}

// pick keeps the columns that takes accepts, and the cells beyond the columns.
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

func (v Value) empty() bool {
	return v.Result.Value == nil && v.Text == "" && v.Level == "" && v.Parts == nil
}
