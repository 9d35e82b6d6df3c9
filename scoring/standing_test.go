package scoring

import "testing"

// TestStanding: those that a test tells apart from the judge are above or below it, the nearest by name; of figures alone
// the value says it; other metrics do not count.
func TestStanding(t *testing.T) {
	p := func(v float64) *float64 { return &v }
	fifty := 50.0
	of := func(all ...Reference) string {
		r := Report{Results: []Result{{Metric: "strict", Group: Overall, Value: &fifty}}, References: all}
		return r.Standing("strict")
	}
	best := Reference{Judge: "best", Metric: "strict", Value: 90, P: p(0.001), OnlyReference: 40}
	better := Reference{Judge: "better", Metric: "strict", Value: 70, P: p(0.04), OnlyReference: 20, LabelsStay: true}
	near := Reference{Judge: "near", Metric: "strict", Value: 60, P: p(0.2), OnlyReference: 10}
	worse := Reference{Judge: "worse", Metric: "strict", Value: 30, P: p(0.01), OnlyRun: 20}
	figure := Reference{Judge: "figure", Metric: "strict", Value: 49}
	other := Reference{Judge: "other", Metric: "counter", Value: 99}
	for want, got := range map[string]string{
		"": of(other),
		"below better* (70 %) and 1 more, above worse (30 %), not told apart from near (60 %)": of(best, better, near, worse, other),
		"above figure (49 %)": of(figure),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
