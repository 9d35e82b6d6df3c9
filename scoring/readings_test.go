package scoring_test

import (
	"context"
	"strings"
	"testing"

	"gavel/backends"
	"gavel/judging"
	"gavel/judging/judgingtest"
	"gavel/scoring"
)

// A judge that writes its labels in a way of its own: as published nothing can be read.
func TestReadingsThatDiffer(t *testing.T) {
	judge := judgingtest.Script(func(_ context.Context, req backends.Request) (backends.Response, error) {
		text := "**[[a > b]]**"
		if req.Oracle.Presentation == 1 {
			text = `\[\[B>A\]\]`
		}
		return backends.Response{Text: text, Finish: backends.FinishStop}, nil
	})
	dir := makeRun(t, making{protocol: "pairwise", prompt: "sop", set: pairsFile(t, 4, "sums"), client: judge, model: "judge",
		change: func(m *judging.Manifest) { m.Spec.Parameters.VerdictAttempts = 1 }})
	for _, c := range []struct {
		how         judging.ReaderSet
		reading     judging.ReaderSet // as the report has it
		strict, its float64
	}{{"", judging.RobustReaders, 50, 0}, {judging.RobustReaders, judging.RobustReaders, 50, 0}, {judging.PaperReaders, "", 0, 50}} {
		run := load(t, dir, judging.ReadingOptions{Readers: c.how, LabelPolicy: judging.PolicyUniqueLabel})
		rep := run.Score(quick)
		wants{"strict": c.strict}.check(t, rep, scoring.Overall)
		if run.RereadDifferences != 0 || rep.Reading != c.reading || rep.RuleDisagreements != 8 {
			t.Errorf("%q: reading %q, %d read otherwise, %d otherwise than recorded", c.how, rep.Reading, rep.RuleDisagreements, run.RereadDifferences)
		}
		if len(rep.OtherReading) != 1 || rep.OtherReading[0].Metric != "strict" || *rep.OtherReading[0].Value != c.its {
			t.Errorf("%q: the other reading is %+v", c.how, rep.OtherReading)
		}
		if said := strings.Join(rep.Warnings, "\n"); !strings.Contains(said, "8 of 8 replies are read differently by the reading") || !strings.Contains(said, "strict is") {
			t.Errorf("%q: nothing is said of it: %s", c.how, said)
		}
	}
}

// Where they agree, nothing is said.
func TestReadingsThatAgree(t *testing.T) {
	judge := judgingtest.Script(func(context.Context, backends.Request) (backends.Response, error) {
		return backends.Response{Text: "[[A>B]]", Finish: backends.FinishStop}, nil
	})
	dir := makeRun(t, making{protocol: "pairwise", prompt: "sop", set: pairsFile(t, 4, "sums"), client: judge, model: "judge"})
	rep := load(t, dir, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel}).Score(quick)
	if rep.RuleDisagreements != 0 || rep.OtherReading != nil || strings.Contains(strings.Join(rep.Warnings, "\n"), "reading") {
		t.Errorf("%+v, %q", rep.OtherReading, rep.Warnings)
	}
}
