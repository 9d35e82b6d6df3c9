package races

import (
	"testing"

	"gavel/scoring/race"
)

// TestRaceSays: every branch of the first line, over made-up numbers.
func TestRaceSays(t *testing.T) {
	in := func(name, state string) raceTableRow { return raceTableRow{name: name, state: state} }
	out := raceTableRow{name: "z", exit: &race.EliminatedRun{Items: 20}}
	for _, c := range []struct {
		name       string
		rows       []raceTableRow
		unfinished bool
		calls      int
		want       string
	}{
		{name: "one is left", rows: []raceTableRow{in("x", "leads"), out}, calls: 400, want: "x is the best of 2 judges. The other is out after 20 items. It took 400 of 1,000 calls: 60 % saved."},
		{name: "so far", rows: []raceTableRow{in("x", "leads"), out}, unfinished: true, calls: 400,
			want: "x is the best of 2 judges so far. The other is out after 20 items. It took 400 of 1,000 calls so far."},
		{name: "nobody left", rows: []raceTableRow{in("x", "leads"), in("y", "no significant difference from the leader")}, calls: 1000,
			want: "2 of 2 judges remain, with no significant difference: x and y. It took 1,000 of 1,000 calls."},
		{name: "tied", rows: []raceTableRow{in("x", "leads"), in("y", "tied with the leader"), out}, calls: 500,
			want: "2 of 3 judges remain, tied: x and y. The other is out after 20 items. It took 500 of 1,000 calls: 50 % saved."},
		{name: "going on", rows: []raceTableRow{in("x", "leads"), in("y", "")}, unfinished: true, calls: 100,
			want: "2 of 2 judges remain so far: x leads. It took 100 of 1,000 calls so far."},
		{name: "nobody asked", rows: []raceTableRow{in("x", "leads"), in("y", "")}, unfinished: true,
			want: "None of the 2 judges has been asked yet."},
	} {
		r := Race{Result: race.Result{Calls: c.calls, FullCalls: 1000}, Unfinished: c.unfinished, rows: c.rows}
		if got := r.answer(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
