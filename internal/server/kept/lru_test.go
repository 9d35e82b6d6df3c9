package kept

import (
	"errors"
	"sync"
	"testing"
)

func TestLRU(t *testing.T) {
	c := NewLRU[string, int](2)
	c.Put("a", 1)
	c.Put("b", 2)
	c.Get("a")
	if c.Put("c", 3); c.GetOr("a", func() int { return 9 }) != 1 {
		t.Error("what was used last is gone")
	}
	if _, there := c.Get("b"); there {
		t.Error("three are kept")
	}
	if c.Drop("a"); c.GetOr("a", func() int { return 9 }) != 9 {
		t.Error("what was dropped is kept")
	}
}

// What was made is made again once the state is another one; an error is kept as a value is.
func TestMade(t *testing.T) {
	var one sync.Mutex
	c, n, broken := NewLRU[string, Value[string, int]](2), 0, errors.New("broken")
	for _, step := range []struct {
		state string
		err   error
		want  int
	}{{"old", nil, 1}, {"old", nil, 1}, {"new", broken, 2}, {"new", nil, 2}, {"newer", nil, 3}} {
		kept := broken
		if step.state != "new" {
			kept = nil
		}
		got, err := Made(&one, c, "a", step.state, func() (int, error) { n++; return n, step.err })
		if got != step.want || err != kept {
			t.Errorf("%+v: %d, %v", step, got, err)
		}
	}
}
