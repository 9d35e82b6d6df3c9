package scoring

import (
	"fmt"
	"math"

	"gavel/judging"
)

// Diagnoser is a scorer that diagnoses its runs.
type Diagnoser interface{ Diagnose(rep *Report) Diagnosis }

// UnknownDiagnosis returns a diagnosis of level Unknown with the reason.
func UnknownDiagnosis(code, text string, args ...any) Diagnosis {
	return Diagnosis{Level: Unknown, Code: code, Text: fmt.Sprintf(text, args...), Evidence: []Evidence{}}
}

// DiagnoseWithoutInterval returns the diagnosis of a judge whose headline has no interval, for example before the end of a run. right
// is the phrase before the value, and noun the counted unit.
func (r *Report) DiagnoseWithoutInterval(right string, headline Result, noun string) Diagnosis {
	progress := ""
	if r.Items < r.Expected {
		progress = " so far"
	}
	return UnknownDiagnosis(CodeFew, "%s %.0f %% of %d %s%s%s: without an interval there is no diagnosis.",
		right, *headline.Value, headline.N, noun, plural(headline.N), progress)
}

func (r *Report) diagnose(s Scorer) {
	if s, ok := s.(Diagnoser); ok {
		d := s.Diagnose(r)
		r.Diagnosis = &d
		r.Says = d.Text
		r.Also = d.Also
	}
}

// Diagnose adds the diagnosis to a report of an older version, which has none.
func (r *Report) Diagnose(m *judging.Manifest) {
	if scorer, ok := scorers[m.Spec.Protocol]; ok && r.Diagnosis == nil {
		r.manifest = m
		r.diagnose(scorer(m))
	}
}

// MissingShare returns the share of judgments without a verdict; the zero Result without judgments. The interval uses
// the number of items, because judgments of one item are not independent.
func (r *Report) MissingShare() Result {
	n := r.Judgments()
	if n == 0 {
		return Result{}
	}
	units := float64(min(n, max(1, r.Items)))
	e := ShareOf(WithoutVerdict, float64(r.missingVerdicts())/float64(n)*units, units, MostSilent)
	return Result{
		Metric:   WithoutVerdict,
		Group:    Overall,
		Value:    &e.Value,
		Low:      &e.Low,
		High:     &e.High,
		Interval: e.Interval,
		N:        n,
	}
}

// missingVerdicts returns the number of judgments without a verdict.
func (r *Report) missingVerdicts() int {
	return r.Judgments() - r.Outcomes[string(judging.Decided)] - r.Outcomes[string(judging.Tie)]
}

// DiagnoseMissing diagnoses a run in which too many judgments have no verdict: significantly, or half of those at hand.
func (r *Report) DiagnoseMissing(noun string) (d Diagnosis, silent bool) {
	e, ok := r.MissingShare().Against(MostSilent)
	missing := r.missingVerdicts()
	level := Unusable
	switch {
	case !ok:
		return UnknownDiagnosis(CodeNothing, "No judgments yet."), true
	case !e.Above && 2*missing < e.N:
		return d, false
	case !e.Above, 2*r.Outcomes[string(judging.Failed)] > missing && !r.imported(): // failed calls are not the judge's
		level = Unknown
	}
	text := fmt.Sprintf("%s without a verdict (%s)", shareInWords(e.Value, noun, "is", "are"), e)
	if missing == e.N {
		text = fmt.Sprintf("No %s of %d has a verdict", noun, e.N)
	}
	advice := "fix this first"
	if 2*(r.Outcomes[string(judging.NoVerdict)]+r.Outcomes[string(judging.Conflict)]) > missing {
		advice = "fix the prompt format first"
	}
	text += ": " + advice + r.remedy(missing) + "."
	return Diagnosis{Level: level, Code: CodeSilent, Text: text, Evidence: []Evidence{e}}, true
}

// remedy returns advice for the main cause of missing verdicts.
func (r *Report) remedy(missing int) string {
	if 2*r.remarks.Repeating > missing && !r.imported() {
		return " (replies repeat themselves: " + r.remarks.endLoops + ")"
	}
	if 2*r.remarks.Unheld > missing {
		return " (the server ignores --constrain: leave it out)"
	}
	labelRemedy := r.labelRemedy(missing)
	remedies := map[judging.Outcome]string{
		judging.NoVerdict: labelRemedy,
		judging.Conflict:  labelRemedy,
		judging.Cut:       "replies were truncated: try a larger --max-tokens",
		judging.TooLong:   "prompts did not fit: give the server a larger context",
		judging.Failed:    "calls failed: see gavel doctor",
		judging.Refused:   "the model refused: try another prompt",
	}
	if r.imported() { // imported judgments cannot be repeated
		remedies[judging.Cut] = "replies were truncated: --scoring accept-cut=true counts verdicts before the cut"
		remedies[judging.TooLong], remedies[judging.Refused] = "", ""
		remedies[judging.Failed] = "the imported file lacks these replies"
	}
	for outcome, try := range remedies {
		if try != "" && 2*r.Outcomes[string(outcome)] > missing {
			return " (" + try + ")"
		}
	}
	return ""
}

// labelRemedy returns advice for replies without a readable label.
func (r *Report) labelRemedy(missing int) string {
	constrained := r.manifest != nil && r.manifest.Spec.Parameters.Constrain
	switch {
	case !r.imported() && !constrained:
		return "try --constrain"
	case r.Reading == "" && 2*r.ReadDifferently > missing:
		return "try --scoring reading=robust"
	}
	return "read some of the replies: gavel serve shows them"
}

func (r *Report) imported() bool { return r.manifest != nil && r.manifest.Imported != "" }

// shareInWords returns a percentage of a noun in words, followed by the verb in singular or plural: "One reply in five
// is".
func shareInWords(percent float64, noun, singular, plural string) string {
	switch n := int(math.Round(100 / math.Max(percent, 1))); {
	case percent == 100:
		return fmt.Sprintf("Every %s %s", noun, singular)
	case percent >= 90:
		return fmt.Sprintf("Nearly every %s %s", noun, singular)
	case percent >= 70:
		return fmt.Sprintf("Three %ss in four %s", noun, plural)
	case percent > 60:
		return fmt.Sprintf("Two %ss in three %s", noun, plural)
	case n == 2:
		return fmt.Sprintf("Half of the %ss %s", noun, plural)
	default:
		return fmt.Sprintf("One %s in %s %s", noun, CountWord(n), singular)
	}
}
