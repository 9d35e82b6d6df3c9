package datasets

import (
	"fmt"
	"strings"
	"testing"
)

// Sets that were not at hand are read from rows of our own, in the shape that their pages document.
func TestDocumentedShapes(t *testing.T) {
	for name, tc := range map[string]struct{ rows, want, notes string }{
		"rewardbench-2": {
			lines(`{"id":"7","prompt":"Q","chosen":["good"],"rejected":["a","b","c"],"num_correct":1,"num_incorrect":3,"total_completions":4,"models":["m","n","o","p"],"subset":"Math","additional_metadata":{"category":null}}`,
				`{"id":"8","prompt":"A colour?","chosen":["red","blue"],"rejected":["dog"],"subset":"Ties"}`, `{"id":"ref:9","prompt":"A colour?","chosen":["red"],"rejected":["dog","cat"],"subset":"Ties"}`,
				`{"id":"10","prompt":"R","chosen":["good"],"rejected":["a","b","c"],"subset":"Precise IF"}`),
			"1 7 options \"Q\" [c|a|b|good] 04 (Math)\n4 10 options \"R\" [a|good|b|c] 02 (Precise IF)", "Left out: 1 of the rows, in which several responses are chosen: none is the best.",
		},
		"judgebench-pro": { // its labels were left out
			lines(`{"question":"Q","response_A":"x","response_B":"y","label":1,"injected_bias":"length","domain":"math"}`,
				`{"question":"R","response_A":"x","response_B":"y","label":2,"injected_bias":"length","domain":"math"}`),
			"1 1 pair \"Q\" [x|y] A (math)\n2 2 pair \"R\" [x|y] B (math)", "",
		},
		"codejudgebench-codegen-claude": {
			`{"question_title":"T","question_content":"Q","platform":"p","question_id":"1_A","contest_id":"1","contest_date":"2025-01-01","starter_code":"def f():","pos_response":"good","neg_response":"bad","release_date":"2025-01-01","difficulty":"hard"}`,
			`1 1 pair "Q\n\ndef f():" [good|bad] A (hard)`, "",
		},
		"contextualjudgebench-refusal-answerable": {
			`{"problem_id":"1","question":"Q","context":"C","positive_response":"good","negative_response":"bad"}`, `1 1 pair "C\n\nQ" [good|bad] A ((no source))`, "",
		},
		"ppe-gpqa": {
			`{"question_id":"q1","model_name":"m","prompt":"Q","response_1":"a","response_2":"b","response_3":"c","scores":[false,true,false],"sampled_conflict_pairs":[[0,1],[1,2]],"category":"x"}`,
			"1 q1:m:1-2 pair \"Q\" [a|b] B (ppe)\n1 q1:m:2-3 pair \"Q\" [b|c] A (ppe)", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			lib := Library{t.TempDir()}
			k, path, err := lib.Import(write(t, "carried.jsonl", tc.rows), name)
			switch {
			case err != nil && strings.Contains(err.Error(), "has no item of the group"):
				s, err := openFileWith(write(t, "carried.jsonl", tc.rows), OpenOptions{Mapping: mustLookup(t, name).Mapping, Groups: mustLookup(t, name).Groups})
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				checkTold(t, s, tc.want, tc.notes)
			case err != nil:
				t.Fatal(err)
			default:
				s, err := lib.Open(name)
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				checkTold(t, s, tc.want, tc.notes)
				if s.Format != k.Format || s.Name != name || s.Path != path {
					t.Errorf("%s at %s has the format %s", s.Name, s.Path, s.Format)
				}
			}
		})
	}
	if of, what := ClusterOf("ppe"); what != "prompt" || of("q:1:m:1-2") != "q:1:m" {
		t.Error("pairs of a prompt do not belong together")
	}
}

func mustLookup(t *testing.T, name string) Known {
	t.Helper()
	k, ok := Lookup(name)
	if !ok {
		t.Fatal(name)
	}
	return k
}

func checkTold(t *testing.T, s *Set, want, notes string) {
	t.Helper()
	if got := told(t, s); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := strings.Join(s.Notes, "\n"); got != notes {
		t.Errorf("notes %q", got)
	}
}

func TestPPERows(t *testing.T) {
	good := `{"question_id":"q%d","prompt":"Q","response_1":"a","response_2":"b","scores":[false,true],"sampled_conflict_pairs":[[0,1]]}`
	for name, tc := range map[string]struct{ row, want string }{
		"no such response": {strings.Replace(good, "[0,1]", "[0,2]", 1), "FILE:2: sampled_conflict_pairs names response 3, and there is none with a score"},
		"both right":       {strings.Replace(good, "[false,true]", "[true,true]", 1), "FILE:2: responses 1 and 2 are a pair, and have the same score"},
		"no prompt":        {strings.Replace(good, "prompt", "pro", 1), `FILE:2: key "prompt" is missing`},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, "ppe.jsonl", lines(fmt.Sprintf(good, 1), fmt.Sprintf(tc.row, 2)))
			s := open(t, path)
			if s.Len() != 1 || s.Format != "ppe" || len(s.Bad) != 1 {
				t.Fatalf("%d items of %s, %v", s.Len(), s.Format, s.Bad)
			}
			oneLine(t, s.Bad[0], path, tc.want)
		})
	}
}
