package report

import (
	"cmp"
	"fmt"
	"sync"

	"gavel/internal/doc"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// Layout says how runs of a protocol are laid out. Protocols that share one are laid out together.
type Layout struct {
	Headline       string // the main metric; "": the first
	Unlabelled     string // the main metric of a run whose items have no label; "": Headline
	UnlabelledNote string // what to say of a board by Unlabelled
	Noun           string // one record, in the plural; "": judgments
	Item           string // one unit; "": item
	Question       string // the question of a run; "": which is the goal
	// further notes on the comparison of two runs; nil: none
	ComparisonNotes func(c *scoring.Comparison) []string
	// the words in names of runs for settings, by the beginning of the setting
	Words map[string]string
	// the main metrics of a run, the first first
	Tiles []Tile
	// how the question is asked, in words after the question
	Manner string
	// the same of a run, where runs differ in it; nil: How
	RunManner func(r *scoring.Report) string
	// the outcomes of units, in the order of the bar
	Outcomes []Outcome
	// words beside the title of the bar; "": Ways
	BarNote string
	// joins the first parts of the bar; the zero value: nothing does
	Bracket Bracket
	// the table of a page by group; the zero value: the headline by category
	Grouping Grouping
	// the blocks of a run's page below its cards, beside those of every page
	Blocks []PagePart
	// the whole page of a run, from top to bottom; nil: the usual one
	Parts []PagePart
	// what to say of a run with a certain goal, such as the reversed one: codes of phrases by the goal
	Notices map[string]string
	// what to know before a run is believed, beside its warnings; nil: how the headline differs by category
	Caveats func(p *RunPage) []string
	// what a board of judges shows beside the headline; a narrow terminal leaves out all but the first
	BoardColumns []BoardColumn
	// what several judges of the same items show; nil: nothing
	Across func(judges []BoardRow) *Across
	// the bias that a leaderboard plots the headline against; nil: none
	BiasPlot *BiasPlot
}

// Grouping says how a page of a run breaks a metric down by group of items.
type Grouping struct {
	First, Title   string   // of the table; "": by category
	Metrics        []string // the first of these with a value is shown; nil: the headline
	Reference      string   // a metric to compare with, drawn as a diamond; * stands for the metric that is shown
	ReferenceWords string   // the words of Held
	Extra          string   // a metric in a further column
}

// Bracket joins the first parts of a bar: the usable verdicts.
type Bracket struct {
	Parts  []string // the joined parts: right, wrong, and others without a label
	Metric string   // the share of these that is right; "": counted from the parts
	Bold   string   // words for the joined parts
	Beyond string   // words for the others
	Chance string   // words for the share of a random judge
}

// PagePart makes blocks of a run, one after the other; none where it has nothing to say.
type PagePart func(p *RunPage) []doc.Block

// Outcome names an outcome of units: a part of the bar.
type Outcome struct {
	Part  string // of [scoring.Breakdown]
	Look  string // right, wrong, tie, first, last or none
	Words string
	Show  string // the filter that takes the items of this outcome
}

// Tile names one of the main metrics of a run.
type Tile struct {
	Metric, Mode string
	Name         string                         // in plain words
	Label        func(r *scoring.Report) string // the name in a row of its own; nil: Name
	About        string                         // which values are good
	Folded       bool                           // it has no card
	Note         func(r *scoring.Report) string // replaces About; nil: nothing does
	ShowsCount   bool                           // the number of items replaces About
	Chance       string                         // with Of: the metric of the chance level; "": none
}

// BoardColumn names a metric that a board shows beside the headline.
type BoardColumn struct {
	Metric, Mode string
	Name         string // "": the metric's
	Kind         doc.ColumnKind
	In           doc.Surface
}

// BiasPlot names a bias that the headline is plotted against.
type BiasPlot struct {
	Title, About string
	Words        string // of the axis
	Metric       string
	Zero         float64 // the value of a judge without the bias
	ZeroWords    string
	Zone         float64 // the threshold above which the bias decides
	ZoneWords    string
}

// over returns the bracket over the bar of a run; nil if no unit is in one of its parts.
func (x Bracket) over(r *scoring.Report) *doc.Bracket {
	b := r.BreakdownOf(scoring.Overall)
	out := &doc.Bracket{Bold: x.Bold, Beyond: x.Beyond}
	for _, part := range x.Parts {
		if n := b.Count(part); n > 0 {
			out.N += n
			out.To++
		}
	}
	if out.N == 0 {
		return nil
	}
	e, ok := r.Overall(x.Metric).Against(0)
	right := b.Count(x.Parts[0])
	units := right + b.Count(x.Parts[1])
	if x.Metric == "" && units > 0 {
		e = scoring.ShareOf("", float64(right), float64(units), 0)
		ok = true
	}
	if ok {
		out.Words = fmt.Sprintf("right on %s of %d%s", e, e.N, x.Chance)
	}
	out.BeyondSize = b.N - out.N
	return out
}

var layouts sync.Map // by the name of the protocol

// Register sets how runs of a protocol are laid out. It fills in the words of tiles from their metrics, and look and
// filter of ends from the names of their parts.
func Register(protocol string, l *Layout) {
	l.Noun = cmp.Or(l.Noun, plain.Noun)
	l.Item = cmp.Or(l.Item, plain.Item)
	for i := range l.Outcomes {
		end := &l.Outcomes[i]
		end.Look = cmp.Or(end.Look, end.Part)
		end.Show = cmp.Or(end.Show, end.Part)
	}
	for i := range l.Tiles {
		tile := &l.Tiles[i]
		term, _ := scoring.MetricOf(protocol, tile.Metric)
		tile.Name = cmp.Or(tile.Name, term.Label)
		tile.About = cmp.Or(tile.About, string(term.Best))
	}
	layouts.Store(protocol, l)
}

// notice returns what to know of the goal of a run.
func notice(p *RunPage) []doc.Block {
	code, ok := layoutOf(p.Protocol).Notices[p.Goal]
	if !ok {
		return nil
	}
	return []doc.Block{{ID: "notice", In: doc.Page, Notes: []doc.Note{doc.Say(code)}}}
}

// layoutOf a protocol. Results of one that nobody registered are listed.
func layoutOf(protocol string) *Layout {
	if l, ok := layouts.Load(protocol); ok {
		return l.(*Layout)
	}
	return plain
}

var plain = &Layout{Noun: "judgments", Item: "item"}

// Headline returns the main result of a run, of several modes the first; nil where there is none.
func Headline(r *scoring.Report) *scoring.Result {
	l := layoutOf(r.Protocol)
	metric := l.Headline
	if l.Unlabelled != "" && r.Overall(metric).Value == nil {
		metric = l.Unlabelled
	}
	for i := range r.Results {
		if x := &r.Results[i]; (x.Metric == metric || metric == "") && x.Group == scoring.Overall &&
			x.Mode != scoring.ModeDifference {
			return x
		}
	}
	return nil
}

func (c BoardColumn) value(r *scoring.Report) scoring.Result {
	return r.Result(c.Metric, scoring.Overall, c.Mode)
}

// count returns the number of items behind a tile's number, and the chance level of it.
func (t Tile) count(r *scoring.Report, x scoring.Result) string {
	text := "of " + table.Count(x.N, layoutOf(r.Protocol).Item)
	chance := r.Overall(t.Chance)
	switch {
	case chance.Value == nil:
	case chance.Unit == "":
		text += "; by chance " + scoring.Percentage(*chance.Value)
	default:
		text += fmt.Sprintf("; by chance %.2f", *chance.Value)
	}
	return text
}

// NoVerdictTile shows the share of judgments without a verdict.
var NoVerdictTile = Tile{Metric: scoring.WithoutVerdict, Name: "without a verdict", About: string(scoring.Lower)}

// AgreementWithPeople names the score of a judge whose answers are preferences.
const AgreementWithPeople = "agreement with people"

// label returns the name of the tile in a row of its own.
func (t Tile) label(r *scoring.Report) string {
	if t.Label != nil {
		return t.Label(r)
	}
	return t.Name
}

// value returns the tile's number of a run.
func (t Tile) value(r *scoring.Report) scoring.Result {
	if t.Metric == scoring.WithoutVerdict {
		return r.MissingShare()
	}
	return r.Result(t.Metric, scoring.Overall, t.Mode)
}

// SameLayout reports whether two protocols share a layout.
func SameLayout(a, b string) bool { return layoutOf(a) == layoutOf(b) }
