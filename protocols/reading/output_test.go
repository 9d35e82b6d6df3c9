package reading

import (
	"strings"
	"testing"
)

func TestOutput(t *testing.T) {
	all := table(t, "output")
	if len(all) < 130 {
		t.Errorf("%d labelled replies", len(all))
	}
	for _, c := range all {
		f := Output(c.reply)
		if says(f) != c.want {
			t.Errorf("%q reads as %s (%+v), want %s", c.reply, says(f), f, c.want)
		}
		stands := PlainDigits(undress(c.reply[f.Start:f.End]).lower)
		if f.Outcome == Stated && stands != f.Value && stands != "2" {
			t.Errorf("%q: %q stands where %s was read", c.reply, stands, f.Value)
		}
	}
}

func TestLongOutputs(t *testing.T) {
	for _, unit := range append(longUnits, "Output (a) ", "Output (a) is better. ", "output(", "outputs ((((a") {
		Output(strings.Repeat(unit, 1<<17/len(unit)))
	}
}

func FuzzOutput(f *testing.F) {
	for _, c := range table(f, "output") {
		f.Add(c.reply)
	}
	f.Add("\xffoutput (")
	f.Fuzz(func(t *testing.T, reply string) {
		found := Output(reply)
		if found.Start < 0 || found.Start > found.End || found.End > len(reply) || found.Outcome == Stated && found.Value != "a" && found.Value != "b" {
			t.Errorf("%q reads as %+v", reply, found)
		}
	})
}
