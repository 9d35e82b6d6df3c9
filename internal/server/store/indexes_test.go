package store

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"gavel/judging"
	"gavel/protocols/protocoltest"
)

// ofRun is the store of a folder with one run, and its name.
func ofRun(t *testing.T) (s *Store, run string) {
	t.Helper()
	dir := protocoltest.PairsRun(t, "run", 20, func(_, _ int) string { return "A" })
	s, err := Open(filepath.Dir(dir), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, filepath.Base(dir)
}

// Reading ends when the store does, however much there is to read.
func TestEndEndsReading(t *testing.T) {
	s, run := ofRun(t)
	m, err := s.Manifest(run)
	if err != nil {
		t.Fatal(err)
	}
	s.End()
	if _, _, err := s.Index(t.Context(), run); !errors.Is(err, context.Canceled) {
		t.Errorf("read to its end: %v", err)
	}
	if _, err := s.Score(run, m); !errors.Is(err, context.Canceled) {
		t.Errorf("scored to its end: %v", err)
	}
}

// Who asks for a run that was read waits for nobody who reads another one.
func TestReadRunsWaitForNobody(t *testing.T) {
	s, run := ofRun(t)
	for step, full := range []bool{false, true} {
		for range cap(s.places) {
			if full {
				s.places <- struct{}{}
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		x, done, err := s.Index(ctx, run)
		if cancel(); err != nil || x.Len() != 20 || x.Counts.Records != 40 {
			t.Fatalf("step %d: %v", step, err)
		}
		done()
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	s.indexes.Drop(run)
	if _, _, err := s.Index(gone, run); !errors.Is(err, context.Canceled) {
		t.Errorf("what is to be read waits for no place: %v", err)
	}
}

// Runs are held in one order, whatever order they are asked for in, and one that is asked for twice once.
func TestHeld(t *testing.T) {
	s, run := ofRun(t)
	n := 0
	err := s.Held(t.Context(), []string{run, run}, func(runs []*Index) error { n = len(runs); return nil })
	if err != nil || n != 2 {
		t.Errorf("%d runs are held: %v", n, err)
	}
	if err := s.Held(t.Context(), []string{run, judging.ManifestFile}, func([]*Index) error { n++; return nil }); err == nil || n != 2 {
		t.Errorf("what is no run is held: %v", err)
	}
}
