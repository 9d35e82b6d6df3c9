package eval

import (
	"context"
	"sync"
)

// Interrupts passes a request to stop to a run that can end gently. On Ctrl-C the command line calls StopGently; the
// run in progress closes [judging.RunJob].Stop, and its workers finish the judgments in flight.
type Interrupts struct {
	mu      sync.Mutex
	handler func() // ends the run in progress gently; nil if there is none
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

// Interrupt has the run in progress end gently, or else calls cancel with ErrInterrupted.
func (in *Interrupts) Interrupt(cancel context.CancelCauseFunc) {
	if !in.StopGently() {
		cancel(ErrInterrupted)
	}
}
