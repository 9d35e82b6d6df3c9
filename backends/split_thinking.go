package backends

import (
	"regexp"
	"slices"
	"strings"
)

// thinkingTags lists the tags around thinking that servers may leave in a reply, in pairs of an opening and a closing
// one, from the models' published chat templates; docs/readers.md lists the models.
var thinkingTags = strings.Fields(`
	<think>               </think>
	<thinking>            </thinking>
	<thought>             </thought>
	[THINK]               [/THINK]
	◁think▷               ◁/think▷
	<|open|>think<|sep|>  <|close|>think<|sep|>
	<seed:think>          </seed:think>
	<|START_THINKING|>    <|END_THINKING|>
	<|channel>thought     <channel|>
`)

// SplitThinking separates the thinking from a reply: every <think>…</think>, an unclosed <think> to the end, and the
// text before an unopened </think> (from templates that put the opening tag into the prompt). The same holds for the
// tags of other models and for harmony's channels, and marks around the answer are removed. Other text stays unchanged.
func SplitThinking(reply string) (text, thinking string) {
	text, thinking = splitChannels(reply)
	for tags := range slices.Chunk(thinkingTags, 2) {
		var more string
		text, more = splitThinkingTags(text, tags[0], tags[1])
		thinking += more
	}
	return trimResponseMarks(text), thinking
}

// maxTagRemovals limits how often splitThinkingTags repeats when the removal of one tag forms another. Each round reads
// the reply once more; after the last, everything from the next opening tag on is thinking.
const maxTagRemovals = 50

// splitThinkingTags separates the text between the tags open and close from a reply, also between tags that the removal
// of others forms.
func splitThinkingTags(reply, open, close string) (text, thinking string) {
	text = reply
	for range maxTagRemovals {
		more := ""
		text, more = splitTagOnce(text, open, close)
		thinking += more
		if firstTagIndex(text, open) < 0 {
			return text, thinking
		}
	}
	text, more, _ := cutAtTag(text, open)
	return text, thinking + more
}

// firstTagIndex returns the index of the first tag in a text, or −1. A tag in backticks or quotation marks is
// skipped: the text only mentions it.
func firstTagIndex(text, tag string) int {
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

// cutAtTag works like strings.Cut around the first tag that firstTagIndex finds.
func cutAtTag(text, tag string) (before, after string, ok bool) {
	i := firstTagIndex(text, tag)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(tag):], true
}

// splitTagOnce separates the text between the tags open and close from a reply in one pass.
func splitTagOnce(reply, open, close string) (text, thinking string) {
	var out, thought strings.Builder
	if before, after, closed := cutAtTag(reply, close); closed && firstTagIndex(before, open) < 0 {
		thought.WriteString(before)
		reply = after
	}
	for opened := true; opened; {
		var before, inside string
		before, inside, opened = cutAtTag(reply, open)
		out.WriteString(before)
		inside, reply, _ = cutAtTag(inside, close)
		thought.WriteString(inside)
	}
	return out.String(), thought.String() // may contain a tag that the removals formed
}

// trimResponseMarks returns a reply of the model Command A without the marks around the answer.
func trimResponseMarks(text string) string {
	if rest, ok := strings.CutPrefix(strings.TrimLeft(text, " \n"), "<|START_RESPONSE|>"); ok {
		return strings.Replace(rest, "<|END_RESPONSE|>", "", 1)
	}
	return text
}

// Marks in replies of gpt-oss (its format is called harmony), and the words that remain of them if a server drops
// special tokens.
const (
	channelMark     = "<|channel|>"
	messageMark     = "<|message|>"
	bareChannelMark = "analysis"
	bareFinalMark   = "assistantfinal"
)

// namesFinal matches the channel name "final", with an optional type: "final <|constrain|>JSON".
var namesFinal = regexp.MustCompile(`^\s*final(?: |<\||\s*$)`)

// splitChannels separates the channels other than "final" from a reply of gpt-oss. A reply without that channel is all
// thinking.
func splitChannels(reply string) (text, thinking string) {
	if rest, ok := strings.CutPrefix(strings.TrimLeft(reply, " \n"), bareChannelMark); ok {
		if begin := strings.LastIndex(rest, bareFinalMark); begin >= 0 {
			return rest[begin+len(bareFinalMark):], rest[:begin]
		}
		if rest != "" && rest[0] >= 'A' && rest[0] <= 'Z' { // truncated before the other channel began
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
		channel, message, whole := strings.Cut(part, messageMark)
		if !whole {
			final.WriteString(part) // mentions the mark
			continue
		}
		for _, mark := range strings.Fields("<|end|> <|return|> <|call|> <|start|>") {
			message, _, _ = strings.Cut(message, mark)
		}
		if namesFinal.MatchString(channel) {
			final.WriteString(message)
		} else {
			thought.WriteString(message)
		}
	}
	return final.String(), thought.String()
}

// joinThinkingParts joins thinking from fields of their own with thinking from the text. Some versions of vLLM send it
// under two names.
func joinThinkingParts(parts ...string) string {
	var distinct []string
	for _, p := range parts {
		if strings.TrimSpace(p) != "" && !slices.Contains(distinct, p) {
			distinct = append(distinct, p)
		}
	}
	return strings.Join(distinct, "\n")
}
