package report

import (
	"cmp"
	"strings"

	"gavel/internal/doc"
	"gavel/internal/jury"
	"gavel/scoring"
)

// Run holds the results of a run, with what its page shows besides the report.
type Run struct {
	scoring.Report
	Metadata     []scoring.Metadatum   // settings of the run, from its manifest
	Name         string                // name of the judge, different for each run of a page; "" for that of the report
	Jury         *jury.Jury            // a jury compared with its members; nil for other runs, or if a member is missing
	BiasAnalysis *scoring.BiasAnalysis // biases of the judge; nil if they are unknown
}

// RunPage holds the results of a run with links, other judges and the opposite run. The blocks of the run's page,
// report and text are made from it.
type RunPage struct {
	Run
	BoardRef     doc.Ref              // link to the leaderboard that ranks the judge
	ItemLists    []doc.Block          // lists of the items to read first
	OtherJudges  []OtherJudge         // other judges of the same items
	Opposite     *OppositeGoalRun     // the judge's run with the opposite goal; nil if there is none
	Command      string               // command line that makes the run
	Prompt       string               // text of the run's prompt
	Prefix       string               // prefix of the ids of HTML elements, if a page has several runs
	Link         func(doc.Ref) string // returns the address of a reference; nil if the page has no links
	DefinedTerms map[string]bool      // ids of terms whose definitions the page has already

	answerWithoutMembers string // of a jury: the answer about it as a judge, without its members
}

// OtherJudge holds the headline score of another judge of the same items.
type OtherJudge struct {
	Name        string
	Level       scoring.UsabilityLevel
	IsPublished bool    // its replies are published ones
	Value       float64 // the headline score
}

// OppositeGoalRun holds the run of the same judge over the same items with the opposite goal.
type OppositeGoalRun struct {
	Report              *scoring.Report
	Run                 string
	*scoring.Comparison // of the run for better or best with that for worse or worst; nil if they cannot be compared
}

// Judge returns the name of the judge: Name, or else the name in the report.
func (p *RunPage) Judge() string { return cmp.Or(p.Name, p.Report.Judge()) }

// Metadatum returns the value of a setting of the run by its name, the last if there are several; "" if there is none.
func (p *RunPage) Metadatum(name string) (value string) {
	for _, m := range p.Metadata {
		if m.Name == name {
			value = m.Value
		}
	}
	return value
}

// ItemsOf returns a reference to the run's items that match a filter (show) and belong to a group.
func (p *RunPage) ItemsOf(show, group string) doc.Ref {
	if group == scoring.Overall {
		group = ""
	}
	return doc.Ref{Runs: []string{p.Run.Run}, Filter: show, ItemGroup: group}
}

// diagnosisLevel returns the level of a run's judge, such as strong; "" if the run has no diagnosis.
func diagnosisLevel(r *scoring.Report) scoring.UsabilityLevel {
	if r.Diagnosis == nil {
		return ""
	}
	return r.Diagnosis.Level
}

// isJury reports whether a model's name is that of a jury.
func isJury(model string) bool {
	_, _, ok := scoring.SplitJuryName(model)
	return ok
}

// SetJury makes the page that of a jury: the page's answer becomes the one about the jury and its members.
func (p *RunPage) SetJury(j *jury.Jury) {
	p.Jury = j
	p.answerWithoutMembers = strings.TrimSpace(p.Says + " " + p.Also)
	p.Says = j.Says
	p.Also = j.Also
}
