package multioption

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"gavel/judging"
	"gavel/judging/judgingtest"
	"gavel/protocols/protocoltest"
)

// replies are rows of testdata/replies.txt: a reply to a prompt with three options, and the number that is read; 0 is
// no verdict. Rule: after the first "Selection", or in the whole reply without one, the first "Option", a space and a
// number.
func replies(t testing.TB) [][]string {
	return protocoltest.ReadReplyTable(t, "testdata/replies.txt", 3)
}

func TestMultiOptionParse(t *testing.T) {
	rows := replies(t)
	for _, tpl := range Protocol.Templates {
		for _, goal := range goalOption.Values {
			p := choosing(t, tpl.Name, judging.Settings{"goal": goal})
			for _, s := range p.Presentations(optionsItem("a", "b", "c")) {
				for _, row := range rows {
					// The policy does not change the reading.
					for _, how := range []judging.ReadingOptions{
						{LabelPolicy: judging.PolicyUniqueLabel}, {LabelPolicy: judging.PolicyLastLabel},
						{LabelPolicy: judging.PolicyUniqueLabel, Lenient: true, FirstAnswer: true, AcceptTruncated: true},
					} {
						v := p.Parse(s, row[2], how)
						got := 0
						if v.Outcome == judging.Decided {
							got = 1 + slices.Index(s.Order, v.Choice)
						}
						silent := v.Outcome == judging.NoVerdict && v.Choice == judging.NoCandidate
						if strconv.Itoa(got) != row[0] || v.Outcome != judging.Decided && !silent {
							t.Errorf("%s: %q reads as option %d (%+v), want %s", row[1], row[2], got, v, row[0])
						}
					}
				}
			}
		}
	}
}

func TestMultiOptionVerdict(t *testing.T) {
	p, s := choosing(t, "1", nil), judging.Presentation{Order: []int{2, 0, 1}}
	for reply, want := range map[string]judging.Verdict{
		"Selection: Option 02": {Outcome: judging.Decided, Label: "Option 02", Choice: 0, Rule: "selection"},
		"Option 3":             {Outcome: judging.Decided, Label: "Option 3", Choice: 1, Rule: "anywhere"},
		"Selection: Option 7":  {Outcome: judging.NoVerdict, Label: "Option 7", Choice: judging.NoCandidate},
		"Selection: none":      {Outcome: judging.NoVerdict, Choice: judging.NoCandidate},
	} {
		if got := protocoltest.DropVerdictSpan(t, reply, p.Parse(s, reply, judging.ReadingOptions{})); got != want {
			t.Errorf("%q: %+v, want %+v", reply, got, want)
		}
	}
}

// Numbers of ten and more are read whole, and any of many options can be named.
func TestManyOptions(t *testing.T) {
	p := choosing(t, "1", nil)
	texts := make([]string, 20)
	item := optionsItem(texts...)
	for _, s := range p.Presentations(item) {
		for position, c := range s.Order {
			if v := p.Parse(s, "Selection: Option "+strconv.Itoa(position+1), judging.ReadingOptions{}); v.Choice != c {
				t.Errorf("presentation %d, option %d: %+v, want %d", s.Index, position+1, v, c)
			}
		}
	}
}

// For any reply, no option is chosen that was not shown, and the label is in the reply and names the chosen position.
func FuzzMultiOptionParse(f *testing.F) {
	for _, row := range replies(f) {
		f.Add(row[2], 3)
	}
	for _, h := range judgingtest.TemplateHazards {
		f.Add(h, 2)
	}
	f.Fuzz(func(t *testing.T, reply string, n int) {
		n = 1 + (n%20+20)%20
		p := choosing(t, "1", nil)
		for _, s := range p.Presentations(optionsItem(make([]string, n)...)) {
			v := protocoltest.DropVerdictSpan(t, reply, p.Parse(s, reply, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel}))
			switch v.Outcome {
			case judging.Decided:
				number, err := strconv.Atoi(strings.TrimPrefix(v.Label, "Option "))
				if err != nil || !strings.Contains(reply, v.Label) || number < 1 || number > n || s.Order[number-1] != v.Choice {
					t.Errorf("%q reads as %+v of %d options shown as %v", reply, v, n, s.Order)
				}
				if strings.Contains(reply, "Selection") != (v.Rule == "selection") {
					t.Errorf("%q: found by rule %q", reply, v.Rule)
				}
			case judging.NoVerdict:
				if v.Choice != judging.NoCandidate || v.Rule != "" || !strings.Contains(reply, v.Label) {
					t.Errorf("%q reads as %+v", reply, v)
				}
			default:
				t.Errorf("%q has outcome %q", reply, v.Outcome)
			}
		}
	})
}
