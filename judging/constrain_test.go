package judging

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging/judgingtest"
)

func constrain(p *Parameters) { p.Constrain = true }

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
		"does not fit":            {300, 301, nil, 1, 0, PromptTooLong},
		"nobody counts":           {300, 0, backends.ErrNoTokenizer, 1, 1, Decided},
		"the context is not told": {0, 0, nil, 0, 1, Decided},
	} {
		t.Run(name, func(t *testing.T) {
			counts, asks := 0, 0
			j, w := newJob(t, judgingtest.Pairs(t, 1), judgingtest.Script(func(_ context.Context, req backends.Request) (backends.Response, error) {
				asks++
				if req.CountedPromptTokens != c.count {
					t.Errorf("asked with %d tokens counted", req.CountedPromptTokens)
				}
				return judgingtest.Reply("[[A>B]]")
			}))
			j.Completed = completed(map[string][]bool{"p1": {false, true}})
			j.MaxPromptTokens = c.limit
			j.CountTokens = func(_ context.Context, req backends.Request) (int, error) { counts++; return c.count, c.err }
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
	j.CountTokens = func(context.Context, backends.Request) (int, error) { return []int{90, 120, 60}[n.Add(1)-1], nil }
	if got, err := j.LongestPrompt(t.Context(), 100, 0); err != nil || got != (PromptLength{120, CountedByServer}) ||
		n.Load() != 3 {
		t.Errorf("%+v, %v after %d counts", got, err, n.Load())
	}
	if got, err := j.LongestPrompt(t.Context(), 1<<20, 0); err != nil || got.CountMethod != CountedByBytes || n.Load() != 3 {
		t.Errorf("what surely fits was counted: %+v, %v", got, err)
	}
	// What surely fits is not counted beside what may not, and does not hide it: its line is longer than its prompt.
	long, escaped, short := judgingtest.PairItem("long", 0), judgingtest.PairItem("escaped", 0), judgingtest.PairItem("short", 0)
	long.Question, escaped.Question = strings.Repeat("word ", 2000), strings.Repeat("<", 1500)
	between := judgingtest.PairItem("between", 0)
	between.Question = strings.Repeat("word ", 1200)
	for _, c := range []struct {
		items  []datasets.Item
		tokens int // of each that is counted, of the second one more
		want   PromptLength
		counts int64
	}{
		{[]datasets.Item{short, long}, 300, PromptLength{300, "of the 1 longest in bytes, counted by the server"}, 1},
		{[]datasets.Item{short, long}, 9000, PromptLength{9000, CountedByServer}, 1},
		{[]datasets.Item{short, escaped, between, long}, 1500, PromptLength{1501, "of the 2 longest in bytes, counted by the server"}, 2},
		{[]datasets.Item{short, escaped, between, long}, 5500, PromptLength{5501, CountedByServer}, 2},
	} {
		j, _ = newJob(t, judgingtest.OpenItems(t, c.items...), nil)
		n.Store(0)
		j.CountTokens = func(context.Context, backends.Request) (int, error) { return c.tokens + int(n.Add(1)) - 1, nil }
		room := 5000 + j.Manifest.Spec.Parameters.MaxTokens
		if got, err := j.LongestPrompt(t.Context(), room, 0); err != nil || got != c.want || n.Load() != c.counts {
			t.Errorf("%+v, %v after %d counts; want %+v", got, err, n.Load(), c.want)
		}
	}
	// Nothing more is counted once a longer one would leave the reply as it is.
	for tokens, most := range map[int]int64{90: 2 * countConcurrency, 40: 200} {
		j, _ = newJob(t, judgingtest.Pairs(t, 200), nil)
		n.Store(0)
		j.CountTokens = func(context.Context, backends.Request) (int, error) { n.Add(1); return tokens, nil }
		got, err := j.LongestPrompt(t.Context(), 100, 1)
		isWhole := got.CountMethod == CountedByServer && n.Load() == 200
		if err != nil || got.Tokens != tokens || n.Load() > most || isWhole != (most == 200) {
			t.Errorf("%+v, %v after %d counts of %d tokens", got, err, n.Load(), tokens)
		}
	}
	// Nobody is asked again and again who cannot count, or who is gone.
	n.Store(0)
	j.CountTokens = func(context.Context, backends.Request) (int, error) { n.Add(1); return 0, errors.New("no") }
	got, err := j.LongestPrompt(t.Context(), 100, 0)
	if err == nil || got.CountMethod != CountedByBytes || n.Load() > 2*countConcurrency {
		t.Errorf("%+v, %v after %d failures", got, err, n.Load())
	}
}
