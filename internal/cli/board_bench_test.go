package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"gavel/judging"
)

// BenchmarkTenThousandRuns is the leaderboard over 10,000 runs: 250 judges, 4 protocols, 10 datasets, each run a copy of
// a simulated one under another name. first-s is until the first page has judges, and MiB what the heap holds after it
// and at the end.
//
//	go test ./internal/cli -run '^$' -bench TenThousandRuns -benchtime 500x
func BenchmarkTenThousandRuns(b *testing.B) {
	home(b)
	for protocol, dataset := range map[string]string{
		"pairwise": "sample", "reversed": "sample", "multi-option": "sample-options", "self-reference": "sample-number --agents sim:coin",
	} {
		line := "run " + protocol + " --backend sim --model accuracy=0.8 --out demo/" + protocol + " --dataset " + dataset
		mustCall(b, strings.Fields(line)...)
	}
	for i := range 10_000 {
		likeDemo(b, i)
	}
	s := serve(b, "--runs", "runs")
	const minBytes = 10_000 // bytes of a page that has judges
	look := func(path string) int64 {
		resp, err := http.Get(s.url + path)
		if err != nil {
			b.Fatal(err)
		}
		defer resp.Body.Close()
		n, err := io.Copy(io.Discard, resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			b.Fatalf("%s: %d bytes, status %d, %v", path, n, resp.StatusCode, err)
		}
		return n
	}
	heap := func() float64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc) / (1 << 20)
	}
	start := time.Now()
	for look("/") < minBytes { // until the runs are read
		time.Sleep(10 * time.Millisecond)
	}
	first, memory := time.Since(start).Seconds(), heap()
	pages := []string{"/", "/?protocol=pairwise", "/?protocol=self-reference", "/?protocol=multi-option"}
	for n := 0; b.Loop(); n++ {
		if page := pages[n%len(pages)]; look(page) < minBytes {
			b.Fatalf("%s has no judges", page)
		}
	}
	b.ReportMetric(first, "first-s")
	b.ReportMetric(memory, "MiB-first")
	b.ReportMetric(heap(), "MiB-last")
}

// likeDemo makes the i-th run of the leaderboard.
func likeDemo(b *testing.B, i int) {
	protocols := []string{"pairwise", "reversed", "multi-option", "self-reference"}
	judge, protocol, set := i/40, protocols[i%4], i/4%10
	from := "demo/" + protocol
	m, err := judging.ReadManifest(from)
	if err != nil {
		b.Fatal(err)
	}
	was := *m
	m.Spec.Model.Name, m.Dataset.Name, m.Spec.Dataset.SHA256 = fmt.Sprintf("judge-%03d", judge), fmt.Sprintf("set-%d", set), strings.Repeat(fmt.Sprint(set), 64)
	m.ID = judging.NewManifest("", m.Spec).ID
	raw, err := json.Marshal(m)
	if err != nil {
		b.Fatal(err)
	}
	dir := fmt.Sprintf("runs/%s_%s_%s", m.Spec.Model.Name, protocol, m.Dataset.Name)
	write(b, filepath.Join(dir, judging.ManifestFile), string(raw))
	write(b, filepath.Join(dir, judging.ResultsFile), strings.NewReplacer(was.ID, m.ID, was.Spec.Model.Name, m.Spec.Model.Name, fmt.Sprintf("%q", was.Dataset.Name), fmt.Sprintf("%q", m.Dataset.Name)).Replace(read(b, filepath.Join(from, judging.ResultsFile))))
	for _, file := range []string{judging.RecordsFile, judging.ItemsFile} {
		if err := os.Link(filepath.Join(from, file), filepath.Join(dir, file)); err != nil {
			b.Fatal(err)
		}
	}
}
