package backends

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

var _ Client = (*Watch)(nil)

// Watch is a Client over one server that does not take the server's model for granted. A server that is stopped and
// started again may serve other weights under the same name, and nothing in a reply tells.
//
// A reply is handed on when the server, asked after it came, says that it serves the model. What it says before does
// not count: a proxy may hold a request that was sent to it, and hand it to whoever serves next. One question is for
// all replies that wait, and questions are a fortieth of the time of a usual reply apart, 100 ms at most. Where the
// model has no digest and the server does not tell that it is still the same process, the model is sampled too, every
// so often and whenever something went wrong (see [Sample]). Once it is seen to be another, or to have been, every call
// fails with *ModelChangedError.
type Watch struct {
	member   Member
	patience time.Duration
	ctx      context.Context // of the questions

	mu      sync.Mutex
	usual   time.Duration // that a reply takes
	begun   time.Time     // when it was asked last
	next    *inquiry      // that has not been asked yet; nil where nobody waits
	asking  bool
	process string
	sample  Sample
	sampled time.Time
	doubts  int    // calls that failed
	named   string // model that replies name
	systems Fingerprints
	changed *ModelChangedError
}

// inquiry is one look at the model, for all that wait for it.
type inquiry struct {
	done chan struct{}
	err  error
}

// sampleEvery is how often a model is sampled whose server gives no other sign.
const sampleEvery = 10 * time.Second

// NewWatch watches a member of a run, whose Backend must be an Identifier. A server that does not answer is asked for
// its model for as long as patience; the reply that waits for it is lost then. Questions end with ctx.
func NewWatch(ctx context.Context, m Member, patience time.Duration) *Watch {
	return &Watch{member: m, patience: patience, ctx: ctx, systems: Fingerprints{}}
}

// Expect holds replies to a system fingerprint that earlier ones of the same server had, "" for any. It is called
// before anything is asked.
func (w *Watch) Expect(fingerprint string) {
	for range 2 { // one that came once tells nothing
		w.systems.Add(fingerprint)
	}
}

// Begin takes a sample of the model before anything else is asked. known is one that was taken of it earlier, if any:
// the error is *ModelChangedError where the weights are others now. A server that is busy is asked again, for without a
// sample nobody notices later; untold is why there is none in the end.
func (w *Watch) Begin(known Sample) (sample Sample, untold, err error) {
	if presence, err := w.identify(); err == nil {
		w.process = presence.Process
	}
	sample, untold = Try(w.ctx, Retry{For: w.patience}, w.takeSample)
	w.sample = known
	if known == nil {
		w.sample = sample
	}
	if untold == nil && !known.Same(sample) {
		return nil, nil, w.weights(sample)
	}
	w.sampled = time.Now()
	return w.sample, untold, nil
}

// takeSample is nil where the server has none to give.
func (w *Watch) takeSample() (Sample, error) {
	limited, cancel := context.WithTimeout(w.ctx, pageTime)
	defer cancel()
	if s, ok := w.member.Backend.(sampler); ok {
		return s.Sample(limited, w.member.Model.Name)
	}
	return nil, nil
}

// Ask implements Client.
func (w *Watch) Ask(ctx context.Context, req Request) (Response, error) {
	if err := w.known(); err != nil {
		return Response{}, err
	}
	sent := time.Now()
	resp, err := w.member.Client.Ask(ctx, req)
	if err != nil {
		w.doubt(err)
		return resp, err
	}
	if err := w.heed(resp); err != nil {
		return Response{}, err
	}
	q := w.wait(time.Since(sent))
	select {
	case <-q.done:
	case <-ctx.Done():
		return Response{}, context.Cause(ctx)
	}
	if q.err != nil {
		return Response{}, q.err
	}
	return resp, nil
}

// known is the error of a server that was seen to serve another model.
func (w *Watch) known() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.changed != nil {
		return w.changed
	}
	return nil
}

// heed holds replies to one name, and to one system fingerprint: a server may write another name than the one it was
// asked for, but not one and then another.
func (w *Watch) heed(resp Response) error {
	model, url := cmp.Or(resp.Model, w.member.Model.Name), w.member.Server.URL
	w.mu.Lock()
	defer w.mu.Unlock()
	w.named = cmp.Or(w.named, model)
	if w.named != model {
		w.change(&ModelChangedError{
			URL: url,
			Was: fmt.Sprintf("%q in its replies", w.named),
			Is:  fmt.Sprintf("%q", model),
		})
		return w.changed
	}
	is := resp.SystemFingerprint
	if w.systems.Add(is); w.systems.Changed() {
		was := w.systems.Beside(is)
		w.change(&ModelChangedError{
			URL: url,
			Was: fmt.Sprintf(FingerprintSign+"%q", was),
			Is:  fmt.Sprintf(FingerprintSign+"%q", is),
		})
		return w.changed
	}
	return nil
}

// change notes that the model is another. The caller holds the lock.
func (w *Watch) change(to *ModelChangedError) {
	if w.changed == nil {
		w.changed = to
	}
}

// wait returns a question that is asked after now, for a reply that took so long.
func (w *Watch) wait(took time.Duration) *inquiry {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.usual == 0 {
		w.usual = took
	}
	w.usual += (took - w.usual) / 8
	if w.next == nil {
		w.next = &inquiry{done: make(chan struct{})}
	}
	q := w.next
	if !w.asking {
		w.asking = true
		go w.look()
	}
	return q
}

// doubt notes that a call failed: who answers the next may be another.
func (w *Watch) doubt(err error) {
	if !IsKind(err, Transport, Timeout, Busy, ServerSide) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.doubts++
	w.sampled = time.Time{}
}

// look asks for the model until nobody waits for it.
func (w *Watch) look() {
	for {
		w.rest()
		w.mu.Lock()
		q := w.next
		w.next = nil
		w.asking = q != nil
		if !w.asking {
			w.mu.Unlock()
			return
		}
		w.begun = time.Now()
		w.mu.Unlock()
		q.err = w.check()
		close(q.done)
	}
}

// rest waits until the next question is due.
func (w *Watch) rest() {
	w.mu.Lock()
	due := w.begun.Add(min(w.usual/40, 100*time.Millisecond))
	w.mu.Unlock()
	select {
	case <-w.ctx.Done():
	case <-time.After(time.Until(due)):
	}
}

// check asks which model the server serves, for as long as it takes to get an answer, within patience.
func (w *Watch) check() error {
	if err := w.known(); err != nil {
		return err
	}
	_, err := Try(w.ctx, Retry{For: w.patience, First: min(w.patience/8, 100*time.Millisecond)}, func() (struct{}, error) {
		err := w.same()
		w.doubt(err)
		return struct{}{}, err
	})
	var changed *ModelChangedError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &changed):
		w.mu.Lock()
		defer w.mu.Unlock()
		w.change(changed)
		return w.changed
	case w.ctx.Err() != nil:
		return context.Cause(w.ctx)
	}
	lost := &Error{
		Kind: Transport,
		Message: fmt.Sprintf("it answered, but could not be asked again which model it serves, "+
			"so the answer is not trusted: %v", err),
		Err: err,
	}
	if e := (*Error)(nil); errors.As(err, &e) { // to ask for the reply once more is to pay once more
		lost.RetryAfter = e.RetryAfter
		if !e.MayPass() {
			lost.Kind = e.Kind
		}
	}
	return lost
}

// same tells whether the server serves what it served.
func (w *Watch) same() error {
	presence, err := w.present()
	if err != nil {
		return err
	}
	w.mu.Lock()
	alive := presence.Process != "" && presence.Process == w.process
	fresh := presence.Process == "" && time.Since(w.sampled) < sampleEvery
	doubts := w.doubts
	w.mu.Unlock()
	if alive || fresh || w.sample == nil {
		return nil
	}
	begun := time.Now()
	sample, err := w.takeSample()
	switch {
	case err != nil:
		return err
	case sample == nil:
		return none("it gave no sample of its model")
	case !w.sample.Same(sample):
		return w.weights(sample)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.process = presence.Process
	if w.doubts == doubts {
		w.sampled = begun
	}
	return nil
}

// present asks for the identity, and a second time before it says that it is
// another: a server on its way up or down may say half of it.
func (w *Watch) present() (Presence, error) {
	was := w.member.Identity()
	presence, err := w.identify()
	if err == nil && presence.Identity != was || IsKind(err, NotFound) {
		select {
		case <-w.ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
		presence, err = w.identify()
	}
	switch {
	case IsKind(err, NotFound):
		return presence, &ModelChangedError{
			URL: w.member.Server.URL,
			Was: was,
			Is:  "gone: " + err.Error(),
		}
	case err == nil && presence.Identity != was:
		return presence, &ModelChangedError{URL: w.member.Server.URL, Was: was, Is: presence.Identity}
	}
	return presence, err
}

func (w *Watch) identify() (Presence, error) {
	limited, cancel := context.WithTimeout(w.ctx, pageTime)
	defer cancel()
	return w.member.Backend.(Identifier).Identify(limited, w.member.Model.Name)
}

func (w *Watch) weights(now Sample) error {
	return &ModelChangedError{
		URL: w.member.Server.URL,
		Was: fmt.Sprintf("%s, which goes on after %q with %s", w.member.Identity(), samplePrompt, w.sample),
		Is:  "one of the same name and size with other weights, which goes on with " + now.String(),
	}
}
