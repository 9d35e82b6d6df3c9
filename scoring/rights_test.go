package scoring_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gavel/judging"
	"gavel/scoring"
)

func TestRights(t *testing.T) {
	a := named("a", unit("p1", "Math", "A", "A", "A"), unit("p2", "Math", "B", "B", "tie"), unit("p3", "Math", "A", "B", "B"), unit("p4", "Math", "A", "A", "A"))
	b := named("b", unit("p4", "Math", "A", "A", "A"), unit("p3", "Math", "A", "A", "A"), unit("p2", "Math", "B", "B", "B"), unit("p5", "Math", "A", "A", "A"), unit("p1", "Math", "A", "A"))
	for _, run := range []*scoring.Run{a, b} {
		run.Manifest.Judgments = 2 * run.Manifest.Spec.Dataset.Items
	}
	r, err := scoring.RightUnitsOf([]*scoring.Run{a, b})
	if err != nil {
		t.Fatal(err)
	}
	// Of p1 the second has one judgment, p5 the first has not: neither counts.
	if got := fmt.Sprintln(r.Metric, r.CommonUnits, r.Right, r.CallsPerUnit); got != "strict [p2 p3 p4] [[false false true] [true true true]] 2\n" {
		t.Error(got)
	}
	if r.Runs[1].Run != "b" || !slices.Equal(r.Warnings, []string{"a has 1 pair that the others have not judged: left out", "b has 1 pair that the others have not judged: left out"}) {
		t.Errorf("%+v", r)
	}
}

func TestRightsRefuse(t *testing.T) {
	one := named("one", unit("p1", "Math", "A", "A", "A"))
	answers := makeAnswers(t)
	for want, other := range map[string]*scoring.Run{
		"have different labels for p1":  named("other", unit("p1", "Math", "B", "A", "A")),
		"have no scored pair in common": named("other", unit("p9", "Math", "A", "A", "A")),
		"compare runs of one protocol":  answers,
	} {
		if _, err := scoring.RightUnitsOf([]*scoring.Run{one, other}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	m := pairsManifest(1)
	m.Spec.Protocol = "multi-option"
	load, err := scoring.NewLoader(m, judging.ReadingOptions{})
	if err != nil {
		t.Fatal(err)
	}
	options := load.Run()
	options.Dir = "options"
	if _, err := scoring.RightUnitsOf([]*scoring.Run{options, options}); err == nil || !strings.Contains(err.Error(), "options: the headline of multi-option is not right or wrong item by item") {
		t.Error(err)
	}
}

// makeAnswers is a run of answers without any.
func makeAnswers(t *testing.T) *scoring.Run {
	t.Helper()
	m := pairsManifest(1)
	m.Spec.Protocol = "answer"
	load, err := scoring.NewLoader(m, judging.ReadingOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return load.Run()
}
