package reading

import "strings"

// templateMarkerParts lists substrings: every marker of a chat template, such as an end-of-turn token, contains one.
// They are rare in replies, so looking for them first saves time.
var templateMarkerParts = splitPhrases(`<| <｜ </s> <end <turn <eos <EOT
	<think </think <thought </thought <seed </seed ▷ THINK] INST]
	assistantfinal Human: [User_Question [The_`)

// answerSpan returns the bounds of the model's answer in a reply, in bytes: without thinking and without later
// turns that the model invents.
func answerSpan(reply string) (from, to int) {
	if !containsAny(reply, templateMarkerParts) {
		return 0, len(reply)
	}
	thinkingStart := -1 // beginning of thinking that has not ended; −1 without any
	for _, m := range rulePattern("marks").FindAllStringSubmatchIndex(reply, -1) {
		isMentioned := m[0] > 0 && m[1] < len(reply) && reply[m[0]-1] == reply[m[1]] &&
			strings.IndexByte("`\"'", reply[m[1]]) >= 0
		isHTML := reply[m[0]:m[1]] == "</s>" && strings.Contains(textBefore(reply, m[0], rightWindow), "<s>")
		switch {
		case isMentioned || isHTML:
		case m[4] >= 0:
			from = m[1]
			thinkingStart = -1
		case m[6] >= 0 && thinkingStart < 0:
			thinkingStart = m[0]
		case m[2] >= 0 && thinkingStart < 0 && strings.TrimSpace(reply[from:m[0]]) != "":
			return from, m[0]
		}
	}
	if thinkingStart >= 0 {
		return from, thinkingStart
	}
	return from, len(reply)
}
