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
	if got, want := p.rankSentence(), "number 3 of 3 judges with the published ones"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	p.OtherJudges = []OtherJudge{{Name: "other", Value: 60}}
	if got, want := p.rankSentence(), "number 1 of 2 judges here"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
