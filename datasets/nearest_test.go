package datasets

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"pairwise", "reversed", "answer", "self-reference", "multi-option"}
	for typed, want := range map[string]string{
		"pairwse": "pairwise", "pairwise": "pairwise", "anwser": "answer", "self": "self-reference", "multioption": "multi-option",
		"frobnicate": "", "swer": "answer", "": "", "x": "",
	} {
		if got := Nearest(typed, names); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
	for typed, want := range map[string]string{"rnu": "run", "cache": "", "nmae": "name"} {
		if got := Nearest(typed, []string{"run", "name"}); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
	if got := DidYouMean("judgebench-gpt4", Names()); got != ", did you mean judgebench-gpt4o?" {
		t.Error(got)
	}
	// Of which judgebench-pro has the fewest letters to change, though it is another benchmark.
	if got := DidYouMean("judgebench", Names()); got != ", did you mean judgebench-gpt4o or judgebench-claude or judgebench-pro?" {
		t.Error(got)
	}
	if got := DidYouMean("judgebensh", Names()); got != ", did you mean judgebench-gpt4o or judgebench-claude or judgebench-pro?" {
		t.Errorf("an error in the name that several parts have in common%s", got)
	}
	if got := DidYouMean("self", names); got != ", did you mean self-reference?" {
		t.Error(got)
	}
}
