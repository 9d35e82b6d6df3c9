package pairwise

import (
	"slices"
	"testing"

	"gavel/judging"
	"gavel/judging/judgingtest"
)

// What a reply says, in the positions shown.
const (
	first    = "first"    // the response shown first is the better
	second   = "second"   // the one shown second
	tie      = "tie"      // equal
	conflict = "conflict" // labels that differ
	none     = "none"     // no verdict
)

var replies = []struct {
	name, reply string
	sop         string // under the policy unique
	arena       string
	last        string // under the policy last, prompt sop; "" as unique
	reason      string
}{
	{name: "A better", reply: "My final verdict is Assistant A is better: [[A>B]].", sop: first, arena: first},
	{name: "B better", reply: "My final verdict is Assistant B is better: [[B>A]].", sop: second, arena: second},
	{name: "A much better", reply: "[[A>>B]]", sop: first, arena: first, reason: ">> reads as >, and > is on offer"},
	{name: "B much better", reply: "[[B>>A]]", sop: second, arena: second},
	{name: "less than", reply: "[[A<B]]", sop: second, arena: second, reason: "A<B reads as B>A"},
	{name: "less than, turned", reply: "[[B<A]]", sop: first, arena: first},
	{name: "much less", reply: "[[A<<B]]", sop: second, arena: second, reason: "<< reads as <"},
	{name: "much less, turned", reply: "[[B<<A]]", sop: first, arena: first},
	{name: "tie", reply: "[[A=B]]", sop: none, arena: tie, reason: "sop offers no tie"},
	{name: "tie, turned", reply: "[[B=A]]", sop: none, arena: tie},
	{name: "said twice", reply: "[[A>B]] … so, again: [[A>B]]", sop: first, arena: first},

	{name: "both", reply: "[[A>B]] or rather [[B>A]]", sop: conflict, arena: conflict, last: second},
	{name: "both, turned", reply: "[[B>A]] or rather [[A>B]]", sop: conflict, arena: conflict, last: first},
	{name: "strong beside weak", reply: "[[A>>B]], that is [[A>B]]", sop: conflict, arena: conflict, last: first,
		reason: "labels are compared as written, as JudgeBench does"},
	{name: "two ways to say one thing", reply: "[[A>B]] [[B<A]]", sop: conflict, arena: conflict, last: first},
	{name: "verdict then tie", reply: "[[A>B]] … no: [[A=B]]", sop: conflict, arena: conflict, last: none,
		reason: "the last label is not on offer under sop"},
	{name: "unoffered then verdict", reply: "[[A=B]]? No: [[A>B]]", sop: conflict, arena: conflict, last: first},
	{name: "the choices repeated", reply: "1. Assistant A is better: [[A>B]]\n2. Assistant B is better: [[B>A]]\nMy final verdict is [[A>B]]",
		sop: conflict, arena: conflict, last: first},

	{name: "code fence", reply: "```\n[[A>B]]\n```", sop: first, arena: first},
	{name: "third bracket", reply: "[[[A>B]]]", sop: first, arena: first, reason: "the regular expression finds the inner one"},
	{name: "beside an array", reply: "The grid [[0,0,1],[1,0,0]] is right: [[A>B]]", sop: first, arena: first},
	{name: "nothing around it but NUL", reply: "\x00[[A>B]]\x00", sop: first, arena: first},
	{name: "invalid UTF-8 before it", reply: "\xff\xfe[[A>B]]", sop: first, arena: first},

	{name: "empty", reply: "", sop: none, arena: none},
	{name: "words alone", reply: "Assistant A is better.", sop: none, arena: none},
	{name: "one bracket", reply: "[A>B]", sop: none, arena: none},
	{name: "not closed", reply: "[[A>B]", sop: none, arena: none},
	{name: "empty label", reply: "[[]]", sop: none, arena: none},
	{name: "space in the label", reply: "[[A > B]]", sop: none, arena: none},
	{name: "line break in the label", reply: "[[A>\nB]]", sop: none, arena: none},
	{name: "small letters", reply: "[[a>b]]", sop: none, arena: none},
	{name: "words in the label", reply: "[[Assistant A]]", sop: none, arena: none},
	{name: "MT-Bench's label", reply: "[[A]]", sop: none, arena: none},
	{name: "against itself", reply: "[[A>A]]", sop: none, arena: none},
	{name: "three signs", reply: "[[A>>>B]]", sop: none, arena: none},
	{name: "nonsense beside a verdict", reply: "[[A]] hence [[A>B]]", sop: conflict, arena: conflict, last: first,
		reason: "the regular expression finds both, and they differ"},
}

func TestParse(t *testing.T) {
	for _, c := range replies {
		last := c.last
		if last == "" {
			last = c.sop
		}
		for _, protocol := range comparisons {
			for _, reading := range []struct {
				template string
				policy   judging.Policy
				want     string
			}{{"sop", judging.Unique, c.sop}, {"direct", judging.Unique, c.sop}, {"cot", judging.Unique, c.sop}, {"arena-hard", judging.Unique, c.arena}, {"sop", judging.Last, last}} {
				p := protocolNamed(t, protocol.Name, reading.template)
				for _, s := range p.Presentations(judgingtest.Pair("p1", 0)) {
					v := p.Parse(s, c.reply, judging.Reading{Policy: reading.policy})
					if got := inPositions(v, s); got != reading.want {
						t.Errorf("%s: %s/%s, presentation %d, policy %s: %q reads as %s (%+v), want %s %s",
							c.name, protocol.Name, reading.template, s.Index, reading.policy, c.reply, got, v, reading.want, c.reason)
					}
				}
			}
		}
	}
}

// inPositions puts a verdict back into the positions shown.
func inPositions(v judging.Verdict, s judging.Presentation) string {
	switch {
	case v.Outcome == judging.Decided && v.Choice == s.Order[0]:
		return first
	case v.Outcome == judging.Decided && v.Choice == s.Order[1]:
		return second
	case v.Choice != judging.Nobody:
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
		if v := p.Parse(s, reply, judging.Reading{Policy: judging.Unique}); v.Label != want {
			t.Errorf("%q: label %q, want %q", reply, v.Label, want)
		}
	}
}

// Worked out for each presentation and goal: which position it is right to name, and by
// which label. The label states the order of quality in both goals.
func TestOracle(t *testing.T) {
	for _, c := range []struct {
		name, kind, template string
		gold, presentation   int
		right                int
		choices              []string
		tie                  string
		says                 string // the label that gives the labelled answer
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
			item := judgingtest.Pair("p1", c.gold)
			s := p.Presentations(item)[c.presentation]
			o := p.Prompt(item, s).Oracle
			if o.Right != c.right || !slices.Equal(o.Choices, c.choices) || o.Tie != c.tie || o.Item != "p1" || o.Presentation != c.presentation {
				t.Errorf("oracle %+v, want place %d of %v, tie %q", o, c.right, c.choices, c.tie)
			}
			if got := o.Choices[o.Right]; got != c.says {
				t.Errorf("it is right to say %s, want %s", got, c.says)
			}
			if v := p.Parse(s, o.Choices[o.Right], judging.Reading{Policy: judging.Unique}); v.Outcome != judging.Decided || v.Choice != c.gold {
				t.Errorf("the right label reads as %+v", v)
			}
			if v := p.Parse(s, o.Choices[1-o.Right], judging.Reading{Policy: judging.Unique}); v.Outcome != judging.Decided || v.Choice != 1-c.gold {
				t.Errorf("the wrong label reads as %+v", v)
			}
		})
	}
}

func TestPresentations(t *testing.T) {
	for _, protocol := range comparisons {
		p := protocolNamed(t, protocol.Name, "sop")
		got := p.Presentations(judgingtest.Pair("p1", 1))
		if len(got) != protocol.Presentations || got[0].Index != 0 || got[1].Index != 1 ||
			!slices.Equal(got[0].Order, []int{0, 1}) || !slices.Equal(got[1].Order, []int{1, 0}) {
			t.Errorf("%s shows %+v", protocol.Name, got)
		}
		if p.Name() != protocol.Name {
			t.Errorf("kind %q makes protocol %q", protocol.Name, p.Name())
		}
	}
}
