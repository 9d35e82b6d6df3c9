package jury

import (
	"fmt"
	"math"
	"strings"

	"gavel/scoring"
)

// answer returns the sentence on whether the jury is worth its calls.
func (r *Jury) answer() string {
	if !r.hasValues() {
		return "The gain of the jury is unknown: it has no value to compare with its members."
	}
	best := r.Members[0]
	name := scoring.InSentence(best.Name)
	values := fmt.Sprintf("%.1f %% against %.1f %% of %s alone%s.", *r.Value.Value, *best.Value, name, r.times())
	switch gain := *r.Gain.Diff; {
	case r.Gain.Noise && gain > 0:
		return "No significant gain: " + values
	case r.Gain.Noise:
		return "No gain: " + values
	case gain < 0:
		return "The jury is worse: " + values
	}
	return "The jury is better: " + values
}

// hasValues reports whether both the jury and a member have a value.
func (r *Jury) hasValues() bool {
	return r.Value.Value != nil && r.Gain.Diff != nil && len(r.Members) > 0 && r.Members[0].Value != nil
}

// details returns the sentences on the size of the difference, how alike the members err, and the advice.
func (r *Jury) details() string {
	if !r.hasValues() {
		return ""
	}
	gain := *r.Gain.Diff
	sentences := []string{"The difference is " + r.points() + r.significance() + "."}
	if r.Effective != nil {
		sentences = append(sentences, fmt.Sprintf("Their errors overlap: the %s are worth %.1f independent judges.",
			scoring.CountWord(len(r.Members)), *r.Effective))
	}
	best := r.Members[0]
	unusable := func(rep scoring.Report) bool { return rep.Diagnosis != nil && rep.Diagnosis.Level == scoring.Unusable }
	switch {
	case unusable(best.Scored) && unusable(r.Scored):
		sentences = append(sentences, "Neither the jury nor its best member is usable.")
	case unusable(best.Scored):
	case !r.Gain.Noise && gain < 0 || r.Gain.Noise && gain <= 0 && r.times() != "":
		sentences = append(sentences, "Use "+scoring.InSentence(best.Name)+" alone.")
	}
	return strings.Join(sentences, " ")
}

// points writes the gain of the jury with its interval: "−2.6 points [−5.2, 0.0]".
func (r *Jury) points() string {
	number := func(v float64) string {
		v = scoring.Unsigned(v, 1)
		return strings.Replace(fmt.Sprintf("%.1f", v), "-", "−", 1)
	}
	sign := ""
	if scoring.Unsigned(*r.Gain.Diff, 1) > 0 {
		sign = "+"
	}
	ends := ""
	if r.Gain.Low != nil && r.Gain.High != nil {
		ends = fmt.Sprintf(" [%s, %s]", number(*r.Gain.Low), number(*r.Gain.High))
	}
	return sign + number(*r.Gain.Diff) + " points" + ends
}

// significance returns whether the difference is significant, in words; "" if there is none.
func (r *Jury) significance() string {
	switch {
	case !r.Gain.Noise:
		return ", significant"
	case *r.Gain.Diff == 0:
		return ""
	}
	return ", not significant"
}

// times returns the calls of the jury as a multiple of those of one member, in words; "" if it takes no more.
func (r *Jury) times() string {
	if r.alone == 0 || r.Calls <= r.alone {
		return ""
	}
	times := float64(r.Calls) / float64(r.alone)
	switch {
	case times == 2:
		return ", at twice the calls"
	case times == math.Round(times):
		return ", at " + scoring.CountWord(int(times)) + " times the calls"
	}
	return fmt.Sprintf(", at %.1f times the calls", times)
}
