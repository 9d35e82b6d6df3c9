package jobs

import (
	"context"
	"testing"
	"time"

	"gavel/internal/eval"
)

// A job that ends gently already goes on doing so when the server is told to end once.
func TestEndOfTheServerIsGentle(t *testing.T) {
	r := newManager(t, Options{})
	interrupted, abandoned := make(chan bool, 1), make(chan bool, 1)
	ready := make(chan bool)
	job, err := r.begin(Job{}, func(ctx context.Context, e *eval.Maker) error {
		defer e.Interrupts.Handle(func() { interrupted <- true })()
		close(ready)
		<-ctx.Done()
		abandoned <- true
		return context.Cause(ctx)
	})
	ok(t, err)
	<-ready
	ok(t, r.Stop(job.ID))
	<-interrupted // it waits for what is in flight
	r.StopAll()
	select {
	case <-abandoned:
		t.Error("what was in flight is abandoned, though nobody asked a second time")
	case <-time.After(time.Second / 2):
		ok(t, r.Stop(job.ID))
	}
	waitFor(t, "the job", r.Wait)
}
