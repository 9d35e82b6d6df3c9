package scoring_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// softPair is a pair whose judgments give response A these log-odds over B, in the two orders.
func softPair(id, gold string, first, second float64) twoJudgments {
	u := unit(id, "g", gold, "", "")
	for i, odds := range []float64{first, second} {
		u.judgments[i] = "A"
		if odds < 0 {
			u.judgments[i] = "B"
		}
		u.p = append(u.p, 1/(1+math.Exp(-math.Abs(odds))))
	}
	return u
}

// TestSoftVerdictsByHand: the position pulls by log-odds of 2 towards what is shown first. Strict sees it in
// both pairs that are close; soft does not.
func TestSoftVerdictsByHand(t *testing.T) {
	rep := runOf(
		softPair("p1", "A", 1+2, 1-2),     // 1: right
		softPair("p2", "B", -.5+2, -.5-2), // −0.5: right
		softPair("p3", "B", 1.5+2, 1.5-2), // 1.5: wrong
		softPair("p4", "A", 4+2, 4-2),     // 4: right, and strict
		unit("p5", "g", "A", "A", "A"),    // tells no probabilities
	).Score(quick)
	wants{"strict": 40, "soft": 75}.check(t, rep, "overall")
	s, c := rep.SoftVerdicts, rep.SoftVerdicts.Calibration
	sure := func(odds float64) float64 { return 1 / (1 + math.Exp(-odds)) }
	brier := (math.Pow(1-sure(1), 2) + math.Pow(1-sure(.5), 2) + math.Pow(sure(1.5), 2) + math.Pow(1-sure(4), 2)) / 4
	if c.N != 4 || c.Unknown != 1 || *c.Accuracy.Value != .75 || math.Abs(*c.Brier.Value-brier) > 1e-5 {
		t.Errorf("%+v", s)
	}
	if *s.AUROC.Value != .75 || !(*s.AUROC.Low < .75 && *s.AUROC.High > .75) { // of A 1 and 4, of B −0.5 and 1.5
		t.Errorf("AUROC %v [%v, %v]", *s.AUROC.Value, *s.AUROC.Low, *s.AUROC.High)
	}
}

// TestSoftVerdictsOfTies: a judgment that ties tells its odds all the same, labels that name one response are added up,
// and a response of which nothing is told leaves the pair out.
func TestSoftVerdictsOfTies(t *testing.T) {
	probabilities := func(first, tie, second float64) []judging.Probability {
		return []judging.Probability{{Label: "[[A>>B]]", P: first / 2}, {Label: "[[A>B]]", P: first / 2}, {Label: "[[A=B]]", P: tie}, {Label: "[[B>A]]", P: second}}
	}
	load := func(second float64) *scoring.Soft {
		m := pairsManifest(1)
		m.Spec.Prompt.Labels = []string{"A>>B", "A>B", "A=B", "B>A"}
		l, err := scoring.NewLoader(m, judging.ReadingOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range unit("p", "g", "B", "tie", "tie").records() {
			r.Probabilities = probabilities(.2, .6, second)
			if r.Presentation == 1 {
				r.Probabilities = probabilities(.4, .5, .1)
			}
			if err := l.Add(r); err != nil {
				t.Fatal(err)
			}
		}
		rep := l.Run().Score(quick)
		return rep.SoftVerdicts
	}
	// A over B: 1 to 1, then, B being shown first, 1 to 4: 1 to 2 on average.
	if s := load(.2); s == nil || math.Abs(*s.Calibration.Confidence.Value-2./3) > 1e-6 ||
		*s.Calibration.Accuracy.Value != 1 || s.AUROC.Value != nil {
		t.Errorf("%+v", s)
	}
	if s := load(0); s != nil {
		t.Errorf("nothing is told of a response: %+v", s)
	}
}

// TestSoftVerdictsTakeThePositionOut: a judge that is right in 80 of 100 pairs but for a strong pull of the
// position is hardly ever correct in both orders, and its soft verdicts are as good as without the pull, and as
// sure as they are right.
func TestSoftVerdictsTakeThePositionOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	var units []twoJudgments
	right := 0
	for i := range 600 {
		odds, gold := rng.NormFloat64()*2, "A"
		if rng.Float64() > 1/(1+math.Exp(-odds)) {
			gold = "B"
		}
		if (odds > 0) == (gold == "A") {
			right++
		}
		units = append(units, softPair(fmt.Sprintf("p%03d", i), gold, odds+5, odds-5))
	}
	rep := runOf(units...).Score(quick)
	if strict := *find(t, rep, "strict", "overall").Value; strict > 5 {
		t.Errorf("strict is %v", strict)
	}
	s := rep.SoftVerdicts.Calibration
	if want := float64(right) / 600; math.Abs(*s.Accuracy.Value-want) > 1e-6 || *s.Accuracy.Value < .7 {
		t.Errorf("accuracy %v, want %v", *s.Accuracy.Value, want)
	}
	if *s.ECE.Value > *s.PerfectECE.High || *rep.Calibration.ECE.Value < .2 {
		t.Errorf("calibration error %v, a calibrated judge up to %v; of the judgments themselves %v", *s.ECE.Value, *s.PerfectECE.High, *rep.Calibration.ECE.Value)
	}
}

// TestPairsOfOneQuestion: pairs that hang together count by question, in soft verdicts, in both goals as one judge and
// in what a jury's members get right: by hand 20 questions of 5 pairs, right in 15 of them.
func TestPairsOfOneQuestion(t *testing.T) {
	var pairs []twoJudgments
	var parts []stats.ClusterCount
	for q := range 20 {
		odds := 1.0
		if q >= 15 {
			odds = -1
		}
		for k := range 5 {
			u := softPair(fmt.Sprintf("%d:1:a:%d", 100+q, k), "A", odds, odds)
			u.source = "mt-bench"
			pairs = append(pairs, u)
		}
		parts = append(parts, stats.ClusterCount{Num: 5 * scoring.Indicator(odds > 0), Den: 5, Count: 1})
	}
	better, worse := runOf(pairs...), runOf(pairs...)
	worse.Manifest.Spec.Goal = "worse"
	x, n := stats.EffectiveSampleSize(parts, 0.95)
	want := stats.MidPInterval(x, n, 0.95)
	holds := func(what, by string, low, high *float64, iv stats.Interval, unit float64) {
		t.Helper()
		if by != scoring.IntervalByMidP || math.Abs(*low-unit*iv.Low) > 1e-3 || math.Abs(*high-unit*iv.High) > 1e-3 {
			t.Errorf("%s: [%v, %v] by %s, want %v", what, *low, *high, by, iv)
		}
	}
	right := better.Score(quick).SoftVerdicts.Calibration.Accuracy
	holds("soft verdicts", right.IntervalMethod, right.Low, right.High, want, 1)
	strict := compare(t, quick, better, worse).Comparisons[0].Ensemble.Strict
	holds("both goals", strict.IntervalMethod, strict.Low, strict.High, want, 100)
	r, err := scoring.RightUnitsOf([]*scoring.Run{better, worse})
	if err != nil {
		t.Fatal(err)
	}
	member := r.Share(0, 0.95)
	holds("a member", member.IntervalMethod, member.Low, member.High, want, 100)
}
