package eval

import (
	"context"
	"sync"
)

// Interrupts hand a request to stop to whoever can end gently. On Ctrl-C the command line calls Gently; the run that is
// being made handles it by closing [judging.Job].Stop, and its workers end with the judgments that they have begun.
type Interrupts struct {
	mu   sync.Mutex
	soft func()
}

// Handle registers f for the next interrupt; the returned function takes it back.
func (in *Interrupts) Handle(f func()) func() {
	if in == nil {
		return func() {}
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.soft = f
	return func() {
		in.mu.Lock()
		defer in.mu.Unlock()
		in.soft = nil
	}
}

// Gently tells who can end gently to do so, once; false where there is nobody.
func (in *Interrupts) Gently() bool {
	in.mu.Lock()
	soft := in.soft
	in.soft = nil
	in.mu.Unlock()
	if soft == nil {
		return false
	}
	soft()
	return true
}

// Interrupt ends gently if that can be, else by cancelling.
func (in *Interrupts) Interrupt(cancel context.CancelCauseFunc) {
	if !in.Gently() {
		cancel(ErrInterrupted)
	}
}
