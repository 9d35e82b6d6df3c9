package judging

import (
	"strings"
	"testing"

	"gavel/backends"
)

func TestAlarms(t *testing.T) {
	record := func(outcome Outcome, label string) func(i int) *Record {
		return func(int) *Record { return &Record{Outcome: outcome, Label: label} }
	}
	either := func(i int) *Record { return &Record{Outcome: Decided, Label: []string{"[[A>B]]", "[[B>A]]"}[i%2]} }
	loop := func(int) *Record {
		text := strings.Repeat("Assistant A is better than B. ", 20)
		return &Record{Outcome: Truncated, Replies: []Reply{{Text: text, Finish: backends.FinishLength}}}
	}
	for name, c := range map[string]struct {
		record   func(i int) *Record
		judgment int    // the judgment at which it is told; 0: never
		want     string // "": nothing
		mends    bool   // at a later look
	}{
		"a good judge": {record: either},
		"silent":       {record(NoVerdict, ""), 20, "20 of 20 replies have no verdict", false},
		"cut":          {record(Truncated, ""), 20, "20 of 20 replies were cut", false},
		"not held to the labels": {func(int) *Record {
			return &Record{Outcome: Truncated, Replies: []Reply{{Text: "Well, the first", Finish: backends.FinishLength, Constrained: true}}}
		}, 20, "the server ignores --constrain", false},
		"one label": {record(Decided, "[[A>B]]"), 20, `20 of 20 verdicts are "[[A>B]]"`, false},
		"options, of which most are wrong": {record: func(int) *Record {
			return &Record{Outcome: Decided, Label: "Incorrect", Agent: "option B"}
		}},
		"failing":           {record: record(Failed, "")},
		"published replies": {record: func(int) *Record { return &Record{Outcome: NoVerdict, Imported: &ImportedFields{}} }},
		"silent later on": {func(i int) *Record {
			if i < 3 {
				return either(i)
			}
			return record(NoVerdict, "")(i)
		}, 40, "37 of 40 replies have no verdict", false},
		"silent at first": {func(i int) *Record {
			if i < 20 {
				return record(NoVerdict, "")(i)
			}
			return either(i)
		}, 20, "20 of 20 replies have no verdict", true},
		"repeating": {loop, 3, "3 of 3 replies repeat themselves until they are cut", false},
		"repeating in between": {func(i int) *Record {
			if i%2 == 1 {
				return loop(i)
			}
			return either(i / 2)
		}, 6, "3 of 6 replies repeat themselves", false},
		"repeating once in ten": {record: func(i int) *Record {
			if i%10 == 0 {
				return loop(i)
			}
			return either(i)
		}},
		"repeating at first": {func(i int) *Record {
			if i < 4 {
				return loop(i)
			}
			return either(i)
		}, 3, "3 of 3 replies repeat themselves", true},
		"numbers": {record: func(i int) *Record { return &Record{Outcome: Decided, Answer: "4"} }},
	} {
		t.Run(name, func(t *testing.T) {
			var a Alarms
			first, text, times := 0, "", 0
			for i := range 170 {
				if message := a.Observe(c.record(i)); message != "" {
					times++
					if first == 0 {
						first, text = i+1, message
					}
				}
			}
			if times > 1 {
				t.Errorf("told %d times of the same", times)
			}
			if first != c.judgment || !strings.Contains(text, c.want) {
				t.Errorf("told at %d: %q", first, text)
			}
			if (a.Message != "") != (c.judgment > 0 && !c.mends) {
				t.Errorf("kept: %q", a.Message)
			}
		})
	}
}
