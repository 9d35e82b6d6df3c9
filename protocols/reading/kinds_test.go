package reading

import (
	"cmp"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestWorseToolCallsAndRetractions reads labelled replies, a JSON line each: kinds.jsonl shows every rule at work,
// kinds_heldout.jsonl was written before these rules and kept back until they stood. No reply may read as a value that
// it does not state, and of those that state one, 90 of 100 must be read.
func TestWorseToolCallsAndRetractions(t *testing.T) {
	for _, file := range []string{"kinds", "kinds_heldout"} {
		raw, err := os.ReadFile("testdata/" + file + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		var stated, read, conflicts, honest int
		for line := range strings.Lines(string(raw)) {
			var c struct {
				Reader, Want, Reply string
				Offered             []string
			}
			if err := json.Unmarshal([]byte(line), &c); err != nil {
				t.Fatal(err)
			}
			f := map[string]func() Found{
				"pair":       func() Found { return PairLabel(c.Reply, c.Offered) },
				"worse":      func() Found { return WorseLabel(c.Reply, c.Offered) },
				"preference": func() Found { return Preference(c.Reply, c.Offered) },
				"option":     func() Found { return Option(c.Reply, len(c.Offered), false) },
				"worst":      func() Found { return Option(c.Reply, len(c.Offered), true) },
				"output":     func() Found { return Output(c.Reply) },
			}[c.Reader]()
			isNone := c.Want == "none" || c.Want == "conflict"
			if !isNone {
				stated++
			}
			if c.Want == "conflict" {
				conflicts++
			}
			switch {
			case f.Outcome == Stated && f.Value == c.Want:
				read++
			case f.Outcome == Stated:
				t.Errorf("%s: %s: %q reads as %s by %s, a person reads %s", file, c.Reader, c.Reply, f.Value, f.Rule, c.Want)
			case c.Want == "conflict" && f.Outcome == Conflict:
				honest++
			case !isNone:
				t.Logf("%s: %q is not read, a person reads %s", c.Reader, c.Reply, c.Want)
			}
		}
		t.Logf("%s: %d of %d are read, %d of %d contradictions are a conflict", file, read, stated, honest, conflicts)
		if stated < 150 || 10*read < 9*stated || 10*honest < 9*conflicts {
			t.Errorf("%s: %d of %d are read, %d of %d contradictions are a conflict", file, read, stated, honest, conflicts)
		}
	}
}

// Every word of cues.txt is read as its row says, in the example of the row.
func TestCues(t *testing.T) {
	for line := range strings.Lines(cueTable) {
		column := strings.Split(strings.TrimSuffix(line, "\n"), " | ")
		if strings.HasPrefix(line, "#") || len(column) != 6 {
			continue
		}
		for _, word := range phrases(column[2]) {
			reply := strings.ReplaceAll(column[4], "%", strings.ReplaceAll(word, "…", " "))
			f := reads[column[3]](reply)
			if got := cmp.Or(f.Value, string(f.Outcome)); got != column[5] {
				t.Errorf("%s: %q reads as %s, want %s", column[0], reply, got, column[5])
			}
		}
	}
}
