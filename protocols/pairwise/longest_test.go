package pairwise

import (
	"bytes"
	"strings"
	"testing"

	"gavel/datasets"
	"gavel/judging"
	"gavel/judging/judgingtest"
	"gavel/protocols/protocoltest"
)

func TestLongestReferenced(t *testing.T) {
	set := judgingtest.Pairs(t, 3)
	const tokens = 500
	for _, protocol := range comparisons {
		p := protocol.New(protocol.Templates[0], bySelf)
		bound, err := protocol.Before(bySelf).Longest(p, set, judging.Unanswered("(to come)", set, tokens), nil)
		if err != nil {
			t.Fatal(err)
		}
		var lines [][]byte
		own := protocoltest.Answers(t, protocoltest.AnswerRun(t, set, "judge", protocoltest.Saying(strings.Repeat("y", tokens), nil)))
		if _, err := eachReference(set, judgingtest.UpTo(3), own, nil, func(line []byte) error { lines = append(lines, bytes.Clone(line)); return nil }); err != nil {
			t.Fatal(err)
		}
		pairs, err := datasets.FromLines("lines", set.Format, lines)
		if err != nil {
			t.Fatal(err)
		}
		if longest := judging.LongestPrompt(p, pairs); longest != bound {
			t.Errorf("%s: the longest prompt has %d bytes, bounded by %d", protocol.Name, longest, bound)
		}
	}
}
