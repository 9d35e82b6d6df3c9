package jury

import (
	"fmt"
	"math"
	"strings"

	"gavel/internal/phrases"
	"gavel/scoring"
)

// answer returns the sentence on whether the jury is better than its best member, and how many calls it takes.
func (r *Jury) answer() string {
	if !r.hasValues() {
		return phrases.Say("jury.unknown")
	}
	best := r.Members[0]
	name := scoring.InSentence(best.Name)
	code := "jury.better"
	switch gain := *r.Gain.Diff; {
	case r.Gain.Noise && gain > 0:
		code = "jury.no-significant-gain"
	case r.Gain.Noise:
		code = "jury.no-gain"
	case gain < 0:
		code = "jury.worse"
	}
	return phrases.Say(code, *r.Value.Value, r.metric(), *best.Value, name, r.times())
}

// hasValues reports whether the jury and its best member have a value by the metric, and their difference is known.
func (r *Jury) hasValues() bool {
	return r.Value.Value != nil && r.Gain.Diff != nil && len(r.Members) > 0 && r.Members[0].Value != nil
}

// details returns sentences on the size of the difference to the best member, on how alike the members err, and advice.
func (r *Jury) details() string {
	if !r.hasValues() {
		return ""
	}
	gain := *r.Gain.Diff
	sentences := []string{phrases.Say(r.difference(), r.points())}
	if r.Effective != nil {
		sentences = append(sentences, phrases.Say("jury.overlap", scoring.CountWord(len(r.Members)), *r.Effective))
	}
	best := r.Members[0]
	unusable := func(rep scoring.Report) bool { return rep.Diagnosis != nil && rep.Diagnosis.Level == scoring.Unusable }
	switch {
	case unusable(best.Scored) && unusable(r.Scored):
		sentences = append(sentences, phrases.Say("jury.unusable"))
	case unusable(best.Scored):
	case !r.Gain.Noise && gain < 0 || r.Gain.Noise && gain <= 0 && r.times() != "":
		sentences = append(sentences, phrases.Say("jury.use-member", scoring.InSentence(best.Name)))
	}
	return strings.Join(sentences, " ")
}

// points returns the jury's headline minus its best member's, with the interval, in words: "−2.6 points [−5.2,
// 0.0]".
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

// difference returns the code of the phrase on the jury's gain over its best member, which depends on whether the gain
// is significant.
func (r *Jury) difference() string {
	switch {
	case !r.Gain.Noise:
		return "jury.significant"
	case *r.Gain.Diff == 0:
		return "jury.difference"
	}
	return "jury.not-significant"
}

// times returns in words by how much the jury's judgments exceed those of one member, such as "three times the calls";
// "" if it takes no more.
func (r *Jury) times() string {
	if r.alone == 0 || r.Calls <= r.alone {
		return ""
	}
	times := float64(r.Calls) / float64(r.alone)
	switch {
	case times == 2:
		return phrases.Say("jury.twice")
	case times == math.Round(times):
		return phrases.Say("jury.times", scoring.CountWord(int(times)))
	}
	return phrases.Say("jury.times", fmt.Sprintf("%.1f", times))
}
