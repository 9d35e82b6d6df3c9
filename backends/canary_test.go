package backends

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// muddled is a server that repeats words, or, where it is dumb, says something that is the prompt's own; once it is mixed
// up it answers the prompt before.
type muddled struct {
	dumb   bool
	mixed  bool
	before Request
}

func (m *muddled) Ask(_ context.Context, req Request) (Response, error) {
	if m.mixed {
		m.before, req.Messages = req, m.before.Messages
	} else {
		m.before = req
	}
	prompt := req.Messages[0].Content
	hash := fnv.New32()
	hash.Write([]byte(prompt))
	if !m.dumb {
		_, after, _ := strings.Cut(prompt, "The word of this conversation is ")
		word, _, _ := strings.Cut(after, ".")
		return Response{Text: "It is " + strings.ToUpper(word), Finish: Stop}, nil
	}
	return Response{Text: fmt.Sprint("hm ", hash.Sum32()), Finish: Stop}, nil
}

// A reply out of another conversation is noticed by its word or by its text, and one in its own is not.
func TestCanaries(t *testing.T) {
	for by, m := range map[string]*muddled{"its word": {}, "its text": {dumb: true}} {
		t.Run(by, func(t *testing.T) {
			c := NewCanaries(8, Request{Model: "m"})
			assert.NilError(t, c.Listen(t.Context(), m))
			if told, n := c.Told(); told != by || n != c.Len() {
				t.Fatalf("told by %s: %d of %d", told, n, c.Len())
			}
			for i := range c.Len() {
				r, _ := m.Ask(t.Context(), c.Request(i))
				if why, foreign := c.Foreign(i, r); foreign {
					t.Errorf("canary %d: %s", i, why)
				}
			}
			m.mixed = true
			seen := 0
			for i := range c.Len() {
				r, _ := m.Ask(t.Context(), c.Request((3*i+1)%c.Len())) // of the canary before
				if why, foreign := c.Foreign((3*i+1)%c.Len(), r); foreign && why != "" {
					seen++
				}
			}
			if seen < c.Len()-1 {
				t.Errorf("%d of %d foreign replies are noticed", seen, c.Len())
			}
		})
	}
}

// TestMixingFromTheStart: a server that mixes conversations up before anything else is asked names words of others', and
// is not taken for one whose model repeats none.
func TestMixingFromTheStart(t *testing.T) {
	c := NewCanaries(8, Request{Model: "m"})
	m := &muddled{}
	m.Ask(t.Context(), c.Request(7))
	m.mixed = true
	assert.NilError(t, c.Listen(t.Context(), m))
	if by, n := c.Told(); by != "its word" || n != c.Len() {
		t.Fatalf("told by %s: %d of %d", by, n, c.Len())
	}
	for i := range c.Len() {
		r, _ := m.Ask(t.Context(), c.Request(i))
		if _, foreign := c.Foreign(i, r); !foreign {
			t.Errorf("canary %d is answered with %q, and that is not noticed", i, r.Text)
		}
	}
}
