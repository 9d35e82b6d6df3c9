package protocols_test

import (
	"strings"
	"testing"

	"gavel/judging"
	"gavel/protocols/answer"
	"gavel/protocols/selfreference"
	"gavel/scoring"
)

// Small runs, and shares near 0, are told for what they are.
func TestDiagnosesAtTheEdge(t *testing.T) {
	result := func(metric, mode string, value, low, high float64, n int) scoring.Result {
		return scoring.Result{Metric: metric, Group: scoring.Overall, Mode: mode, Value: &value, Low: &low, High: &high, N: n}
	}
	decided := func(n int) map[string]int { return map[string]int{scoring.Decided: n} }
	for name, c := range map[string]struct {
		protocol, code, says string
		rep                  scoring.Report
	}{
		"5 answers, all called Correct": {"self-reference", scoring.CodeFew, "Too few answers", scoring.Report{Items: 5, Outcomes: decided(5), Results: []scoring.Result{
			result(selfreference.Accuracy, selfreference.ModeCoT, 60, 17, 93, 5), result(selfreference.Recall, selfreference.ModeCoT, 100, 40, 100, 3),
			result(selfreference.Precision, selfreference.ModeCoT, 60, 17, 93, 5)}}},
		"none of 400 numbers": {"answer", scoring.CodeChance, "0 % [0, 1]", scoring.Report{Items: 400, Outcomes: decided(400), Results: []scoring.Result{
			result(scoring.GenerationAccuracy, "", 0, 0, 0.9, 400), result(answer.NoAnswer, "", 0, 0, 0.9, 400)}}},
	} {
		c.rep.Diagnose(judging.NewManifest("test", judging.Spec{Protocol: c.protocol}))
		if d := c.rep.Diagnosis; d == nil || d.Code != c.code || !strings.Contains(d.Text, c.says) {
			t.Errorf("%s: %+v", name, d)
		}
	}
}
