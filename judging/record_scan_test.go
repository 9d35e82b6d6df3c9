package judging

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"gavel/datasets"
)

// fullRecord has something under every key.
func fullRecord() Record {
	r, p, decision := goodRecord(), -0.25, "A>B"
	r.Repeat, r.Shape, r.Mode, r.Question, r.Agent, r.Own = 1, datasets.Options, "direct", "q", "an agent", &datasets.Answer{Value: "42", Right: true}
	r.Unrelated, r.Ranks, r.Equal = "C", map[string]int{"A": 1, "B": 0}, [][]string{{"A", "B"}}
	r.Answer, r.Rule, r.Error, r.At = "7", "box", "reset by peer", time.Date(2026, 11, 20, 12, 0, 0, 1000, time.UTC)
	r.Probabilities = []Probability{{"[[A>B]]", &p, 0.75}, {"[[B>A]]", nil, 0}}
	r.Imported = &Imported{Prompt: "p", Scores: json.RawMessage(`[1,{"a":"]"}]`), Decision: &decision, Missing: true, Stored: true}
	r.Replies = []Reply{
		{Text: "\u0000<&>\u2028é😀\"\\\n\t[[A>B]]", Thinking: "hm", Finish: "stop", Detail: "d", PromptTokens: 10, ReplyTokens: 20, Milliseconds: 1234.5678, Cached: true, Endpoint: "http://gpu1", Constrained: true},
		{Finish: "length"},
	}
	return r
}

// Lines as they are written are read the quick way, whatever is in them, and a
// new key needs its line in the tables.
func TestRecordsAreReadTheQuickWay(t *testing.T) {
	failed := goodRecord()
	failed.Order, failed.Replies = nil, nil
	for name, r := range map[string]Record{"good": goodRecord(), "full": fullRecord(), "without": failed} {
		line := lineOf(t, r)
		var quick Record
		if !quick.scan([]byte(line)) {
			t.Errorf("%s: not read: %s", name, line)
		}
		var plain Record
		if err := json.Unmarshal([]byte(line), &plain); err != nil || !reflect.DeepEqual(quick, plain) {
			t.Errorf("%s: read as %+v, by encoding/json as %+v, %v", name, quick, plain, err)
		}
	}
	keys := func(v any) (keys []string) {
		for _, f := range reflect.VisibleFields(reflect.TypeOf(v)) {
			if !f.IsExported() {
				continue
			}
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			keys = append(keys, key)
		}
		return keys
	}
	for _, key := range keys(Record{}) {
		if recordKeys[key] == nil {
			t.Errorf("recordKeys has no line for %q: such records are read slowly", key)
		}
		if !strings.Contains(lineOf(t, fullRecord()), fmt.Sprintf("%q:", key)) {
			t.Errorf("the full record has no %q", key)
		}
	}
	for _, key := range keys(Reply{}) {
		if replyKeys[key] == nil {
			t.Errorf("replyKeys has no line for %q: such records are read slowly", key)
		}
	}
}

// What is read the quick way is what encoding/json reads.
func FuzzRecordScan(f *testing.F) {
	for _, r := range []Record{goodRecord(), fullRecord()} {
		f.Add([]byte(lineOf(f, r)))
	}
	for _, s := range []string{
		"{}", ` { "run" : "x" } `, `{"run":"x",}`, `{"run":"x" "gavel":"y"}`, `{"schema":01}`, `{"schema":-1}`, `{"schema":1.0}`, `{"schema":99999999999999999999}`,
		`{"run":null}`, `{"RUN":"x"}`, `{"r\u0075n":"x"}`, `{"run":"a","run":"b"}`, `{"other":1}`, `{"order":null}`, `{"order":[]}`, `{"order":["a",null]}`, `{"order":["a"],"order":["b"]}`,
		`{"replies":null,"replies":[{"text":"x"}]}`, `{"replies":[{"text":"x"}],"replies":[{"finish":"stop"}]}`, `{"replies":[{}]}`, `{"replies":[{"ms":1e3}]}`, `{"replies":[{"ms":0.5,"cached":false}]}`, `{"replies":[{"ms":1.}]}`,
		`{"own":{"value":"a"},"own":{"right":true}}`, `{"own":null}`, `{"own":}`, `{"own":,"run":"x"}`, `{"own":{]}`, `{"ranks":{"a":1},"ranks":{"b":2}}`, `{"imported":{"prompt":"}","scores":[1,"]"]} ,"run":"x"}`,
		`{"at":"2026-11-20T12:00:00Z"}`, `{"at":"2026-11-20"}`, `{"at":1}`, `{"at":"2026-11-20T12:00:00\u005a"}`, `{"error":"\ud800"}`, `{"error":"\ud83d\ude00"}`, "{\"error\":\"\t\"}", `{"run":"x"}x`, `{"run":"x"`, `[]`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var quick, plain Record
		if !quick.scan(line) {
			return
		}
		if err := json.Unmarshal(line, &plain); err != nil || !reflect.DeepEqual(quick, plain) {
			t.Errorf("read as %+v, by encoding/json as %+v, %v", quick, plain, err)
		}
	})
}
