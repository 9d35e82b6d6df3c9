package main

import (
	"os"
	"strings"
	"testing"

	"gavel/cache"
)

// The folder of the cache vanishes while a run goes: the run ends as it would,
// and does not wait for the cache.
func TestCacheVanishes(t *testing.T) {
	home(t)
	j := newJudge(t, false, func(call int64, _ string) (int, string) {
		if call == 20 {
			os.RemoveAll("replies")
		}
		return 200, "My verdict: [[A>B]]"
	})
	_, stderr, code := call(t, "run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--cache", "replies", "--out", "run")
	if code != 0 || strings.Count(stderr, "cache replies") != 1 || !strings.Contains(stderr, "warning: cache replies is not used any more, and replies are not remembered: its folder is gone") {
		t.Errorf("exit status %d: %s", code, stderr)
	}
	if n := len(records(t, "run")); n != 64 {
		t.Errorf("%d records", n)
	}
}

// A server's runs share a cache: one that was given up locks nobody out of a
// sentence.
func TestSharedCacheVanishes(t *testing.T) {
	home(t)
	shared := &sharedCache{}
	var said []string
	open := func() (*cache.Store, func() error, error) {
		return shared.open(func() (*cache.Store, error) {
			return cache.Open("replies", cache.Options{MinFree: 1, Warn: func(format string, _ ...any) { said = append(said, format) }})
		})
	}
	store, leave, err := open()
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Put([32]byte{1}, cache.Entry{}); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll("replies"); err != nil {
		t.Fatal(err)
	}
	if err := leave(); err == nil || !strings.Contains(err.Error(), "its folder is gone") || len(said) != 1 {
		t.Errorf("left: %v, said %q", err, said)
	}
	if _, _, err := open(); err == nil || !strings.Contains(err.Error(), "start gavel anew") {
		t.Errorf("opened again: %v", err)
	}
}
