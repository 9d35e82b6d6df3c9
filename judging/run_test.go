package judging

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging/judgingtest"
)

func TestRequestHoldsTheParameters(t *testing.T) {
	var got backends.Request
	j, _ := newJob(t, judgingtest.Pairs(t, 1), right(func(req backends.Request) {
		got = req
	}))
	j.Manifest.Spec.Parameters = Parameters{
		Temperature:     0.25,
		TopP:            0.5,
		Seed:            7,
		MaxTokens:       99,
		NumCtx:          1024,
		VerdictAttempts: 1,
		SystemTextRole:  backends.RoleUser,
	}
	j.Manifest.Model.Context = 4096
	assert.NilError(t, j.Run(t.Context()))
	if got.Identity != "test judge" || got.Model != "judge" || got.Temperature != 0.25 || got.TopP != 0.5 || got.Seed != 7 ||
		got.MaxTokens != 99 || got.NumCtx != 1024 || got.Repetition != 0 || got.ReportedContextTokens != 4096 || len(got.Messages) != 1 {
		t.Errorf("request %+v", got)
	}
}

func TestAFailureIsARecordAndTheRunGoesOn(t *testing.T) {
	j, w := newJob(t, judgingtest.Pairs(t, 3), judgingtest.Script(func(_ context.Context, req backends.Request) (backends.Response, error) {
		if req.Oracle.Item == "p2" && req.Oracle.Presentation == 0 {
			return backends.Response{}, &backends.Error{Kind: backends.ErrorServer, Status: 500, Message: "no"}
		}
		return judgingtest.Reply(judgingtest.RightLabel(req))
	}))
	assert.NilError(t, j.Run(t.Context()))
	if len(w.Records) != 6 {
		t.Fatalf("%d records, want 6", len(w.Records))
	}
	for i, r := range w.Records {
		want := Decided
		if i == 2 {
			want = Failed
		}
		if r.Outcome != want || (r.Error != "") != (want == Failed) {
			t.Errorf("record %d (%s, presentation %d): %s, error %q", i, r.Item, r.Presentation, r.Outcome, r.Error)
		}
	}
	if got := w.Records[2]; got.Error != "HTTP 500: no" || got.Replies == nil || len(got.Replies) != 0 || got.PromptID == "" {
		t.Errorf("%+v", got)
	}
}

func TestGivesUpAfterFailuresInARow(t *testing.T) {
	failing := func(fail func(call int) bool) (*RunJob, *judgingtest.RecordCollector[*Record], *int) {
		calls := 0
		j, w := newJob(t, judgingtest.Pairs(t, 30), judgingtest.Script(func(_ context.Context, req backends.Request) (backends.Response, error) {
			calls++
			if fail(calls) {
				return backends.Response{}, fmt.Errorf("refused %d", calls)
			}
			return judgingtest.Reply(judgingtest.RightLabel(req))
		}))
		return j, w, &calls
	}
	always := func(int) bool { return true }
	for _, c := range []struct {
		name        string
		fail        func(int) bool
		giveUp      int
		concurrency int
		calls       int // 0: it does not give up
	}{
		{"ten by default", always, 0, 1, 10},
		{"as told", always, 3, 1, 3},
		{"after some that went well", func(n int) bool { return n > 7 }, 4, 1, 11},
		{"not where one goes well between", func(n int) bool { return n%4 != 0 }, 4, 1, 0},
		{"not where all go well", func(int) bool { return false }, 1, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			j, w, calls := failing(c.fail)
			j.MaxConsecutiveFailures, j.Concurrency = c.giveUp, c.concurrency
			err := j.Run(t.Context())
			if c.calls == 0 {
				if err != nil || *calls != 60 {
					t.Errorf("%d calls, error %v", *calls, err)
				}
				return
			}
			var gaveUp *GaveUpError
			if !errors.As(err, &gaveUp) || *calls != c.calls || len(w.Records) != c.calls {
				t.Fatalf("%d calls, %d records, error %v; want %d", *calls, len(w.Records), err, c.calls)
			}
			if want := fmt.Sprintf("refused %d", c.calls); gaveUp.Last != want {
				t.Errorf("the last error is %q, want %q", gaveUp.Last, want)
			}
		})
	}
}

func TestCompletedJudgmentsAreNotAskedFor(t *testing.T) {
	var prompts []string
	j, w := newJob(t, judgingtest.Pairs(t, 4), right(func(req backends.Request) {
		prompts = append(prompts, fmt.Sprint(req.Oracle.Item, " ", req.Oracle.Presentation))
	}))
	j.Completed = completed(map[string][]bool{"p1": {true, true}, "p2": {true, false}, "p3": {false, true}})
	assert.NilError(t, j.Run(t.Context()))
	if want := []string{"p2 1", "p3 0", "p4 0", "p4 1"}; !slices.Equal(prompts, want) || len(w.Records) != 4 {
		t.Errorf("asked %q, want %q; %d records", prompts, want, len(w.Records))
	}
}

func TestOnlyTheRowsPickedAreJudged(t *testing.T) {
	j, w := newJob(t, judgingtest.Pairs(t, 5), right(nil))
	j.Rows = []int{1, 4}
	assert.NilError(t, j.Run(t.Context()))
	var items []string
	for _, r := range w.Records {
		items = append(items, r.Item)
	}
	if !slices.Equal(items, []string{"p2", "p2", "p5", "p5"}) {
		t.Errorf("judged %q", items)
	}
}

func TestCompleted(t *testing.T) {
	var none Completed
	if none.Has("p1", 0, 0) || none.IsItemComplete("p1", 1) || none.Count() != 0 {
		t.Error("the empty one has something")
	}
	s := Completed{}
	s.Add(&Record{Item: "p1", Presentation: 1, Presentations: 2})
	s.Add(&Record{Item: "p1", Presentation: 1, Presentations: 2})
	s.Add(&Record{Item: "p1", Presentation: 5, Presentations: 2}) // of no use, and no harm
	if !s.Has("p1", 1, 0) || s.Has("p1", 0, 0) || s.Has("p1", 2, 0) || s.IsItemComplete("p1", 1) || s.Count() != 1 {
		t.Errorf("%v", s)
	}
	s.Add(&Record{Item: "p1", Presentation: 0, Presentations: 2})
	if !s.IsItemComplete("p1", 1) || s.IsItemComplete("p2", 1) || s.Count() != 2 {
		t.Errorf("%v", s)
	}
}

func TestWriteErrorEndsTheRun(t *testing.T) {
	calls := 0
	j, _ := newJob(t, judgingtest.Pairs(t, 5), right(func(req backends.Request) {
		calls++
	}))
	full := errors.New("disk full")
	j.Write = func(r *Record) error {
		if calls == 3 {
			return full
		}
		return nil
	}
	if err := j.Run(t.Context()); !errors.Is(err, full) || calls != 3 {
		t.Errorf("error %v after %d calls", err, calls)
	}
}

// broken panics at the presentations of one item.
type broken struct {
	Asker
	item string
}

func (b broken) Presentations(item datasets.Item) []Presentation {
	if item.ID == b.item {
		time.Sleep(50 * time.Millisecond) // until another worker waits
		panic("a bug of ours")
	}
	return b.Asker.Presentations(item)
}

// TestPanicWhileAnItemIsTaken: the workers that wait for the item do not wait for ever.
func TestPanicWhileAnItemIsTaken(t *testing.T) {
	j, _ := newJob(t, judgingtest.Pairs(t, 2), right(nil))
	j.Concurrency = 2
	j.Asker = broken{j.Asker, "p2"}
	done := make(chan error, 1)
	go func() { done <- j.Run(t.Context()) }()
	select {
	case err := <-done:
		if err == nil || !strings.Contains(err.Error(), "a bug of ours") {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the run never ends")
	}
}
