package cli

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gavel/internal/server"
	"gavel/internal/server/jobs"
)

// audience is how many look at a run in BenchmarkLive.
const audience = 200

// BenchmarkLive makes a run alone, then the like of it while two hundred look at
// its live page, and then the other way round: x-as-long is how much longer
// those with an audience took. Judge, server and audience share the processors
// of this machine, so on a busy one it is the audience that costs.
//
//	go test ./internal/cli -run '^$' -bench Live -benchtime 5x
func BenchmarkLive(b *testing.B) {
	home(b)
	j := newJudge(b, false, func(call int64, user string) (int, string) {
		time.Sleep(20 * time.Millisecond) // far less than a model takes
		return prefersLonger(call, user)
	})
	s := serve(b, "--base-url", j.URL, "--no-cache")
	var alone, watched time.Duration
	var told atomic.Int64
	tokens := 100 // another number is another run
	run := func(listeners int) time.Duration {
		tokens++
		begun := time.Now()
		job := s.start(jobRequest(j.URL, "concurrency", "4", "repeat", "16", "max-tokens", fmt.Sprint(tokens)))
		v := s.until(job.ID, func(v server.JobView) bool { return v.Job.Run() != "" })
		ctx, leave := context.WithCancel(context.Background())
		defer leave()
		var wg sync.WaitGroup
		for range listeners {
			wg.Go(func() { told.Add(listen(ctx, s.url+"/runs/"+url.PathEscape(v.Job.Run())+"/events")) })
		}
		if v = s.until(job.ID, ended); v.Job.State != jobs.Complete {
			b.Fatalf("%+v", v.Job)
		}
		took := time.Since(begun)
		wg.Wait() // they are told that it has ended
		return took
	}
	run(0) // a first one, which finds everything cold
	for i := 0; b.Loop(); i++ {
		if i%2 == 0 {
			alone += run(0)
			watched += run(audience)
		} else {
			watched += run(audience)
			alone += run(0)
		}
	}
	if n := told.Load(); n < int64(2*audience*b.N) {
		b.Fatalf("%d listeners were told only %d times", audience, n)
	}
	b.ReportMetric(watched.Seconds()/alone.Seconds(), "x-as-long")
	b.ReportMetric(alone.Seconds()/float64(b.N), "s-alone")
	b.ReportMetric(watched.Seconds()/float64(b.N), "s-watched")
	b.ReportMetric(float64(told.Load())/float64(b.N), "events")
}

// listen counts what is told until it ends.
func listen(ctx context.Context, at string) (n int64) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return 0
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "event: progress") {
			n++
		}
	}
	return n
}
