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
	// the metric that stands for a run; "": its first
	Headline string
	// the metric that stands for a run whose items have no label, and what to say then; "": the same
	Unlabelled, Steady string
	Noun               string // what one record is, in the plural; "": judgments
	Item               string // what is scored; "": item
	Question           string // that a run asks; "": which is the goal
	// what else there is to say of two runs; nil: nothing
	Compared func(c *scoring.Comparison) []string
	// settings that names of runs say in these words
	Words map[string]string
	// the numbers of a run that are shown first
	Tiles []Tile
	// in which way it asks it, after the question
	How string
	// the same of a run, where runs differ in it; nil: How
	Ways func(r *scoring.Report) string
	// what units come to, in the order of the bar
	Ends []End
	// what else to know of the bar; "": the way in which the run asks
	Became string
	// joins the first parts of the bar; the zero value: nothing does
	Bracket Bracket
	// what a page has by group; the zero value: the headline by category
	By Grouping
	// the page of a run, from top to bottom; nil: [runParts]
	Parts []PagePart
	// what to know before a run is believed, beside its warnings; nil: how the headline differs by category
	Caveats func(p *RunPage) []string
	// what a board of judges shows beside the headline
	BoardColumns []BoardColumn
	// what a leaderboard draws the headline against; nil: nothing
	Against *Against
}

// Grouping says how a page of a run breaks a metric down by group of items.
type Grouping struct {
	First, Title    string   // of its table; "": by category
	Metrics         []string // the first of these with a value is shown; nil: the headline
	Held, HeldWords string   // a metric to compare with, drawn as a diamond, and its words, with * for its label
	Extra           string   // a metric in a further column
}

// Bracket joins the first parts of a bar, whose verdicts are worth keeping.
type Bracket struct {
	Parts        []string // that are joined: right, wrong, and others of which this is not known
	Metric       string   // the share of these that is right; "": counted from the parts
	Bold, Beyond string   // what to say of these, and of the others
	Chance       string   // what to say of a random judge's share
}

// PagePart makes blocks of a run, one after the other; none where it has nothing to say.
type PagePart func(p *RunPage) []doc.Block

// End is an outcome of units: a part of the bar.
type End struct {
	Part  string // of [scoring.Breakdown]
	Look  string // right, wrong, tie, first, last or none
	Words string
	Show  string // the filter of items that takes these
}

// Tile names one of the main metrics of a run.
type Tile struct {
	Metric, Mode string
	Name         string                         // in plain words
	Label        func(r *scoring.Report) string // in a row of its own; nil: the name
	About        string                         // what is good
	Folded       bool                           // no card
	Note         func(r *scoring.Report) string // said in place of About; nil: nothing
	Of           bool                           // in place of About: the number of items
	Chance       string                         // with Of: the metric of chance; "": none
}

// BoardColumn names a metric that a board shows beside the headline.
type BoardColumn struct {
	doc.Column
	Metric, Mode string
}

// Against names a bias that the headline is plotted against.
type Against struct {
	Title, About string
	Words        string // of its axis
	Metric       string
	Zero         float64 // of a judge without the bias
	ZeroWords    string
	Zone         float64 // from which on the bias decides
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
	e, ok := r.Overall(x.Metric).Held(0)
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
	for i := range l.Ends {
		end := &l.Ends[i]
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

// Notice returns the part of a page that has a phrase where runs have a goal, such as the reversed one.
func Notice(goal, phrase string) PagePart {
	return func(p *RunPage) []doc.Block {
		if p.Goal != goal {
			return nil
		}
		return []doc.Block{{ID: "notice", In: doc.Page, Notes: []doc.Note{doc.Say(phrase)}}}
	}
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

// Verdictless shows the share of judgments without a verdict.
var Verdictless = Tile{Metric: scoring.WithoutVerdict, Name: "without a verdict", About: string(scoring.Lower)}

// WithPeople names the score of a judge whose answers are preferences.
const WithPeople = "agreement with people"

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
		return r.Verdictless()
	}
	return r.Result(t.Metric, scoring.Overall, t.Mode)
}

// SameLayout tells whether runs of two protocols are laid out together.
func SameLayout(a, b string) bool { return layoutOf(a) == layoutOf(b) }
