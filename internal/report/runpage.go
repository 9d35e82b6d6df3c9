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
	Metadata []scoring.Metadatum   // of its manifest
	Name     string                // of the judge, among the runs of a page
	Jury     *jury.Jury            // the gain of a jury; nil for another run, or if a member is missing
	Sway     *scoring.BiasAnalysis // the biases of the judge; nil if they are unknown
}

// RunPage holds the results of a run with their surroundings: links, other judges, the opposite run. The blocks of its
// page, report and text are made from it.
type RunPage struct {
	Run
	BoardRef    doc.Ref              // the leaderboard
	ItemLists   []doc.Block          // the items to look at first
	OtherJudges []OtherJudge         // judges of the same items
	Opposite    *OppositeRun         // nil if there is none
	Command     string               // makes the run
	Prompt      string               // its text
	Prefix      string               // of the ids of its elements, where a page has several runs
	Link        func(doc.Ref) string // returns the address of a reference; nil where the page has no links
	Shown       map[string]bool      // the terms that the page explains already

	juryAlone string // the answer on a jury as one judge, without its members
}

// OtherJudge holds the headline of another judge of the same items.
type OtherJudge struct {
	Name      string
	Level     scoring.Level
	Reference bool    // its replies were published
	Value     float64 // of the headline
}

// OppositeRun holds the run of the same judge over the same items with the opposite goal.
type OppositeRun struct {
	Report              *scoring.Report
	Run                 string
	*scoring.Comparison // of the better or best, then of the worse or worst; nil where they cannot be compared
}

// Judge returns the name of the judge: Name, or else that of its report.
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

// SetJury makes the page that of a jury: its answer becomes that of the jury.
func (p *RunPage) SetJury(j *jury.Jury) {
	p.Jury = j
	p.juryAlone = strings.TrimSpace(p.Says + " " + p.Also)
	p.Says = j.Says
	p.Also = j.Also
}
