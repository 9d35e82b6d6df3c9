package doc

import (
	"slices"
	"testing"
)

// Names on the strip that begin alike are told apart by the rest; none is empty or cut within a word.
func TestSharedBeginning(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"simulated: knows most", "simulated: knows little", "simulated: coin"}, "simulated: "},
		{[]string{"sim:accuracy=0.8,first=0.1", "sim:accuracy=0.6,first=0.4"}, "sim:"},
		{[]string{"qwen3:8b", "llama3.1:8b"}, ""},
		{[]string{"qwen3:8b", "qwen3:32b"}, "qwen3:"},
		{[]string{"a judge", "a judge, q4"}, "a "},
		{[]string{"éa", "èb"}, ""},
	} {
		if got := sharedBeginning(c.names); got != c.want {
			t.Errorf("%q share %q, want %q", c.names, got, c.want)
		}
	}
}

// Names of one place stand above and below the dots, with lines between, until there is no room.
func TestStripLabels(t *testing.T) {
	var d drawing
	var taken []box
	for range 5 {
		taken = d.label("", "judge", 300, stripLabelLines, taken)
	}
	var ends []float64
	for _, s := range d.Shapes {
		if s.Kind == "line" {
			ends = append(ends, s.Y-stripMiddle, s.Y2)
		}
	}
	if want := []float64{-7, 33, 7, 75, -7, 17, 7, 91}; !slices.Equal(ends, want) || len(taken) != len(stripLabelLines) {
		t.Errorf("lines %v, want %v; %d names", ends, want, len(taken))
	}
}
