package report

import (
	"cmp"
	"strings"

	"gavel/internal/doc"
	"gavel/internal/jury"
	"gavel/scoring"
)

// Run holds the results of a run and its settings, as its page shows them.
type Run struct {
	scoring.Report
	Metadata []scoring.Metadatum // of its manifest
	Name     string              // among the runs of a page
	Jury     *jury.Jury          // what a jury is worth; nil of another run, or where its members are not at hand
	Sway     *scoring.Sway       // what sways the judge; nil where nobody can tell
}

// RunPage holds the results of a run with their surroundings: links, other judges, the opposite run. The blocks of its
// page, report and text are made from it.
type RunPage struct {
	Run
	BoardRef doc.Ref              // the leaderboard
	Lists    []doc.Block          // the items that one looks at first
	Others   []Other              // judges of the same items
	Twin     *Twin                // nil: there is none
	Command  string               // that makes the run
	Prompt   string               // its text
	Prefix   string               // of the ids of its elements, where several runs are on a page
	Link     func(doc.Ref) string // the address of what the page refers to; nil where it has none
	Shown    map[string]bool      // the terms that the page explains already

	juryAlone string // the answer of a jury, as of any judge
}

// Other holds the headline of another judge of the same items.
type Other struct {
	Name      string
	Level     scoring.Level
	Reference bool    // its replies were published
	Value     float64 // of the headline
}

// Twin holds the run of the same judge over the same items with the opposite goal.
type Twin struct {
	Report              *scoring.Report
	Run                 string
	*scoring.Comparison // of the better or best, then of the worse or worst; nil where they cannot be compared
}

// Judge returns the name of the judge: the one that was given, else that of the model without its path.
func (p *RunPage) Judge() string { return cmp.Or(p.Name, p.Report.Judge()) }

// Metadatum returns a setting of the run by its name, the last of several; "" if there is none.
func (p *RunPage) Metadatum(name string) (value string) {
	for _, m := range p.Metadata {
		if m.Name == name {
			value = m.Value
		}
	}
	return value
}

// ItemsOf returns a reference to the items of a group that a filter takes.
func (p *RunPage) ItemsOf(show, group string) doc.Ref {
	if group == scoring.Overall {
		group = ""
	}
	return doc.Ref{Runs: []string{p.Run.Run}, Show: show, Group: group}
}

// diagnosed returns the level of a run's judge, "" without a diagnosis.
func diagnosed(r *scoring.Report) scoring.Level {
	if r.Diagnosis == nil {
		return ""
	}
	return r.Diagnosis.Level
}

func isJury(model string) bool {
	_, _, ok := scoring.JuryOf(model)
	return ok
}

// TakeJury makes the page that of a jury: its answer becomes that of the jury.
func (p *RunPage) TakeJury(j *jury.Jury) {
	p.Jury = j
	p.juryAlone = strings.TrimSpace(p.Says + " " + p.Also)
	p.Says = j.Says
	p.Also = j.Also
}
