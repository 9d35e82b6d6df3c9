package jury

import (
	"testing"

	"gavel/scoring"
)

// TestJurySays: every branch of the first line and of what follows it, over made-up numbers.
func TestJurySays(t *testing.T) {
	gain := func(diff, low, high float64, noise bool) scoring.Difference {
		return scoring.Difference{BMinusA: &diff, Low: &low, High: &high, NotSignificant: noise}
	}
	for _, c := range []struct {
		name  string
		gain  scoring.Difference
		calls int
		want  string
		also  string

		level scoring.UsabilityLevel // of the best member and of the jury
	}{
		{name: "nobody is usable", gain: gain(0, -8, 8, true), calls: 200, level: scoring.LevelUnusable,
			want: "No gain: 78.0 % strict, against 74.0 % of best alone, at twice the calls.",
			also: "The difference is 0.0 points [−8.0, 8.0]. Their errors overlap: the two are worth 1.5 independent judges. Neither the jury nor its best member is usable."},
		{name: "gains", gain: gain(4, 1, 7, false), calls: 300,
			want: "The jury is better: 78.0 % strict, against 74.0 % of best alone, at three times the calls.",
			also: "The difference is +4.0 points [1.0, 7.0], significant. Their errors overlap: the two are worth 1.5 independent judges."},
		{name: "loses", gain: gain(-4, -7, -1, false), calls: 250,
			want: "The jury is worse: 78.0 % strict, against 74.0 % of best alone, at 2.5 times the calls.",
			also: "The difference is −4.0 points [−7.0, −1.0], significant. Their errors overlap: the two are worth 1.5 independent judges. Use best alone."},
		{name: "may be noise", gain: gain(4, -1, 7, true), calls: 200,
			want: "No significant gain: 78.0 % strict, against 74.0 % of best alone, at twice the calls.",
			also: "The difference is +4.0 points [−1.0, 7.0], not significant. Their errors overlap: the two are worth 1.5 independent judges."},
		{name: "may be noise, and less", gain: gain(-2.6, -5.2, -0.01, true), calls: 200,
			want: "No gain: 78.0 % strict, against 74.0 % of best alone, at twice the calls.",
			also: "The difference is −2.6 points [−5.2, 0.0], not significant. Their errors overlap: the two are worth 1.5 independent judges. Use best alone."},
		{name: "none", gain: gain(0, -1, 1, true), calls: 100,
			want: "No gain: 78.0 % strict, against 74.0 % of best alone.",
			also: "The difference is 0.0 points [−1.0, 1.0]. Their errors overlap: the two are worth 1.5 independent judges."},
		{name: "no value", want: "The gain of the jury is unknown: it has no value to compare with its members."},
	} {
		r := Jury{
			Metric:            "strict",
			Gain:              c.gain,
			MemberJudgments:   c.calls,
			Value:             scoring.Result{Value: new(78.0)},
			Members:           []Member{{Name: "best", Value: new(74.0)}, {Name: "other", Value: new(70.0)}},
			EffectiveJudges:   new(1.5),
			singleMemberCalls: 100,
		}
		r.Report.Diagnosis = &scoring.Diagnosis{Level: c.level}
		r.Members[0].Report = r.Report
		if got := r.answer(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if got := r.details(); got != c.also {
			t.Errorf("%s: %q, want %q", c.name, got, c.also)
		}
	}
}
