package doctor

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"

	"gavel/backends"
)

// canaries are prompts that each hold a word which only the prompt's own reply can name; under load each is sent a few
// times.
const (
	canaries      = 8
	foreignRounds = 4
)

// foreign sends canaries under load: a server that answers one out of another conversation gives verdicts on other
// pairs, as llama.cpp was seen to do (ggml-org/llama.cpp#27148).
func (d *doctor) foreign(ctx context.Context) Finding {
	var words []string
	var all []int
	for i := range canaries {
		words = append(words, strings.ToLower(rand.Text()[:8]))
		all = append(all, i)
	}
	example := "a word was not named under load that was named before"
	send := func(list []int, atOnce int) (own []int, foreign int, err error) {
		var reqs []backends.Request
		for _, i := range list { // of different lengths, so that none is the beginning of another
			req := d.request(24, user(fmt.Sprintf("The word of this conversation is %s. %s\nRepeat the word of this "+
				"conversation, and nothing else.", words[i], strings.Repeat(words[i]+" ", 20+5*i))))
			req.Think = d.think
			reqs = append(reqs, req)
		}
		w := d.burst(ctx, reqs, atOnce)
		if len(w.errs) > 0 {
			return nil, 0, w.errs[0]
		}
		for k, r := range w.replies {
			text, word := strings.ToLower(r.Thinking+" "+r.Text), words[list[k]]
			other := slices.IndexFunc(words, func(w string) bool { return strings.Contains(text, w) })
			if strings.Contains(text, word) {
				own = append(own, list[k])
			} else if other >= 0 {
				foreign++
				example = fmt.Sprintf("asked for %s, it named %s, which only another conversation holds", word, words[other])
			}
		}
		return own, foreign, nil
	}
	told, foreign, err := send(all, 1)
	switch {
	case err != nil:
		return untold(err)
	case foreign == 0 && len(told) < canaries:
		return bad(Unknown, "try again with a model that repeats a word when it is asked to",
			"of %d canaries %d are answered with the word of their conversation", canaries, len(told))
	}
	asked := slices.Repeat(told, foreignRounds)
	atOnce := max(4, min(d.Concurrency, mostAtOnce))
	own, _, err := send(asked, atOnce)
	if err != nil {
		return bad(Warn, "try a run with --concurrency 1", "under load a request failed: %s", why(err))
	}
	foreign += len(asked) - len(own)
	sent := canaries + len(asked)
	value := map[string]any{"canaries": sent, "foreign": foreign, "at_once": atOnce}
	if foreign == 0 {
		return good("of %d canaries, %d at once, each was answered in its own conversation", sent, atOnce).with(value)
	}
	do := "run with --concurrency 1"
	if apart := d.Judge.Server.Advice().Apart; apart != "" {
		do = apart + "; " + do
	}
	return bad(Fail, do, "of %d canaries, up to %d at once, %d were answered out of another conversation: %s",
		sent, atOnce, foreign, example).with(value)
}
