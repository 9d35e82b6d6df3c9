package backends

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
)

// Canaries are prompts that each hold a word which only the prompt's own reply can name: a reply that does not name
// it is of another conversation. Servers have been seen to mix conversations up under load
// (ggml-org/llama.cpp#27148).
//
// A model that repeats no words is told by all that it says when nothing else is asked.
type Canaries struct {
	base    Request
	words   []string
	repeats bool // the model repeats words: a reply is told by the word that it names
	alone   []Response
}

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
	req.Encoded = nil
	req.MaxTokens = max(req.MaxTokens, canaryTokens)
	return req
}

// Listen asks all of them, one after the other, while nothing else is asked.
func (c *Canaries) Listen(ctx context.Context, judge Client) error {
	named := 0
	for i := range c.words {
		r, err := judge.Ask(ctx, c.Request(i))
		if err != nil {
			return err
		}
		c.alone = append(c.alone, r)
		if strings.Contains(said(r), c.words[i]) {
			named++
		}
		// One that names a word that it cannot know repeats words, and its server mixes conversations up.
		c.repeats = c.repeats || c.other(i, said(r)) != ""
	}
	c.repeats = c.repeats || named == c.Len()
	return nil
}

// other is the word of another canary than the i-th that a text names; "" for none.
func (c *Canaries) other(i int, text string) string {
	for j, word := range c.words {
		if i != j && strings.Contains(text, word) {
			return word
		}
	}
	return ""
}

// Told tells by what one reply is told from another, in words, and how many canaries can be told from all others by it.
func (c *Canaries) Told() (by string, n int) {
	if c.repeats {
		return "its word", c.Len()
	}
	replies := map[string]int{}
	for _, r := range c.alone {
		replies[said(r)]++
	}
	for _, r := range c.alone {
		if replies[said(r)] == 1 {
			n++
		}
	}
	return "its text", n
}

// Foreign tells whether the reply to the i-th canary is of another conversation, and what speaks for it, in words.
func (c *Canaries) Foreign(i int, r Response) (why string, foreign bool) {
	text := said(r)
	if !c.repeats {
		for j, other := range c.alone {
			if text != "" && text != said(c.alone[i]) && text == said(other) {
				return fmt.Sprintf("its reply to canary %d is that to canary %d", i+1, j+1), true
			}
		}
		return "", false
	}
	if strings.Contains(text, c.words[i]) {
		return "", false
	}
	if word := c.other(i, text); word != "" {
		return fmt.Sprintf("it named %s, which only another conversation holds, when it was asked for %s",
			word, c.words[i]), true
	}
	return fmt.Sprintf("it said %.40q when it was asked for %s, which it named when nothing else was asked",
		text, c.words[i]), true
}

// said is all that a reply says, thinking included: a model that thinks names the word there.
func said(r Response) string { return strings.ToLower(strings.TrimSpace(r.Thinking + " " + r.Text)) }
