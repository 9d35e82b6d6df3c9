package store

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"gavel/internal/server/memo"
	"gavel/judging"
	"gavel/protocols/protocoltest"
)

// ofRun is the store of a folder with one run, and its name.
func ofRun(t *testing.T) (s *Store, run string) {
	t.Helper()
	dir := protocoltest.PairsRun(t, "run", 20, func(_, _ int) string { return "A" })
	s, err := Open(filepath.Dir(dir), time.Now)
	assert.NilError(t, err)
	t.Cleanup(func() { s.Close() })
	return s, filepath.Base(dir)
}

// Reading ends when the store does, however much there is to read.
func TestEndEndsReading(t *testing.T) {
	s, run := ofRun(t)
	s.CancelClosing()
	if _, err := s.Index(t.Context(), run); !errors.Is(err, context.Canceled) {
		t.Errorf("read to its end: %v", err)
	}
	if _, err := s.Score(run, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("scored to its end: %v", err)
	}
}

// A call for an indexed run does not wait while another run is read, and reading does not depend on the first caller.
func TestReadRunsWaitForNobody(t *testing.T) {
	s, run := ofRun(t)
	first, err := s.Index(t.Context(), run)
	if err != nil || first.Len() != 20 || first.Counts.Records != 40 {
		t.Fatal(err)
	}
	reading, end := make(chan bool), make(chan bool)
	go memo.Get(t.Context(), s.indexes, "other", nil, func() (*Index, error) {
		close(reading)
		<-end
		return nil, nil
	})
	<-reading
	defer close(end)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if second, err := s.Index(ctx, run); err != nil || second != first {
		t.Errorf("read again: %v", err)
	}
	s.indexes.Drop(run)
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := s.Index(gone, run); !errors.Is(err, context.Canceled) {
		t.Errorf("who has gone is waited for: %v", err)
	}
}

// What a page has of a run stays as it is while the run grows.
func TestIndexesStay(t *testing.T) {
	s, run := ofRun(t)
	file := filepath.Join(s.root.Name(), run, judging.RecordsFile)
	text, err := os.ReadFile(file)
	assert.NilError(t, err)
	lines := bytes.SplitAfter(text, []byte("\n"))
	write := func(n int) {
		t.Helper()
		assert.NilError(t, os.WriteFile(file, bytes.Join(lines[:n], nil), 0o644))
	}
	index := func() *Index {
		t.Helper()
		x, err := s.Index(t.Context(), run)
		assert.NilError(t, err)
		return x
	}
	counts := func(x *Index) (n int) {
		for i := range x.Len() {
			n += len(x.Judgments(i))
		}
		return n
	}
	write(10)
	early := index()
	add, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	assert.NilError(t, err)
	defer add.Close()
	if _, err := add.Write(bytes.Join(lines[10:25], nil)); err != nil {
		t.Fatal(err)
	}
	late := index()
	if early.Counts.Records != 10 || counts(early) != 10 || late.Counts.Records != 25 || counts(late) != 25 {
		t.Errorf("%d and %d of 10, %d and %d of 25", early.Counts.Records, counts(early), late.Counts.Records, counts(late))
	}
	if early.Counts.Outcomes[string(judging.Decided)] != 10 {
		t.Errorf("outcomes of ten: %v", early.Counts.Outcomes)
	}
	if _, err := s.Indexes(t.Context(), []string{run, judging.ManifestFile}); err == nil {
		t.Error("what is no run is read")
	}
}

// A run has no scores where one of its records cannot be read or cannot be so: the line is named.
func TestScoresNameTheLine(t *testing.T) {
	for change, want := range map[[2]string]string{
		{`"schema":1`, `"schema":`}:                                 "records.jsonl:3: damaged record: ",
		{`"choice":"A"`, `"choice":"C","imported":{"stored":true}`}: `records.jsonl:3: damaged record: choice "C" was not shown`,
	} {
		s, run := ofRun(t)
		path := filepath.Join(s.root.Name(), run, judging.RecordsFile)
		text, err := os.ReadFile(path)
		assert.NilError(t, err)
		lines := strings.SplitAfter(string(text), "\n")
		lines[2] = strings.Replace(lines[2], change[0], change[1], 1)
		assert.NilError(t, os.WriteFile(path, []byte(strings.Join(lines, "")), 0o644))
		if _, err := s.Score(run, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s; the line is\n%s", err, want, lines[2])
		}
	}
}
