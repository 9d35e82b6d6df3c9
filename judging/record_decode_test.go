package judging

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"gavel/datasets"
	"gavel/internal/codec"
)

// fullRecord has something under every key.
func fullRecord() Record {
	r, p, decision := goodRecord(), -0.25, "A>B"
	r.FirstPresentation, r.Repetition, r.Shape, r.Mode, r.QuestionID, r.Agent, r.Own = 1, 1, datasets.ShapeOptions, "direct", "q", "an agent", &datasets.Answer{Value: "42", Right: true}
	r.AgentFinalAnswer = new("41")
	r.People = &datasets.PeopleScores{Scores: map[string]float64{"ann": 3.5}, Scale: &[2]float64{1, 5}}
	r.UnrelatedID, r.Ranks, r.EqualOptions = "C", map[string]int{"A": 1, "B": 0}, [][]string{{"A", "B"}}
	r.Answer, r.Rule, r.Error, r.At = "7", "box", "reset by peer", time.Date(2026, 11, 20, 12, 0, 0, 1000, time.UTC)
	r.Probabilities = []Probability{{"[[A>B]]", &p, 0.75}, {"[[B>A]]", nil, 0}}
	r.Imported = &ImportedFields{Prompt: "p", Scores: json.RawMessage(`[1,{"a":"]"}]`), Decision: &decision, JudgmentMissing: true, DecisionIsVerdict: true}
	r.Replies = []Reply{
		{Text: "\u0000<&>\u2028é😀\"\\\n\t[[A>B]]", Thinking: "hm", Finish: "stop", Detail: "d", PromptTokens: 10, CachedTokens: new(3), ReplyTokens: 20, Milliseconds: 1234.5678, Cached: true, Endpoint: "http://gpu1", Constrained: true},
		{Finish: "length"},
	}
	r.Challenged, r.Unverified = true, true
	r.VerdictAfterThinkLimit, r.Replies[0].ThinkTokens = true, 9
	r.ExtraReplies = []Reply{{Text: "[[B>A]]", Finish: "stop"}}
	return r
}

// What a run writes is read as encoding/json reads it, whatever it is.
func TestRecordsAreReadAsWritten(t *testing.T) {
	failed := goodRecord()
	failed.Order, failed.Replies = nil, nil
	for name, r := range map[string]Record{"good": goodRecord(), "full": fullRecord(), "without": failed} {
		line := lineOf(t, r)
		var now, plain Record
		if err := codec.FastDecode([]byte(line), &now); err != nil {
			t.Errorf("%s: %v: %s", name, err, line)
		}
		if err := json.Unmarshal([]byte(line), &plain); err != nil || !reflect.DeepEqual(now, plain) {
			t.Errorf("%s: read as %+v, by encoding/json as %+v, %v", name, now, plain, err)
		}
	}
	for _, f := range reflect.VisibleFields(reflect.TypeOf(Record{})) {
		if key, _, _ := strings.Cut(f.Tag.Get("json"), ","); f.IsExported() && !strings.Contains(lineOf(t, fullRecord()), fmt.Sprintf("%q:", key)) {
			t.Errorf("the full record has no %q", key)
		}
	}
}

// A record is read, or refused, as encoding/json has it.
func FuzzRecordDecode(f *testing.F) {
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
		var now, plain Record
		qerr, perr := codec.FastDecode(line, &now), json.Unmarshal(line, &plain)
		var escaped *time.ParseError
		if qerr == nil && errors.As(perr, &escaped) {
			return // a time with escapes in it is refused by encoding/json alone
		}
		if !reflect.DeepEqual(qerr, perr) || perr == nil && !reflect.DeepEqual(now, plain) {
			t.Errorf("read as %+v, %v; by encoding/json as %+v, %v", now, qerr, plain, perr)
		}
	})
}
