package judging

import (
	"fmt"
	"strings"
	"testing"

	"gavel/backends"
)

func TestRepeats(t *testing.T) {
	same := strings.Repeat("Assistant A is better because it is better. ", 90)
	reasons := "Assistant A explains each step, names the theorem and checks the sum. Assistant B guesses. "
	var steps strings.Builder
	for i := range 400 {
		fmt.Fprintf(&steps, "Step %d: take %d and add %d.\n", i, i*i, i*7)
	}
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"a sentence":         {"Let me compare them. " + same, true},
		"cut in the midst":   {same + "Assistant A is b", true},
		"a word":             {"So A is " + strings.Repeat("very ", 40), true},
		"a paragraph":        {steps.String()[:900] + strings.Repeat(steps.String()[:1500], 4), true},
		"lines":              {strings.Repeat("\n", 300), true},
		"it went on":         {strings.Repeat("very ", 400) + "good. " + reasons, false},
		"three times":        {strings.Repeat(reasons+steps.String()[:100], 3), false},
		"reasons":            {reasons + steps.String(), false},
		"too short to tell":  {strings.Repeat("ha ", 10), false},
		"nothing":            {"", false},
		"a table's rule":     {reasons + "\n|" + strings.Repeat("-", 60), false},
		"letters of Unicode": {strings.Repeat("两者都很好。", 30), true},
	} {
		first := Reply{Text: "first turn", Finish: backends.FinishStop}
		cut := Record{Replies: []Reply{first, {Text: c.text, Finish: backends.FinishLength}}}
		thought := Record{Replies: []Reply{{Thinking: c.text, Finish: backends.FinishLength}}}
		whole := Record{Replies: []Reply{{Text: c.text, Finish: backends.FinishStop}}}
		if cut.EndsInLoop() != c.want || thought.EndsInLoop() != c.want || whole.EndsInLoop() {
			const text = "%s: %t, thought %t, whole %t; want %t"
			t.Errorf(text, name, cut.EndsInLoop(), thought.EndsInLoop(), whole.EndsInLoop(), c.want)
		}
	}
	if (&Record{}).EndsInLoop() {
		t.Error("a record without a reply repeats itself")
	}
}
