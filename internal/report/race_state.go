package report

import (
	"fmt"
	"strconv"

	"gavel/internal/report/table"
	"gavel/scoring/race"
)

// RaceSoFar is how far a race is that asks, as its file says: who is in and who left, and why.
func RaceSoFar(s *race.State) table.Table {
	t := table.Table{
		Title:   fmt.Sprintf("race of %d judges over %d items · about %s", len(s.Runs), s.Items, aboutWords[s.About]),
		Columns: table.Left("run").Right("items", "left after", "E").Left(""),
	}
	if s.Result == nil {
		return t
	}
	left := map[string]race.Leaver{}
	for _, l := range s.Result.Left {
		left[l.Run] = l
	}
	for i, run := range s.Runs {
		row := []string{run, strconv.Itoa(s.Asked[i]), "", "", "in"}
		if l, is := left[run]; is {
			row[2] = strconv.Itoa(l.Items)
			row[3] = evidence(&l)
			row[4] = "left: " + l.By + " is better"
		} else if run == s.Result.Leader {
			row[4] = "leads"
		}
		t.Row(row...)
	}
	state := "going on, or broken off: the same command goes on"
	if s.Over {
		state = "over"
	}
	t.Notef("%s; %d of %d calls; this holds however often one looks (alpha %s)",
		state, s.Result.Calls, s.Result.FullCalls, decimal(s.Alpha))
	return t
}
