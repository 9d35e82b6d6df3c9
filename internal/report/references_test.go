package report

import (
	"strings"
	"testing"

	"gavel/internal/phrases"
	"gavel/scoring"
)

// TestAmongPublished: the headline is held against strict, JudgeBench's own score against its own; of figures it is
// said that nothing was tested, and a mark is explained where it stands.
func TestAmongPublished(t *testing.T) {
	strict, counter, p := 50.0, 60.0, 0.01
	r := scoring.Report{Protocol: "pairwise", Results: []scoring.Result{
		{Metric: "strict", Group: scoring.Overall, Value: &strict, N: 350},
		{Metric: "counter", Group: scoring.Overall, Value: &counter, N: 350},
	}}
	if lines := publishedRankLines(&r); lines != nil {
		t.Errorf("without references: %q", lines)
	}
	r.References = []scoring.Reference{
		{Judge: "reward", Metric: "strict", Value: 64, N: 350}, {Judge: "GPT-4o", Metric: "counter", Value: 57, N: 350},
	}
	want := []string{"below reward (64 %)", "by correct on balance, 60.0 % here: above GPT-4o (57 %)",
		phrases.Sentence("references.totals")}
	if lines := publishedRankLines(&r); strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q", lines)
	}
	rows := ListReferences(&r, r.References).Blocks[0].Table.Rows
	if len(rows) != 4 || !strings.HasPrefix(rows[1].Name, "this run") || !strings.HasPrefix(rows[2].Name, "this run") {
		t.Errorf("%+v", rows)
	}
	r.References = []scoring.Reference{{Judge: "stays", Metric: "strict", Value: 70, P: &p, OnlyReferenceRight: 9, LabelsFollowResponses: true}}
	if lines := publishedRankLines(&r); len(lines) != 2 || lines[0] != "below stays* (70 %)" || lines[1] != scoring.LabelsFollowFootnote {
		t.Errorf("%q", lines)
	}
}
