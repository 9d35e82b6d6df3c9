package doc

import "testing"

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
