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
	makeRun(t, filepath.Join(dir, "a"), making{protocol: "pairwise", dataset: "sample", sim: "right"})
	file := filepath.Join(t.TempDir(), "labels.jsonl")
	write(t, file, `{"item":"x","labeller":"me","label":"A"}`+"\n")
	s := newSite(t, dir, func(o *Options) { o.Labels = file })
	s.patience = 200 * time.Millisecond
	slow := make(chan struct{})
	go memo.Get(context.Background(), s.memo, "comparison of large runs", 0, func() (int, error) { <-slow; return 0, nil })
	time.Sleep(50 * time.Millisecond)
	defer close(slow)
	for _, page := range []string{"/", "/labels"} {
		done := make(chan int)
		go func() { done <- s.ask("GET", page, "").Code }()
		select {
		case code := <-done:
			t.Log(page, code)
		case <-time.After(5 * time.Second):
			t.Errorf("%s is waited for 25 times as long as a page may take", page)
		}
	}
}
