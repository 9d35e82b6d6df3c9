package eval

import (
	"testing"
	"time"
)

// TestWaits: a judgment that ended later than its record says is not believed where it ended too late.
func TestWaits(t *testing.T) {
	at := func(s int64) time.Time { return time.Unix(s, 0) }
	var w waits
	w.note(at(10), at(9))  // as its record says
	w.note(at(11), at(30)) // it waited
	w.note(at(5), at(19))
	for since, want := range map[int64]int64{20: 11, 31: 31, 19: 5, 4: 4} {
		if got := w.from(at(since)); got != at(want) {
			t.Errorf("since %d: from %d on, want %d", since, got.Unix(), want)
		}
	}
}
