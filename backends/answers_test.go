package backends

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"

	"gotest.tools/v3/assert"
)

// ollama/api reads no line of more than 8 MB, and says nothing of it.
func TestLongReplies(t *testing.T) {
	text := strings.Repeat("The answers differ. ", 500_000) + "[[A>B]]"
	eachWire(t, func(t *testing.T, w wire) {
		got, err := w.ask(t, w.completeAnswer(text))
		if err != nil || got.Text != text || got.Finish != FinishStop || got.ReplyTokens != 22 {
			t.Errorf("%d bytes of a reply, want %d; %s, %v", len(got.Text), len(text), got.Finish, err)
		}
	})
}

// The contract of Client, for every backend.
func TestAskedByManyAtOnce(t *testing.T) {
	clients := map[string]Client{}
	for _, w := range wires {
		s := w.start(t, w.completeAnswer("[[A>B]]"))
		clients[w.name] = w.dial(s.URL, "", NewHTTPClient(8))
	}
	sim, err := NewSimulatedJudge("coin")
	assert.NilError(t, err)
	clients["sim"] = sim
	req := question
	req.Oracle = &Oracle{Item: "x", VerdictLabels: []string{"[[A>B]]", "[[B>A]]"}, Order: []int{0, 1}}
	for name, c := range clients {
		t.Run(name, func(t *testing.T) {
			first, err := c.Ask(context.Background(), req)
			assert.NilError(t, err)
			var wg sync.WaitGroup
			for range 16 {
				wg.Go(func() {
					if second, err := c.Ask(context.Background(), req); err != nil || second.Text != first.Text {
						t.Errorf("asked again: %q, %v, at first %q", second.Text, err, first.Text)
					}
				})
			}
			wg.Wait()
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			if _, err := c.Ask(ctx, req); err != context.Canceled {
				t.Errorf("cancelled before: %v", err)
			}
		})
	}
	if h, ok := NewHTTPClient(8).Transport.(*http.Transport); !ok || h.MaxIdleConnsPerHost != 8 {
		t.Error("fewer warm connections than requests in flight")
	}
}
