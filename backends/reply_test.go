package backends

import (
	"context"
	"net/http"
	"strings"
	"testing"
)

// A server that never tells finish reasons is known by a second answer.
func TestServerWithoutFinishReasons(t *testing.T) {
	for _, reason := range []string{"null", ""} {
		s := otherWire.start(t, respond(200, otherWire.replyJSON(content("[[A>B]]"), reason)))
		b := s.client(otherWire, "")
		for request := 2; request < 5; request++ { // once more than it is asked from here
			got, err := b.Ask(context.Background(), question)
			if err != nil || got.Finish != FinishStop || got.Text != "[[A>B]]" || !got.NoFinishReasons {
				t.Errorf("got %+v, %v", got, err)
			}
			if n := len(s.requestsTo(otherWire.chat)); n != request {
				t.Errorf("asked %d times, want %d", n, request)
			}
		}
		short := question
		short.MaxTokens = 22
		if got, err := b.Ask(context.Background(), short); err != nil || got.Finish != FinishLength || !got.NoFinishReasons {
			t.Errorf("a reply that fills the limit: %+v, %v", got, err)
		}
	}
}

// A server that tells them, and gives a reply without one, broke that off: be it
// the first reply of all.
func TestFinishReasonIsMissing(t *testing.T) {
	whole, cut := respond(200, otherWire.replyJSON(content("[[A>B]]"), `"stop"`)), respond(200, otherWire.replyJSON(content("[[A>B]], or"), "null"))
	down := respond(500, otherWire.fail(500, "down"))
	for name, tc := range map[string]struct {
		answers []http.HandlerFunc
		errors  []string // of the errors of one question after the other; "": a reply
	}{
		"the first":    {[]http.HandlerFunc{cut, whole, whole, cut}, []string{"it has no finish reason, unlike other replies", "", "it has no finish reason, unlike other replies"}},
		"a later one":  {[]http.HandlerFunc{whole, cut, cut}, []string{"", "it has no finish reason, unlike other replies", "it has no finish reason, unlike other replies"}},
		"unknown what": {[]http.HandlerFunc{cut, down, whole}, []string{"HTTP 500: down", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			s := otherWire.start(t, tc.answers...)
			b := s.client(otherWire, "")
			for i, says := range tc.errors {
				got, err := b.Ask(context.Background(), question)
				if says == "" {
					if err != nil || got.Text != "[[A>B]]" || got.NoFinishReasons {
						t.Errorf("question %d: %+v, %v", i, got, err)
					}
					continue
				}
				if err == nil {
					t.Fatalf("question %d: taken for a reply: %+v", i, got)
				}
				if e := failed(t, err); e.Kind != ErrorServer || !strings.Contains(err.Error(), says) {
					t.Errorf("question %d: %v, want %q", i, err, says)
				}
			}
			if n := len(s.requestsTo(otherWire.chat)); n != len(tc.answers) {
				t.Errorf("asked %d times, want %d", n, len(tc.answers))
			}
		})
	}
}
