package judging

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// orders are the labels that order two, by the position they put first.
var orders = map[string]int{
	"A>B": 0, "A>>B": 0, "B<A": 0, "B<<A": 0,
	"B>A": 1, "B>>A": 1, "A<B": 1, "A<<B": 1,
}

// offers tells whether labels hold one that orders two so.
func offers(labels []string, position int) bool {
	return slices.ContainsFunc(labels, func(l string) bool { p, ok := orders[l]; return ok && p == position })
}

// A line that is accepted as a record is written as what it was read from, and
// reads as a verdict on what was shown.
func FuzzRecord(f *testing.F) {
	failed := goodRecord()
	failed.Outcome, failed.Choice, failed.Replies = Failed, "", nil
	imported := goodRecord()
	imported.Imported = &ImportedFields{Scores: json.RawMessage("[1, 2]"), DecisionIsVerdict: true}
	for _, r := range []Record{goodRecord(), failed, imported} {
		f.Add([]byte(lineOf(f, r)))
	}
	f.Add([]byte("{}\n"))
	f.Add([]byte(`{"schema":1,"item":"x","outcome":"tie","showings":3,"order":["B","C","A"],"gold":"C"}` + "\n"))
	p := protocolNamed(f, "reversed", "arena-hard")
	f.Fuzz(func(t *testing.T, data []byte) {
		var records []*Record
		// An error is an answer too: what came before it was read.
		_ = ScanRecords("fuzz", bytes.NewReader(data), readNoValue, func(r *Record, _ struct{}) error {
			records = append(records, r)
			return nil
		})
		for _, r := range records {
			for _, how := range []ReadingOptions{{LabelPolicy: PolicyUniqueLabel}, {LabelPolicy: PolicyLastLabel, AcceptTruncated: true}} {
				v, err := r.Read(p, how)
				if err != nil {
					continue
				}
				if id := r.CandidateID(v.Choice); (v.Outcome == Decided) != (id != "") || id != "" && !slices.Contains(r.Order, id) {
					t.Errorf("%+v reads as %+v, candidate %q", r, v, id)
				}
			}
			encoded := lineOf(t, *r)
			err := ScanRecords("fuzz", strings.NewReader(encoded), readNoValue, func(back *Record, _ struct{}) error {
				if got := lineOf(t, *back); got != encoded {
					t.Errorf("wrote %s\nread  %s", encoded, got)
				}
				return nil
			})
			if err != nil {
				t.Errorf("a record that was read is refused when written: %v\n%s", err, encoded)
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
		m, err := DecodeManifest("fuzz", strings.NewReader(text))
		if err != nil {
			return
		}
		raw, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		back, err := DecodeManifest("fuzz", bytes.NewReader(raw))
		if err != nil {
			t.Fatalf("%v: %s", err, raw)
		}
		if encoded, err := json.Marshal(back); err != nil || string(encoded) != string(raw) {
			t.Errorf("wrote %s\nread  %s, %v", raw, encoded, err)
		}
		p, err := AskerOf(m)
		if err != nil {
			return
		}
		for _, label := range append([]string{"A>B", "B<<A", "B>A", "A=B", "C"}, m.Spec.Prompt.Labels...) {
			v := p.Parse(Presentation{Index: 0, Order: []int{0, 1}}, "[["+label+"]]", ReadingOptions{LabelPolicy: PolicyUniqueLabel})
			position, ordered := orders[v.Label]
			if v.Outcome == Decided && (!ordered || v.Choice != position || !offers(m.Spec.Prompt.Labels, position)) {
				t.Errorf("labels %q: %q reads as %+v", m.Spec.Prompt.Labels, label, v)
			}
		}
	})
}
