package report

import (
	"cmp"
	"fmt"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"gavel/internal/doc"
	"gavel/internal/phrases"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// Layout says how runs of a protocol are laid out. Protocols that share one are laid out together.
type Layout struct {
	Headline       string `yaml:"headline"`        // the main metric; "": the first
	Unlabelled     string `yaml:"unlabelled"`      // the main metric of a run whose items have no label; "": Headline
	UnlabelledNote string `yaml:"unlabelled-note"` // what to say of a board by Unlabelled
	Noun           string `yaml:"noun"`            // one record, in the plural; "": judgments
	Item           string `yaml:"item"`            // one unit; "": item
	Question       string `yaml:"question"`        // the question of a run; "": which is the goal
	Manner         string `yaml:"manner"`          // how the question is asked, in words after the question
	// the words in names of runs for settings, by the beginning of the setting
	Words map[string]string `yaml:"words"`
	// what to say of a run with a certain goal, such as the reversed one: codes of phrases by the goal
	Notices map[string]string `yaml:"notices"`
	// the outcomes of units, in the order of the bar
	Outcomes []Outcome `yaml:"outcomes"`
	BarNote  string    `yaml:"bar-note"` // words beside the title of the bar; "": RunManner
	Bracket  Bracket   `yaml:"bracket"`  // joins the first parts of the bar; the zero value: nothing does
	// the main metrics of a run, the first first
	Tiles []Tile `yaml:"tiles"`
	// the table of a page by group; the zero value: the headline by category
	Grouping Grouping `yaml:"grouping"`
	// what a board of judges shows beside the headline; a narrow terminal leaves out all but the first
	BoardColumns []BoardColumn `yaml:"board-columns"`
	// the bias that a leaderboard plots the headline against; the zero value: none
	BiasPlot BiasPlot `yaml:"bias-plot"`

	LayoutFuncs `yaml:"-"`
}

// LayoutFuncs holds the functions of a layout.
type LayoutFuncs struct {
	// returns the manner of a run, where runs differ in it; nil: Manner
	RunManner func(r *scoring.Report) string
	// returns further notes on the comparison of two runs; nil: none
	ComparisonNotes func(c *scoring.Comparison) []string
	// returns what to know before a run is believed, beside its warnings; nil: how the headline differs by category
	Caveats func(p *RunPage) []string
	// the blocks of a run's page below its cards, beside those of every page
	Blocks []PagePart
	// the whole page of a run, from top to bottom; nil: the usual one
	Parts []PagePart
	// what several judges of the same items show; nil: nothing
	Across func(judges []BoardRow) *Across
}

// ReadLayout reads the layout.yaml of a protocol. It panics if that is wrong, because it is a part of the program.
func ReadLayout(text string, functions LayoutFuncs) *Layout {
	l := &Layout{LayoutFuncs: functions}
	d := yaml.NewDecoder(strings.NewReader(text))
	d.KnownFields(true)
	err := d.Decode(l)
	if err != nil {
		panic("layout.yaml: " + err.Error())
	}
	return l
}

// Grouping says how a page of a run breaks a metric down by group of items.
type Grouping struct {
	First          string   `yaml:"first"`           // heading of the names of groups; "": category
	Title          string   `yaml:"title"`           // "": By category
	Metrics        []string `yaml:"metrics"`         // the first of these with a value is shown; nil: the headline
	Reference      string   `yaml:"reference"`       // a metric to compare with, drawn as a diamond; *: the one shown
	ReferenceWords string   `yaml:"reference-words"` // explain the diamond
	Extra          string   `yaml:"extra"`           // a metric in a further column
}

// Bracket joins the first parts of a bar: the usable verdicts.
type Bracket struct {
	Parts  []string `yaml:"parts"`  // the joined parts: right, wrong, and others without a label
	Metric string   `yaml:"metric"` // the share of these that is right; "": counted from the parts
	Bold   string   `yaml:"bold"`   // words for the joined parts
	Beyond string   `yaml:"beyond"` // words for the others
	Chance string   `yaml:"chance"` // words for the share of a random judge
}

// PagePart makes blocks of a run, one after the other; none where it has nothing to say.
type PagePart func(p *RunPage) []doc.Block

// Outcome names an outcome of units: a part of the bar.
type Outcome struct {
	Part  string `yaml:"part"`  // of [scoring.Breakdown]
	Look  string `yaml:"look"`  // right, wrong, tie, first, last or none; "": Part
	Words string `yaml:"words"` // in the legend of the bar
	Show  string `yaml:"show"`  // the filter that takes the items of this outcome; "": Part
}

// Tile names one of the main metrics of a run.
type Tile struct {
	Metric     string `yaml:"metric"`
	Mode       string `yaml:"mode"`
	Name       string `yaml:"name"`        // in plain words; "": the metric's label
	About      string `yaml:"about"`       // which values are good; "": as the metric says
	Folded     bool   `yaml:"folded"`      // it has no card
	ShowsCount bool   `yaml:"shows-count"` // the number of items replaces About
	Chance     string `yaml:"chance"`      // the metric of the chance level, after the number of items; "": none
	Among      string `yaml:"among"`       // a metric of all items: the card says how many of these count, before About
}

// BoardColumn names a metric that a board shows beside the headline.
type BoardColumn struct {
	Metric   string `yaml:"metric"`
	Mode     string `yaml:"mode"`
	Name     string `yaml:"name"`      // "": the metric's label
	ShowsN   bool   `yaml:"shows-n"`   // after each value
	TextOnly bool   `yaml:"text-only"` // pages leave it out
}

// BiasPlot names a bias that the headline is plotted against. Its metric is a share, and 50 % is no bias.
type BiasPlot struct {
	Metric    string `yaml:"metric"`
	Title     string `yaml:"title"`
	About     string `yaml:"about"`
	Words     string `yaml:"words"`      // of the axis
	ZeroWords string `yaml:"zero-words"` // at 50 %
	ZoneWords string `yaml:"zone-words"` // where the bias decides: from [scoring.MostByPlace]
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
		out.Words = phrases.Say("run.bracket", e, e.N, x.Chance)
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

// note returns what a card says below the tile's number.
func (t Tile) note(r *scoring.Report, x scoring.Result) string {
	item := layoutOf(r.Protocol).Item
	text := "of " + table.Count(x.N, item)
	chance := r.Overall(t.Chance)
	switch {
	case t.Among != "":
		return fmt.Sprintf("on %d of %d %ss; %s", x.N, r.Overall(t.Among).N, item, t.About)
	case !t.ShowsCount:
		return t.About
	case chance.Value == nil:
		return text
	case chance.Unit == "":
		return text + "; by chance " + scoring.Percentage(*chance.Value)
	}
	return text + fmt.Sprintf("; by chance %.2f", *chance.Value)
}

// agreementWithPeople names the score of a judge whose answers are preferences.
const agreementWithPeople = "agreement with people"

// value returns the tile's number of a run.
func (t Tile) value(r *scoring.Report) scoring.Result {
	if t.Metric == scoring.WithoutVerdict {
		return r.MissingShare()
	}
	return r.Result(t.Metric, scoring.Overall, t.Mode)
}

// SameLayout reports whether two protocols share a layout.
func SameLayout(a, b string) bool { return layoutOf(a) == layoutOf(b) }
