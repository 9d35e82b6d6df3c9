package scoring

import (
	"math"

	"gavel/internal/phrases"
	"gavel/judging"
)

// Diagnoser is a scorer that states how far the judge of a report can be used.
type Diagnoser interface{ Diagnose(rep *Report) Diagnosis }

// UnknownDiagnosis returns a diagnosis of level Unknown. code is that of the rule which applies; phrase, with its
// arguments, gives the reason.
func UnknownDiagnosis(code, phrase string, args ...any) Diagnosis {
	return Diagnosis{Level: LevelUnknown, Code: code, Text: phrases.Sentence(phrase, args...), Evidence: []Evidence{}}
}

// DiagnoseWithoutInterval returns the diagnosis of a judge whose headline metric has no interval, for example before
// the end of a run. name is the metric's name, and noun the counted unit.
func (r *Report) DiagnoseWithoutInterval(name string, headline Result, noun string) Diagnosis {
	progress := ""
	if r.Items < r.Expected {
		progress = " so far"
	}
	return UnknownDiagnosis(
		CodeTooFewItems, "level.no-interval", name, *headline.Value, phrases.CountWithNoun(headline.N, noun), progress,
	)
}

// setDiagnosis sets the report's diagnosis and its sentences, if the scorer makes diagnoses.
func (r *Report) setDiagnosis(s Scorer) {
	if s, ok := s.(Diagnoser); ok {
		d := s.Diagnose(r)
		r.Diagnosis = &d
		r.Says = d.Text
		r.Also = d.Also
	}
}

// AddDiagnosis adds the diagnosis to a report without one, which an older gavel has stored. m is the manifest of the
// run.
func (r *Report) AddDiagnosis(m *judging.Manifest) {
	if scorer, ok := scorers[m.Spec.Protocol]; ok && r.Diagnosis == nil {
		r.manifest = m
		r.setDiagnosis(scorer(m))
	}
}

// MissingShare returns the percentage of judgments without a verdict; the zero Result without judgments. Its interval
// uses the number of items, because judgments of one item are not independent.
func (r *Report) MissingShare() Result {
	n := r.Judgments()
	if n == 0 {
		return Result{}
	}
	units := float64(min(n, max(1, r.Items)))
	e := ShareEvidence(WithoutVerdictShare, float64(r.missingVerdicts())/float64(n)*units, units, MaxNoVerdictPercent)
	return Result{
		Metric:         WithoutVerdictShare,
		Group:          Overall,
		Value:          &e.Value,
		Low:            &e.Low,
		High:           &e.High,
		IntervalMethod: e.IntervalMethod,
		N:              n,
	}
}

// missingVerdicts returns the number of judgments without a verdict: neither a response nor a tie.
func (r *Report) missingVerdicts() int {
	return r.Judgments() - r.Outcomes[string(judging.Decided)] - r.Outcomes[string(judging.Tie)]
}

// DiagnoseMissing diagnoses a run in which too many judgments have no verdict: significantly more than
// MaxNoVerdictPercent percent, or at least half. silent is false for other runs. noun names one judgment.
func (r *Report) DiagnoseMissing(noun string) (d Diagnosis, silent bool) {
	e, ok := r.MissingShare().CompareWithThreshold(MaxNoVerdictPercent)
	missing := r.missingVerdicts()
	level := LevelUnusable
	switch {
	case !ok:
		return UnknownDiagnosis(CodeNoItems, "level.nothing"), true
	case !e.AboveThreshold && 2*missing < e.N:
		return d, false
	case !e.AboveThreshold,
		2*r.Outcomes[string(judging.Failed)] > missing && !r.imported(): // failed calls are not the judge's
		level = LevelUnknown
	}
	advice := "level.fix"
	if 2*(r.Outcomes[string(judging.NoVerdict)]+r.Outcomes[string(judging.Conflict)]) > missing {
		advice = "level.fix-format"
	}
	advice = phrases.Sentence(advice)
	if remedy := r.remedy(missing); remedy != "" {
		advice += " (" + remedy + ")"
	}
	text := phrases.Sentence("level.silent", noVerdictSentenceStart(e.Value, noun), e, advice)
	if missing == e.N {
		text = phrases.Sentence("level.all-silent", noun, e.N, advice)
	}
	return Diagnosis{Level: level, Code: CodeNoVerdicts, Text: text, Evidence: []Evidence{e}}, true
}

// remedy returns advice against the cause of more than half of the missing verdicts; "" if there is none.
func (r *Report) remedy(missing int) string {
	if 2*r.remarks.Repeating > missing && !r.imported() {
		return phrases.Sentence("remedy.loops", r.remarks.loopAdvice)
	}
	if 2*r.remarks.Unconstrained > missing {
		return phrases.Sentence("remedy.constraint-ignored")
	}
	labelRemedy := r.labelRemedyCode(missing)
	remedies := map[judging.Outcome]string{
		judging.NoVerdict:     labelRemedy,
		judging.Conflict:      labelRemedy,
		judging.Truncated:     "remedy.truncated",
		judging.PromptTooLong: "remedy.too-long",
		judging.Failed:        "remedy.failed",
		judging.Refused:       "remedy.refused",
	}
	if r.imported() { // imported judgments cannot be repeated
		remedies[judging.Truncated] = "remedy.truncated-imported"
		remedies[judging.PromptTooLong], remedies[judging.Refused] = "", ""
		remedies[judging.Failed] = "remedy.failed-imported"
	}
	for outcome, try := range remedies {
		if try != "" && 2*r.Outcomes[string(outcome)] > missing {
			return phrases.Sentence(try)
		}
	}
	return ""
}

// labelRemedyCode returns the code of the phrase with advice for replies without a readable label.
func (r *Report) labelRemedyCode(missing int) string {
	constrained := r.manifest != nil && r.manifest.Spec.Parameters.Constrain
	switch {
	case !r.imported() && !constrained:
		return "remedy.constrain"
	case r.Reading == "" && 2*r.RuleDisagreements > missing:
		return "remedy.reading"
	}
	return "remedy.read"
}

// imported reports whether the judgments come from another program, so that they cannot be repeated.
func (r *Report) imported() bool { return r.manifest != nil && r.manifest.Imported != "" }

// noVerdictSentenceStart returns the beginning of a sentence on judgments without a verdict, of which noun names one:
// "About one judgment in four has no verdict".
func noVerdictSentenceStart(percent float64, noun string) string {
	switch n := int(math.Round(100 / max(percent, 1))); {
	case percent >= 90:
		return phrases.Sentence("share.nearly-all", noun)
	case percent >= 70:
		return phrases.Sentence("share.three-in-four", noun)
	case percent > 60:
		return phrases.Sentence("share.two-in-three", noun)
	case n == 2:
		return phrases.Sentence("share.half", noun)
	default:
		return phrases.Sentence("share.one-in", noun, NumberWord(n))
	}
}
