package pairwise

import (
	"fmt"
	"slices"
	"testing"

	"gavel/judging"
	"gavel/judging/judgingtest"
	"gavel/protocols/protocoltest"
)

// Verdicts of a reply, in the positions shown.
const (
	first    = "first"    // the response shown first is the better
	second   = "second"   // the one shown second
	tie      = "tie"      // equal
	conflict = "conflict" // labels that differ
	none     = "none"     // no verdict
)

// replies are rows of testdata/replies.txt: the reading of a reply under the policy unique, with a prompt of two labels
// and of five, and under the policy last; what is special about it; and the reply.
func replies(t testing.TB) [][]string {
	return protocoltest.ReadReplyTable(t, "testdata/replies.txt", 5)
}

func TestParse(t *testing.T) {
	for _, row := range replies(t) {
		for _, protocol := range comparisons {
			for _, reading := range []struct {
				template string
				policy   judging.LabelPolicy
				want     string
			}{
				{"sop", judging.PolicyUniqueLabel, row[0]}, {"direct", judging.PolicyUniqueLabel, row[0]}, {"cot", judging.PolicyUniqueLabel, row[0]},
				{"arena-hard", judging.PolicyUniqueLabel, row[1]}, {"sop", judging.PolicyLastLabel, row[2]},
			} {
				p := protocolNamed(t, protocol.Name, reading.template)
				for _, s := range p.Presentations(judgingtest.PairItem("p1", 0)) {
					v := p.Parse(s, row[4], judging.ReadingOptions{LabelPolicy: reading.policy})
					if got := inPositions(v, s); got != reading.want {
						t.Errorf("%s: %s/%s, presentation %d, policy %s: %q reads as %s (%+v), want %s",
							row[3], protocol.Name, reading.template, s.Index, reading.policy, row[4], got, v, reading.want)
					}
				}
			}
		}
	}
}

// inPositions converts a verdict to the positions shown.
func inPositions(v judging.Verdict, s judging.Presentation) string {
	switch {
	case v.Outcome == judging.Decided && v.Choice == s.Order[0]:
		return first
	case v.Outcome == judging.Decided && v.Choice == s.Order[1]:
		return second
	case v.Choice != judging.NoCandidate:
		return "a candidate with outcome " + string(v.Outcome)
	case v.Outcome == judging.Tie:
		return tie
	case v.Outcome == judging.Conflict:
		return conflict
	case v.Outcome == judging.NoVerdict:
		return none
	}
	return string(v.Outcome)
}

func TestParseKeepsTheLabelAsWritten(t *testing.T) {
	p := protocolNamed(t, "pairwise", "sop")
	s := judging.Presentation{Index: 0, Order: []int{0, 1}}
	for reply, want := range map[string]string{
		"[[A>>B]]": "A>>B", "[[B<<A]]": "B<<A", "[[A=B]]": "A=B", "[[A]]": "A", "nothing": "", "[[A>B]] [[B>A]]": "",
	} {
		if v := p.Parse(s, reply, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel}); v.Label != want {
			t.Errorf("%q: label %q, want %q", reply, v.Label, want)
		}
	}
}

// For each presentation and goal: the position that is right to name, and the label that names it. With both goals the
// label states which response is better.
func TestOracle(t *testing.T) {
	for _, c := range []struct {
		name, kind, template string
		gold, presentation   int
		right                int
		choices              []string
		tie                  string
		label                string // the label that gives the labelled answer
	}{
		{"better, A right, shown first", "pairwise", "sop", 0, 0, 0, []string{"[[A>B]]", "[[B>A]]"}, "", "[[A>B]]"},
		{"better, A right, shown second", "pairwise", "sop", 0, 1, 1, []string{"[[A>B]]", "[[B>A]]"}, "", "[[B>A]]"},
		{"better, B right, shown second", "pairwise", "sop", 1, 0, 1, []string{"[[A>B]]", "[[B>A]]"}, "", "[[B>A]]"},
		{"better, B right, shown first", "pairwise", "arena-hard", 1, 1, 0, []string{"[[A>B]]", "[[B>A]]"}, "[[A=B]]", "[[A>B]]"},
		{"worse, A right, shown first", "reversed", "sop", 0, 0, 1, []string{"[[B>A]]", "[[A>B]]"}, "", "[[A>B]]"},
		{"worse, A right, shown second", "reversed", "arena-hard", 0, 1, 0, []string{"[[B>A]]", "[[A>B]]"}, "[[A=B]]", "[[B>A]]"},
		{"worse, B right, shown second", "reversed", "sop", 1, 0, 0, []string{"[[B>A]]", "[[A>B]]"}, "", "[[B>A]]"},
		{"worse, B right, shown first", "reversed", "sop", 1, 1, 1, []string{"[[B>A]]", "[[A>B]]"}, "", "[[A>B]]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := protocolNamed(t, c.kind, c.template)
			item := judgingtest.PairItem("p1", c.gold)
			s := p.Presentations(item)[c.presentation]
			o := p.Prompt(item, s).Oracle
			if o.CorrectPosition != c.right || !slices.Equal(o.VerdictLabels, c.choices) || o.TieLabel != c.tie || o.Item != "p1" || o.Presentation != c.presentation {
				t.Errorf("oracle %+v, want place %d of %v, tie %q", o, c.right, c.choices, c.tie)
			}
			if got := o.VerdictLabels[o.CorrectPosition]; got != c.label {
				t.Errorf("it is right to say %s, want %s", got, c.label)
			}
			if v := p.Parse(s, o.VerdictLabels[o.CorrectPosition], judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel}); v.Outcome != judging.Decided || v.Choice != c.gold {
				t.Errorf("the right label reads as %+v", v)
			}
			if v := p.Parse(s, o.VerdictLabels[1-o.CorrectPosition], judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel}); v.Outcome != judging.Decided || v.Choice != 1-c.gold {
				t.Errorf("the wrong label reads as %+v", v)
			}
		})
	}
}

// TestOneOrder: each pair is shown once, with the prompt of the order that a run in both orders asks first, and as
// often in either order.
func TestOneOrder(t *testing.T) {
	for _, protocol := range comparisons {
		both := protocol.NewAsker(protocol.Templates[0], nil)
		single := protocol.NewAsker(protocol.Templates[0], judging.Settings{OneOrder: "true"})
		swapped := 0
		for i := range 1000 {
			item := judgingtest.PairItem(fmt.Sprint(i), 0)
			presentations := single.Presentations(item)
			if len(presentations) != 1 || presentations[0].Index != 0 {
				t.Fatalf("%s: %+v", protocol.Name, presentations)
			}
			k := presentations[0].Order[0]
			swapped += k
			if judging.AsksSwappedFirst(item.ID) != (k == 1) {
				t.Errorf("%s: a run in both orders asks another one of pair %d first", protocol.Name, i)
			}
			if single.Prompt(item, presentations[0]).User != both.Prompt(item, both.Presentations(item)[k]).User {
				t.Errorf("%s: pair %d has another prompt", protocol.Name, i)
			}
		}
		if swapped < 450 || swapped > 550 {
			t.Errorf("%s: %d of 1000 pairs are swapped", protocol.Name, swapped)
		}
	}
}

func TestPresentations(t *testing.T) {
	for _, protocol := range comparisons {
		p := protocolNamed(t, protocol.Name, "sop")
		got := p.Presentations(judgingtest.PairItem("p1", 1))
		if len(got) != protocol.PresentationsPerItem || got[0].Index != 0 || got[1].Index != 1 ||
			!slices.Equal(got[0].Order, []int{0, 1}) || !slices.Equal(got[1].Order, []int{1, 0}) {
			t.Errorf("%s shows %+v", protocol.Name, got)
		}
		if p.Name() != protocol.Name {
			t.Errorf("kind %q makes protocol %q", protocol.Name, p.Name())
		}
	}
}
