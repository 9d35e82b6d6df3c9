package scoring

import "testing"

// TestStanding: those that a test tells apart from the judge are above or below it, the nearest by name; of figures
// alone the value says it; other metrics do not count.
func TestStanding(t *testing.T) {
	p := func(v float64) *float64 { return &v }
	fifty := 50.0
	of := func(all ...Reference) string {
		r := Report{Results: []Result{{Metric: "strict", Group: Overall, Value: &fifty}}, OptionalResults: OptionalResults{References: all}}
		return r.PublishedComparisonText("strict")
	}
	best := Reference{Judge: "best", Metric: "strict", Value: 90, P: p(0.001), OnlyReferenceRight: 40}
	better := Reference{Judge: "better", Metric: "strict", Value: 70, P: p(0.04), OnlyReferenceRight: 20, LabelsFollowResponses: true}
	near := Reference{Judge: "near", Metric: "strict", Value: 60, P: p(0.2), OnlyReferenceRight: 10}
	far := Reference{Judge: "far", Metric: "strict", Value: 65, P: p(0.3), OnlyReferenceRight: 9}
	worse := Reference{Judge: "worse", Metric: "strict", Value: 30, P: p(0.01), OnlyRunRight: 20}
	figure := Reference{Judge: "figure", Metric: "strict", Value: 49}
	other := Reference{Judge: "other", Metric: "counter", Value: 99}
	for want, got := range map[string]string{
		"": of(other),
		"below better* (70 %) and 1 more, above worse (30 %), not significantly different from near (60 %)": of(best, better, near, worse, other),
		"not significantly different from near (60 %) and 1 more":                                           of(far, near),
		"above figure (49 %)": of(figure),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestSwayLeansAsTheRegressionSays: the share of verdicts that name the longer may be what is right; which way the
// judge leans is what length does by itself.
func TestSwayLeansAsTheRegressionSays(t *testing.T) {
	p := func(v float64) Proportion { return Proportion{Value: &v, N: 100} }
	s := BiasAnalysis{CorrectInBothOrders: p(55), Baselines: []Baseline{{Name: "the shorter", Value: 50}}, Causes: []FeatureEffect{{
		Name: CauseLength, PrefersMore: p(42), CorrectWithMore: p(70), CorrectWithLess: p(50), Odds: &Odds{Ratio: 1.5, P: 0.001},
	}}}
	want := "Biases: length. It prefers the longer response (42 % of its verdicts): correct in both orders on 70 % " +
		"of the pairs whose better response is longer, and on 50 % of the others."
	if got := s.Answer(); got != want {
		t.Errorf("%s", got)
	}
	s.Causes[0].Odds.Ratio = 0.5
	s.Baselines[0].Value = 56
	want = "Biases: length. It prefers the shorter response (58 % of its verdicts): correct in both orders on 50 % " +
		"of the pairs whose better response is shorter, and on 70 % of the others. A baseline is no worse: " +
		"“the shorter” is correct in both orders on 56 % of the pairs, the judge on 55 %."
	if got := s.Answer(); got != want {
		t.Errorf("%s", got)
	}
}
