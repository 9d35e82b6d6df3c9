package scoring_test

import (
	"bytes"
	"testing"

	"gotest.tools/v3/golden"

	"gavel/internal/report"
	"gavel/judging"
	"gavel/protocols/selfreference"
	"gavel/scoring"
)

// Runs of every kind, from records to what is printed.
func TestSelfReferencePrinted(t *testing.T) {
	named := func(run *scoring.Run, dir, dataset string) *scoring.Run {
		run.Dir, run.Manifest.ID, run.Manifest.Dataset.Name = dir, dir, dataset
		return run
	}
	mmlu, gsm := named(judgedRun(t, world(1, 40)...), "runs/mmlu", "mmlu-pro"), named(judgedRun(t, eight...), "runs/gsm", "gsm8k")
	dropped := named(judgedRun(t, world(2, 40)...), "runs/dropped", "mmlu-pro")
	dropped.SetMissingPolicy(scoring.MissingDrop)
	var cot []*judging.Record
	for _, s := range eight {
		s.own = true
		cot = append(cot, s.records(selfreference.ModeCoT)...)
	}
	oneMode := named(gather(t, manifestOf("self-reference", 8), cot), "runs/cot", "gsm8k")
	oneMode.Manifest.Spec.Prompt.Name, dropped.Manifest.Spec.Model.Name = "own", "other"
	var answers [2][]*judging.Record
	for i, reply := range []string{"The answer is (A).", "The answer is (B).", "The answer is (A).", "no idea", "The answer is (A)."} {
		id := string(rune('p' + i))
		answers[0] = append(answers[0], choice(id, []string{"law", "math"}[i%2], "A", reply, 4+i))
		answers[1] = append(answers[1], choice(id, []string{"law", "math"}[i%2], "A", "The answer is (A).", 4+i))
	}
	first, second := named(gather(t, manifestOf("answer", 5), answers[0]), "runs/first", "mmlu-pro"), named(gather(t, manifestOf("answer", 5), answers[1]), "runs/second", "mmlu-pro")
	pairs := runOf(unit("p1", "Math", "A", "A", "A"), unit("p2", "Math", "B", "A", "B"))

	var scores report.Scores
	for _, run := range []*scoring.Run{mmlu, pairs, first, gsm, oneMode, dropped, second} {
		rep := run.Score(quick)
		rep.Run = run.Dir
		scores.Runs = append(scores.Runs, rep)
	}
	text := func(result any) []byte {
		var b bytes.Buffer
		if err := report.Print(&b, result, report.FullText, 0); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	golden.AssertBytes(t, text(scores), "selfreference.txt")

	var compared []byte
	for _, two := range [][]*scoring.Run{{gsm, oneMode}, {first, second}} {
		c, err := scoring.Compare(two, quick)
		if err != nil {
			t.Fatal(err)
		}
		compared = append(compared, text(report.Comparison{Comparisons: c})...)
	}
	golden.AssertBytes(t, compared, "selfreference-compared.txt")
}
