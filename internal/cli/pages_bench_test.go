package cli

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkFirstPaint is what somebody waits for who opens home, or the page of a run of 50,000 records: until the first
// byte and until Chromium has painted something, both from when the page was asked for, and how much came. The first look
// of all, at which the server reads the run, is left out: BenchmarkFirstLook of package server has it.
//
//	GAVEL_CHROMIUM=chromium go test ./internal/cli -run '^$' -bench FirstPaint -benchtime 10x
func BenchmarkFirstPaint(b *testing.B) {
	browser := chromium(b)
	home(b)
	mustCall(b, "run", "pairwise", "--backend", "sim", "--model", "coin", "--dataset", "sample", "--out", "runs/small")
	var pairs strings.Builder
	for line := range strings.Lines(read(b, "runs/small/items.jsonl")) {
		for i := range 782 {
			pairs.WriteString(strings.Replace(line, `"pair_id": "`, fmt.Sprintf(`"pair_id": "%03d-`, i), 1))
		}
	}
	write(b, "pairs.jsonl", pairs.String())
	mustCall(b, "run", "pairwise", "--backend", "sim", "--model", "accuracy=0.7,first=0.2", "--dataset", "pairs.jsonl", "--out", "runs/large")
	s := serve(b, "--runs", "runs")
	tab := newTab(b, browser, s.url, looks[0], "bench")
	for name, target := range map[string]string{"home": "/", "run": "/runs/large"} {
		b.Run(name, func(b *testing.B) {
			tab.open(target)
			var first, paint, bytes float64
			for b.Loop() {
				tab.open(target)
				b.StopTimer()
				tab.until("it is painted", `performance.getEntriesByName("first-contentful-paint").length`)
				paint += evaluated[float64](tab, `performance.getEntriesByName("first-contentful-paint")[0].startTime`)
				first += evaluated[float64](tab, `performance.getEntriesByType("navigation")[0].responseStart`)
				bytes += evaluated[float64](tab, `performance.getEntriesByType("navigation")[0].encodedBodySize + performance.getEntriesByType("resource").reduce((n, r) => n + r.encodedBodySize, 0)`)
				b.StartTimer()
			}
			n := float64(b.N)
			b.ReportMetric(first/n, "ms-first-byte")
			b.ReportMetric(paint/n, "ms-first-paint")
			b.ReportMetric(bytes/n/1024, "KiB")
		})
	}
}
