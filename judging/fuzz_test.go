package judging

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// orders are the labels that order two, by the place they put first.
var orders = map[string]int{
	"A>B": 0, "A>>B": 0, "B<A": 0, "B<<A": 0,
	"B>A": 1, "B>>A": 1, "A<B": 1, "A<<B": 1,
}

// offers tells whether labels hold one that orders two so.
func offers(labels []string, place int) bool {
	return slices.ContainsFunc(labels, func(l string) bool { p, ok := orders[l]; return ok && p == place })
}

// Whatever a judge says, nobody is chosen who was not shown, and nothing is a
// verdict that the prompt did not offer.
func FuzzParse(f *testing.F) {
	for _, c := range replies {
		f.Add(c.reply)
	}
	for _, h := range hazards {
		f.Add(h)
	}
	var protocols []pairwise
	for _, kind := range pairKinds {
		for _, t := range kind.Templates {
			protocols = append(protocols, kind.New(t, nil).(pairwise))
		}
	}
	f.Fuzz(func(t *testing.T, reply string) {
		for _, p := range protocols {
			for _, policy := range Policies {
				straight, swapped := Showing{Index: 0, Order: []int{0, 1}}, Showing{Index: 1, Order: []int{1, 0}}
				v, w := p.Parse(straight, reply, Reading{Policy: policy}), p.Parse(swapped, reply, Reading{Policy: policy})
				switch v.Outcome {
				case Decided:
					place, ok := orders[v.Label]
					if !offers(p.template.Labels, place) {
						t.Errorf("%s/%s, %s: %q reads as %+v, which was not offered", p.name, p.template.Name, policy, reply, v)
					}
					if !ok || v.Choice != straight.Order[place] || w.Choice != swapped.Order[place] || !strings.Contains(reply, "[["+v.Label+"]]") {
						t.Errorf("%s/%s, %s: %q reads as %+v and, swapped, %+v", p.name, p.template.Name, policy, reply, v, w)
					}
				case Tie:
					if !slices.Contains(p.template.Labels, "A=B") || !strings.Contains(reply, "[["+v.Label+"]]") {
						t.Errorf("%s/%s, %s: %q reads as %+v", p.name, p.template.Name, policy, reply, v)
					}
				case Conflict:
					if policy != Unique {
						t.Errorf("policy %s: %q is a conflict", policy, reply)
					}
				case NoVerdict:
				default:
					t.Errorf("%q has outcome %q", reply, v.Outcome)
				}
				if v.Outcome != w.Outcome || v.Label != w.Label || v.Outcome != Decided && (v.Choice != Nobody || w.Choice != Nobody) {
					t.Errorf("%s/%s, %s: %q reads as %+v and, swapped, %+v", p.name, p.template.Name, policy, reply, v, w)
				}
			}
			// What is beyond dispute under one policy is so under the other.
			u, l := p.Parse(Showing{Index: 0, Order: []int{0, 1}}, reply, Reading{Policy: Unique}), p.Parse(Showing{Index: 0, Order: []int{0, 1}}, reply, Reading{Policy: Last})
			if (u.Outcome == Decided || u.Outcome == Tie) && u != l {
				t.Errorf("%q reads as %+v, by its last label as %+v", reply, u, l)
			}
		}
	})
}

// A line that is accepted as a record is written as what it was read from, and
// reads as a verdict on what was shown.
func FuzzRecord(f *testing.F) {
	failed := goodRecord()
	failed.Outcome, failed.Choice, failed.Replies = Failed, "", nil
	imported := goodRecord()
	imported.Imported = &Imported{Scores: json.RawMessage("[1, 2]"), Stored: true}
	for _, r := range []Record{goodRecord(), failed, imported} {
		f.Add([]byte(lineOf(f, r)))
	}
	f.Add([]byte("{}\n"))
	f.Add([]byte(`{"schema":1,"item":"x","outcome":"tie","showings":3,"order":["B","C","A"],"gold":"C"}` + "\n"))
	p := protocolNamed(f, "reversed", "arena-hard")
	f.Fuzz(func(t *testing.T, data []byte) {
		var records []*Record
		// An error is an answer too: what came before it was read.
		_ = readRecords("fuzz", bytes.NewReader(data), func(r *Record) error { records = append(records, r); return nil })
		for _, r := range records {
			for _, how := range []Reading{{Policy: Unique}, {Policy: Last, AcceptCut: true}} {
				v, err := r.Read(p, how)
				if err != nil {
					continue
				}
				if id := r.CandidateID(v.Choice); (v.Outcome == Decided) != (id != "") || id != "" && !slices.Contains(r.Order, id) {
					t.Errorf("%+v reads as %+v, candidate %q", r, v, id)
				}
			}
			again := lineOf(t, *r)
			err := readRecords("fuzz", strings.NewReader(again), func(back *Record) error {
				if got := lineOf(t, *back); got != again {
					t.Errorf("wrote %s\nread  %s", again, got)
				}
				return nil
			})
			if err != nil {
				t.Errorf("a record that was read is refused when written: %v\n%s", err, again)
			}
		}
	})
}

func FuzzManifest(f *testing.F) {
	raw, err := json.Marshal(testManifest())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(raw))
	f.Add(`{"schema": 1, "id": "x"}`)
	f.Add(`{"schema": 9, "id": "x"}`)
	f.Add(`{"schema": 1, "id": "x", "spec": {"protocol": "pairwise", "goal": "better", "prompt": {"labels": ["A>>B", "C", "A=B", ""]}}}`)
	f.Add(`{"schema": 1, "id": "x", "started": "2025-01-02T12:00:00+01:00", "spec": {"prompt": {"labels": []}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := decodeManifest("fuzz", strings.NewReader(text))
		if err != nil {
			return
		}
		raw, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		back, err := decodeManifest("fuzz", bytes.NewReader(raw))
		if err != nil {
			t.Fatalf("%v: %s", err, raw)
		}
		if again, err := json.Marshal(back); err != nil || string(again) != string(raw) {
			t.Errorf("wrote %s\nread  %s, %v", raw, again, err)
		}
		p, err := AskerOf(m)
		if err != nil {
			return
		}
		for _, label := range append([]string{"A>B", "B<<A", "B>A", "A=B", "C"}, m.Spec.Prompt.Labels...) {
			v := p.Parse(Showing{Index: 0, Order: []int{0, 1}}, "[["+label+"]]", Reading{Policy: Unique})
			place, ordered := orders[v.Label]
			if v.Outcome == Decided && (!ordered || v.Choice != place || !offers(m.Spec.Prompt.Labels, place)) {
				t.Errorf("labels %q: %q reads as %+v", m.Spec.Prompt.Labels, label, v)
			}
		}
	})
}

// What Python's json.dumps would write reads back as the same text.
func FuzzPythonString(f *testing.F) {
	for _, h := range hazards {
		f.Add(h)
	}
	f.Add("\"\\\b\f\n\r\t\x00\x1f\x7f\u2028é😀\ufffd")
	f.Fuzz(func(t *testing.T, s string) {
		quoted := pythonString([]byte("x"), s)[1:]
		var back string
		if err := json.Unmarshal(quoted, &back); err != nil {
			t.Fatalf("%q is no JSON: %v", quoted, err)
		}
		if want := string([]rune(s)); back != want { // invalid UTF-8 is U+FFFD
			t.Errorf("%q reads back as %q", want, back)
		}
		if i := bytes.IndexFunc(quoted, func(r rune) bool { return unicode.IsControl(r) && r < 0x20 }); i >= 0 {
			t.Errorf("%q has a control character", quoted)
		}
	})
}

// The pair of an output line keeps every key but the judge's two.
func FuzzSplitOutput(f *testing.F) {
	f.Add(outputLine("p1", "A>B", "arena_hard", outputGame("\n[[A>B]]", `"A>B"`), "null"))
	f.Add(`{"judge_name":"x","a":[1,{"judgments":2}],"judgments":[null]}`)
	f.Add(`{"judge_name":"x","judgments":[null],"judgments":[null,null],"k":1,"k":2}`)
	f.Fuzz(func(t *testing.T, line string) {
		pair, _, games, err := splitOutput([]byte(line))
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
