package datasets

import (
	"reflect"
	"strings"
	"testing"
)

func TestOwnAnswer(t *testing.T) {
	const line = `{"pair_id":"p1","source":"s","question":"q \"own_answer\"","response_A":"a","response_B":"b","label":"A>B"}`
	for name, c := range map[string]struct {
		add  string
		want *Answered
		err  string
	}{
		"none":                 {"", nil, ""},
		"null":                 {`,"own_answer":null`, nil, ""},
		"text alone":           {`,"own_answer":{"text":"It is 4."}`, &Answered{Question: "p1", Reference: "It is 4."}, ""},
		"right":                {`,"own_answer":{"text":"t","value":"4","right":true}`, &Answered{Question: "p1", Reference: "t", Own: &Answer{Value: "4", Right: true}}, ""},
		"wrong":                {`,"own_answer":{"text":"t","value":"5","right":false}`, &Answered{Question: "p1", Reference: "t", Own: &Answer{Value: "5"}}, ""},
		"nobody can tell":      {`,"own_answer":{"text":"t","value":"x+1","right":null}`, &Answered{Question: "p1", Reference: "t"}, ""},
		"without its text":     {`,"own_answer":{"value":"5"}`, nil, `"own_answer" has no "text"`},
		"of another type":      {`,"own_answer":"It is 4."`, nil, "own_answer"},
		"right of a wrong one": {`,"own_answer":{"text":"t","right":"yes"}`, nil, "right"},
	} {
		it, err := parsePair([]byte(strings.TrimSuffix(line, "}") + c.add + "}"))
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(it.Answered, c.want) || it.Shape != Pair {
			t.Errorf("%s: %+v, %v", name, it.Answered, err)
		}
	}
}
