package pairwise

import (
	"testing"

	"gavel/backends"
	"gavel/judging"
)

func TestReadings(t *testing.T) {
	p := protocolNamed(t, "pairwise", "sop")
	for _, c := range []struct {
		name, text    string
		imported      bool
		readers       judging.ReaderSet
		want          judging.Outcome
		choice        string
		rule, atLabel string
	}{
		{name: "as published", text: "So [[B>A]].", want: judging.Decided, choice: "B", atLabel: "[[B>A]]"},
		{name: "Markdown", text: "So **[[b > a]]**.", want: judging.Decided, choice: "B", rule: "label", atLabel: "[[b > a]]"},
		{name: "Markdown, as published", text: "So **[[b > a]]**.", readers: judging.PaperReaders, want: judging.NoVerdict},
		{name: "the last statement", text: "[[A>B]]? No. [[B>A]]", want: judging.Decided, choice: "B", rule: "label", atLabel: "[[B>A]]"},
		{name: "the last statement, as published", text: "[[A>B]]? No. [[B>A]]", readers: judging.PaperReaders, want: judging.Conflict},
		{name: "imported", text: "So **[[b > a]]**.", imported: true, want: judging.NoVerdict},
		{name: "imported, by choice", text: "So **[[b > a]]**.", imported: true, readers: judging.RobustReaders, want: judging.Decided, choice: "B", rule: "label", atLabel: "[[b > a]]"},
		{name: "several", text: "[[A>B]] or [[B>A]]", want: judging.Conflict},
		{name: "a tie that is not on offer", text: "[[tie]]", want: judging.NoVerdict},
		{name: "thinking left in the reply", text: "◁think▷[[A > B]]◁/think▷[[B > A]]", want: judging.Decided, choice: "B", rule: "label"},
		{name: "nothing but thinking", text: "[THINK][[A > B]]", want: judging.NoVerdict},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := judging.Record{Order: []string{"A", "B"}, Replies: []judging.Reply{{Text: c.text, Finish: backends.FinishStop}}}
			if c.imported {
				r.Imported = &judging.ImportedFields{}
			}
			v, other, err := r.VerdictsOfBothReaders(p, judging.ReadingOptions{Readers: c.readers, LabelPolicy: judging.PolicyUniqueLabel})
			if err != nil || v.Outcome != c.want || r.CandidateID(v.Choice) != c.choice || v.Rule != c.rule {
				t.Errorf("%+v, %v", v, err)
			}
			if c.atLabel != "" && r.Text()[v.Span.Start:v.Span.End] != c.atLabel {
				t.Errorf("%q stands at %d to %d", r.Text()[v.Span.Start:v.Span.End], v.Span.Start, v.Span.End)
			}
			back, second, err := r.VerdictsOfBothReaders(p, judging.ReadingOptions{Readers: judging.DefaultReaders(c.imported).Other(), LabelPolicy: judging.PolicyUniqueLabel})
			if c.readers == "" && (err != nil || !back.Same(other) || !second.Same(v)) {
				t.Errorf("the other way round: %+v and %+v, %v", back, second, err)
			}
		})
	}
}
