package scoring

import (
	"fmt"
	"math"

	"gavel/judging"
)

// Diagnoser is a scorer whose runs have a diagnosis.
type Diagnoser interface{ Diagnose(rep *Report) Diagnosis }

// Unknowing is the diagnosis of a judge of which nothing can be said, and why.
func Unknowing(code, text string, of ...any) Diagnosis {
	return Diagnosis{Level: Unknown, Code: code, Text: fmt.Sprintf(text, of...), Evidence: []Evidence{}}
}

// Unbounded is the diagnosis of a judge whose headline, a share of so many of a noun, has no interval: of a run that is
// not at its end, say. right is what is so of that share.
func (r *Report) Unbounded(right string, headline Result, noun string) Diagnosis {
	far := ""
	if r.Items < r.Expected {
		far = " so far"
	}
	return Unknowing(CodeFew, "%s %.0f %% of %d %s%s%s: there is no interval to say what that is worth.",
		right, *headline.Value, headline.N, noun, plural(headline.N), far)
}

func (r *Report) diagnose(s Scorer) {
	if s, ok := s.(Diagnoser); ok {
		d := s.Diagnose(r)
		r.Diagnosis = &d
		r.Says = d.Text
		r.Also = d.Also
	}
}

// Diagnose adds the diagnosis to a report that was written before there was one.
func (r *Report) Diagnose(m *judging.Manifest) {
	if scorer, ok := scorers[m.Spec.Protocol]; ok && r.Diagnosis == nil {
		r.manifest = m
		r.diagnose(scorer(m))
	}
}

// Verdictless is the share of judgments without a verdict; the zero Result where there is no judgment. Judgments of
// one item are no independent ones: the interval counts items.
func (r *Report) Verdictless() Result {
	n := r.Judgments()
	if n == 0 {
		return Result{}
	}
	units := float64(min(n, max(1, r.Items)))
	e := ShareOf(WithoutVerdict, float64(r.lost())/float64(n)*units, units, MostSilent)
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

// lost is how many judgments have no verdict.
func (r *Report) lost() int {
	return r.Judgments() - r.Outcomes[string(judging.Decided)] - r.Outcomes[string(judging.Tie)]
}

// Silence diagnoses a run of which too many judgments have no verdict: surely, or half of those that there are.
func (r *Report) Silence(noun string) (d Diagnosis, found bool) {
	e, ok := r.Verdictless().Held(MostSilent)
	lost := r.lost()
	level := Unusable
	switch {
	case !ok:
		return Unknowing(CodeNothing, "Nothing has been judged yet."), true
	case !e.Above && 2*lost < e.N:
		return d, false
	case !e.Above, 2*r.Outcomes[string(judging.Failed)] > lost && !r.imported(): // failed calls say nothing of the judge
		level = Unknown
	}
	text := fmt.Sprintf("%s without a verdict (%s)", oneIn(e.Value, noun, "is", "are"), e)
	if lost == e.N {
		text = fmt.Sprintf("No %s of %d has a verdict", noun, e.N)
	}
	first := "mend that before reading the rest"
	if 2*(r.Outcomes[string(judging.NoVerdict)]+r.Outcomes[string(judging.Conflict)]) > lost {
		first = "fix the prompt format first"
	}
	text += ": " + first + r.remedy(lost) + "."
	return Diagnosis{Level: level, Code: CodeSilent, Text: text, Evidence: []Evidence{e}}, true
}

// remedy is what to try where verdicts are missing, by what most of them are missing for.
func (r *Report) remedy(lost int) string {
	if 2*r.remarks.Repeating > lost && !r.imported() {
		return " (replies repeat themselves: " + r.remarks.endLoops + ")"
	}
	if 2*r.remarks.Unheld > lost {
		return " (the server ignores --constrain: leave it out)"
	}
	unread := r.unread(lost)
	remedies := map[judging.Outcome]string{
		judging.NoVerdict: unread,
		judging.Conflict:  unread,
		judging.Cut:       "replies were cut: try a larger --max-tokens",
		judging.TooLong:   "prompts did not fit: give the server a larger context",
		judging.Failed:    "calls failed: see gavel doctor",
		judging.Refused:   "the model refused: try another prompt",
	}
	if r.imported() { // nobody can ask again
		remedies[judging.Cut] = "replies were cut: --scoring accept-cut=true counts a verdict before the cut"
		remedies[judging.TooLong], remedies[judging.Refused] = "", ""
		remedies[judging.Failed] = "the imported file lacks these replies"
	}
	for outcome, try := range remedies {
		if try != "" && 2*r.Outcomes[string(outcome)] > lost {
			return " (" + try + ")"
		}
	}
	return ""
}

// unread is what to try where replies have no label that is read.
func (r *Report) unread(lost int) string {
	held := r.manifest != nil && r.manifest.Spec.Parameters.Constrain
	switch {
	case !r.imported() && !held:
		return "try --constrain"
	case r.Reading == "" && 2*r.Otherwise > lost:
		return "try --scoring reading=robust"
	}
	return "read some of the replies: gavel serve shows them"
}

func (r *Report) imported() bool { return r.manifest != nil && r.manifest.Imported != "" }

// oneIn says a share, in percent, of a noun in words, and one of the forms of a verb after it: "One reply in five is".
func oneIn(percent float64, noun, singular, plural string) string {
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
