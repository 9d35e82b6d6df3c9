package server

import (
	"path/filepath"
	"testing"
	"time"

	"gavel/judging"
)

// BenchmarkFirstLook measures the wait for a run of 50,000 records on a server
// that has just started: ms-cold for the first request, ms-again for the second,
// once the server has read the run. The run "numbers" has a results.json, as
// every run that gavel made; "none" has none, as an imported run, and its
// records are scored.
//
//	go test ./internal/server -run '^$' -bench FirstLook -benchtime 10x
func BenchmarkFirstLook(b *testing.B) {
	dir := b.TempDir()
	for _, run := range []string{"numbers", "none"} {
		largeRun(b, filepath.Join(dir, run), 25_600)
	}
	s := newSite(b, dir, nil)
	rep, err := s.runs.Score("numbers", "")
	must(b, err)
	must(b, judging.WriteJSON(filepath.Join(dir, "numbers", judging.ResultsFile), rep))
	for _, c := range []struct{ name, target string }{
		{"list of runs", "/"},
		{"run", "/runs/numbers"},
		{"run without numbers", "/runs/none"},
		{"items", "/runs/numbers/items"},
		{"item", "/runs/numbers/items/0000-sample-knowledge-01"},
		{"comparison", "/compare?a=numbers&b=none"},
	} {
		b.Run(c.name, func(b *testing.B) { firstLook(b, dir, c.target) })
	}
}

func firstLook(b *testing.B, dir, target string) {
	var cold, second time.Duration
	for b.Loop() {
		b.StopTimer()
		s := newSite(b, dir, nil)
		cold += took(s, target)
		second += took(s, target)
		s.Close()
		b.StartTimer()
	}
	for unit, d := range map[string]time.Duration{"ms-cold": cold, "ms-again": second} {
		b.ReportMetric(d.Seconds()*1000/float64(b.N), unit)
	}
}

func took(s *site, target string) time.Duration {
	start := time.Now()
	s.get(target)
	return time.Since(start)
}
