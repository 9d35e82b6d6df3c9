package backends

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"
)

var _ Client = (*Watch)(nil)

// Watch is a Client over one server that does not take the server's model for granted. A server that is stopped and
// started again may serve other weights under the same name, and nothing in a reply tells.
//
// A reply is handed on at once. Its [IdentityCheck] ends when the server, asked after the reply came, says which model
// it serves. What the server said before does not count: a proxy may hold a request that was sent to it, and hand it to
// whoever serves next. One check is for all replies that came before it began. Checks follow each other after seconds
// and never wait for a reply, nor a reply for them. Where the model has no digest and the server does not tell that it
// is still the same process, a check samples the model too (see [Sample]).
// Once it is seen to be another, or to have been, every call fails with *ModelChangedError.
type Watch struct {
	// Alone, made for one value, has no sample be taken while a request is in flight; nil where that may be.
	Alone chan struct{}

	member   Member
	patience time.Duration
	ctx      context.Context // of the checks
	checks   sync.WaitGroup

	mu       sync.Mutex
	waiting  []*IdentityCheck   // of replies since the last check that told something, in the order in which they came
	cancel   context.CancelFunc // ends the checks that are under way; nil where none are
	rest     time.Duration      // before the next check
	due      time.Time          // of the next check
	process  string
	sample   Sample
	named    string // model that replies name
	systems  Fingerprints
	changed  *ModelChangedError
	replaced bool // a check noticed it, not a reply; only checks, which run one after the other, use it
}

// IdentityCheck tells of a reply whether its server still served the same model after the reply came.
type IdentityCheck struct {
	mu    sync.Mutex
	ended bool
	err   error
	then  []func(error)
}

// ErrUnverified ends a check of a server that could not be asked which model it serves.
var ErrUnverified = errors.New("the server could not be asked again which model it serves")

// Then calls f when the check has ended, at once if it has: with nil where the server serves the same model, with
// *ModelChangedError where it serves another, and with ErrUnverified where nobody knows.
func (c *IdentityCheck) Then(f func(error)) {
	c.mu.Lock()
	if !c.ended {
		c.then = append(c.then, f)
		c.mu.Unlock()
		return
	}
	c.mu.Unlock()
	f(c.err)
}

func (c *IdentityCheck) end(err error) {
	c.mu.Lock()
	c.ended, c.err = true, err
	then := c.then
	c.mu.Unlock()
	for _, f := range then {
		f(err)
	}
}

const (
	// checkEvery is how long a server is left alone after it said which model it serves, longestRest after it failed to.
	checkEvery  = 2 * time.Second
	longestRest = 30 * time.Second
	// leastPatience is for one answer, however short the user would retry.
	leastPatience = 5 * time.Second
)

// NewWatch watches a member of a run, whose Backend must be an Identifier. [Watch.Begin] waits for a server for as long
// as patience. Checks end with ctx.
func NewWatch(ctx context.Context, m Member, patience time.Duration) *Watch {
	return &Watch{member: m, patience: patience, ctx: ctx, rest: checkEvery, systems: Fingerprints{}}
}

// Expect holds replies to a system fingerprint that earlier ones of the same server had, "" for any. It is called
// before anything is asked.
func (w *Watch) Expect(fingerprint string) {
	if fingerprint != "" {
		w.systems[fingerprint] = 2 // a fingerprint that came only once is no evidence
	}
}

// Begin takes a sample of the model before anything else is asked. known is one that was taken of it earlier, if any:
// the error is *ModelChangedError where the weights are others now. A server that is busy is asked again, for without a
// sample nobody notices later; untold is why there is none in the end.
func (w *Watch) Begin(known Sample) (sample Sample, untold, err error) {
	ctx, cancel := context.WithTimeout(w.ctx, max(w.patience, leastPatience))
	defer cancel()
	_, w.process, _ = w.identify(ctx)
	sample, untold = Try(ctx, Retry{For: w.patience}, func() (Sample, error) { return w.takeSample(ctx) })
	w.sample = known
	if known == nil {
		w.sample = sample
	}
	if untold == nil && !known.Same(sample) {
		return nil, nil, w.weights(sample)
	}
	w.due = time.Now().Add(checkEvery)
	return w.sample, untold, nil
}

// takeSample returns a sample of the model; nil where the server has none to give.
func (w *Watch) takeSample(ctx context.Context) (Sample, error) {
	limited, cancel := context.WithTimeout(ctx, pageTime)
	defer cancel()
	if s, ok := w.member.Backend.(sampler); ok {
		return s.Sample(limited, w.member.Model.Name)
	}
	return nil, nil
}

// alone waits until nothing else is in flight, where that is wanted; done lets others go on.
func (w *Watch) alone() (done func()) {
	if w.Alone == nil {
		return func() {}
	}
	w.Alone <- struct{}{}
	return func() { <-w.Alone }
}

// Ask implements Client.
func (w *Watch) Ask(ctx context.Context, req Request) (Response, error) {
	if changed := w.Changed(); changed != nil {
		return Response{}, changed
	}
	defer w.alone()()
	resp, err := w.member.Client.Ask(ctx, req)
	if err != nil {
		return resp, err
	}
	if err := w.heed(resp); err != nil {
		return Response{}, err
	}
	resp.Check = w.Check()
	return resp, nil
}

// heed holds replies to one name, and to one system fingerprint: a server may write another name than the one it was
// asked for, but not one and then another.
func (w *Watch) heed(resp Response) error {
	model := cmp.Or(resp.Model, w.member.Model.Name)
	system := resp.SystemFingerprint
	w.mu.Lock()
	defer w.mu.Unlock()
	w.named = cmp.Or(w.named, model)
	w.systems.Add(system)
	var changed *ModelChangedError
	switch {
	case w.named != model:
		changed = w.another(fmt.Sprintf("%q in its replies", w.named), strconv.Quote(model))
	case w.systems.Changed():
		was := w.systems.Beside(system)
		changed = w.another(FingerprintSign+strconv.Quote(was), FingerprintSign+strconv.Quote(system))
	default:
		return nil
	}
	w.changed = cmp.Or(w.changed, changed)
	return w.changed
}

// another returns the error for a model that is seen now to be another than it was.
func (w *Watch) another(was, is string) *ModelChangedError {
	return &ModelChangedError{At: time.Now(), URL: w.member.Server.URL, Was: was, Is: is}
}

// Check returns a check that begins after now; of a server that nobody watches it has ended with ErrUnverified.
func (w *Watch) Check() *IdentityCheck {
	if w == nil {
		return &IdentityCheck{ended: true, err: ErrUnverified}
	}
	c := new(IdentityCheck)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting = append(w.waiting, c)
	if w.cancel == nil {
		var ctx context.Context
		ctx, w.cancel = context.WithCancel(w.ctx)
		w.checks.Go(func() { w.checkAll(ctx) })
	}
	return c
}

// checkAll makes checks until no reply waits for one.
func (w *Watch) checkAll(ctx context.Context) {
	for {
		w.mu.Lock()
		if len(w.waiting) == 0 || ctx.Err() != nil {
			w.cancel()
			w.cancel = nil
			w.mu.Unlock()
			return
		}
		due := w.due
		w.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-time.After(time.Until(due)):
			w.check(ctx)
		}
	}
}

// check asks which model the server serves, and ends the checks of the replies that came before. An error that tells
// nothing of the model leaves them to the next one.
func (w *Watch) check(ctx context.Context) error {
	w.mu.Lock()
	n := len(w.waiting)
	w.mu.Unlock()
	begun := time.Now()
	err := w.same(ctx)
	changed, told := errors.AsType[*ModelChangedError](err)
	var replies []*IdentityCheck
	w.mu.Lock()
	w.rest = min(2*w.rest, longestRest)
	if err == nil || told {
		replies, w.waiting = w.waiting[:n], w.waiting[n:]
		w.rest = checkEvery
	}
	w.changed = cmp.Or(w.changed, changed)
	w.replaced = told
	// A server that is slow to answer is asked half of the time at most.
	w.due = time.Now().Add(max(w.rest, time.Since(begun), requestedWait(err)))
	w.mu.Unlock()
	for _, c := range replies {
		c.end(err)
	}
	return err
}

// Last makes the check that replies still wait for, within limit. Where the server does not say which model it serves,
// their checks end with ErrUnverified; the error is why.
func (w *Watch) Last(ctx context.Context, limit time.Duration) error {
	w.mu.Lock()
	if w.cancel != nil {
		w.cancel()
	}
	w.mu.Unlock()
	w.checks.Wait()
	if len(w.waiting) == 0 {
		return nil
	}
	limited, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("no answer within %s", limit))
	defer cancel()
	_, err := Try(limited, Retry{For: limit, First: min(limit/8, 100*time.Millisecond)}, func() (struct{}, error) {
		return struct{}{}, w.check(limited)
	})
	for _, c := range w.waiting {
		c.end(ErrUnverified)
	}
	w.waiting = nil
	if errors.As(err, new(*ModelChangedError)) {
		return nil
	}
	return err
}

// Changed returns how the model changed; nil where nobody saw that it did.
func (w *Watch) Changed() *ModelChangedError {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.changed
}

// same returns an error where the server does not serve what it served, or does not tell.
func (w *Watch) same(ctx context.Context) error {
	if w.replaced {
		return w.Changed()
	}
	process, err := w.present(ctx)
	if err != nil {
		return err
	}
	if w.sample == nil || process != "" && process == w.process {
		return nil
	}
	defer w.alone()()
	sample, err := w.takeSample(ctx)
	switch {
	case err != nil:
		return err
	case sample == nil:
		return none("it gave no sample of its model")
	case !w.sample.Same(sample):
		return w.weights(sample)
	}
	w.process = process
	return nil
}

// present returns the process of a server that still serves the model. It asks a second time before it says that the
// model is another: a server on its way up or down may say half of it.
func (w *Watch) present(ctx context.Context) (process string, err error) {
	was := w.member.Identity()
	is, process, err := w.identify(ctx)
	if err == nil && is != was || IsKind(err, NotFound) {
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
		is, process, err = w.identify(ctx)
	}
	switch {
	case IsKind(err, NotFound):
		return "", w.another(was, "gone: "+err.Error())
	case err == nil && is != was:
		return "", w.another(was, is)
	}
	return process, err
}

// identify asks the server which model it serves, and in which of its processes.
func (w *Watch) identify(ctx context.Context) (identity, process string, err error) {
	limited, cancel := context.WithTimeout(ctx, pageTime)
	defer cancel()
	m, err := w.member.Backend.(Identifier).Identify(limited, w.member.Model.Name)
	return m.Identity(w.member.Server.Kind), m.Process, err
}

func (w *Watch) weights(now Sample) error {
	return w.another(
		fmt.Sprintf("%s, which goes on after %q with %s", w.member.Identity(), samplePrompt, w.sample),
		"one of the same name and size with other weights, which goes on with "+now.String(),
	)
}
