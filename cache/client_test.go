package cache

import (
	"context"
	"errors"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"gavel/backends"
)

func TestHitAfterMiss(t *testing.T) {
	dir := t.TempDir()
	j := fixedJudge(verdict)
	s, _ := open(t, dir)
	c := CachingClient(j, s, false)
	if got := ask(t, c, request("q")); !reflect.DeepEqual(got, verdict) {
		t.Errorf("asked: %+v", got)
	}
	hit := verdict
	hit.Cached = true
	if got := ask(t, c, request("q")); !reflect.DeepEqual(got, hit) || j.requests != 1 {
		t.Errorf("again: %+v, asked %d times", got, j.requests)
	}
	if ask(t, c, request("other")).Cached || j.requests != 2 {
		t.Error("another question is taken for the same")
	}
	carried := entry("x")
	carried.Bundle = "week.tar" // from a bundle, and says so
	put(t, s, "carried", carried)
	if got := ask(t, c, request("carried")); !got.Cached || got.Bundle != "week.tar" {
		t.Errorf("%+v", got)
	}
	shut(t, s)

	s, _ = open(t, dir)
	if got := ask(t, CachingClient(j, s, false), request("q")); !reflect.DeepEqual(got, hit) || j.requests != 2 {
		t.Errorf("after opening it again: %+v, asked %d times", got, j.requests)
	}
}

func TestEveryEndingIsStoredAsWhatItIs(t *testing.T) {
	for name, resp := range map[string]backends.Response{
		"stop":     verdict,
		"empty":    {Finish: backends.FinishStop, PromptTokens: 34},
		"cut":      {Text: "My final ver", Finish: backends.FinishLength, ReplyTokens: 60},
		"too long": {Finish: backends.FinishPromptTooLong, Detail: "7224 tokens", Context: 4096},
		"refused":  {Finish: backends.FinishRefused, Detail: "I can't judge this."},
		"odd text": {Text: "\x00\u2028<&>\r\n\U0001F600", Finish: backends.FinishStop},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := open(t, t.TempDir())
			j := fixedJudge(resp)
			c := CachingClient(j, s, false)
			ask(t, c, request("q"))
			want := resp
			want.Cached = true
			if got := ask(t, c, request("q")); !reflect.DeepEqual(got, want) || j.requests != 1 {
				t.Errorf("got %+v, asked %d times", got, j.requests)
			}
			if !s.CanAnswer(request("q")) || s.CanAnswer(request("other")) {
				t.Error("Peek does not say the same")
			}
		})
	}
}

func TestFailuresAreNotStored(t *testing.T) {
	broken := &backends.Error{Kind: backends.ErrorServer, Status: 500, Message: "out of memory"}
	j := &countingJudge{reply: func(_ context.Context, n int, _ backends.Request) (backends.Response, error) {
		if n == 1 {
			return backends.Response{Text: "half"}, broken
		}
		return verdict, nil
	}}
	s, _ := open(t, t.TempDir())
	c := CachingClient(j, s, false)
	if _, err := c.Ask(context.Background(), request("q")); err != error(broken) {
		t.Errorf("the error became %v", err)
	}
	if s.CanAnswer(request("q")) {
		t.Error("the failure is remembered")
	}
	if got := ask(t, c, request("q")); !reflect.DeepEqual(got, verdict) || j.requests != 2 {
		t.Errorf("got %+v, asked %d times", got, j.requests)
	}
}

// "Too long" holds while the context has not grown, any other answer in any context.
func TestTooLongHoldsWhileTheContextHasNotGrown(t *testing.T) {
	for name, tc := range map[string]struct {
		finish    backends.Finish
		then, now int
		hit       bool
	}{
		"the same":            {backends.FinishPromptTooLong, 4096, 4096, true},
		"smaller":             {backends.FinishPromptTooLong, 4096, 2048, true},
		"grown":               {backends.FinishPromptTooLong, 4096, 8192, false},
		"no longer told":      {backends.FinishPromptTooLong, 4096, 0, true},
		"not told then":       {backends.FinishPromptTooLong, 0, 8192, false},
		"not told, then, now": {backends.FinishPromptTooLong, 0, 0, true},
		"an answer":           {backends.FinishStop, 4096, 1 << 20, true},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := open(t, t.TempDir())
			j := &countingJudge{reply: func(_ context.Context, n int, req backends.Request) (backends.Response, error) {
				if n == 1 {
					return backends.Response{Finish: tc.finish, Context: req.ReportedContextTokens}, nil
				}
				return verdict, nil
			}}
			c, req := CachingClient(j, s, false), request("q")
			req.ReportedContextTokens = tc.then
			ask(t, c, req)
			req.ReportedContextTokens = tc.now
			if peeked, got := s.CanAnswer(req), ask(t, c, req); got.Cached != tc.hit || peeked != tc.hit {
				t.Errorf("hit %v, peeked %v, want %v", got.Cached, peeked, tc.hit)
			}
			if got := ask(t, c, req); !got.Cached || !tc.hit && got.Text != verdict.Text {
				t.Errorf("the last answer is not the one that holds: %+v", got)
			}
		})
	}
}

// following waits until n callers wait for somebody else's equal request.
func following(n int) {
	buf := make([]byte, 1<<20)
	for {
		waiting := 0
		for stack := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
			if strings.Contains(stack, "singleflight.(*Group).Do") && strings.Contains(stack, "sync.(*WaitGroup).Wait") {
				waiting++
			}
		}
		if waiting >= n {
			return
		}
		runtime.Gosched()
	}
}

// Who waits for an equal request is told what it came to, a failure too.
func TestEqualRequestsInFlightAreAskedOnce(t *testing.T) {
	broken := &backends.Error{Kind: backends.ErrorAuth, Status: 401, Message: "no"}
	for name, failure := range map[string]error{"answered": nil, "failed": broken} {
		t.Run(name, func(t *testing.T) {
			const callers = 8
			release := make(chan struct{})
			j := &countingJudge{reply: func(context.Context, int, backends.Request) (backends.Response, error) {
				<-release
				return verdict, failure
			}}
			s, _ := open(t, t.TempDir())
			c := CachingClient(j, s, false)
			var fresh atomic.Int32
			var wg sync.WaitGroup
			for range callers {
				wg.Go(func() {
					resp, err := c.Ask(context.Background(), request("q"))
					if !resp.Cached {
						fresh.Add(1)
					}
					resp.Cached = false
					if err != failure || !reflect.DeepEqual(resp, verdict) {
						t.Errorf("one was told %+v, %v", resp, err)
					}
				})
			}
			following(callers - 1)
			close(release)
			wg.Wait()
			if want := map[bool]int32{true: 1, false: callers}[failure == nil]; j.requests != 1 || fresh.Load() != want {
				t.Errorf("asked %d times, %d count as fresh, want %d", j.requests, fresh.Load(), want)
			}
		})
	}
}

// Many more than can wait at once, some of them late.
func TestEqualRequestsAreAskedOnceHoweverTheyMeet(t *testing.T) {
	s, _ := open(t, t.TempDir())
	for round := range 20 {
		j := fixedJudge(verdict)
		c := CachingClient(j, s, false)
		var wg sync.WaitGroup
		req := request("q")
		req.Repetition = round
		for range 64 {
			wg.Go(func() { ask(t, c, req) })
		}
		wg.Wait()
		if j.requests != 1 {
			t.Fatalf("asked %d times", j.requests)
		}
	}
}

func TestOneCallersEndIsNotTheOthers(t *testing.T) {
	for name, cause := range map[string]error{
		"cancelled":              context.Canceled,
		"cancelled with a cause": errors.New("interrupted"),
	} {
		t.Run(name, func(t *testing.T) {
			arrived := make(chan struct{})
			j := &countingJudge{reply: func(ctx context.Context, n int, _ backends.Request) (backends.Response, error) {
				if n > 1 {
					return verdict, nil
				}
				close(arrived)
				<-ctx.Done()
				return backends.Response{}, context.Cause(ctx)
			}}
			s, _ := open(t, t.TempDir())
			c := CachingClient(j, s, false)
			ctx, cancel := context.WithCancelCause(context.Background())
			var wg sync.WaitGroup
			wg.Go(func() {
				if _, err := c.Ask(ctx, request("q")); err != cause {
					t.Errorf("who gave up is told %v", err)
				}
			})
			<-arrived
			for range 4 {
				wg.Go(func() {
					if got := ask(t, c, request("q")); got.Text != verdict.Text {
						t.Errorf("another is told %+v", got)
					}
				})
			}
			following(4)
			cancel(cause)
			wg.Wait()
			if j.requests != 2 {
				t.Errorf("asked %d times, want once more", j.requests)
			}
		})
	}
}
