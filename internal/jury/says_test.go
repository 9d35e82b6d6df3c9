package jury

import (
	"testing"

	"gavel/scoring"
)

// TestJurySays: every branch of the first line, over made-up numbers.
func TestJurySays(t *testing.T) {
	gain := func(diff, low, high float64, noise bool) scoring.Difference {
		return scoring.Difference{Diff: &diff, Low: &low, High: &high, Noise: noise}
	}
	for _, c := range []struct {
		name  string
		gain  scoring.Difference
		calls int
		want  string
	}{
		{name: "gains", gain: gain(4, 1, 7, false), calls: 300,
			want: "The jury is better by 4.0 points [1.0, 7.0]: 78.0 % against 74.0 % of best, its best member, at three times the calls."},
		{name: "loses", gain: gain(-4, -7, -1, false), calls: 250,
			want: "The jury is worse by 4.0 points [1.0, 7.0]: 78.0 % against 74.0 % of best, its best member, at 2.5 times the calls. Use best alone."},
		{name: "may be noise", gain: gain(4, -1, 7, true), calls: 200,
			want: "No gain that is more than noise: 78.0 % against 74.0 % of best, its best member, at twice the calls."},
		{name: "none", gain: gain(0, -1, 1, true), calls: 100, want: "No gain: 78.0 % against 74.0 % of best, its best member."},
		{name: "no value", want: "Nobody can say what the jury gains: it has no value to hold against its members."},
	} {
		r := Report{
			Gain:    c.gain,
			Calls:   c.calls,
			Value:   scoring.Result{Value: new(78.0)},
			Members: []Member{{Model: "org/best", Value: new(74.0)}},
			alone:   100,
		}
		if got := r.answer(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
