package judging

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging/judgingtest"
)

// held runs one presentation of one pair with prompt and parameters given, and
// returns the record and the requests.
func held(t *testing.T, prompt string, change func(*Parameters), client judgingtest.Script) (*Record, []backends.Request) {
	t.Helper()
	var asked []backends.Request
	j, w := newJob(t, judgingtest.Pairs(t, 1), judgingtest.Script(func(ctx context.Context, req backends.Request) (backends.Response, error) {
		req.Messages = slices.Clone(req.Messages)
		asked = append(asked, req)
		return client(ctx, req)
	}))
	j.Asker = protocolNamed(t, "pairwise", prompt)
	j.Completed = completed(map[string][]bool{"p1": {false, true}})
	change(&j.Manifest.Spec.Parameters)
	assert.NilError(t, j.Run(t.Context()))
	if len(w.Records) != 1 {
		t.Fatalf("%d records", len(w.Records))
	}
	return w.Records[0], asked
}

var labelsOfTwo = []string{"[[A>B]]", "[[B>A]]"}

func constrain(p *Parameters) { p.Constrain = true }

// A direct prompt: the whole reply is held to the labels.
func TestConstrainDirect(t *testing.T) {
	rec, asked := held(t, "direct", constrain, func(_ context.Context, req backends.Request) (backends.Response, error) {
		return judgingtest.Says(req.Constrain[1])
	})
	if len(asked) != 1 || !reflect.DeepEqual(asked[0].Constrain, labelsOfTwo) || asked[0].Labels != nil {
		t.Errorf("asked %+v", asked)
	}
	if rec.Outcome != Decided || rec.Label != "B>A" || !rec.Replies[0].Constrained || rec.Probabilities != nil {
		t.Errorf("%+v", rec)
	}
	// A server that does not hold it is not asked again: there is no verdict.
	rec, asked = held(t, "direct", constrain, func(context.Context, backends.Request) (backends.Response, error) { return judgingtest.Says("neither") })
	if rec.Outcome != NoVerdict || len(asked) != 1 {
		t.Errorf("%+v, asked %d times", rec, len(asked))
	}
}

// A prompt that reasons: free text first, then the label in a turn of its own,
// which alone is the verdict.
func TestConstrainAfterReasoning(t *testing.T) {
	talk := "[[A>B]] or is it [[B>A]]?"
	judge := func(_ context.Context, req backends.Request) (backends.Response, error) {
		if req.Constrain == nil {
			return judgingtest.Says(talk)
		}
		return judgingtest.Says("[[B>A]]")
	}
	rec, asked := held(t, "sop", constrain, judge)
	if len(asked) != 2 || asked[0].Constrain != nil || !reflect.DeepEqual(asked[1].Constrain, labelsOfTwo) {
		t.Fatalf("asked %+v", asked)
	}
	if last := asked[1].Messages[len(asked[1].Messages)-2:]; last[0].Content != talk || last[1].Content != LabelTurn {
		t.Errorf("the second turn: %+v", last)
	}
	if rec.Outcome != Decided || rec.Label != "B>A" || rec.Replies[0].Constrained || !rec.Replies[1].Constrained {
		t.Errorf("%+v", rec)
	}
	if v, err := rec.Read(protocolNamed(t, "pairwise", "sop"), Reading{Policy: Unique}); err != nil || v.Outcome != Decided || rec.CandidateID(v.Choice) != rec.Choice {
		t.Errorf("read again: %+v, %v", v, err)
	}
	// Reasoning that was cut is cut, and no label is asked for; unless that counts.
	cut := func(_ context.Context, req backends.Request) (backends.Response, error) {
		if req.Constrain == nil {
			return backends.Response{Text: "well", Finish: backends.Length}, nil
		}
		return judgingtest.Says("[[B>A]]")
	}
	if rec, asked := held(t, "sop", constrain, cut); rec.Outcome != Cut || len(asked) != 1 {
		t.Errorf("%+v, asked %d times", rec, len(asked))
	}
	accept := func(p *Parameters) { p.Constrain, p.AcceptCut = true, true }
	if rec, asked := held(t, "sop", accept, cut); rec.Outcome != Decided || len(asked) != 2 {
		t.Errorf("%+v, asked %d times", rec, len(asked))
	}
}

// told is a judge that names the first label and lists the probabilities given.
func told(probabilities map[string]float64) judgingtest.Script {
	return func(_ context.Context, req backends.Request) (backends.Response, error) {
		r := backends.Response{Text: "[[A>B]]", Finish: backends.Stop}
		if req.Constrain != nil {
			r.Text = req.Constrain[0]
		}
		for _, l := range req.Labels {
			if p, ok := probabilities[l]; ok || len(req.Constrain) == 1 && req.Constrain[0] == l {
				if !ok {
					p = 0.001 // told only where the reply is held to it
				}
				r.Labels = append(r.Labels, backends.Label{Text: l, Logprob: math.Log(p)})
			}
		}
		return r, nil
	}
}

func TestProbabilities(t *testing.T) {
	free := func(p *Parameters) { p.Logprobs = true }
	both := func(p *Parameters) { p.Constrain, p.Logprobs = true, true }
	for name, c := range map[string]struct {
		prompt string
		change func(*Parameters)
		judge  judgingtest.Script
		calls  int
		want   []float64 // nil: none
		null   int       // labels that nobody told of
	}{
		"both told":                         {"direct", both, told(map[string]float64{"[[A>B]]": 0.3, "[[B>A]]": 0.1}), 1, []float64{0.75, 0.25}, 0},
		"one is asked for on its own":       {"direct", both, told(map[string]float64{"[[A>B]]": 0.003}), 2, []float64{0.75, 0.25}, 0},
		"after reasoning":                   {"sop", both, told(map[string]float64{"[[A>B]]": 0.3, "[[B>A]]": 0.1}), 2, []float64{0.75, 0.25}, 0},
		"free text: what was told":          {"sop", free, told(map[string]float64{"[[A>B]]": 0.3, "[[B>A]]": 0.1}), 1, []float64{0.75, 0.25}, 0},
		"free text: the other was not told": {"sop", free, told(map[string]float64{"[[A>B]]": 0.3}), 1, []float64{1, 0}, 1},
		"a server that tells nothing":       {"direct", both, func(context.Context, backends.Request) (backends.Response, error) { return judgingtest.Says("[[A>B]]") }, 1, nil, 0},
		"five labels":                       {"arena-hard", both, told(map[string]float64{"[[A>>B]]": 0.2, "[[A>B]]": 0.1, "[[A=B]]": 0.05, "[[B>A]]": 0.1}), 3, []float64{0.443459, 0.221729, 0.110865, 0.221729, 0.002217}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			rec, asked := held(t, c.prompt, c.change, c.judge)
			if len(asked) != c.calls || len(rec.Probabilities) != len(c.want) || rec.Outcome != Decided {
				t.Fatalf("%d calls, %s, %+v", len(asked), rec.Outcome, rec.Probabilities)
			}
			if len(rec.Replies)+len(rec.Asides) != c.calls {
				t.Errorf("%d replies and %d beside them are recorded of %d calls", len(rec.Replies), len(rec.Asides), c.calls)
			}
			null := 0
			for i, p := range rec.Probabilities {
				if p.P != c.want[i] {
					t.Errorf("%s: %v, want %v", p.Label, p.P, c.want[i])
				}
				if p.Logprob == nil {
					null++
				}
			}
			if null != c.null {
				t.Errorf("%d labels without a probability, want %d", null, c.null)
			}
		})
	}
	// No probabilities of a reply without a verdict; and a label that cannot be
	// asked for is a failure, asked again by the next run.
	silent := func(_ context.Context, req backends.Request) (backends.Response, error) {
		r, err := told(map[string]float64{"[[A>B]]": 1})(t.Context(), req)
		r.Text = "hm"
		return r, err
	}
	if rec, _ := held(t, "direct", both, silent); rec.Outcome != NoVerdict || rec.Probabilities != nil {
		t.Errorf("%+v", rec)
	}
	broken := func(ctx context.Context, req backends.Request) (backends.Response, error) {
		if len(req.Constrain) == 1 {
			return backends.Response{}, errors.New("gone")
		}
		return told(map[string]float64{"[[A>B]]": 1})(ctx, req)
	}
	if rec, _ := held(t, "direct", both, broken); rec.Outcome != Failed || rec.Error != "gone" || rec.Choice != "" {
		t.Errorf("%+v", rec)
	}
}

// Every prompt is asked so many times, each with its own place in the cache.
func TestRepetitions(t *testing.T) {
	type call struct {
		item                     string
		presentation, repetition int
	}
	var calls []call
	j, w := newJob(t, judgingtest.Pairs(t, 2), right(func(req backends.Request) {
		calls = append(calls, call{req.Oracle.Item, req.Oracle.Presentation, req.Repetition})
	}))
	j.Manifest.Spec.Parameters.NumRepetitions = 3
	j.Manifest.Judgments = 12
	j.Completed = Completed{}
	j.Completed.Add(&Record{Item: "p1", Presentation: 1, Presentations: 2, Repetition: 1})
	for i := range 6 {
		j.Completed.Add(&Record{Item: "p2", Presentation: i % 2, Presentations: 2, Repetition: i / 2})
	}
	assert.NilError(t, j.Run(t.Context()))
	want := []call{{"p1", 0, 0}, {"p1", 1, 0}, {"p1", 0, 1}, {"p1", 0, 2}, {"p1", 1, 2}}
	if !reflect.DeepEqual(calls, want) {
		t.Errorf("asked %v, want %v", calls, want)
	}
	for i, r := range w.Records {
		if r.Repetition != want[i].repetition || r.Presentation != want[i].presentation {
			t.Errorf("record %d: %+v", i, r)
		}
	}
}

// A prompt that may not fit is counted, and not asked if it does not.
func TestCountedPrompts(t *testing.T) {
	for name, c := range map[string]struct {
		limit, count int
		err          error
		counts, asks int
		want         Outcome
	}{
		"surely fits":             {1 << 20, 0, nil, 0, 1, Decided},
		"fits when counted":       {300, 300, nil, 1, 1, Decided},
		"does not fit":            {300, 301, nil, 1, 0, TooLong},
		"nobody counts":           {300, 0, backends.ErrNoTokenizer, 1, 1, Decided},
		"the context is not told": {0, 0, nil, 0, 1, Decided},
	} {
		t.Run(name, func(t *testing.T) {
			counts, asks := 0, 0
			j, w := newJob(t, judgingtest.Pairs(t, 1), judgingtest.Script(func(_ context.Context, req backends.Request) (backends.Response, error) {
				asks++
				if req.PromptTokens != c.count {
					t.Errorf("asked with %d tokens counted", req.PromptTokens)
				}
				return judgingtest.Says("[[A>B]]")
			}))
			j.Completed = completed(map[string][]bool{"p1": {false, true}})
			j.Limit = c.limit
			j.Count = func(_ context.Context, req backends.Request) (int, error) { counts++; return c.count, c.err }
			assert.NilError(t, j.Run(t.Context()))
			if r := w.Records[0]; counts != c.counts || asks != c.asks || r.Outcome != c.want || len(r.Replies) != 1 {
				t.Errorf("counted %d times, asked %d times, %+v", counts, asks, r)
			}
			plan, err := j.MakePlan(t.Context(), nil)
			if err != nil || plan.TooLong != 1-c.asks || plan.Calls() != c.asks || (plan.MayNotFit == 1) != (c.err != nil) {
				t.Errorf("planned %+v, %v", plan, err)
			}
		})
	}
}

// Only the turn that gives the verdict is asked for probabilities.
func TestReasoningIsNotAskedForProbabilities(t *testing.T) {
	both := func(p *Parameters) { p.Constrain, p.Logprobs = true, true }
	_, asked := held(t, "sop", both, told(map[string]float64{"[[A>B]]": 0.3, "[[B>A]]": 0.1}))
	if len(asked) != 2 || asked[0].Labels != nil || !reflect.DeepEqual(asked[1].Labels, labelsOfTwo) {
		t.Errorf("asked %+v", asked)
	}
}

func TestCallsAtMost(t *testing.T) {
	for _, c := range []struct {
		prompt string
		change func(*Parameters)
		want   int // of two judgments
	}{
		{"sop", func(*Parameters) {}, 4},
		{"direct", constrain, 2},
		{"sop", constrain, 4},
		{"direct", func(p *Parameters) { p.Constrain, p.Logprobs = true, true }, 4},
		{"arena-hard", func(p *Parameters) { p.Constrain, p.Logprobs = true, true }, 12},
	} {
		j, _ := newJob(t, judgingtest.Pairs(t, 1), nil)
		j.Asker = protocolNamed(t, "pairwise", c.prompt)
		c.change(&j.Manifest.Spec.Parameters)
		if plan, err := j.MakePlan(t.Context(), nil); err != nil || plan.Calls() != 2 || plan.CallsAtMost != c.want {
			t.Errorf("%s: %+v, %v; want at most %d", c.prompt, plan, err, c.want)
		}
	}
}

// The longest in tokens need not be the longest in bytes.
func TestLongestPromptInTokens(t *testing.T) {
	j, _ := newJob(t, judgingtest.Pairs(t, 3), nil)
	var n atomic.Int64
	j.Count = func(context.Context, backends.Request) (int, error) { return []int{90, 120, 60}[n.Add(1)-1], nil }
	if got, err := j.LongestPrompt(t.Context(), 100, 0); err != nil || got != (Length{120, CountedByServer}) || n.Load() != 3 {
		t.Errorf("%+v, %v after %d counts", got, err, n.Load())
	}
	if got, err := j.LongestPrompt(t.Context(), 1<<20, 0); err != nil || got.By != CountedByBytes || n.Load() != 3 {
		t.Errorf("what surely fits was counted: %+v, %v", got, err)
	}
	// What surely fits is not counted beside what may not, and does not hide it: its line is longer than its prompt.
	long, escaped, short := judgingtest.Pair("long", 0), judgingtest.Pair("escaped", 0), judgingtest.Pair("short", 0)
	long.Question, escaped.Question = strings.Repeat("word ", 2000), strings.Repeat("<", 1500)
	between := judgingtest.Pair("between", 0)
	between.Question = strings.Repeat("word ", 1200)
	for _, c := range []struct {
		items  []datasets.Item
		tokens int // of each that is counted, of the second one more
		want   Length
		counts int64
	}{
		{[]datasets.Item{short, long}, 300, Length{300, "of the 1 longest in bytes, counted by the server"}, 1},
		{[]datasets.Item{short, long}, 9000, Length{9000, CountedByServer}, 1},
		{[]datasets.Item{short, escaped, between, long}, 1500, Length{1501, "of the 2 longest in bytes, counted by the server"}, 2},
		{[]datasets.Item{short, escaped, between, long}, 5500, Length{5501, CountedByServer}, 2},
	} {
		j, _ = newJob(t, judgingtest.Items(t, c.items...), nil)
		n.Store(0)
		j.Count = func(context.Context, backends.Request) (int, error) { return c.tokens + int(n.Add(1)) - 1, nil }
		room := 5000 + j.Manifest.Spec.Parameters.MaxTokens
		if got, err := j.LongestPrompt(t.Context(), room, 0); err != nil || got != c.want || n.Load() != c.counts {
			t.Errorf("%+v, %v after %d counts; want %+v", got, err, n.Load(), c.want)
		}
	}
	// Nothing more is counted once a longer one would leave the reply as it is.
	for tokens, most := range map[int]int64{90: 2 * countedAtOnce, 40: 200} {
		j, _ = newJob(t, judgingtest.Pairs(t, 200), nil)
		n.Store(0)
		j.Count = func(context.Context, backends.Request) (int, error) { n.Add(1); return tokens, nil }
		got, err := j.LongestPrompt(t.Context(), 100, 1)
		isWhole := got.By == CountedByServer && n.Load() == 200
		if err != nil || got.Tokens != tokens || n.Load() > most || isWhole != (most == 200) {
			t.Errorf("%+v, %v after %d counts of %d tokens", got, err, n.Load(), tokens)
		}
	}
	// Nobody is asked again and again who cannot count, or who is gone.
	n.Store(0)
	j.Count = func(context.Context, backends.Request) (int, error) { n.Add(1); return 0, errors.New("no") }
	got, err := j.LongestPrompt(t.Context(), 100, 0)
	if err != nil || got.By != CountedByBytes || n.Load() > 2*countedAtOnce {
		t.Errorf("%+v, %v after %d failures", got, err, n.Load())
	}
}

// A label that is longer than --max-tokens is not cut off: the turn that is held
// to labels has room for the longest.
func TestConstrainHasRoomForTheLabel(t *testing.T) {
	_, asked := held(t, "sop", func(p *Parameters) { p.Constrain, p.MaxTokens = true, 3 }, func(_ context.Context, req backends.Request) (backends.Response, error) {
		if req.Constrain == nil {
			return judgingtest.Says("so")
		}
		return judgingtest.Says("[[B>A]]")
	})
	if len(asked) != 2 || asked[0].MaxTokens != 3 || asked[1].MaxTokens != len("[[B>A]]")+1 {
		t.Errorf("asked %+v", asked)
	}
}
