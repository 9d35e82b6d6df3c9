package suite

import (
	"gavel/internal/report"
	"gavel/scoring"
)

// Results scores every run of the suite that has started, and ranks the judges under each condition.
func (s *Suite) Results() (*report.SuiteRanking, error) {
	return report.NewRanking(s.summary(), s.Out, func(run string) (*scoring.Run, error) {
		return scoring.Load(run, scoring.DefaultOptions.Reading)
	})
}

// summary returns the description of the suite that is stored in its folder.
func (s *Suite) summary() *scoring.SuiteMatrix {
	out := &scoring.SuiteMatrix{Name: s.Name, FileText: s.Text, Shard: s.shard, Study: s.studyName}
	if s.shard != "" {
		out.Path = s.path
	}
	for _, j := range s.judges {
		out.Judges = append(out.Judges, j.name)
	}
	for _, c := range s.conditions {
		out.Conditions = append(out.Conditions, c.SuiteCondition)
	}
	for _, c := range s.Cells {
		out.Cells = append(out.Cells, scoring.SuiteCell{Judge: c.judge.name, Condition: c.condition.Name, Run: c.name})
	}
	return out
}
