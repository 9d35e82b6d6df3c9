package pairwise

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gavel/judging"
	"gavel/judging/judgingtest"
	"gavel/protocols/protocoltest"
)

// orders maps the labels that order two responses to the position that they put first.
var orders = map[string]int{
	"A>B": 0, "A>>B": 0, "B<A": 0, "B<<A": 0,
	"B>A": 1, "B>>A": 1, "A<B": 1, "A<<B": 1,
}

// ordersSo reports whether labels contain one that puts this position first.
func ordersSo(labels []string, position int) bool {
	return slices.ContainsFunc(labels, func(l string) bool { p, ok := orders[l]; return ok && p == position })
}

// For any reply, no response is chosen that was not shown, and no label counts that the prompt did not offer.
func FuzzParse(f *testing.F) {
	for _, row := range replies(f) {
		f.Add(row[4])
	}
	for _, h := range judgingtest.TemplateHazards {
		f.Add(h)
	}
	var protocols []pairwise
	for _, protocol := range comparisons {
		for _, t := range protocol.Templates {
			protocols = append(protocols, protocol.NewAsker(t, nil).(pairwise))
		}
	}
	f.Fuzz(func(t *testing.T, reply string) {
		for _, p := range protocols {
			for _, policy := range judging.LabelPolicies {
				straight, swapped := judging.Presentation{Index: 0, Order: []int{0, 1}}, judging.Presentation{Index: 1, Order: []int{1, 0}}
				v, w := p.Parse(straight, reply, judging.ReadingOptions{LabelPolicy: policy}), p.Parse(swapped, reply, judging.ReadingOptions{LabelPolicy: policy})
				protocoltest.DropVerdictSpan(t, reply, v)
				switch v.Outcome {
				case judging.Decided:
					position, ok := orders[v.Label]
					if !ordersSo(p.template.Labels, position) {
						t.Errorf("%s/%s, %s: %q reads as %+v, which was not offered", p.name, p.template.Name, policy, reply, v)
					}
					if !ok || v.Choice != straight.Order[position] || w.Choice != swapped.Order[position] || !strings.Contains(reply, "[["+v.Label+"]]") {
						t.Errorf("%s/%s, %s: %q reads as %+v and, swapped, %+v", p.name, p.template.Name, policy, reply, v, w)
					}
				case judging.Tie:
					if !slices.Contains(p.template.Labels, "A=B") || !strings.Contains(reply, "[["+v.Label+"]]") {
						t.Errorf("%s/%s, %s: %q reads as %+v", p.name, p.template.Name, policy, reply, v)
					}
				case judging.Conflict:
					if policy != judging.PolicyUniqueLabel {
						t.Errorf("policy %s: %q is a conflict", policy, reply)
					}
				case judging.NoVerdict:
				default:
					t.Errorf("%q has outcome %q", reply, v.Outcome)
				}
				if v.Outcome != w.Outcome || v.Label != w.Label || v.Outcome != judging.Decided && (v.Choice != judging.NoCandidate || w.Choice != judging.NoCandidate) {
					t.Errorf("%s/%s, %s: %q reads as %+v and, swapped, %+v", p.name, p.template.Name, policy, reply, v, w)
				}
			}
			// A clear verdict under one policy is the same under the other.
			u, l := p.Parse(judging.Presentation{Index: 0, Order: []int{0, 1}}, reply, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel}), p.Parse(judging.Presentation{Index: 0, Order: []int{0, 1}}, reply, judging.ReadingOptions{LabelPolicy: judging.PolicyLastLabel})
			if (u.Outcome == judging.Decided || u.Outcome == judging.Tie) && u != l {
				t.Errorf("%q reads as %+v, by its last label as %+v", reply, u, l)
			}
		}
	})
}

// The pair of an output line keeps all keys except the judge's two.
func FuzzSplitOutput(f *testing.F) {
	f.Add(publishedLine("p1", "A>B", "arena_hard", outputGame("\n[[A>B]]", `"A>B"`), "null"))
	f.Add(`{"judge_name":"x","a":[1,{"judgments":2}],"judgments":[null]}`)
	f.Add(`{"judge_name":"x","judgments":[null],"judgments":[null,null],"k":1,"k":2}`)
	f.Fuzz(func(t *testing.T, line string) {
		pair, _, games, err := splitJudgeBenchLine([]byte(line))
		if err != nil {
			return
		}
		var got, want map[string]any
		if err := json.Unmarshal(pair, &got); err != nil {
			t.Fatalf("%s: %v", pair, err)
		}
		if err := json.Unmarshal([]byte(line), &want); err != nil {
			t.Fatal(err)
		}
		delete(want, "judge_name")
		delete(want, "judgments")
		if !reflect.DeepEqual(got, want) || len(games) < 1 || len(games) > 2 {
			t.Errorf("%s\nsplit into %s and %d games", line, pair, len(games))
		}
	})
}
