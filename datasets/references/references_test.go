package references

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
)

// TestLLMBarIsWhatWasGathered: the verdicts are those that were gathered from the sources' stored replies, and the
// digests those of LLMBar's pairs.
func TestLLMBarIsWhatWasGathered(t *testing.T) {
	for want, file := range map[string][]byte{
		"b24d460d3f8aef7bec84acce4c3a7205299a4f51d49ceb4c919200a526621121": llmBar,
		"9d6954db0ac77c02c43f2f8d6a29ec17bf5c17e6b7d80844a1fbcb8e370ddec8": llmBarDigests,
	} {
		if sum := sha256.Sum256(file); hex.EncodeToString(sum[:]) != want {
			t.Errorf("a file of %d bytes is not what was gathered", len(file))
		}
	}
}

// TestLLMBarIsWhole: every judge has a verdict in both orders on the items that it judged, and a name of its own.
func TestLLMBarIsWhole(t *testing.T) {
	s := LLMBar()
	items := 0
	s.EachItem(func(i int, id, group string) {
		if i != items || !strings.HasPrefix(id, group+"#") {
			t.Errorf("item %d is %s of %s", i, id, group)
		}
		items++
	})
	if items != 419 || len(s.GoldByItem) != items || strings.Trim(s.GoldByItem, "12") != "" || len(s.Judges) != 13 {
		t.Fatalf("%d items, %d labels, %d judges", items, len(s.GoldByItem), len(s.Judges))
	}
	names := map[string]bool{}
	for _, j := range s.Judges {
		if len(j.FirstOrderVerdicts) != len(j.SecondOrderVerdicts) || !s.Complete(j) && len(j.FirstOrderVerdicts) != s.Groups[0].ItemCount {
			t.Errorf("%s: %d and %d verdicts", j.Name, len(j.FirstOrderVerdicts), len(j.SecondOrderVerdicts))
		}
		if strings.Trim(j.FirstOrderVerdicts+j.SecondOrderVerdicts, "12"+string([]rune{Tie, NoVerdict})) != "" {
			t.Errorf("%s has other verdicts than 1, 2, t and -", j.Name)
		}
		if j.Name == "" || names[j.Name] || j.LabelsFollowResponses != strings.Contains(j.Source, "ReIFE") {
			t.Errorf("%+v", j)
		}
		names[j.Name] = true
	}
}
