package judging

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging/judgingtest"
)

// attempts runs one pair in one presentation with the replies given, in order, and
// returns the record and the conversations asked with.
func attempts(t *testing.T, change func(*Job), replies ...backends.Response) (*Record, [][]backends.Message) {
	t.Helper()
	var asked [][]backends.Message
	j, w := newJob(t, judgingtest.Pairs(t, 1), judgingtest.Script(func(_ context.Context, req backends.Request) (backends.Response, error) {
		asked = append(asked, slices.Clone(req.Messages))
		if len(asked) > len(replies) {
			return backends.Response{}, errors.New("no more replies")
		}
		return replies[len(asked)-1], nil
	}))
	j.Completed = completed(map[string][]bool{"p1": {false, true}}) // the swapped presentation stands
	if change != nil {
		change(j)
	}
	assert.NilError(t, j.Run(t.Context()))
	if len(w.Records) != 1 {
		t.Fatalf("%d records", len(w.Records))
	}
	return w.Records[0], asked
}

func TestSecondAttempt(t *testing.T) {
	stop := func(text string) backends.Response {
		return backends.Response{Text: text, Thinking: "…", Finish: backends.Stop}
	}
	cut := func(text string) backends.Response { return backends.Response{Text: text, Finish: backends.Length} }
	one := func(j *Job) { j.Manifest.Spec.Parameters.Attempts = 1 }
	three := func(j *Job) { j.Manifest.Spec.Parameters.Attempts = 3 }
	accept := func(j *Job) { j.Manifest.Spec.Parameters.AcceptCut = true }
	arena := func(j *Job) { j.Asker = protocolNamed(t, "pairwise", "arena-hard") }
	for _, c := range []struct {
		name    string
		change  func(*Job)
		replies []backends.Response
		asked   int
		want    Outcome
		label   string
	}{
		{"a verdict at once", nil, []backends.Response{stop("[[A>B]]")}, 1, Decided, "A>B"},
		{"at the second attempt", nil, []backends.Response{stop("hm"), stop("[[B>A]]")}, 2, Decided, "B>A"},
		{"never", nil, []backends.Response{stop("hm"), stop("hm")}, 2, NoVerdict, ""},
		{"an empty reply is asked again", nil, []backends.Response{stop(""), stop("[[B>A]]")}, 2, Decided, "B>A"},
		{"a label not on offer is asked again", nil, []backends.Response{stop("[[A=B]]"), stop("[[A=B]]")}, 2, NoVerdict, "A=B"},
		{"a label not on offer, then a verdict", nil, []backends.Response{stop("[[A=B]]"), stop("[[A>B]]")}, 2, Conflict, ""},
		{"one attempt", one, []backends.Response{stop("hm")}, 1, NoVerdict, ""},
		{"three attempts", three, []backends.Response{stop("hm"), stop("hm"), stop("[[A>B]]")}, 3, Decided, "A>B"},
		{"a conflict is an answer", nil, []backends.Response{stop("[[A>B]] [[B>A]]")}, 1, Conflict, ""},
		{"a tie is an answer", arena, []backends.Response{stop("[[A=B]]")}, 1, Tie, "A=B"},
		{"cut", nil, []backends.Response{cut("hm")}, 1, Cut, ""},
		{"cut at the second attempt", nil, []backends.Response{stop("hm"), cut("[[A>B]]")}, 2, Cut, ""},
		{"cut after a verdict, accepted", accept, []backends.Response{cut("[[A>B]] …")}, 1, Decided, "A>B"},
		{"cut before a verdict, accepted", accept, []backends.Response{cut("hm")}, 1, Cut, ""},
		{"prompt too long", nil, []backends.Response{{Finish: backends.TooLong, Detail: "9 > 8"}}, 1, TooLong, ""},
		{"too long at the second attempt", nil, []backends.Response{stop("hm"), {Finish: backends.TooLong}}, 2, TooLong, ""},
		{"refused", nil, []backends.Response{{Finish: backends.Refused}}, 1, Refused, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec, asked := attempts(t, c.change, c.replies...)
			if rec.Outcome != c.want || rec.Label != c.label || len(asked) != c.asked || len(rec.Replies) != c.asked {
				t.Errorf("outcome %s, label %q, %d calls, %d replies kept; want %s, %q, %d calls", rec.Outcome, rec.Label, len(asked), len(rec.Replies), c.want, c.label, c.asked)
			}
			if (rec.Choice != "") != (c.want == Decided) {
				t.Errorf("outcome %s, choice %q", rec.Outcome, rec.Choice)
			}
			if err := rec.check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// JudgeBench's rule, to the byte.
func TestSecondAttemptConversation(t *testing.T) {
	rec, asked := attempts(t, nil, backends.Response{Text: "\n A is…", Thinking: "[[B>A]]", Finish: backends.Stop}, backends.Response{Text: "[[A>B]]", Finish: backends.Stop})
	if len(asked) != 2 || len(asked[0]) != 2 {
		t.Fatalf("asked %q", asked)
	}
	want := append(slices.Clone(asked[0]),
		backends.Message{Role: "assistant", Content: "\n A is…"},
		backends.Message{Role: "user", Content: "continue your judgment and finish by outputting a final verdict label"})
	if !slices.Equal(asked[1], want) {
		t.Errorf("second conversation\n%q\nwant\n%q", asked[1], want)
	}
	if rec.PromptID != hashMessages(asked[0]) {
		t.Error("the prompt's hash is not that of the first turn")
	}
	if got, want := rec.Text(), "\n\n A is…\n[[A>B]]"; got != want {
		t.Errorf("joined %q, want %q", got, want)
	}
}

func TestRecordOfAJudgment(t *testing.T) {
	rec, _ := attempts(t, nil, backends.Response{
		Text: "[[A>B]]", Thinking: "hm", Finish: backends.Stop, Detail: "d", PromptTokens: 9, ReplyTokens: 4, Took: 1500 * time.Microsecond, Cached: true,
	})
	want := &Record{
		Schema: 1, Run: rec.Run, Gavel: "test", Protocol: "pairwise", Prompt: "sop", PromptID: rec.PromptID, Model: "judge", Identity: "test judge",
		Item: "p1", Source: "sums", Group: "sums", Presentation: 0, Presentations: 2, Order: []string{"A", "B"}, Gold: "A",
		Replies: []Reply{{Text: "[[A>B]]", Thinking: "hm", Finish: backends.Stop, Detail: "d", PromptTokens: 9, ReplyTokens: 4, Milliseconds: 1.5, Cached: true}},
		Outcome: Decided, Label: "A>B", Choice: "A", At: noon,
	}
	if !reflect.DeepEqual(rec, want) || rec.Run == "" {
		t.Errorf("got  %+v\nwant %+v", rec, want)
	}
}

func TestRequestHoldsTheParameters(t *testing.T) {
	var got backends.Request
	j, _ := newJob(t, judgingtest.Pairs(t, 1), right(func(req backends.Request) {
		got = req
	}))
	j.Manifest.Spec.Parameters = Parameters{Temperature: 0.25, TopP: 0.5, Seed: 7, MaxTokens: 99, NumCtx: 1024, Attempts: 1, SystemRole: backends.User}
	j.Context = 4096
	assert.NilError(t, j.Run(t.Context()))
	if got.Identity != "test judge" || got.Model != "judge" || got.Temperature != 0.25 || got.TopP != 0.5 || got.Seed != 7 ||
		got.MaxTokens != 99 || got.NumCtx != 1024 || got.Repetition != 0 || got.Context != 4096 || len(got.Messages) != 1 {
		t.Errorf("request %+v", got)
	}
}

func TestAFailureIsARecordAndTheRunGoesOn(t *testing.T) {
	j, w := newJob(t, judgingtest.Pairs(t, 3), judgingtest.Script(func(_ context.Context, req backends.Request) (backends.Response, error) {
		if req.Oracle.Item == "p2" && req.Oracle.Presentation == 0 {
			return backends.Response{}, &backends.Error{Kind: backends.ServerSide, Status: 500, Message: "no"}
		}
		return judgingtest.Says(judgingtest.RightLabel(req))
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

// What was said before the failure is kept, and does not count.
func TestFailureAtTheSecondAttempt(t *testing.T) {
	rec, _ := attempts(t, nil, backends.Response{Text: "hm", Finish: backends.Stop})
	if rec.Outcome != Failed || rec.Error != "no more replies" || len(rec.Replies) != 1 {
		t.Errorf("%+v", rec)
	}
}

func TestGivesUpAfterFailuresInARow(t *testing.T) {
	failing := func(fail func(call int) bool) (*Job, *judgingtest.Written[*Record], *int) {
		calls := 0
		j, w := newJob(t, judgingtest.Pairs(t, 30), judgingtest.Script(func(_ context.Context, req backends.Request) (backends.Response, error) {
			calls++
			if fail(calls) {
				return backends.Response{}, fmt.Errorf("refused %d", calls)
			}
			return judgingtest.Says(judgingtest.RightLabel(req))
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
			j.GiveUp, j.Concurrency = c.giveUp, c.concurrency
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
	var asked []string
	j, w := newJob(t, judgingtest.Pairs(t, 4), right(func(req backends.Request) {
		asked = append(asked, fmt.Sprint(req.Oracle.Item, " ", req.Oracle.Presentation))
	}))
	j.Completed = completed(map[string][]bool{"p1": {true, true}, "p2": {true, false}, "p3": {false, true}})
	assert.NilError(t, j.Run(t.Context()))
	if want := []string{"p2 1", "p3 0", "p4 0", "p4 1"}; !slices.Equal(asked, want) || len(w.Records) != 4 {
		t.Errorf("asked %q, want %q; %d records", asked, want, len(w.Records))
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
	if none.Has("p1", 0, 0) || none.Complete("p1", 1) || none.Count() != 0 {
		t.Error("the empty one has something")
	}
	s := Completed{}
	s.Add(&Record{Item: "p1", Presentation: 1, Presentations: 2})
	s.Add(&Record{Item: "p1", Presentation: 1, Presentations: 2})
	s.Add(&Record{Item: "p1", Presentation: 5, Presentations: 2}) // of no use, and no harm
	if !s.Has("p1", 1, 0) || s.Has("p1", 0, 0) || s.Has("p1", 2, 0) || s.Complete("p1", 1) || s.Count() != 1 {
		t.Errorf("%v", s)
	}
	s.Add(&Record{Item: "p1", Presentation: 0, Presentations: 2})
	if !s.Complete("p1", 1) || s.Complete("p2", 1) || s.Count() != 2 {
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
