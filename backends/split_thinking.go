package backends

import (
	"regexp"
	"slices"
	"strings"
)

// thinkingTags stand around thinking in replies of which a server did not take it off, by the models' published chat
// templates; docs/readers.md says which is whose.
var thinkingTags = []struct{ open, close string }{
	{"<think>", "</think>"},
	{"<thinking>", "</thinking>"},
	{"<thought>", "</thought>"},
	{"[THINK]", "[/THINK]"},
	{"◁think▷", "◁/think▷"},
	{"<|open|>think<|sep|>", "<|close|>think<|sep|>"},
	{"<seed:think>", "</seed:think>"},
	{"<|START_THINKING|>", "<|END_THINKING|>"},
	{"<|channel>thought", "<channel|>"},
}

// SplitThinking takes the thinking off a reply: every <think>…</think>, an unclosed <think> to the end, and all
// before a </think> that nothing opened (templates that put the opening tag into the prompt); so with the tags of other
// models, and with harmony's channels, and marks around the answer. Text without any of them is returned as it is.
func SplitThinking(reply string) (text, thinking string) {
	text, thinking = finalChannel(reply)
	for _, tag := range thinkingTags {
		var more string
		text, more = splitTag(text, tag.open, tag.close)
		thinking += more
	}
	return unmarked(text), thinking
}

// deepestThought is how many tags may be put together, one out of the removal of the other, before all from the next
// on is thinking: each takes another reading of the reply.
const deepestThought = 50

// splitTag takes off what stands between the tags, also those that come together when others are taken off.
func splitTag(reply, open, close string) (text, thinking string) {
	text = reply
	for range deepestThought {
		more := ""
		text, more = splitTagOnce(text, open, close)
		thinking += more
		if tagAt(text, open) < 0 {
			return text, thinking
		}
	}
	text, more, _ := cutTag(text, open)
	return text, thinking + more
}

// tagAt returns where a text has a tag, and does not speak of one: "`<think>`" in backticks or quotation marks is
// none. −1 where it has none.
func tagAt(text, tag string) int {
	for from := 0; ; {
		i := strings.Index(text[from:], tag)
		if i < 0 {
			return -1
		}
		i += from
		from = i + len(tag)
		if i == 0 || from == len(text) || text[i-1] != text[from] || strings.IndexByte("`\"'", text[from]) < 0 {
			return i
		}
	}
}

// cutTag is strings.Cut around the first such tag.
func cutTag(text, tag string) (before, after string, found bool) {
	i := tagAt(text, tag)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(tag):], true
}

// splitTagOnce goes through a reply once.
func splitTagOnce(reply, open, close string) (text, thinking string) {
	var out, thought strings.Builder
	if before, after, closed := cutTag(reply, close); closed && tagAt(before, open) < 0 {
		thought.WriteString(before)
		reply = after
	}
	for opened := true; opened; {
		var before, inside string
		before, inside, opened = cutTag(reply, open)
		out.WriteString(before)
		inside, reply, _ = cutTag(inside, close)
		thought.WriteString(inside)
	}
	return out.String(), thought.String() // which may hold a tag that was put together by what was taken from its middle
}

// responseMarks stand around what Command A says after its thinking.
var responseMarks = [2]string{"<|START_RESPONSE|>", "<|END_RESPONSE|>"}

// unmarked is a reply without the marks around it.
func unmarked(text string) string {
	if rest, ok := strings.CutPrefix(strings.TrimLeft(text, " \n"), responseMarks[0]); ok {
		said, more, _ := strings.Cut(rest, responseMarks[1])
		return said + more
	}
	return text
}

// Harmony's marks, and what is left of them where a server drops special tokens.
const (
	channelMark  = "<|channel|>"
	messageMark  = "<|message|>"
	plainChannel = "analysis"
	plainFinal   = "assistantfinal"
)

// namesFinal matches the name of the channel "final". Its type may follow: "final <|constrain|>JSON".
var namesFinal = regexp.MustCompile(`^\s*final(?: |<\||\s*$)`)

// finalChannel takes off what gpt-oss says in other channels than "final". A reply that never comes to that one is all
// thinking.
func finalChannel(reply string) (text, thinking string) {
	if rest, ok := strings.CutPrefix(strings.TrimLeft(reply, " \n"), plainChannel); ok {
		if begin := strings.LastIndex(rest, plainFinal); begin >= 0 {
			return rest[begin+len(plainFinal):], rest[:begin]
		}
		if rest != "" && rest[0] >= 'A' && rest[0] <= 'Z' { // cut before the other channel began
			return "", rest
		}
	}
	before, rest, ok := strings.Cut(reply, channelMark)
	if !ok || !strings.Contains(rest, messageMark) {
		return reply, ""
	}
	var final, thought strings.Builder
	final.WriteString(strings.TrimSuffix(before, "<|start|>assistant"))
	for part := range strings.SplitSeq(rest, channelMark) {
		channel, said, whole := strings.Cut(part, messageMark)
		if !whole {
			final.WriteString(part) // speaks of the mark
			continue
		}
		for _, mark := range []string{"<|end|>", "<|return|>", "<|call|>", "<|start|>"} {
			said, _, _ = strings.Cut(said, mark)
		}
		if namesFinal.MatchString(channel) {
			final.WriteString(said)
		} else {
			thought.WriteString(said)
		}
	}
	return final.String(), thought.String()
}

// joinThinking joins thinking that came in a field of its own with thinking
// found in the text. Some versions of vLLM send it under two names.
func joinThinking(parts ...string) string {
	var kept []string
	for _, p := range parts {
		if strings.TrimSpace(p) != "" && !slices.Contains(kept, p) {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, "\n")
}
