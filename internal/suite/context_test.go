package suite

import (
	"slices"
	"testing"

	"gavel/internal/eval"
)

// TestSuiteContextChosen: what is set by hand for a model, as judge or as agent, is
// left out for that model alone.
func TestSuiteContextChosen(t *testing.T) {
	file, err := ParseFile("s.yaml", []byte(`
judges:
  - {model: tiny, base-url: "http://one:1"}
  - {model: other, base-url: "http://one:1", num-ctx: 20000}
  - {name: elsewhere, model: tiny, base-url: "http://two:1", num-ctx: 30000}
conditions:
  - {protocol: self-reference, dataset: sample-choice, agents: "third@http://one:1"}
`))
	if err != nil {
		t.Fatal(err)
	}
	s, err := file.Matrix((*Cell).Read)
	if err != nil {
		t.Fatal(err)
	}
	for who, want := range map[string][]int{"tiny": {20000, 30000}, "other": {30000}, "third": {}} {
		o := eval.Request{Model: who, Endpoint: eval.Endpoint{BaseURLs: []string{"http://one:1/"}}}
		got := slices.DeleteFunc([]int{20000, 30000}, func(n int) bool { return s.byHand(o, n) })
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", who, got, want)
		}
	}
}
