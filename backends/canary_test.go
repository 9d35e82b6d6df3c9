package backends

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// muddled is a server that repeats words, or, where it is dumb, tells of each word a probability that is the prompt's own;
// once it is mixed up it answers the prompt before.
type muddled struct {
	dumb, untold bool
	mixed        bool
	asked        int
	before       Request
}

func (m *muddled) Ask(_ context.Context, req Request) (Response, error) {
	if m.asked++; req.MaxTokens == 0 && len(req.Labels)+len(m.before.Messages) > 0 && strings.Contains(req.Messages[0].Content, "The word") {
		return Response{Finish: Length}, nil
	}
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
	r := Response{Text: fmt.Sprint("hm ", hash.Sum32()), Finish: Stop}
	if req.Labels != nil && !m.untold {
		r.Text = req.Labels[0]
		for i, l := range req.Labels {
			noise := float64(m.asked%3) / 50 // of batches
			r.Labels = append(r.Labels, Label{l, -1 - float64(hash.Sum32()>>(4*i)%16) - noise})
		}
	}
	return r, nil
}

// A reply out of another conversation is noticed by its word, by the probabilities of the words and by its text, and one in its
// own is not.
func TestCanaries(t *testing.T) {
	for by, m := range map[string]*muddled{"its word": {}, "the probabilities of the words": {dumb: true}, "its text": {dumb: true, untold: true}} {
		t.Run(by, func(t *testing.T) {
			c := NewCanaries(8, Request{Model: "m"})
			if err := c.Listen(t.Context(), m); err != nil {
				t.Fatal(err)
			}
			if told, n := c.Told(); told != by || n != c.Len() {
				t.Fatalf("told by %s: %d of %d", told, n, c.Len())
			}
			begun := time.Now()
			g := WithCanaries(m, c, 4, time.Now)
			ask := func() error {
				_, err := g.Ask(t.Context(), Request{Messages: []Message{{User, "Which is better?"}}})
				return err
			}
			for range 40 {
				if err := ask(); err != nil {
					t.Fatal(err)
				}
			}
			for i := range c.Len() {
				r, _ := m.Ask(t.Context(), c.Request(i))
				if why, foreign := c.Foreign(i, r); foreign {
					t.Errorf("canary %d: %s", i, why)
				}
			}
			m.mixed = true
			mixed := time.Now()
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
			if by == "its text" { // what is not a canary's looks like noise
				return
			}
			var err error
			var foreign *ForeignReplyError
			for range 12 {
				err = ask()
			}
			if !errors.As(err, &foreign) || foreign.Asked < 1 || foreign.Asked > 12 || foreign.Since.Before(begun) || foreign.Since.After(mixed) {
				t.Errorf("%v", err)
			}
			if IsKind(err, Transport, Timeout, Busy, ServerSide) {
				t.Error("it would be asked again")
			}
		})
	}
}

// overtaken answers the first canary that it is asked after others are open only when later ones have come back, and then
// out of another conversation.
type overtaken struct {
	muddled
	mu      sync.Mutex
	slow    chan struct{}
	waiting chan struct{}
	held    bool
}

func (o *overtaken) Ask(ctx context.Context, req Request) (Response, error) {
	if !strings.Contains(req.Messages[0].Content, "The word") {
		return Response{Text: "[[A>B]]", Finish: Stop}, nil
	}
	o.mu.Lock()
	mine := o.slow != nil && !o.held
	o.held = o.held || mine
	r, err := o.muddled.Ask(ctx, req)
	o.mu.Unlock()
	if mine {
		close(o.waiting)
		<-o.slow
		return Response{Text: "of another conversation", Finish: Stop}, nil
	}
	return r, err
}

// TestOvertakenCanary: what was said since the foreign canary was sent is not believed, though a later one was right.
func TestOvertakenCanary(t *testing.T) {
	o := &overtaken{waiting: make(chan struct{})}
	c := NewCanaries(8, Request{Model: "m"})
	if err := c.Listen(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	o.slow = make(chan struct{})
	var clock atomic.Int64
	now := func() time.Time { return time.Unix(clock.Add(1), 0) }
	g := WithCanaries(o, c, 4, now)
	ask := func() error {
		_, err := g.Ask(t.Context(), Request{Messages: []Message{{User, "Which is better?"}}})
		return err
	}
	for range 3 {
		if err := ask(); err != nil {
			t.Fatal(err)
		}
	}
	sent := now()
	ends := make(chan error, 1)
	go func() { ends <- ask() }() // with the canary that waits
	<-o.waiting
	for range 9 { // with two that are right
		if err := ask(); err != nil {
			t.Fatal(err)
		}
	}
	close(o.slow)
	var foreign *ForeignReplyError
	if err := <-ends; !errors.As(err, &foreign) || foreign.Since.After(sent.Add(time.Second)) || foreign.Asked < 9 {
		t.Errorf("%v: since %v, where the canary was sent at %v", err, foreign.Since.Unix(), sent.Unix())
	}
}
