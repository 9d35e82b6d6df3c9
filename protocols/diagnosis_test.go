package protocols_test

import (
	"strings"
	"testing"

	"gavel/judging"
	"gavel/protocols/answer"
	"gavel/protocols/selfreference"
	"gavel/scoring"
)

// Small runs, and shares near 0, are called too small to tell.
func TestDiagnosesAtTheEdge(t *testing.T) {
	result := func(metric, mode string, value, low, high float64, n int) scoring.Result {
		return scoring.Result{Metric: metric, Group: scoring.Overall, Mode: mode, Value: &value, Low: &low, High: &high, IntervalMethod: scoring.IntervalByBlaker, N: n}
	}
	decided := func(n int) map[string]int { return map[string]int{scoring.OutcomeDecided: n} }
	for name, c := range map[string]struct {
		protocol, code, text string
		rep                  scoring.Report
	}{
		"5 answers, all called Correct": {"self-reference", scoring.CodeTooFewItems, "Too few answers", scoring.Report{Items: 5, Outcomes: decided(5), Results: []scoring.Result{
			result(selfreference.Accuracy, selfreference.ModeCoT, 60, 17, 93, 5), result(selfreference.Recall, selfreference.ModeCoT, 100, 40, 100, 3),
			result(selfreference.Precision, selfreference.ModeCoT, 60, 17, 93, 5)}}},
		"none of 400 numbers": {"answer", scoring.CodeChance, "0 % [0, 1]", scoring.Report{Items: 400, Outcomes: decided(400), Results: []scoring.Result{
			result(scoring.GenerationAccuracy, "", 0, 0, 0.9, 400), result(answer.NoAnswerShare, "", 0, 0, 0.9, 400)}}},
		"some of 400 numbers": {"answer", scoring.CodeUsableJudge, "Answers 60 % [55, 65] of questions correctly.", scoring.Report{Items: 400, Outcomes: decided(400), Results: []scoring.Result{
			result(scoring.GenerationAccuracy, "", 60, 55, 65, 400)}}},
		"6 of 18 preferences": {"answer", scoring.CodeTooFewItems, "correct on 33 % [14, 59], by chance 33", scoring.Report{Items: 18, Outcomes: decided(18), Results: []scoring.Result{
			result(scoring.GenerationAccuracy, "", 33.3, 14.4, 58.9, 18), result(answer.Chance, "", 33.3, 0, 0, 18)}}},
		"silent": {"answer", scoring.CodeNoVerdicts, "No answer of 40 has a verdict", scoring.Report{Items: 40, Outcomes: map[string]int{string(judging.NoVerdict): 40}}},
	} {
		c.rep.AddDiagnosis(judging.NewManifest("test", judging.Spec{Protocol: c.protocol}))
		if d := c.rep.Diagnosis; d == nil || d.Code != c.code || !strings.Contains(d.Text, c.text) {
			t.Errorf("%s: %+v", name, d)
		} else if e := d.Evidence[0]; e.IntervalMethod != scoring.IntervalByBlaker && (e.Metric != "informedness" || e.IntervalMethod != scoring.IntervalByMover) {
			t.Errorf("%s does not say how its interval was made: %+v", name, e)
		}
	}
}
