package backends

import (
	"context"
	"crypto/rand"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Canaries are prompts that each hold a word which only the prompt's own reply can name: a reply that does not name
// it is of another conversation. Servers have been seen to mix conversations up under load
// (ggml-org/llama.cpp#27148).
//
// A model that repeats no words is told by what it says when nothing else is asked: the probabilities of the words,
// where its server tells them, else the text.
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

// Request is the i-th canary. All of them are of different length, so that none can be taken for
// the beginning of another.
func (c *Canaries) Request(i int) Request {
	req, word := c.base, c.words[i]
	req.Messages = []Message{{User, fmt.Sprintf("The word of this conversation is %s. %s\nRepeat the word "+
		"of this conversation, and nothing else.", word, strings.Repeat(word+" ", 20+5*i))}}
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
		foreign := func(word string) bool { return word != c.words[i] && strings.Contains(said(r), word) }
		switch {
		case slices.ContainsFunc(c.words, foreign):
			return nil // a word that it cannot know: the model repeats words, and its server mixes conversations up
		case strings.Contains(said(r), c.words[i]):
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
			alike = alike || i != j && (c.by == byLabels && apart(c.alone[i], c.alone[j]) <= movesLittle ||
				c.by == byText && said(c.alone[i]) == said(c.alone[j]))
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
				return fmt.Sprintf("it named %s, which only another conversation holds, when it was asked for %s",
					word, c.words[i]), true
			}
		}
		return fmt.Sprintf("it said %.40q when it was asked for %s, which it named when nothing else was asked",
			text, c.words[i]), true
	case byText:
		for j, other := range c.alone {
			if is := said(r); is != said(c.alone[i]) && is == said(other) && is != "" {
				return fmt.Sprintf("its reply to canary %d is that to canary %d", i+1, j+1), true
			}
		}
		return "", false
	}
	own := apart(r, c.alone[i])
	nearest := math.Inf(1)
	at := 0
	for j, other := range c.alone {
		if d := apart(r, other); j != i && d < nearest {
			nearest, at = d, j
		}
	}
	switch {
	case own > movesLittle && nearest < own/2:
		return fmt.Sprintf("its probabilities after canary %d are those after canary %d (off by %.2f, "+
			"its own by %.2f)", i+1, at+1, nearest, own), true
	case own > movesFar:
		return fmt.Sprintf("its probabilities after canary %d are off by %.2f from those when nothing else was asked",
			i+1, own), true
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
