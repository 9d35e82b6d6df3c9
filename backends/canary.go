package backends

import (
	"context"
	"crypto/rand"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Canaries are prompts that each hold a word which only the prompt's own reply can name: a reply that does not name it is
// of another conversation. Servers have been seen to mix conversations up under load (ggml-org/llama.cpp#27148).
//
// A model that repeats no words is told by what it says when nothing else is asked: the probabilities of the words, where
// its server tells them, else the text.
type Canaries struct {
	base  Request
	words []string
	by    witness
	alone []Response
}

// witness is what tells one canary's reply from another's.
type witness int

const (
	byWord witness = iota
	byLabels
	byText
)

// NewCanaries makes n of them, in the way base is asked.
func NewCanaries(n int, base Request) *Canaries {
	c := &Canaries{base: base}
	for range n {
		c.words = append(c.words, strings.ToLower(rand.Text()[:8]))
	}
	return c
}

// Len is how many there are.
func (c *Canaries) Len() int { return len(c.words) }

const canaryTokens = 24

// Request is the i-th canary. All of them are of different length, so that none can be taken for the beginning of another.
func (c *Canaries) Request(i int) Request {
	req, word := c.base, c.words[i]
	req.Messages = []Message{{User, fmt.Sprintf("The word of this conversation is %s. %s\nRepeat the word of this conversation, and nothing else.", word, strings.Repeat(word+" ", 20+5*i))}}
	req.Encoded, req.MaxTokens = nil, max(req.MaxTokens, canaryTokens)
	if c.by == byLabels {
		req.Constrain, req.Labels = c.words, c.words
	}
	return req
}

// Listen asks all of them, one after the other, while nothing else is asked.
func (c *Canaries) Listen(ctx context.Context, judge Client) error {
	if err := c.ask(ctx, judge); err != nil {
		return err
	}
	named := 0
	for i, r := range c.alone {
		if strings.Contains(said(r), c.words[i]) {
			named++
		}
	}
	if named == c.Len() {
		return nil
	}
	free := c.alone
	c.by = byLabels
	err := c.ask(ctx, judge)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for _, r := range c.alone {
		if err != nil || len(r.Labels) == 0 {
			c.by, c.alone = byText, free
			return nil // a server that holds no reply to labels, or tells no probabilities
		}
	}
	return nil
}

func (c *Canaries) ask(ctx context.Context, judge Client) error {
	c.alone = nil
	for i := range c.words {
		r, err := judge.Ask(ctx, c.Request(i))
		if err != nil {
			return err
		}
		c.alone = append(c.alone, r)
	}
	return nil
}

// Told tells by what one reply is told from another, in words, and how many canaries can be told from all others by it.
func (c *Canaries) Told() (by string, n int) {
	for i := range c.words {
		alike := false
		for j := range c.words {
			alike = alike || i != j && (c.by == byLabels && apart(c.alone[i], c.alone[j]) <= movesLittle || c.by == byText && said(c.alone[i]) == said(c.alone[j]))
		}
		if !alike {
			n++
		}
	}
	return [...]string{"its word", "the probabilities of the words", "its text"}[c.by], n
}

// Bounds of how far the logarithm of a label's probability moves with batches and threads alone, and of how far it is
// certainly another prompt's.
const (
	movesLittle = 0.25
	movesFar    = 1.5
)

// Foreign tells whether the reply to the i-th canary is of another conversation, and what speaks for it, in words.
func (c *Canaries) Foreign(i int, r Response) (why string, foreign bool) {
	switch c.by {
	case byWord:
		text := said(r)
		if strings.Contains(text, c.words[i]) {
			return "", false
		}
		for j, word := range c.words {
			if i != j && strings.Contains(text, word) {
				return fmt.Sprintf("it named %s, which only another conversation holds, when it was asked for %s", word, c.words[i]), true
			}
		}
		return fmt.Sprintf("it said %.40q when it was asked for %s, which it named when nothing else was asked", text, c.words[i]), true
	case byText:
		for j, other := range c.alone {
			if is := said(r); is != said(c.alone[i]) && is == said(other) && is != "" {
				return fmt.Sprintf("its reply to canary %d is that to canary %d", i+1, j+1), true
			}
		}
		return "", false
	}
	own, nearest, at := apart(r, c.alone[i]), math.Inf(1), 0
	for j, other := range c.alone {
		if d := apart(r, other); j != i && d < nearest {
			nearest, at = d, j
		}
	}
	switch {
	case own > movesLittle && nearest < own/2:
		return fmt.Sprintf("its probabilities after canary %d are those after canary %d (off by %.2f, its own by %.2f)", i+1, at+1, nearest, own), true
	case own > movesFar:
		return fmt.Sprintf("its probabilities after canary %d are off by %.2f from those when nothing else was asked", i+1, own), true
	}
	return "", false
}

// said is all that a reply says, thinking included: a model that thinks names the word there.
func said(r Response) string { return strings.ToLower(strings.TrimSpace(r.Thinking + " " + r.Text)) }

// apart is the largest difference between the labels that two replies tell of.
func apart(a, b Response) (far float64) {
	told := map[string]float64{}
	for _, l := range a.Labels {
		told[l.Text] = l.Logprob
	}
	for _, l := range b.Labels {
		if p, ok := told[l.Text]; ok {
			far = max(far, math.Abs(p-l.Logprob))
		}
	}
	return far
}

// MixedUp is what to do about a server that mixes conversations up.
const MixedUp = "start llama.cpp with --cache-ram 0, or ask any server with --concurrency 1"

// ForeignReplyError says that a server answered a canary out of another conversation.
type ForeignReplyError struct {
	Why   string
	Asked int       // requests since a canary last came back right: their replies may be foreign, too
	Since time.Time // when the first of the requests was made that were not answered by then
}

func (e *ForeignReplyError) Error() string {
	return fmt.Sprintf("the server mixes conversations up: %s; the last %d replies may be of other prompts", e.Why, e.Asked)
}

// guarded is a Client that asks a canary before every so many requests.
type guarded struct {
	next     Client
	canaries *Canaries
	every    int64
	asked    atomic.Int64
	now      func() time.Time

	mu      sync.Mutex
	open    map[int64]time.Time // requests that are not answered: when they were made
	right   int64               // requests when a canary last came back right
	since   time.Time           // see ForeignReplyError
	foreign *ForeignReplyError
}

// WithCanaries wraps next, which has been listened to: before every so many requests a canary is asked, and once the
// reply to one is foreign every call fails with *ForeignReplyError. now is the clock of the records.
func WithCanaries(next Client, c *Canaries, every int, now func() time.Time) Client {
	return &guarded{next: next, canaries: c, every: int64(max(1, every)), now: now, open: map[int64]time.Time{}, since: now()}
}

func (g *guarded) Ask(ctx context.Context, req Request) (Response, error) {
	n := g.asked.Add(1)
	if n%g.every == 0 {
		g.look(ctx, n)
	}
	if err := g.known(); err != nil {
		return Response{}, err
	}
	g.mu.Lock()
	g.open[n] = g.now()
	g.mu.Unlock()
	defer func() {
		g.mu.Lock()
		delete(g.open, n)
		g.mu.Unlock()
	}()
	resp, err := g.next.Ask(ctx, req)
	if foreign := g.known(); foreign != nil { // seen meanwhile: this reply is of the same time
		return Response{}, foreign
	}
	return resp, err
}

func (g *guarded) known() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.foreign != nil {
		return g.foreign
	}
	return nil
}

// look asks a canary; one that fails says nothing.
func (g *guarded) look(ctx context.Context, n int64) {
	i := int(n/g.every) % g.canaries.Len()
	since := g.now()
	g.mu.Lock()
	for _, at := range g.open {
		if at.Before(since) {
			since = at
		}
	}
	g.mu.Unlock()
	r, err := g.next.Ask(ctx, g.canaries.Request(i))
	if err != nil {
		return
	}
	why, foreign := g.canaries.Foreign(i, r)
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case foreign && g.foreign == nil:
		if g.since.Before(since) { // the canary that came back right last was asked before
			since = g.since
		}
		g.foreign = &ForeignReplyError{why, int(g.asked.Load() - min(g.right, n)), since}
	case !foreign && n > g.right:
		g.right, g.since = n, since
	}
}
