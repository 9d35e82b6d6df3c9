// Package scoring turns the records of a run's judgments into results: metrics with intervals, tests and warnings. It
// calls no model and changes no file. The same records give the same results, in whatever order they were written.
package scoring

import (
	"strings"

	"gavel/internal/phrases"
	"gavel/judging"
	"gavel/scoring/stats"
)

// Options holds the settings of scoring: how replies are read, how intervals are resampled, and how judgments without a
// verdict count.
type Options struct {
	Reading   judging.Reading
	Bootstrap stats.Bootstrap
	Missing   MissingPolicy // how judgments without a verdict count; see [Run.CountMissing]
}

// DefaultOptions holds the settings with which results.json, the stored results of a run, is computed.
var DefaultOptions = Options{
	Reading:   judging.Reading{Policy: judging.Unique},
	Bootstrap: stats.Default,
	Missing:   MissingWrong,
}

// Score returns the report of the run: every metric over all units and by group, with warnings and a diagnosis of the
// judge. b holds the settings of its intervals.
func (run *Run) Score(b stats.Bootstrap) Report {
	m := run.Manifest
	rep := Report{
		Scoring:    Version,
		ID:         m.ID,
		Protocol:   m.Spec.Protocol,
		Goal:       m.Spec.Goal,
		Question:   questionOf(m),
		Items:      run.Items,
		Unlabelled: run.unlabelled(),
		Expected:   m.Spec.Dataset.Items,
		Outcomes:   map[string]int{},
		Method: Method{
			Reading:   run.reading(),
			Policy:    run.policy(),
			AcceptCut: run.Reading.AcceptCut,
			Origins:   run.Origins(),
			Missing:   run.missing,
			Bootstrap: bootstrapOf(b, run.resampled()),
			Stopped:   m.Stopped,
		},
		Warnings: run.warnings(),
		manifest: m,
		remarks:  run.remarks,
	}
	for _, o := range Outcomes {
		rep.Outcomes[o] = run.Outcomes[judging.Outcome(o)]
	}
	sheet := run.sheet(b.Seed)
	rep.Results = sheet.score(run.resampled(), b)
	if rep.Results == nil {
		rep.Results = []Result{} // an empty list in JSON
	}
	rep.Warnings = append(rep.Warnings, withoutInterval(rep.Results)...)
	if !run.unpaid() {
		rep.PerThousand = perThousand(sheet.right(), run.account.GeneratedTokens)
	}
	rep.Repetitions, rep.Calibration = run.repetitions(sheet, b), run.calibration(b)
	if s, ok := run.scorer.(Partitioner); ok {
		rep.Breakdowns = sheet.breakdowns(s)
	}
	if s, ok := run.scorer.(Extender); ok {
		s.Extend(&rep, sheet, b)
	}
	run.scoreOther(&rep, sheet, b)
	rep.Rules = run.rules(b)
	rep.diagnose(run.scorer)
	return rep
}

// scoreOther adds the headline metrics with the replies read by the other set of rules: as published, or gavel's robust
// ones. Its warnings state the values by both. It does nothing if the run was not loaded by the other rules.
func (run *Run) scoreOther(rep *Report, sheet *Sheet, b stats.Bootstrap) {
	other := run.readings.other
	if run.readings.reported {
		rep.ReadDifferently = run.readings.differ
	}
	if other == nil {
		return
	}
	b.Rounds = 100 // its intervals are not printed
	other.folder = ""
	otherReport := other.Score(b)
	for _, m := range sheet.Metrics {
		if !m.Headline {
			continue
		}
		result, otherResult := rep.headline(m), otherReport.headline(m)
		rep.OtherReading = append(rep.OtherReading, OtherReading{
			Reading: other.Reading.Name,
			Metric:  m.Name,
			Mode:    m.Mode,
			Value:   otherResult.Value,
		})
		rep.Warnings = append(rep.Warnings, phrases.Say("warning.other-reading", run.readings.differ, run.Records,
			other.Reading.Name, strings.TrimSpace(m.Name+" "+m.Mode), result.print(), run.Reading.Name,
			otherResult.print(), other.Reading.Name))
	}
}
