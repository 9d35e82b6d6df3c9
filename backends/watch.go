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

var _ Client = (*ModelWatch)(nil)

// ModelWatch is a Client over one server that checks whether the server still has the same model. A restarted server
// may serve other weights under the same name, and the replies do not show it.
//
// Ask returns a reply at once. The reply's [IdentityCheck] ends when the server, queried after the reply, names its
// model. An earlier query does not count: a proxy may hold the request and pass it to the next server. One check
// covers all replies before its start. Checks run at intervals of seconds; they do not wait for replies, and replies do
// not wait for them. If the model has no digest and the server's process may have changed, a check also samples the
// model (see [TokenSample]). After a change is noticed, every call fails with *ModelChangedError.
type ModelWatch struct {
	// SampleLock is a channel of capacity one that keeps samples and requests apart in time; nil if they may overlap.
	SampleLock chan struct{}

	poolMember    PoolMember
	maxSampleWait time.Duration   // how long Begin waits for a sample from a busy server
	ctx           context.Context // ends the checks
	runningChecks sync.WaitGroup

	mu            sync.Mutex
	pendingChecks []*IdentityCheck   // checks of replies since the last conclusive answer, in order of arrival
	cancel        context.CancelFunc // ends the running checks; nil if there are none
	rest          time.Duration      // pause before the next check
	due           time.Time          // when the next check may start
	process       string             // the server's Model.ServerStartMarker when sample was last compared
	sample        TokenSample        // the model's sample at the start of the run; nil for none
	replyModel    string             // model name in replies; "" before the first
	fingerprints  Fingerprints       // system fingerprints of replies
	firstChange   *ModelChangedError // the first change noticed; nil for none
	foundByCheck  bool               // a check, not a reply, noticed the change; used only by checks, one at a time
}

// IdentityCheck reports whether a reply's server still had the same model after the reply.
type IdentityCheck struct {
	mu        sync.Mutex
	ended     bool
	err       error         // the result, once ended
	callbacks []func(error) // functions to call with the result
}

// ErrModelNotNamed is the result of a check whose server did not say which model it serves.
var ErrModelNotNamed = errors.New("the server did not confirm which model it serves")

// Then calls f with the result when the check has ended: nil if the server has the same model, *ModelChangedError if
// it has another, ErrModelNotNamed if that is unknown.
func (c *IdentityCheck) Then(f func(error)) {
	c.mu.Lock()
	if !c.ended {
		c.callbacks = append(c.callbacks, f)
		c.mu.Unlock()
		return
	}
	c.mu.Unlock()
	f(c.err)
}

// end sets the result and passes it to the functions that wait for it.
func (c *IdentityCheck) end(err error) {
	c.mu.Lock()
	c.ended, c.err = true, err
	then := c.callbacks
	c.mu.Unlock()
	for _, f := range then {
		f(err)
	}
}

const (
	// checkInterval is the pause after a successful check, longestRest the longest pause after failures.
	checkInterval = 2 * time.Second
	longestRest   = 30 * time.Second // also the longest pause between two probes of a [Pool]
	// minSampleWait is the minimum time that Begin gives the server, even if the user sets shorter retries.
	minSampleWait = 5 * time.Second
)

// NewModelWatch returns a ModelWatch over one server of a run, m, whose Backend must be a ModelIdentifier.
// [ModelWatch.Begin] waits for the server up to patience. Checks end with ctx.
func NewModelWatch(ctx context.Context, m PoolMember, patience time.Duration) *ModelWatch {
	return &ModelWatch{poolMember: m, maxSampleWait: patience, ctx: ctx, rest: checkInterval, fingerprints: Fingerprints{}}
}

// ExpectFingerprint requires replies to have the system fingerprint of earlier replies of the same server; "": any.
// Call it before the first request.
func (w *ModelWatch) ExpectFingerprint(fingerprint string) {
	if fingerprint != "" {
		w.fingerprints[fingerprint] = 2 // a fingerprint that came only once is no evidence
	}
}

// Begin samples the model before the first request and compares the sample with an earlier one, if any. The error is
// *ModelChangedError if the weights differ. A busy server is tried again, since without a sample no later check can
// notice a change; sampleErr is the reason if there is none in the end.
func (w *ModelWatch) Begin(earlier TokenSample) (sample TokenSample, sampleErr, err error) {
	ctx, cancel := context.WithTimeout(w.ctx, max(w.maxSampleWait, minSampleWait))
	defer cancel()
	_, w.process, _ = w.identify(ctx)
	sample, sampleErr = CallWithRetry(ctx, RetryOptions{TimeLimit: w.maxSampleWait}, func() (TokenSample, error) {
		return w.takeSample(ctx)
	})
	w.sample = earlier
	if earlier == nil {
		w.sample = sample
	}
	if sampleErr == nil && !earlier.FitsSameModel(sample) {
		return nil, nil, w.weightsChangedError(sample)
	}
	w.due = time.Now().Add(checkInterval)
	return w.sample, sampleErr, nil
}

// takeSample requests a sample of the model; nil if the server gives none.
func (w *ModelWatch) takeSample(ctx context.Context) (TokenSample, error) {
	limited, cancel := context.WithTimeout(ctx, pageTime)
	defer cancel()
	if s, ok := w.poolMember.Backend.(tokenSampler); ok {
		return s.Sample(limited, w.poolMember.Model.Name)
	}
	return nil, nil
}

// waitUntilAlone waits until no other request is in flight, if Alone is set; done lets others proceed.
func (w *ModelWatch) waitUntilAlone() (done func()) {
	if w.SampleLock == nil {
		return func() {}
	}
	w.SampleLock <- struct{}{}
	return func() { <-w.SampleLock }
}

// Ask implements Client.
func (w *ModelWatch) Ask(ctx context.Context, req Request) (Response, error) {
	if changed := w.Changed(); changed != nil {
		return Response{}, changed
	}
	defer w.waitUntilAlone()()
	resp, err := w.poolMember.Client.Ask(ctx, req)
	if err != nil {
		return resp, err
	}
	if err := w.checkReply(resp); err != nil {
		return Response{}, err
	}
	resp.IdentityCheck = w.Check()
	return resp, nil
}

// checkReply returns an error if a reply has another model name or system fingerprint than earlier ones. The name may
// differ from the requested one, but must not change.
func (w *ModelWatch) checkReply(resp Response) error {
	model := cmp.Or(resp.Model, w.poolMember.Model.Name)
	system := resp.SystemFingerprint
	w.mu.Lock()
	defer w.mu.Unlock()
	w.replyModel = cmp.Or(w.replyModel, model)
	w.fingerprints.Add(system)
	var changed *ModelChangedError
	switch {
	case w.replyModel != model:
		changed = w.changeError(fmt.Sprintf("%q in its replies", w.replyModel), strconv.Quote(model))
	case w.fingerprints.Changed():
		was := w.fingerprints.MostFrequentExcept(system)
		changed = w.changeError(FingerprintPrefix+strconv.Quote(was), FingerprintPrefix+strconv.Quote(system))
	default:
		return nil
	}
	w.firstChange = cmp.Or(w.firstChange, changed)
	return w.firstChange
}

// changeError returns the error for a model that has changed; was and now describe it before and after.
func (w *ModelWatch) changeError(was, now string) *ModelChangedError {
	return &ModelChangedError{Time: time.Now(), URL: w.poolMember.Server.URL, Old: was, New: now}
}

// Check starts a check for a reply that has arrived. Without a Watch it has ended with ErrModelNotNamed.
func (w *ModelWatch) Check() *IdentityCheck {
	if w == nil {
		return &IdentityCheck{ended: true, err: ErrModelNotNamed}
	}
	c := new(IdentityCheck)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pendingChecks = append(w.pendingChecks, c)
	if w.cancel == nil {
		var ctx context.Context
		ctx, w.cancel = context.WithCancel(w.ctx)
		w.runningChecks.Go(func() { w.checkUntilIdle(ctx) })
	}
	return c
}

// checkUntilIdle runs checks until no reply waits for one.
func (w *ModelWatch) checkUntilIdle(ctx context.Context) {
	for {
		w.mu.Lock()
		if len(w.pendingChecks) == 0 || ctx.Err() != nil {
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

// check asks the server for its model, and ends with the result the IdentityChecks of all replies that came before. If
// the server gives no clear answer, they wait for the next check.
func (w *ModelWatch) check(ctx context.Context) error {
	w.mu.Lock()
	n := len(w.pendingChecks)
	w.mu.Unlock()
	start := time.Now()
	err := w.verify(ctx)
	changed, modelChanged := errors.AsType[*ModelChangedError](err)
	var replies []*IdentityCheck
	w.mu.Lock()
	w.rest = min(2*w.rest, longestRest)
	if err == nil || modelChanged {
		replies, w.pendingChecks = w.pendingChecks[:n], w.pendingChecks[n:]
		w.rest = checkInterval
	}
	w.firstChange = cmp.Or(w.firstChange, changed)
	w.foundByCheck = modelChanged
	// A server that is slow to answer spends at most half of its time on checks.
	w.due = time.Now().Add(max(w.rest, time.Since(start), requestedWait(err)))
	w.mu.Unlock()
	for _, c := range replies {
		c.end(err)
	}
	return err
}

// FinalCheck runs the final check for waiting replies, within limit. If the server does not name its model, the checks
// end with ErrModelNotNamed and the error gives the reason.
func (w *ModelWatch) FinalCheck(ctx context.Context, limit time.Duration) error {
	w.mu.Lock()
	if w.cancel != nil {
		w.cancel()
	}
	w.mu.Unlock()
	w.runningChecks.Wait()
	if len(w.pendingChecks) == 0 {
		return nil
	}
	limited, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("no answer within %s", limit))
	defer cancel()
	_, err := CallWithRetry(limited, RetryOptions{
		TimeLimit: limit,
		FirstWait: min(limit/8, 100*time.Millisecond),
	}, func() (struct{}, error) {
		return struct{}{}, w.check(limited)
	})
	for _, c := range w.pendingChecks {
		c.end(ErrModelNotNamed)
	}
	w.pendingChecks = nil
	if errors.As(err, new(*ModelChangedError)) {
		return nil
	}
	return err
}

// Changed returns the first change of the model that was noticed; nil if there is none.
func (w *ModelWatch) Changed() *ModelChangedError {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.firstChange
}

// verify returns an error if the server has another model than before, or does not say which one it has.
func (w *ModelWatch) verify(ctx context.Context) error {
	if w.foundByCheck {
		return w.Changed()
	}
	process, err := w.checkModel(ctx)
	if err != nil {
		return err
	}
	if w.sample == nil || process != "" && process == w.process {
		return nil
	}
	defer w.waitUntilAlone()()
	sample, err := w.takeSample(ctx)
	switch {
	case err != nil:
		return err
	case sample == nil:
		return unusable("it gave no sample of its model")
	case !w.sample.FitsSameModel(sample):
		return w.weightsChangedError(sample)
	}
	w.process = process
	return nil
}

// checkModel returns the process of a server that still has the model. Before it reports a change it queries a second
// time, since a server that starts or stops may report only half of its state.
func (w *ModelWatch) checkModel(ctx context.Context) (process string, err error) {
	was := w.poolMember.Identity()
	now, process, err := w.identify(ctx)
	if err == nil && now != was || IsKind(err, ErrorNotFound) {
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
		now, process, err = w.identify(ctx)
	}
	switch {
	case IsKind(err, ErrorNotFound):
		return "", w.changeError(was, "gone: "+err.Error())
	case err == nil && now != was:
		return "", w.changeError(was, now)
	}
	return process, err
}

// identify queries the server for its model's identity and its process.
func (w *ModelWatch) identify(ctx context.Context) (identity, process string, err error) {
	limited, cancel := context.WithTimeout(ctx, pageTime)
	defer cancel()
	m, err := w.poolMember.Backend.(ModelIdentifier).Identify(limited, w.poolMember.Model.Name)
	return m.Identity(w.poolMember.Server.WireFormat), m.ServerStartMarker, err
}

// weightsChangedError returns the error for a model whose sample is now another.
func (w *ModelWatch) weightsChangedError(now TokenSample) error {
	return w.changeError(
		fmt.Sprintf("%s, which continues %q with %s", w.poolMember.Identity(), samplePrompt, w.sample),
		"one of the same name and size with other weights, which continues with "+now.String(),
	)
}
