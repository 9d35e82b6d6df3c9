package jury

import (
	"fmt"
	"math"
	"strings"

	"gavel/internal/phrases"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// answer returns the sentence on whether the jury is better than its best member, and how many calls it takes.
func (r *Jury) answer() string {
	if !r.hasValues() {
		return phrases.Sentence("jury.unknown")
	}
	best := r.Members[0]
	name := scoring.QuoteName(best.Name)
	code := "jury.better"
	switch gain := *r.Gain.BMinusA; {
	case r.Gain.NotSignificant && gain > 0:
		code = "jury.no-significant-gain"
	case r.Gain.NotSignificant:
		code = "jury.no-gain"
	case gain < 0:
		code = "jury.worse"
	}
	return phrases.Sentence(code, *r.Value.Value, r.metricLabel(), *best.Value, name, r.callsRatioText())
}

// hasValues reports whether the jury and its best member have a value by the metric, and their difference is known.
func (r *Jury) hasValues() bool {
	return r.Value.Value != nil && r.Gain.BMinusA != nil && len(r.Members) > 0 && r.Members[0].Value != nil
}

// details returns sentences on the size of the difference to the best member, on how alike the members err, and advice.
func (r *Jury) details() string {
	if !r.hasValues() {
		return ""
	}
	gain := *r.Gain.BMinusA
	code := "jury.not-significant"
	switch {
	case !r.Gain.NotSignificant:
		code = "jury.significant"
	case gain == 0:
		code = "jury.difference"
	}
	sentences := []string{phrases.Sentence(code, r.gainText())}
	if r.EffectiveJudges != nil {
		sentences = append(sentences,
			phrases.Sentence("jury.overlap", scoring.NumberWord(len(r.Members)), *r.EffectiveJudges))
	}
	best := r.Members[0]
	unusable := func(rep scoring.Report) bool { return rep.Level() == scoring.LevelUnusable }
	switch {
	case unusable(best.Report) && unusable(r.Report):
		sentences = append(sentences, phrases.Sentence("jury.unusable"))
	case unusable(best.Report):
	case !r.Gain.NotSignificant && gain < 0 || r.Gain.NotSignificant && gain <= 0 && r.callsRatioText() != "":
		sentences = append(sentences, phrases.Sentence("jury.use-member", scoring.QuoteName(best.Name)))
	}
	return strings.Join(sentences, " ")
}

// gainText returns the jury's headline minus its best member's, with the interval, in words: "−2.6 points [−5.2,
// 0.0]".
func (r *Jury) gainText() string {
	x := r.Gain.Result()
	text := table.Signed(x.Value, x, 1) + " points"
	if x.HasInterval() {
		x.Mode = "" // the ends have no plus sign
		text += fmt.Sprintf(" [%s, %s]", table.Signed(x.Low, x, 1), table.Signed(x.High, x, 1))
	}
	return strings.ReplaceAll(text, "-", "−")
}

// callsRatioText returns in words by how much the jury's judgments exceed those of one member, such as "three times the
// calls"; "" if it takes no more.
func (r *Jury) callsRatioText() string {
	if r.singleMemberCalls == 0 || r.MemberJudgments <= r.singleMemberCalls {
		return ""
	}
	times := float64(r.MemberJudgments) / float64(r.singleMemberCalls)
	switch {
	case times == 2:
		return phrases.Sentence("jury.twice")
	case times == math.Round(times):
		return phrases.Sentence("jury.times", scoring.NumberWord(int(times)))
	}
	return phrases.Sentence("jury.times", fmt.Sprintf("%.1f", times))
}
