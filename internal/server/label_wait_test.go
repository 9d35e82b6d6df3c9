package server

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"gavel/internal/server/memo"
)

// A page with the judges by agreement waits no longer than any other.
func TestAgreementIsNotWaitedForWithoutEnd(t *testing.T) {
	dir := t.TempDir()
	makePairs(t, "right", dir, "a")
	file := filepath.Join(t.TempDir(), "labels.jsonl")
	write(t, file, `{"item":"x","labeller":"me","label":"A"}`+"\n")
	s := newSite(t, dir, func(o *Options) { o.Labels = file })
	s.patience = 200 * time.Millisecond
	slow := make(chan struct{})
	go memo.Get(context.Background(), s.memo, "comparison of large runs", 0, func() (int, error) { <-slow; return 0, nil })
	time.Sleep(50 * time.Millisecond)
	defer close(slow)
	for _, page := range []string{"/", "/labels"} {
		t.Log(page, s.ask("GET", page, "").Code) // before the test's own time is over
	}
}
