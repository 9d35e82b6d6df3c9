package scoring_test

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
	"gavel/judging/judgingtest"
	"gavel/scoring"
)

// lined is a dataset of lines.
func lined(t *testing.T, n int, line func(i int) string) *datasets.Set {
	t.Helper()
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i) + "\n")
	}
	return judgingtest.OpenDataset(t, b.String())
}

func choices(t *testing.T, n int) *datasets.Set {
	return lined(t, n, func(i int) string {
		return fmt.Sprintf(`{"question_id": %d, "question": "Which?", "options": ["x", "y", "z"], "answer": "B", "answer_index": 1, "cot_content": "", "category": %q, "src": "s"}`, i, []string{"law", "math"}[i%2])
	})
}

// judgedAnswers are answers of two agents to each question.
func judgedAnswers(t *testing.T, n int) *datasets.Set {
	return lined(t, n, func(i int) string {
		return fmt.Sprintf(`{"id": "%d@m%d", "category": "law", "source": "s", "question": "Which?", "gold": %q, "question_id": "%d", "of": "choice", "agent": "m%d", "answer": "(A)", "reference": "(B)", "own": {"value": "B", "right": %t}}`,
			i/2, i%2, []string{"Incorrect", "Correct"}[i%3/2], i/2, i%2, i/2%3 > 0)
	})
}

// Every protocol says how often its judge agrees with itself and how far its numbers move. Both are made here by other
// means: self-agreement from the records as they are written, and each time as a run of its own that asked once.
func TestRepetitionsOfEveryProtocol(t *testing.T) {
	const times = 3
	for protocol, of := range map[string]struct {
		prompt   string
		set      *datasets.Set
		headline string
		mode     string
	}{
		"pairwise":       {"sop", pairsFile(t, 60, "g", "h"), "strict", ""},
		"answer":         {"paper", choices(t, 60), scoring.GenerationAccuracy, ""},
		"self-reference": {"paper", judgedAnswers(t, 60), "f1", "cot"},
		"multi-option":   {"1", optionsFile(t, 60, 3, 4), "grade", ""},
	} {
		t.Run(protocol, func(t *testing.T) {
			made := func(judge string) *scoring.Run {
				dir := makeRun(t, making{protocol: protocol, prompt: of.prompt, set: of.set, client: sim(t, judge), model: judge, change: func(m *judging.Manifest) {
					m.Spec.Parameters.NumRepetitions, m.Judgments = times, times*m.Judgments
				}})
				return load(t, dir, judging.ReadingOptions{})
			}
			run := made("accuracy=0.7,first=0.2")
			rep := run.Score(quick)
			type key struct {
				item  string
				shown int
			}
			replies, same := map[key]map[string]bool{}, 0.0
			once := make([]*scoring.Loader, times)
			for k := range once {
				m := *run.Manifest
				m.Spec.Parameters.NumRepetitions = 0
				var err error
				if once[k], err = scoring.NewLoader(&m, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel}); err != nil {
					t.Fatal(err)
				}
			}
			if err := judging.ReadRecords(filepath.Join(run.Dir, judging.RecordsFile), func(r *judging.Record) error {
				at := key{r.Item, r.Presentation}
				if replies[at] == nil {
					replies[at] = map[string]bool{}
				}
				replies[at][r.Choice] = true
				k := r.Repetition
				r.Repetition = 0
				return once[k].Add(r)
			}); err != nil {
				t.Fatal(err)
			}
			for _, said := range replies {
				same += scoring.Indicator(len(said) == 1)
			}
			r := rep.Repetitions
			if r == nil {
				t.Fatal("none")
			}
			if a := r.SelfAgreement; a.N != len(replies) || math.Abs(*a.Value-100*same/float64(len(replies))) > 1e-3 ||
				*a.Value > 95 || a.Low == nil {
				t.Errorf("self-agreement %s, want %v of %d", show(a), 100*same/float64(len(replies)), len(replies))
			}
			least, most, seen := math.Inf(1), math.Inf(-1), false
			for k := range once {
				want := once[k].Run().Score(quick).Result(of.headline, scoring.Overall, of.mode)
				least, most = min(least, *want.Value), max(most, *want.Value)
				for _, v := range r.Values {
					if v.Metric == of.headline && v.Group == scoring.Overall && v.Mode == of.mode {
						if seen = true; *v.Values[k] != *want.Value {
							t.Errorf("time %d: %v, want %v", k, *v.Values[k], *want.Value)
						}
						if k == times-1 && (math.Abs(*v.NoiseFloor-(most-least)) > 1e-3 || *v.NoiseFloor == 0) {
							t.Errorf("noise floor %v, want %v", *v.NoiseFloor, most-least)
						}
					}
				}
			}
			if !seen {
				t.Errorf("no %s among %d values", of.headline, len(r.Values))
			}
			cmp, err := scoring.Compare([]*scoring.Run{run, made("accuracy=0.6,first=0.2,seed=9")}, quick)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range cmp.Comparisons[0].Differences {
				if d.Metric == of.headline && d.Mode == of.mode && d.Group == scoring.Overall &&
					(d.Floor == nil || *d.Floor < most-least-1e-3 || math.Abs(*d.BMinusA) <= *d.Floor && !d.NotSignificant) {
					t.Errorf("%+v", d)
				}
			}
		})
	}
}

// Every protocol with labels on offer has a calibration: of a judge that says 0.6, is right every other time,
// and once tells nothing.
func TestCalibrationOfEveryProtocol(t *testing.T) {
	for protocol, of := range map[string]struct {
		prompt string
		set    *datasets.Set
	}{
		"answer": {"paper", choices(t, 40)}, "self-reference": {"paper", judgedAnswers(t, 40)}, "multi-option": {"1", optionsFile(t, 40, 3)},
	} {
		t.Run(protocol, func(t *testing.T) {
			number := map[string]int{}
			for i := range of.set.Len() {
				number[of.set.ItemID(i)] = i
			}
			judge := judgingtest.Script(func(_ context.Context, req backends.Request) (backends.Response, error) {
				o := req.Oracle
				is := o.CorrectPosition
				if number[o.Item]%2 == 1 {
					is = (is + 1) % len(o.VerdictLabels)
				}
				r := backends.Response{Text: o.VerdictLabels[is], Finish: backends.FinishStop}
				if number[o.Item] == 0 {
					return r, nil
				}
				for i, l := range req.Labels {
					p := 0.4 / float64(len(req.Labels)-1)
					if i == is {
						p = 0.6
					}
					r.LabelProbabilities = append(r.LabelProbabilities, backends.LabelProbability{Text: l, Logprob: math.Log(p)})
				}
				return r, nil
			})
			run := load(t, makeRun(t, making{protocol: protocol, prompt: of.prompt, set: of.set, client: judge, model: "judge", change: func(m *judging.Manifest) {
				m.Spec.Parameters.Logprobs = true
			}}), judging.ReadingOptions{})
			rep := run.Score(quick)
			c := rep.Calibration
			if c == nil {
				t.Fatal("none")
			}
			each := run.Records / 40 // judgments an item
			right := 19.0 / 39
			if c.N != 39*each || c.Unknown != each || math.Abs(*c.Accuracy.Value-right) > 1e-6 ||
				math.Abs(*c.Confidence.Value-0.6) > 1e-6 ||
				math.Abs(*c.Brier.Value-(right*0.16+(1-right)*0.36)) > 1e-5 || math.Abs(*c.ECE.Value-(0.6-right)) > 1e-5 || c.Accuracy.Low == nil {
				t.Errorf("%+v", c)
			}
		})
	}
}
