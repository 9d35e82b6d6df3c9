package report

import (
	"fmt"
	"slices"
	"strings"

	"gavel/scoring"
)

// view is how runs of a protocol are laid out.
type view struct {
	summary func(runs []scoring.Report) Table
	run     func(r scoring.Report) []Table
	noun    string // what one record is, in the plural
}

// views are those of protocols that are not of pairs. A new one is a file of
// this package and a line here.
var views = map[string]view{
	"answer":         {answerSummary, answerTables, "answers"},
	"self-reference": {selfReferenceSummary, selfReferenceTables, "judgments"},
	"multi-option":   {multiOptionSummary, multiOptionTables, "judgments"},
}

var pairView = view{pairSummary, pairTables, "games"}

func viewOf(protocol string) view {
	if v, ok := views[protocol]; ok {
		return v
	}
	return pairView
}

// kinds parts runs by how they are laid out, in the order of their first.
func (s Scores) kinds() (parts [][]scoring.Report) {
	place := map[string]int{}
	for _, r := range s.Runs {
		key := r.Protocol
		if _, own := views[key]; !own {
			key = "" // all protocols of pairs are one kind
		}
		i, ok := place[key]
		if !ok {
			i, place[key] = len(parts), len(parts)
			parts = append(parts, nil)
		}
		parts[i] = append(parts[i], r)
	}
	return parts
}

// at finds a result of a mode; its zero value has no metric.
func at(r scoring.Report, metric, group, mode string) scoring.Result {
	i := slices.IndexFunc(r.Results, func(x scoring.Result) bool {
		return x.Metric == metric && x.Group == group && x.Mode == mode
	})
	if i < 0 {
		return scoring.Result{}
	}
	return r.Results[i]
}

// has tells whether a run was made in a mode.
func has(r scoring.Report, mode string) bool {
	return slices.ContainsFunc(r.Results, func(x scoring.Result) bool { return x.Mode == mode })
}

// inUnit writes a value with the decimals of its unit, with its sign where it
// is a difference.
func inUnit(v *float64, unit, mode string, short bool) string {
	if v == nil {
		return "n/a"
	}
	decimals := 2
	switch {
	case unit == scoring.UnitCount:
		decimals = 0
	case unit != "":
		decimals = 4 // as the papers print them
	}
	if short && decimals > 0 {
		decimals-- // the ends of an interval
	}
	format := "%.*f"
	if mode == scoring.ModeDifference && *v > 0 {
		format = "%+.*f"
	}
	return fmt.Sprintf(format, decimals, *v)
}

// plain is a result without its interval.
func plain(x scoring.Result) string { return inUnit(x.Value, x.Unit, x.Mode, false) }

// whole is a result with it.
func whole(x scoring.Result) string {
	if x.Value == nil || x.Low == nil {
		return plain(x)
	}
	return fmt.Sprintf("%s [%s, %s]", plain(x), inUnit(x.Low, x.Unit, x.Mode, true), inUnit(x.High, x.Unit, x.Mode, true))
}

// remarks gathers what numbers remark: one line for all that remark the same.
type remarks struct {
	notes []string
	names map[string][]string
}

func (r *remarks) add(name, note string) {
	if note == "" {
		return
	}
	if r.names == nil {
		r.names = map[string][]string{}
	}
	if r.names[note] == nil {
		r.notes = append(r.notes, note)
	}
	if !slices.Contains(r.names[note], name) {
		r.names[note] = append(r.names[note], name)
	}
}

func (r *remarks) lines() []string {
	lines := make([]string, len(r.notes))
	for i, note := range r.notes {
		lines[i] = strings.Join(r.names[note], ", ") + ": " + note
	}
	return lines
}

// warned are a run's warnings as notes.
func warned(r scoring.Report) []string {
	notes := make([]string, len(r.Warnings))
	for i, w := range r.Warnings {
		notes[i] = "! " + w
	}
	return notes
}

func intervalNote(r scoring.Report) string {
	return fmt.Sprintf("intervals: %g %% bootstrap over %ss, %d rounds, seed %d; replies read by policy %q", 100*r.Bootstrap.Level, r.Bootstrap.Unit, r.Bootstrap.Rounds, r.Bootstrap.Seed, r.Policy)
}
