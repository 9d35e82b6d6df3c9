package eval

import (
	"context"
	"sync"
)

// Interrupts passes a request to stop to a run that can end gently. On Ctrl-C the command line calls Gently; the run in
// progress closes [judging.Job].Stop, and its workers finish the judgments in flight.
type Interrupts struct {
	mu      sync.Mutex
	handler func()
}

// Handle registers f for the next interrupt and returns a function that removes it.
func (in *Interrupts) Handle(f func()) func() {
	if in == nil {
		return func() {}
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.handler = f
	return func() {
		in.mu.Lock()
		defer in.mu.Unlock()
		in.handler = nil
	}
}

// StopGently asks the registered handler, once, to end gently. It returns false if there is none.
func (in *Interrupts) StopGently() bool {
	in.mu.Lock()
	handler := in.handler
	in.handler = nil
	in.mu.Unlock()
	if handler == nil {
		return false
	}
	handler()
	return true
}

// Interrupt ends gently if possible, or else cancels.
func (in *Interrupts) Interrupt(cancel context.CancelCauseFunc) {
	if !in.StopGently() {
		cancel(ErrInterrupted)
	}
}
