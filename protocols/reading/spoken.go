package reading

import (
	"slices"
	"strings"
)

// partsOfMarks are parts of them that begin with what few replies have: one without any has no mark.
var partsOfMarks = phrases(`<| <｜ </s> <end <turn <eos <EOT
	<think </think <thought </thought <seed </seed ▷ THINK] INST]
	assistantfinal Human: [User_Question [The_`)

// spoken is where the part of a reply begins and ends that its model says as its answer.
func spoken(reply string) (from, to int) {
	mayHave := func(part string) bool { return strings.Contains(reply, part) }
	if !slices.ContainsFunc(partsOfMarks, mayHave) {
		return 0, len(reply)
	}
	thinks := -1 // where thinking begins that has not ended
	for _, m := range pattern("marks").FindAllStringSubmatchIndex(reply, -1) {
		isMentioned := m[0] > 0 && m[1] < len(reply) && reply[m[0]-1] == reply[m[1]] &&
			strings.IndexByte("`\"'", reply[m[1]]) >= 0
		isHTML := reply[m[0]:m[1]] == "</s>" && strings.Contains(reply[max(0, m[0]-after):m[0]], "<s>")
		switch {
		case isMentioned || isHTML:
		case m[4] >= 0:
			from = m[1]
			thinks = -1
		case m[6] >= 0 && thinks < 0:
			thinks = m[0]
		case m[2] >= 0 && thinks < 0 && strings.TrimSpace(reply[from:m[0]]) != "":
			return from, m[0]
		}
	}
	if thinks >= 0 {
		return from, thinks
	}
	return from, len(reply)
}
