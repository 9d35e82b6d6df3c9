package backends

import (
	"context"
	"net/http"
	"strings"
	"testing"
)

// otherWire is a server of no known name, and so one that may tell no finish
// reasons.
var otherWire = studioWire.saying("/v1/models", `{"data":[{"id":"m"}]}`)

// reasoned is a reply with a finish reason as JSON, or with none where that is "".
func (w wire) reasoned(text, reason string) string {
	member := `"finish_reason":`
	if w.name == "Ollama" {
		member = `"done_reason":`
	}
	reply := w.reply(content(text), "REASON")
	if reason == "" {
		reply = strings.Replace(reply, ","+member+`"REASON"`, "", 1) // in the middle, or last
		return strings.Replace(reply, member+`"REASON",`, "", 1)     // first
	}
	return strings.Replace(reply, `"REASON"`, reason, 1)
}

// What a server gave up half way is no reply, whatever it says by then.
func TestUnfinishedReplies(t *testing.T) {
	for _, reason := range []string{
		`"abort"`, `"error"`, `"cancelled"`, `"tool_calls"`, `"function_call"`, `"insufficient_system_resource"`, `"load"`, `"unload"`, `"STOP"`, `""`, "null", "",
	} {
		t.Run("reason "+reason, func(t *testing.T) {
			eachWire(t, func(t *testing.T, w wire) {
				got, err := w.ask(t, respond(200, w.reasoned("My final verdict is [[A>B]], or rather", reason)))
				if err == nil {
					t.Fatalf("taken for a reply: %+v", got)
				}
				says := "finish reason is " + reason
				if reason == `""` || reason == "null" || reason == "" {
					says = "tells no finish reason"
				}
				if e := failed(t, err); e.Kind != ServerSide || !e.MayPass() || !strings.Contains(e.Message, says) {
					t.Errorf("got %+v, want %q", e, says)
				}
			})
		})
	}
}

func TestKnownEnds(t *testing.T) {
	for reason, want := range ends {
		eachWire(t, func(t *testing.T, w wire) {
			if got, err := w.ask(t, respond(200, w.reply(content("[[A>B]]"), reason))); err != nil || got.Finish != want || got.EndUntold {
				t.Errorf("%s: got %+v, %v, want %s", reason, got, err, want)
			}
		})
	}
}

func TestErrorBesideTheReply(t *testing.T) {
	for name, tc := range map[string]struct {
		said   string
		finish Finish // "" for an error
	}{
		"an object":       {`{"message":"engine died","code":500}`, ""},
		"a sentence":      {`"engine died"`, ""},
		"of two words":    {`{"engine":"died"}`, ""},
		"a truth":         {"true", ""},
		"null":            {"null", Stop},
		"empty":           {`""`, Stop},
		"prompt too long": {`{"message":"the input length exceeds the context length","type":"invalid_request_error"}`, TooLong},
	} {
		t.Run(name, func(t *testing.T) {
			eachWire(t, func(t *testing.T, w wire) {
				got, err := w.ask(t, respond(200, strings.Replace(w.reply(content("[[A>B]], or"), "stop"), "{", `{"error":`+tc.said+`,`, 1)))
				if tc.finish != "" {
					if err != nil || got.Finish != tc.finish || tc.finish == TooLong && got.Text != "" {
						t.Errorf("got %+v, %v", got, err)
					}
					return
				}
				if err == nil {
					t.Fatalf("taken for a reply: %+v", got)
				}
				if e := failed(t, err); e.Kind != ServerSide || !strings.Contains(e.Message, "the answer is an error: ") {
					t.Errorf("got %+v", e)
				}
			})
		})
	}
}

// An error in a stream that was not asked for, after the beginning of a reply.
func TestErrorInAStream(t *testing.T) {
	begun := `{"message":{"role":"assistant","content":"[[A>B]]"},"done":false}` + "\n"
	for _, end := range []string{`{"error":"engine died"}`, `{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","error":"engine died"}`} {
		got, err := ollamaWire.ask(t, respond(200, begun+end))
		if err == nil {
			t.Fatalf("taken for a reply: %+v", got)
		}
		if e := failed(t, err); e.Kind != ServerSide || !strings.Contains(e.Message, "engine died") {
			t.Errorf("got %+v", e)
		}
	}
}

func TestChoicesAreNumbered(t *testing.T) {
	choice := func(index, text string) string {
		return `{` + index + `"message":` + content(text) + `,"finish_reason":"stop"}`
	}
	for name, tc := range map[string]struct {
		choices []string
		text    string // "" for an error
	}{
		"in order":         {[]string{choice(`"index":0,`, "first"), choice(`"index":1,`, "second")}, "first"},
		"the other way":    {[]string{choice(`"index":1,`, "second"), choice(`"index":0,`, "first")}, "first"},
		"one, no number":   {[]string{choice("", "first")}, "first"},
		"one, null":        {[]string{choice(`"index":null,`, "first")}, "first"},
		"one, number 1":    {[]string{choice(`"index":1,`, "second")}, ""},
		"twice number 0":   {[]string{choice(`"index":0,`, "first"), choice(`"index":0,`, "second")}, ""},
		"none has number":  {[]string{choice("", "first"), choice("", "second")}, ""},
		"none is number 0": {[]string{choice(`"index":1,`, "first"), choice(`"index":2,`, "second")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := vllmWire.ask(t, respond(200, `{"choices":[`+strings.Join(tc.choices, ",")+`]}`))
			if tc.text != "" {
				if err != nil || got.Text != tc.text {
					t.Errorf("got %+v, %v", got, err)
				}
				return
			}
			if err == nil {
				t.Fatalf("taken for a reply: %+v", got)
			}
			if e := failed(t, err); e.Kind != ServerSide || !strings.Contains(e.Message, "numbered") {
				t.Errorf("got %+v", e)
			}
		})
	}
}

func TestRoles(t *testing.T) {
	for role, good := range map[string]bool{`"assistant"`: true, "null": true, `""`: true, `"user"`: false, `"system"`: false, `"tool"`: false} {
		eachWire(t, func(t *testing.T, w wire) {
			got, err := w.ask(t, respond(200, w.reply(`{"role":`+role+`,"content":"[[A>B]]"}`, "stop")))
			switch {
			case good && (err != nil || got.Text != "[[A>B]]"):
				t.Errorf("%s: got %+v, %v", role, got, err)
			case !good && err == nil:
				t.Errorf("%s: taken for a reply: %+v", role, got)
			case !good:
				if e := failed(t, err); e.Kind != ServerSide || !strings.Contains(e.Message, "role of the answer is "+role) {
					t.Errorf("%s: got %+v", role, e)
				}
			}
		})
	}
}

// A server that never tells finish reasons is known by a second answer.
func TestServerWithoutFinishReasons(t *testing.T) {
	for _, reason := range []string{"null", ""} {
		s := otherWire.start(t, respond(200, otherWire.reasoned("[[A>B]]", reason)))
		b := s.client(otherWire, "")
		for asked := 2; asked < 5; asked++ { // once more than it is asked from here
			got, err := b.Ask(context.Background(), question)
			if err != nil || got.Finish != Stop || got.Text != "[[A>B]]" || !got.EndUntold {
				t.Errorf("got %+v, %v", got, err)
			}
			if n := len(s.asked(otherWire.chat)); n != asked {
				t.Errorf("asked %d times, want %d", n, asked)
			}
		}
		short := question
		short.MaxTokens = 22
		if got, err := b.Ask(context.Background(), short); err != nil || got.Finish != Length || !got.EndUntold {
			t.Errorf("a reply that fills the limit: %+v, %v", got, err)
		}
	}
}

// A server that tells them, and gives a reply without one, broke that off: be it
// the first reply of all.
func TestFinishReasonIsMissing(t *testing.T) {
	whole, cut := respond(200, otherWire.reasoned("[[A>B]]", `"stop"`)), respond(200, otherWire.reasoned("[[A>B]], or", "null"))
	down := respond(500, otherWire.fail(500, "down"))
	for name, tc := range map[string]struct {
		answers []http.HandlerFunc
		says    []string // of the errors of one question after the other; "": a reply
	}{
		"the first":    {[]http.HandlerFunc{cut, whole, whole, cut}, []string{"tells no finish reason with it", "", "tells no finish reason with it"}},
		"a later one":  {[]http.HandlerFunc{whole, cut, cut}, []string{"", "tells no finish reason with it", "tells no finish reason with it"}},
		"unknown what": {[]http.HandlerFunc{cut, down, whole}, []string{"HTTP 500: down", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			s := otherWire.start(t, tc.answers...)
			b := s.client(otherWire, "")
			for i, says := range tc.says {
				got, err := b.Ask(context.Background(), question)
				if says == "" {
					if err != nil || got.Text != "[[A>B]]" || got.EndUntold {
						t.Errorf("question %d: %+v, %v", i, got, err)
					}
					continue
				}
				if err == nil {
					t.Fatalf("question %d: taken for a reply: %+v", i, got)
				}
				if e := failed(t, err); e.Kind != ServerSide || !strings.Contains(err.Error(), says) {
					t.Errorf("question %d: %v, want %q", i, err, says)
				}
			}
			if n := len(s.asked(otherWire.chat)); n != len(tc.answers) {
				t.Errorf("asked %d times, want %d", n, len(tc.answers))
			}
		})
	}
}

// TestThinkingInParts: what servers mark as thought in parts of the content, or in a field of any shape, is no text.
func TestThinkingInParts(t *testing.T) {
	for name, c := range map[string]struct{ message, text, thinking string }{
		"reasoning":            {`"content":[{"type":"reasoning","text":"[[B>A]]?"},{"type":"text","text":"[[A>B]]"}]`, "[[A>B]]", "[[B>A]]?"},
		"reasoning alone":      {`"content":[{"type":"reasoning","text":"[[B>A]]?"}]`, "", "[[B>A]]?"},
		"Mistral's":            {`"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"},{"type":"text","text":" so"}]},{"type":"text","text":"[[A>B]]"}]`, "[[A>B]]", "hm so"},
		"parts without type":   {`"content":[{"text":"[[A"},{"text":">B]]"}]`, "[[A>B]]", ""},
		"a list of texts":      {`"content":["[[A",">B]]"]`, "[[A>B]]", ""},
		"of a type of its own": {`"content":[{"type":"markdown","text":"[[A>B]]"}]`, "[[A>B]]", ""},
		"a summary":            {`"content":[{"type":"reasoning","summary":[{"type":"summary_text","text":"[[B>A]]"}]},{"type":"output_text","text":"[[A>B]]"}]`, "[[A>B]]", "[[B>A]]"},
		"Ollama's field":       {`"content":"[[A>B]]","thinking":"hm"`, "[[A>B]]", "hm"},
		"an object":            {`"content":"[[A>B]]","reasoning":{"content":"hm"}`, "[[A>B]]", "hm"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := otherWire.ask(t, respond(200, `{"model":"m","choices":[{"index":0,"message":{"role":"assistant",`+c.message+`},"finish_reason":"stop"}]}`))
			if err != nil || got.Text != c.text || got.Thinking != c.thinking {
				t.Errorf("%q, thought %q, %v", got.Text, got.Thinking, err)
			}
		})
	}
}
