package reading

import (
	"strings"
	"testing"
)

func TestOutput(t *testing.T) {
	for reply, want := range map[string]string{
		"Output (a)":            "a",
		"Output (b)":            "b",
		"  **Output (b)**\n":    "b",
		"output (A)":            "a",
		"Output b.":             "b",
		"Output (a) is better.": "a",
		"Output (b) is better. Output (a) is a well-written start, but it":                                "b",
		"Output (a) is longer. Output (b) says what was asked.\nTherefore, Output (b) is better.":         "b",
		"In detail, Output (a) is better. In style, Output (b) is better. Overall, Output (a) is better.": "a",
		"In detail, Output (a) is better. In style, Output (b) is better.":                                "?",
		"I would choose Output (b) as the better response. Output (a) is dry.":                            "b",
		"The winner is Output (a).":                               "a",
		"Both are fine, so I select Output (b).":                  "b",
		"Output (a) is not better.":                               "-",
		"Therefore, neither Output (a) nor Output (b) is better.": "-",
		"Is Output (a) better?":                                   "-",
		"Output (a) and Output (b) both name a metal.":            "-",
		"Output (c) is better.":                                   "-",
		"I cannot help with that.":                                "-",
		"":                                                        "-",
	} {
		f := Output(reply)
		if says(f) != want {
			t.Errorf("%q reads as %s (%+v), want %s", reply, says(f), f, want)
		}
		if f.Outcome == Stated && !strings.EqualFold(reply[f.Start:f.End], f.Value) {
			t.Errorf("%q: %q stands where %s was read", reply, reply[f.Start:f.End], f.Value)
		}
	}
}

func TestLongOutputs(t *testing.T) {
	for _, unit := range append(longUnits, "Output (a) ", "Output (a) is better. ", "output(", "outputs ((((a") {
		Output(strings.Repeat(unit, 1<<17/len(unit)))
	}
}

func FuzzOutput(f *testing.F) {
	for _, s := range []string{"Output (a)", "Output (b) is better.", "I choose Output (b), not Output (a).", "Output 2", "\xffoutput (", "Selection: a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		found := Output(reply)
		if found.Start < 0 || found.Start > found.End || found.End > len(reply) || found.Outcome == Stated && found.Value != "a" && found.Value != "b" {
			t.Errorf("%q reads as %+v", reply, found)
		}
	})
}
