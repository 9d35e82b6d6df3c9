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
	Reading   judging.ReadingOptions
	Bootstrap stats.Bootstrap
	Missing   MissingPolicy // how judgments without a verdict count; see [Run.SetMissingPolicy]
}

// DefaultOptions holds the settings with which results.json, the stored results of a run, is computed.
var DefaultOptions = Options{
	Reading:   judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel},
	Bootstrap: stats.DefaultBootstrap,
	Missing:   MissingWrong,
}

// Score returns the report of the run: every metric over all units and by group, with warnings and a diagnosis of the
// judge. b holds the settings of its intervals.
func (run *Run) Score(b stats.Bootstrap) Report {
	m := run.Manifest
	rep := Report{
		ScoringVersion: Version,
		ID:             m.ID,
		Protocol:       m.Spec.Protocol,
		Goal:           m.Spec.Goal,
		RunSetup:       setupOf(m),
		Items:          run.Items,
		Unlabelled:     run.unlabelled(),
		Expected:       m.Spec.Dataset.Items,
		Outcomes:       map[string]int{},
		ScoringMethod: ScoringMethod{
			Reading:     run.reading(),
			LabelPolicy: run.readingPolicy(),
			AcceptCut:   run.Reading.AcceptTruncated,
			Origins:     run.Origins(),
			Missing:     run.missingPolicy,
			Bootstrap:   bootstrapInfo(b, run.resamplingNoun()),
			StopRule:    m.Stopped,
		},
		Warnings: run.warnings(),
		manifest: m,
		remarks:  run.remarks,
	}
	for _, o := range Outcomes {
		rep.Outcomes[o] = run.Outcomes[judging.Outcome(o)]
	}
	sheet := run.sheet(b.Seed)
	rep.Results = sheet.score(run.resamplingNoun(), b)
	if rep.Results == nil {
		rep.Results = []Result{} // an empty list in JSON
	}
	rep.Warnings = append(rep.Warnings, noIntervalWarnings(rep.Results)...)
	if !run.calledNoServer() {
		rep.RightPerThousandTokens = rightPerThousandTokens(sheet.rightItemCount(), run.account.GeneratedTokens)
	}
	rep.Repetitions, rep.Calibration = run.repetitions(sheet, b), run.calibration(b)
	if s, ok := run.scorer.(Partitioner); ok {
		rep.Breakdowns = sheet.countOutcomes(s)
	}
	if s, ok := run.scorer.(ReportExtender); ok {
		s.ExtendReport(&rep, sheet, b)
	}
	run.scoreOtherReading(&rep, sheet, b)
	rep.Baselines = run.baselines(b)
	rep.setDiagnosis(run.scorer)
	return rep
}

// scoreOtherReading adds the headline metrics with the replies read by the other set of rules: as published, or gavel's
// robust ones. Its warnings state the values by both. It does nothing if the run was not loaded by the other rules.
func (run *Run) scoreOtherReading(rep *Report, sheet *Sheet, b stats.Bootstrap) {
	other := run.readingComparison.runByOtherRules
	if run.readingComparison.reportsDifferences {
		rep.RuleDisagreements = run.readingComparison.differingRecords
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
			Reading: other.Reading.Readers,
			Metric:  m.Name,
			Mode:    m.Mode,
			Value:   otherResult.Value,
		})
		rep.Warnings = append(rep.Warnings, phrases.Sentence("warning.other-reading",
			run.readingComparison.differingRecords, run.Records, other.Reading.Readers, strings.TrimSpace(m.Name+" "+m.Mode),
			result.valueText(), run.Reading.Readers,
			otherResult.valueText(), other.Reading.Readers))
	}
}
