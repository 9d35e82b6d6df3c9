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

// Layout holds how the results of a protocol are shown: its layout.yaml. Protocols with the same layout are shown
// together.
type Layout struct {
	Headline           string `yaml:"headline"`        // key of the main metric; "" for the first of the results
	UnlabelledHeadline string `yaml:"unlabelled"`      // key of the main metric of runs without labels; "": Headline
	UnlabelledNote     string `yaml:"unlabelled-note"` // note on boards that rank by Unlabelled
	Noun               string `yaml:"noun"`            // word for judgments, in the plural; "": judgments
	ItemNoun           string `yaml:"item"`            // word for what is judged; "": item
	RunQuestion        string `yaml:"question"`        // question that a run asks; "": which is, and the goal
	QuestionSuffix     string `yaml:"manner"`          // words after the question on how it is asked: ", in both orders"
	// words for settings in the names of runs, by the beginning of the setting
	SettingWords map[string]string `yaml:"words"`
	// notes on runs with a certain goal, such as worse: codes of phrases, by goal
	GoalNotices map[string]string `yaml:"notices"`
	// outcomes of items, in the order of the bar that shows them
	Outcomes     []Outcome      `yaml:"outcomes"`
	BarTitleNote string         `yaml:"bar-note"` // words beside the title of that bar; "": TitleSuffixOfRun
	Bracket      OutcomeBracket `yaml:"bracket"`  // marks the first parts of that bar; the zero value marks none
	// main metrics of a run, the most important first
	Tiles []Tile `yaml:"tiles"`
	// table of a page by group; the zero value: the headline by category
	Grouping Grouping `yaml:"grouping"`
	// metrics that a board shows beside the headline; a narrow terminal shows the first alone
	BoardColumns []BoardColumn `yaml:"board-columns"`
	// bias against which a leaderboard plots the headline; the zero value: none
	BiasPlot BiasPlot `yaml:"bias-plot"`

	LayoutFuncs `yaml:"-"`
}

// LayoutFuncs holds the part of a layout that is code.
type LayoutFuncs struct {
	// returns Manner for a run, if it differs between runs of the protocol; nil: always Manner
	TitleSuffixOfRun func(r *scoring.Report) string
	// returns further notes on the comparison of two runs; nil for none
	ComparisonNotes func(c *scoring.Comparison) []string
	// returns what to know before trusting a run, besides its warnings; nil: how the headline differs by category
	Caveats func(p *RunPage) []string
	// blocks of a run's page below its cards, besides those of every protocol
	Blocks []BlocksFunc
	// all blocks of a run's page, from top to bottom; nil for the usual ones
	PageParts []BlocksFunc
	// analyses several judges of the same items together; nil for no such analysis
	AnalyzeAcross func(judges []BoardRow) *Across
}

// ReadLayout returns the layout in the text of a layout.yaml, with its functions. It panics if the text is wrong, since
// it is part of the program.
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

// Grouping describes the table on a run's page that shows a metric by group of items.
type Grouping struct {
	GroupHeading    string   `yaml:"first"`           // heading of the names of groups; "": category
	Title           string   `yaml:"title"`           // title of the table; "": By category
	Metrics         []string `yaml:"metrics"`         // the table shows the first of these with a value; nil: the headline
	ReferenceMetric string   `yaml:"reference"`       // metric to compare with, drawn as a diamond; *: the metric shown
	ReferenceWords  string   `yaml:"reference-words"` // explanation of the diamond
	ExtraMetric     string   `yaml:"extra"`           // metric of a further column; "" for none
}

// OutcomeBracket describes the bracket below the bar of outcomes, which marks the usable verdicts.
type OutcomeBracket struct {
	Parts       []string `yaml:"parts"`  // outcomes that it marks: right and wrong, and others of items without a label
	Metric      string   `yaml:"metric"` // share of these that is right; "": counted from the first two parts
	MarkedWords string   `yaml:"bold"`   // words for the marked part of the bar
	RestWords   string   `yaml:"beyond"` // words for the rest of the bar
	ChanceWords string   `yaml:"chance"` // words for the share that a random judge gets right
}

// BlocksFunc makes blocks of a run's page, which stand one below the other; none if the run has nothing to show in
// them.
type BlocksFunc func(p *RunPage) []doc.Block

// Outcome describes one outcome of items: a part of the bar of outcomes.
type Outcome struct {
	Name   string `yaml:"part"`  // name of the outcome in [scoring.Breakdown]
	Look   string `yaml:"look"`  // CSS class: right, wrong, tie, first, last or none; "": Part
	Words  string `yaml:"words"` // name in the legend of the bar
	Filter string `yaml:"show"`  // name of the filter for items with this outcome; "": Part
}

// Tile describes one of the main metrics of a run, which a page shows as a card.
type Tile struct {
	Metric         string `yaml:"metric"`
	Mode           string `yaml:"mode"`
	Name           string `yaml:"name"`        // title of the card; "": the metric's label
	GoodValuesNote string `yaml:"about"`       // which values are good; "": as the metric's definition says
	Folded         bool   `yaml:"folded"`      // pages show no card of it
	ShowsCount     bool   `yaml:"shows-count"` // the card gives the number of items in place of About
	ChanceMetric   string `yaml:"chance"`      // metric with the chance level, shown after the number of items; "": none
	OverallMetric  string `yaml:"among"`       // metric over all items: the card says how many of them the tile covers
}

// BoardColumn describes a metric that a board shows beside the headline.
type BoardColumn struct {
	Metric   string `yaml:"metric"`
	Mode     string `yaml:"mode"`
	Name     string `yaml:"name"`      // heading; "": the metric's label
	ShowsN   bool   `yaml:"shows-n"`   // each value is followed by its number of items
	TextOnly bool   `yaml:"text-only"` // pages leave it out
}

// BiasPlot describes the chart of a leaderboard that plots the headline against a bias. The bias is a share; 50 % means
// none.
type BiasPlot struct {
	Metric    string `yaml:"metric"`
	Title     string `yaml:"title"`
	About     string `yaml:"about"`
	AxisLabel string `yaml:"words"`      // label of the bias's axis
	HalfLabel string `yaml:"zero-words"` // label at 50 %
	ZoneWords string `yaml:"zone-words"` // label of the zone where bias decides, from [scoring.MaxOnePositionPercent] % on
}

// barBracket returns the bracket for the bar of a run's outcomes; nil if no item has a marked outcome.
func (x OutcomeBracket) barBracket(r *scoring.Report) *doc.Bracket {
	b := r.BreakdownOf(scoring.Overall)
	out := &doc.Bracket{BoldWords: x.MarkedWords, Beyond: x.RestWords}
	for _, part := range x.Parts {
		if n := b.Count(part); n > 0 {
			out.N += n
			out.To++
		}
	}
	if out.N == 0 {
		return nil
	}
	e, ok := r.Overall(x.Metric).CompareWithThreshold(0)
	right := b.Count(x.Parts[0])
	units := right + b.Count(x.Parts[1])
	if x.Metric == "" && units > 0 {
		e = scoring.ShareEvidence("", float64(right), float64(units), 0)
		ok = true
	}
	if ok {
		out.Words = phrases.Sentence("run.bracket", e, e.N, x.ChanceWords)
	}
	out.OutsideCount = b.N - out.N
	return out
}

// layouts maps the names of protocols to their layouts.
var layouts sync.Map

// Register sets the layout of a protocol. It fills in missing names of tiles from their metrics, and missing classes
// and filters of outcomes from the names of their parts.
func Register(protocol string, l *Layout) {
	l.Noun = cmp.Or(l.Noun, defaultLayout.Noun)
	l.ItemNoun = cmp.Or(l.ItemNoun, defaultLayout.ItemNoun)
	for i := range l.Outcomes {
		end := &l.Outcomes[i]
		end.Look = cmp.Or(end.Look, end.Name)
		end.Filter = cmp.Or(end.Filter, end.Name)
	}
	for i := range l.Tiles {
		tile := &l.Tiles[i]
		term, _ := scoring.MetricOf(protocol, tile.Metric)
		tile.Name = cmp.Or(tile.Name, term.Label)
		tile.GoodValuesNote = cmp.Or(tile.GoodValuesNote, string(term.Direction))
	}
	layouts.Store(protocol, l)
}

// noticeBlocks returns a block with the layout's note on the goal of a run, if it has one.
func noticeBlocks(p *RunPage) []doc.Block {
	code, ok := layoutOf(p.Protocol).GoalNotices[p.Goal]
	if !ok {
		return nil
	}
	return []doc.Block{{ID: "notice", Surfaces: doc.SurfacePage, Notes: []doc.Note{doc.PhraseNote(code)}}}
}

// layoutOf returns the layout of a protocol; plain for a protocol without one.
func layoutOf(protocol string) *Layout {
	if l, ok := layouts.Load(protocol); ok {
		return l.(*Layout)
	}
	return defaultLayout
}

// defaultLayout is the layout of protocols that register none: their results are lists.
var defaultLayout = &Layout{Noun: "judgments", ItemNoun: "item"}

// Headline returns the headline score of a run, for the first mode if there are several; nil if the run has none.
func Headline(r *scoring.Report) *scoring.Result {
	l := layoutOf(r.Protocol)
	metric := l.Headline
	if l.UnlabelledHeadline != "" && r.Overall(metric).Value == nil {
		metric = l.UnlabelledHeadline
	}
	return FirstModeResult(r, metric)
}

// FirstModeResult returns the result of a metric, or with "" of any, over all units in the first mode that has it; nil
// for none.
func FirstModeResult(r *scoring.Report, metric string) *scoring.Result {
	for i := range r.Results {
		if x := &r.Results[i]; (x.Metric == metric || metric == "") && x.Group == scoring.Overall &&
			x.Mode != scoring.ModeDifference {
			return x
		}
	}
	return nil
}

// note returns the words below the number x on the tile's card.
func (t Tile) note(r *scoring.Report, x scoring.Result) string {
	item := layoutOf(r.Protocol).ItemNoun
	text := "of " + table.CountWithNoun(x.N, item)
	chance := r.Overall(t.ChanceMetric)
	switch {
	case t.OverallMetric != "":
		return fmt.Sprintf("on %d of %d %ss; %s", x.N, r.Overall(t.OverallMetric).N, item, t.GoodValuesNote)
	case !t.ShowsCount:
		return t.GoodValuesNote
	case chance.Value == nil:
		return text
	case chance.Unit == "":
		return text + "; by chance " + scoring.Percentage(*chance.Value)
	}
	return text + fmt.Sprintf("; by chance %.2f", *chance.Value)
}

// agreementWithPeople names the score of a judge if the labels are people's preferences.
const agreementWithPeople = "agreement with people"

// value returns the score of a run that the tile shows.
func (t Tile) value(r *scoring.Report) scoring.Result {
	if t.Metric == scoring.WithoutVerdictShare {
		return r.MissingShare()
	}
	return r.Result(t.Metric, scoring.Overall, t.Mode)
}

// SameLayout reports whether two protocols have the same layout.
func SameLayout(a, b string) bool { return layoutOf(a) == layoutOf(b) }
