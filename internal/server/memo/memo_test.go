package memo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestWhatWasUsedLastIsRemembered(t *testing.T) {
	m := New(2, time.Now)
	m.Put("a", 0, 1)
	m.Put("b", 0, 2)
	Peek[int](m, "a", 0)
	m.Put("c", 0, 3)
	if a, ok := Peek[int](m, "a", 0); !ok || a != 1 {
		t.Error("what was used last is gone")
	}
	if _, ok := Peek[int](m, "b", 0); ok {
		t.Error("three are remembered")
	}
	if _, ok := Peek[int](m, "a", 1); ok {
		t.Error("a value of another state is handed out")
	}
	m.Drop("a")
	if _, ok := Peek[int](m, "a", 0); ok {
		t.Error("what was dropped is remembered")
	}
}

// A value is made again once the state is another one; an error is remembered as a value is.
func TestAValueIsMadeOnceForAState(t *testing.T) {
	m, n, broken := New(2, time.Now), 0, errors.New("broken")
	for _, step := range []struct {
		state string
		err   error
		want  int
	}{{"old", nil, 1}, {"old", nil, 1}, {"new", broken, 2}, {"new", nil, 2}, {"newer", nil, 3}} {
		want := broken
		if step.state != "new" {
			want = nil
		}
		got, err := Get(t.Context(), m, "a", step.state, func() (int, error) { n++; return n, step.err })
		if got != step.want || err != want {
			t.Errorf("%+v: %d, %v", step, got, err)
		}
	}
}

// Concurrent callers share one computation; a caller that gives up leaves it to the next.
func TestAValueIsMadeOnceForAllWhoAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New(2, time.Now)
		var n atomic.Int64
		slow := func() (int64, error) { time.Sleep(time.Minute); return n.Add(1), nil }
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := Get(short, m, "a", 0, slow); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("it was waited for: %v", err)
		}
		for range 3 {
			go Get(t.Context(), m, "a", 0, slow)
		}
		if v, err := Get(t.Context(), m, "a", 0, slow); v != 1 || err != nil {
			t.Errorf("%d, %v", v, err)
		}
		m.Wait()
		if n.Load() != 1 {
			t.Errorf("it was made %d times", n.Load())
		}
	})
}

// Latest never waits, and makes a value anew only after a rest.
func TestLatestRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New(2, time.Now)
		n := 0
		look := func(state int) int {
			v := GetAndRefresh(m, "a", state, func() (int, error) { time.Sleep(time.Second); n++; return n, nil })
			synctest.Wait()
			return v
		}
		if v := look(1); v != 0 {
			t.Errorf("at first: %d", v)
		}
		time.Sleep(2 * time.Second)
		if v := look(2); v != 1 {
			t.Errorf("once it is made: %d", v)
		}
		time.Sleep(10 * time.Second)
		if v := look(3); v != 1 || n != 1 {
			t.Errorf("before the rest is over: %d, made %d times", v, n)
		}
		time.Sleep(time.Minute)
		look(4)
		time.Sleep(2 * time.Second)
		if v := look(4); v != 2 {
			t.Errorf("after the rest: %d", v)
		}
		m.Wait()
	})
}

func TestAPanicEndsItsValueAlone(t *testing.T) {
	m := New(2, time.Now)
	log := ""
	m.Log = func(format string, args ...any) { log = fmt.Sprintf(format, args...) }
	if _, err := Get(t.Context(), m, "a", 0, func() (int, error) { panic("boom") }); err != ErrPanic {
		t.Errorf("a page is told of a panic: %v", err)
	}
	if !strings.Contains(log, `"a": boom`) || !strings.Contains(log, "memo_test.go") {
		t.Errorf("the log has: %s", log)
	}
	if v, err := Get(t.Context(), m, "b", 0, func() (int, error) { return 1, nil }); v != 1 || err != nil {
		t.Errorf("after a panic: %d, %v", v, err)
	}
}
