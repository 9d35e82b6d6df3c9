package report

import (
	"testing"

	"gavel/scoring/race"
)

// TestRaceSays: every branch of the first line, over made-up numbers.
func TestRaceSays(t *testing.T) {
	in := func(name, state string) racer { return racer{name: name, state: state} }
	out := racer{name: "z", left: &race.Leaver{}}
	for _, c := range []struct {
		name       string
		rows       []racer
		unfinished bool
		calls      int
		want       string
	}{
		{name: "one is left", rows: []racer{in("x", "leads"), out}, calls: 400, want: "x is the best of 2 judges. It took 400 of 1,000 calls: 60 % saved."},
		{name: "so far", rows: []racer{in("x", "leads"), out}, unfinished: true, calls: 400,
			want: "x is the best of 2 judges so far. It took 400 of 1,000 calls: 60 % saved."},
		{name: "nobody left", rows: []racer{in("x", "leads"), in("y", "not told apart from the leader")}, calls: 1000,
			want: "2 of 2 judges are left: x and y cannot be told apart. It took 1,000 of 1,000 calls."},
		{name: "tied", rows: []racer{in("x", "leads"), in("y", "tied with the leader"), out}, calls: 500,
			want: "2 of 3 judges are left, and tied: x and y. It took 500 of 1,000 calls: 50 % saved."},
		{name: "going on", rows: []racer{in("x", "leads"), in("y", "")}, unfinished: true, calls: 100,
			want: "2 of 2 judges are in so far; x leads. It took 100 of 1,000 calls: 90 % saved."},
	} {
		r := Race{Result: race.Result{Calls: c.calls, FullCalls: 1000}, Unfinished: c.unfinished, rows: c.rows}
		if got := r.answer(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestPlanSays: what is asked is answered, and no more.
func TestPlanSays(t *testing.T) {
	for _, c := range []struct {
		plan Plan
		want string
	}{
		{Plan{Detect: new(5.0)}, "It takes 975 pairs to tell judges apart that differ by 5 points."},
		{Plan{Pairs: new(350)}, "350 pairs tell judges apart that differ by 8.4 points or more."},
		{Plan{Pairs: new(1)}, "1 pair tells no difference."},
	} {
		c.plan.Discordant, c.plan.Power, c.plan.Alpha = 30, 80, 0.05
		if err := c.plan.Fill(); err != nil || c.plan.Says != c.want {
			t.Errorf("%q, want %q: %v", c.plan.Says, c.want, err)
		}
	}
}
