package report

import (
	"testing"

	"gavel/scoring"
)

// TestPlaceIsThatOfTheLeaderboard: published judges that have no run are not counted among those that are here.
func TestPlaceIsThatOfTheLeaderboard(t *testing.T) {
	p := &RunPage{}
	p.Protocol = "pairwise"
	p.Results = []scoring.Result{{Metric: layoutOf("pairwise").Headline, Group: scoring.Overall, Value: new(70.0)}}
	metric := Headline(&p.Report).Metric
	p.References = []scoring.Reference{{Judge: "A", Metric: metric, Value: 90}, {Judge: "B", Metric: metric, Value: 80}}
	if got, want := p.place(), "number 3 of 3 judges with the published ones"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	p.Others = []Other{{Name: "other", Value: 60}}
	if got, want := p.place(), "number 1 of 2 judges here"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

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
