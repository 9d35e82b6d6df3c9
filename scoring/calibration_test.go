package scoring_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gavel/backends"
	"gavel/internal/trials"
	"gavel/judging"
	"gavel/judging/judgingtest"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// forecast is the probability that a judge gave what it named, and whether that was right.
type forecast struct {
	p     float64
	right bool
}

// forecasts makes a run whose judge is right with the probability it says,
// or, with sure > 0, always says that it is so sure.
func forecasts(n int, sure float64) (*scoring.Run, []forecast) {
	rng := rand.New(rand.NewPCG(7, 11))
	var all []forecast
	var units []twoJudgments
	for i := range n {
		u := unit(fmt.Sprintf("p%05d", i), "g", "A", "A", "A")
		for s := range 2 {
			p := 0.5 + rng.Float64()/2
			right := rng.Float64() < p
			if sure > 0 {
				p = sure
			}
			if !right {
				u.judgments[s] = "B"
			}
			u.p, all = append(u.p, p), append(all, forecast{p, right})
		}
		units = append(units, u)
	}
	rng.Shuffle(len(units), func(i, j int) { units[i], units[j] = units[j], units[i] }) // the order of the records is no part of it
	return runOf(units...), all
}

// The numbers by their definitions, one sum after the other.
func TestCalibrationBySecondComputation(t *testing.T) {
	run, all := forecasts(400, 0)
	c := run.Score(quick).Calibration
	brier, right, conf, ece := 0.0, 0.0, 0.0, 0.0
	for _, f := range all {
		y := 0.0
		if f.right {
			y = 1
		}
		brier += (f.p - y) * (f.p - y)
		right += y
		conf += f.p
	}
	n := float64(len(all))
	inBins := 0
	for k, b := range c.Bins {
		sumP, sumY, m := 0.0, 0.0, 0
		for _, f := range all {
			if f.p > float64(k)/10 && f.p <= float64(k+1)/10 {
				m++
				sumP += f.p
				if f.right {
					sumY++
				}
			}
		}
		inBins += b.N
		if b.N != m || (m == 0) != (b.Accuracy == nil) ||
			m > 0 && (math.Abs(*b.Confidence-sumP/float64(m)) > 1e-6 || math.Abs(*b.Accuracy-sumY/float64(m)) > 1e-6) {
			t.Errorf("bin %d: %+v, want %d judgments, %v, %v", k, b, m, sumP/float64(m), sumY/float64(m))
		}
		ece += math.Abs(sumP-sumY) / n
	}
	for name, c := range map[string]struct {
		got  scoring.Estimate
		want float64
	}{"brier": {c.Brier, brier / n}, "ece": {c.ECE, ece}, "accuracy": {c.Accuracy, right / n}, "confidence": {c.Confidence, conf / n}} {
		if math.Abs(*c.got.Value-c.want) > 1e-6 || *c.got.Low > *c.got.Value || *c.got.High < *c.got.Value && name != "ece" {
			t.Errorf("%s is %v [%v, %v], want %v", name, *c.got.Value, *c.got.Low, *c.got.High, c.want)
		}
	}
	if c.N != 800 || inBins != 800 || c.Unknown != 0 {
		t.Errorf("%d judgments, %d in bins, %d unknown", c.N, inBins, c.Unknown)
	}
	last := 0.0
	for _, p := range c.AccuracyOverCoverage {
		m, sum := 0, 0.0
		for _, f := range all {
			if f.p >= p.Threshold {
				m++
				if f.right {
					sum++
				}
			}
		}
		if p.N != m || math.Abs(p.Coverage-float64(m)/n) > 1e-6 || math.Abs(*p.Accuracy.Value-sum/float64(m)) > 1e-6 ||
			p.Coverage <= last {
			t.Errorf("%+v, want %d judgments, %v right", p, m, sum/float64(m))
		}
		last = p.Coverage
	}
	if len(c.AccuracyOverCoverage) != 10 || last != 1 {
		t.Errorf("the curve ends at %v after %d points", last, len(c.AccuracyOverCoverage))
	}
}

// A judge that is right as often as it says has nearly no calibration error; one
// that always says 0.99 is as far off as its accuracy is.
func TestCalibrationOfKnownJudges(t *testing.T) {
	trials.SkipUnlessSlowTests(t)
	judge, _ := forecasts(20000, 0)
	honest := judge.Score(quick).Calibration
	if *honest.ECE.Value > 0.01 || math.Abs(*honest.Accuracy.Value-0.75) > 0.01 {
		t.Errorf("an honest judge: ECE %v, accuracy %v", *honest.ECE.Value, *honest.Accuracy.Value)
	}
	if first, last := honest.AccuracyOverCoverage[0].Accuracy, honest.AccuracyOverCoverage[9].Accuracy; *first.Value < 0.95 ||
		math.Abs(*last.Value-0.75) > 0.01 {
		t.Errorf("surest tenth right in %v, all in %v", *first.Value, *last.Value)
	}
	judge, _ = forecasts(2000, 0.99)
	boaster := judge.Score(quick).Calibration
	if want := 0.99 - *boaster.Accuracy.Value; math.Abs(*boaster.ECE.Value-want) > 1e-6 {
		t.Errorf("a boaster: ECE %v, want %v", *boaster.ECE.Value, want)
	}
	if len(boaster.AccuracyOverCoverage) != 1 || boaster.AccuracyOverCoverage[0].N != 4000 {
		t.Errorf("one confidence, one point: %+v", boaster.AccuracyOverCoverage)
	}
	if c := runOf(unit("p1", "g", "A", "A", "A")).Score(quick).Calibration; c != nil {
		t.Errorf("no forecasts, yet %+v", c)
	}
}

// Of the edges of the bins: 0 is in the first, a tenth belongs below.
func TestCalibrationBins(t *testing.T) {
	var units []twoJudgments
	for i, p := range [][]float64{{0, 0.1}, {0.100001, 0.5}, {1}} {
		u := unit(fmt.Sprint(i), "g", "A", "A", "A")
		u.p = p
		units = append(units, u)
	}
	run := runOf(units...)
	for k, n := range []int{2, 1, 0, 0, 1, 0, 0, 0, 0, 1} {
		if got := run.Score(quick).Calibration.Bins[k].N; got != n {
			t.Errorf("bin %d has %d judgments, want %d", k, got, n)
		}
	}
}

// From the judge's reply to the number: what leads to the same candidate counts
// together, and a judgment without a verdict or without probabilities is left out.
func TestConfidenceOfRecords(t *testing.T) {
	set := pairsFile(t, 4, "g")
	judge := judgingtest.Script(func(_ context.Context, req backends.Request) (backends.Response, error) {
		text, lp := "[[A>B]]", []float64{0.2, 0.4, 0.1, 0.2, 0.1} // A>>B A>B A=B B>A B>>A
		switch req.Oracle.Item {
		case "p00002":
			text = "[[A=B]]"
		case "p00003":
			return backends.Response{Text: text, Finish: backends.FinishStop}, nil // tells nothing
		}
		r := backends.Response{Text: text, Finish: backends.FinishStop}
		for i, l := range req.Labels {
			r.LabelProbabilities = append(r.LabelProbabilities, backends.LabelProbability{Text: l, Logprob: math.Log(lp[i])})
		}
		return r, nil
	})
	dir := makeRun(t, making{protocol: "pairwise", prompt: "arena-hard", set: set, client: judge, model: "judge", change: func(m *judging.Manifest) {
		m.Spec.Parameters.Logprobs = true
	}})
	// It names what is shown first; p00001 has A as gold, p00004 B.
	c := load(t, dir, judging.ReadingOptions{}).Score(quick).Calibration
	if c.N != 4 || c.Unknown != 2 || *c.Accuracy.Value != 0.5 || math.Abs(*c.Confidence.Value-0.6) > 1e-6 ||
		math.Abs(*c.Brier.Value-0.26) > 1e-6 {
		t.Errorf("%+v", c)
	}
}

// Asked three times: a judge that answers otherwise the third time.
func TestRepetitions(t *testing.T) {
	set := pairsFile(t, 40, "g", "h")
	judge := judgingtest.Script(func(_ context.Context, req backends.Request) (backends.Response, error) {
		o := req.Oracle
		switch {
		case o.Item == "p00001" && req.Repetition == 2: // right twice, then wrong in both judgments
			return backends.Response{Text: o.VerdictLabels[1-o.CorrectPosition], Finish: backends.FinishStop}, nil
		case o.Item == "p00002" && req.Repetition == 1 && o.Presentation == 1: // once without a verdict
			return backends.Response{Text: "hm", Finish: backends.FinishStop}, nil
		case o.Item == "p00003": // never one
			return backends.Response{Text: "hm", Finish: backends.FinishStop}, nil
		case o.Item == "p00004" && req.Repetition == 2 && o.Presentation == 0: // not answered
			return backends.Response{}, &backends.Error{Kind: backends.ErrorUnexpected, Message: "gone"}
		}
		return backends.Response{Text: o.VerdictLabels[o.CorrectPosition], Finish: backends.FinishStop}, nil
	})
	run := load(t, makeRun(t, making{protocol: "pairwise", set: set, client: judge, model: "judge", change: func(m *judging.Manifest) {
		m.Spec.Parameters.NumRepetitions, m.Judgments = 3, 240
	}}), judging.ReadingOptions{})
	rep := run.Score(quick)
	wants{"strict": 97.5}.check(t, rep, scoring.Overall) // of the first time: p00003 alone is wrong
	if rep.Items != 40 || run.Answered != 239 || rep.Judgments() != 80 {
		t.Errorf("%d items, %d answered, %d judgments", rep.Items, run.Answered, rep.Judgments())
	}
	r := rep.Repetitions
	// 39 pairs were answered every time: 78 prompts, two of them without a verdict
	// any time; of the others p00001's two and one of p00002's changed.
	if a := r.SelfAgreement; a.N != 76 || a.Value == nil || math.Abs(*a.Value-100*73.0/76) > 1e-4 || *a.Low >= *a.Value {
		t.Errorf("self-agreement %s", show(a))
	}
	for _, v := range r.Values {
		if v.Metric != "strict" {
			continue
		}
		// 38 of 39 right; then p00002 is wrong; then p00001.
		want := []float64{100 * 38.0 / 39, 100 * 37.0 / 39, 100 * 37.0 / 39}
		floor := 100.0 / 39
		if v.Group == "g" { // 20 pairs, p00001 and p00003 among them
			want, floor = []float64{95, 95, 90}, 5
		} else if v.Group == "h" { // 19 of them answered, p00002 among them
			want, floor = []float64{100, 100 * 18.0 / 19, 100}, 100.0/19
		}
		for k := range want {
			if math.Abs(*v.Values[k]-want[k]) > 1e-4 {
				t.Errorf("%s, time %d: %v, want %v", v.Group, k+1, *v.Values[k], want[k])
			}
		}
		if math.Abs(*v.NoiseFloor-floor) > 2e-4 {
			t.Errorf("%s: noise floor %v, want %v", v.Group, *v.NoiseFloor, floor)
		}
	}
}

// What a table warns of: a budget spent on thinking is a cut reply; prompts that a server cut, and verdicts that were
// not the likeliest; a server that was asked to hold replies to the labels, and does not.
func TestWarningsOfReplies(t *testing.T) {
	const right = ""
	thinking := map[string]backends.Response{
		"p00001": {Thinking: "hm [[A>B]]", Finish: backends.FinishLength},
		"p00002": {Text: "so", Thinking: "hm", Finish: backends.FinishLength},
	}
	servers := map[string]backends.Response{
		"p00001": {Finish: backends.FinishPromptTooLong, Detail: judging.PromptTruncatedPrefix + ": 5 of 9"},
		"p00002": {Text: "[[B>A]]", Finish: backends.FinishStop, LabelProbabilities: []backends.LabelProbability{{Text: "[[A>B]]", Logprob: -1}, {Text: "[[B>A]]", Logprob: -2}}},
	}
	kind := func(kind string) func(*judging.Manifest) {
		return func(m *judging.Manifest) { m.Server.WireFormat, m.Spec.Parameters.Logprobs = kind, true }
	}
	cut := []string{"2 of 8 prompts did not fit", "the server silently truncated 2 of them", "2 of 6 decided judgments name a label that is not the likeliest"}
	for _, c := range []struct {
		replies map[string]backends.Response // by item
		others  string                       // what all others get
		prompt  string
		change  func(*judging.Manifest)
		want    []string
	}{
		{replies: thinking, others: right, want: []string{
			"4 of 8 replies were truncated", "--max-tokens (4096)", "2 of them were still thinking at the limit", "--think low"}},
		{replies: servers, others: "[[B>A]]", change: kind("ollama"), want: append(cut, "raise --num-ctx")},
		{replies: servers, others: "[[B>A]]", change: kind("openai"), want: append(cut, "give the server a larger context")},
		{others: "none", prompt: "direct", change: func(m *judging.Manifest) { m.Spec.Parameters.Constrain = true },
			want: []string{"8 replies are not one of the labels"}},
	} {
		judge := judgingtest.Script(func(_ context.Context, req backends.Request) (backends.Response, error) {
			if r, ok := c.replies[req.Oracle.Item]; ok {
				return r, nil
			}
			return backends.Response{Text: cmp.Or(c.others, req.Oracle.VerdictLabels[req.Oracle.CorrectPosition]), Finish: backends.FinishStop}, nil
		})
		dir := makeRun(t, making{protocol: "pairwise", prompt: c.prompt, set: pairsFile(t, 4, "g"), client: judge, model: "judge", change: c.change})
		said := strings.Join(load(t, dir, judging.ReadingOptions{}).Score(quick).Warnings, "\n")
		for _, want := range c.want {
			if !strings.Contains(said, want) {
				t.Errorf("%q is not said:\n%s", want, said)
			}
		}
	}
}

// Judgments that were asked for their verdict after thinking need not have come to one.
func TestAskedForTheVerdictAfterThinking(t *testing.T) {
	m := manifestOf("answer", 2)
	var records []*judging.Record
	for _, id := range []string{"a", "b"} {
		r := choice(id, "g", "A", "hm", 4)
		r.Outcome, r.VerdictAfterThinkLimit = judging.NoVerdict, true
		records = append(records, r)
	}
	run := gather(t, m, records)
	rep := run.Score(quick)
	if said := strings.Join(rep.Warnings, "\n"); run.Outcomes[judging.NoVerdict] != 2 || !strings.Contains(said, "2 of 2 answers were still thinking at the token limit, and the judge was then asked for its verdict (--finish-thinking)") {
		t.Errorf("%v\n%s", rep.Outcomes, said)
	}
}

// Where all are right the share's interval is exact over pairs, not of no width.
func TestCalibrationAllRight(t *testing.T) {
	one, two := unit("p1", "g", "A", "A", "A"), unit("p2", "g", "A", "A", "A")
	one.p, two.p = []float64{0.9, 0.9}, []float64{0.9, 0.9}
	run := runOf(one, two)
	want := stats.Interval{Low: (1 + stats.PairedInterval(2, 0, 2, 0.95).Low) / 2, High: 1} // two pairs
	c := run.Score(quick).Calibration
	for _, e := range []scoring.Estimate{c.Accuracy, c.AccuracyOverCoverage[0].Accuracy} {
		if *e.Value != 1 || e.Low == nil || math.Abs(*e.Low-want.Low) > 1e-6 || *e.High != 1 {
			t.Errorf("%+v, want [%v, 1]", e, want.Low)
		}
	}
	if c.Brier.Low == nil || *c.Brier.Low >= 0.01 || *c.Brier.High <= 0.01 || math.Abs(*c.Brier.Value-0.01) > 1e-6 {
		t.Errorf("Brier %+v", c.Brier)
	}
}

// A confidence that is always the same is said to be of no use.
func TestConfidenceThatNeverVariesIsMentioned(t *testing.T) {
	for sure, want := range map[float64]bool{0.9: true, 0: false} {
		run, _ := forecasts(40, sure)
		warnings := strings.Join(run.Score(quick).Warnings, "\n")
		if got := strings.Contains(warnings, "the confidence never varies (0.9000 in all 80 decided judgments"); got != want {
			t.Errorf("sure %g: %q", sure, warnings)
		}
	}
}
