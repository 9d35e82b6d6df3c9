package report

import (
	"cmp"
	"slices"
	"sync"

	"gavel/internal/report/table"
	"gavel/scoring"
)

// Layout is how runs of a protocol are laid out. Protocols that share one are laid out together.
type Layout struct {
	// the metric that stands for a run; "": its first
	Headline string
	// the metric that stands for a run whose items have no label, and what to say then; "": the same
	Unlabelled, Steady string
	Noun               string                                  // what one record is, in the plural
	Item               string                                  // what is scored; "": item
	Question           string                                  // that a run asks; "": which is the goal
	Summary            func(runs []scoring.Report) table.Table // several runs; nil: their results are listed
	Tables             func(r scoring.Report) []table.Table    // one run, the headlines first; nil: its results are listed
	// what a person sees beneath the first numbers of a run; nil: nothing
	Beneath func(r scoring.Report) table.Table
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
	// joins the first parts of the bar; nil: nothing does
	Bracket func(r *scoring.Report) *Bracket
	// a metric that stands beside the headline by category, and what its column is called
	Beside, BesideWords string
	// a metric that the headline is held against by category, drawn as a diamond, and what that is
	Held, HeldWords string
	// its metrics, in words
	Terms []scoring.Term
	// the numbers that a picture draws; nil: what units come to, and the headline by category
	Values func(p *RunPage) []NamedValue
	// the page of a run, from top to bottom; nil: [parts]
	Parts []PagePart
	// what to know before a run is believed, beside its warnings; nil: how the headline differs by category
	Caveats func(p *RunPage) []string
	// what a board of judges shows beside the headline
	Board []BoardColumn
	// the same as a page draws it; nil: as numbers
	BoardCells []BoardCell
	// what a leaderboard draws the headline against; nil: nothing
	Against *Against
}

// NamedValue is a number as a chart has it.
type NamedValue struct {
	Name, Count string
	Result      scoring.Result
	Sign, Look  string
}

var layouts sync.Map // by the name of the protocol

// Register says how runs of a protocol are laid out. A tile without words has those of its metric.
func Register(protocol string, l *Layout) {
	for i := range l.Tiles {
		tile := &l.Tiles[i]
		term, _ := scoring.TermIn(l.Terms, tile.Metric)
		tile.Name = cmp.Or(tile.Name, term.Name)
		tile.About = cmp.Or(tile.About, string(term.Best))
	}
	if l.Summary == nil {
		l.Summary = listOf
	}
	if l.Tables == nil {
		l.Tables = listed
	}
	layouts.Store(protocol, l)
}

// item is what is scored.
func (l *Layout) item() string { return cmp.Or(l.Item, "item") }

// layoutOf a protocol. Results of one that nobody registered are listed.
func layoutOf(protocol string) *Layout {
	if l, ok := layouts.Load(protocol); ok {
		return l.(*Layout)
	}
	return plain
}

var plain = &Layout{Noun: "judgments", Summary: listOf, Tables: listed}

// Terms are the metrics of a protocol, in words.
func Terms(protocol string) []scoring.Term { return layoutOf(protocol).Terms }

// explained is a table whose heads are explained by the terms of a protocol.
func explained(t table.Table, protocol string) table.Table {
	t.Terms = Terms(protocol)
	return t
}

// Headline is the number that stands for a run, of several modes the first; nil where there is none.
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

// listOf lists what several runs come to.
func listOf(runs []scoring.Report) table.Table {
	t := table.Table{
		Title:   table.Count(len(runs), "run") + " (95 % intervals)",
		Columns: table.Left("model", "protocol", "prompt", "dataset", "metric", "mode").Right("value", "n"),
	}
	for _, r := range runs {
		for _, x := range r.Results {
			if x.Group == scoring.Overall {
				t.Row(
					r.Model, r.Protocol, Prompt(r), r.Dataset, x.Metric, x.Mode, table.Whole(x), x.Count(),
				)
			}
		}
	}
	return t
}

// listed is a row for each result of a run.
func listed(r scoring.Report) []table.Table {
	t := table.Table{
		Title:   Heading(r, false),
		Columns: table.Left("metric", "group", "mode").Right("value", "n"),
	}
	var said table.Remarks
	for _, x := range r.Results {
		t.Row(x.Metric, x.Group, x.Mode, table.Whole(x), x.Count())
		said.Add(x.Metric, x.Note)
	}
	t.Notes = slices.Concat([]string{"judgments: " + Outcomes(r), BootstrapNote(r)}, said.Lines(),
		table.Warned(r.Warnings))
	return []table.Table{t}
}
