package backends

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// PoolMember is one endpoint (server) of a pool. All members serve the same model: their models' identities are equal.
type PoolMember struct {
	Backend Backend
	Client  Client     // sends the requests: Backend with a time limit
	Server  ServerInfo // Server.URL identifies the endpoint in messages and replies
	Model   Model      // the model that the endpoint reported when the pool was made
	// Parallelism returns the best number of parallel requests that Client has found so far; nil: Client does not search.
	Parallelism func() int
}

// Identity returns the identity of the model that the endpoint had when the pool was made.
func (m PoolMember) Identity() string { return m.Model.Identity(m.Server.WireFormat) }

var _ Client = (*Pool)(nil)

// Pool is a Client over several endpoints of one model.
//
// A request goes to the least busy live endpoint. The kind of an error decides
// what happens to the endpoint and to the request:
//
//   - Transport: the endpoint is taken out, and the request goes to another
//     one at once.
//   - *ModelChangedError: the same, and the endpoint does not return.
//   - Timeout: the endpoint is taken out, since it may hang. But the judge may
//     just be slow, so the error is returned, and [RetryOptions] counts it.
//   - Any other: the cause may be the endpoint or the request, so the other
//     endpoints are tried. If one of them answers, those that failed are taken
//     out: an endpoint that refuses everything would always be the least busy
//     and attract all requests. If none answers, the request is the cause: all
//     endpoints stay, and the error is returned. A Busy endpoint is taken out
//     only if it says when to return (Retry-After), or if it refused several
//     requests in a row, and more than it works on: a full server still answers.
//
// A call tries each endpoint at most once and returns an error if none is left;
// [WithRetry] around the pool waits and calls again.
//
// An endpoint that is out gets no requests. The pool probes it for its model, with growing waits, and takes it back if
// the model is the same. It then gets one request at a time until it has answered one. Only such an answer resets the
// waits: a server that lists its models but answers nothing would otherwise return again and again.
type Pool struct {
	changed        func(url string, err error) // called when an endpoint goes out or returns; see [NewPool]
	firstProbeWait time.Duration               // wait before the first probe of a failed endpoint
	maxProbeWait   time.Duration               // longest wait between two probes
	ctx            context.Context             // ends the probes
	cancel         context.CancelFunc          // ends ctx
	probes         sync.WaitGroup

	notifyMu sync.Mutex // held, before mu, during a call of changed, which may query the pool

	mu       sync.Mutex
	members  []*member
	assigned int // number of requests assigned to members
}

// member is an endpoint with its state.
type member struct {
	PoolMember
	capacity      func() int    // returns the number of parallel requests against which the load is measured
	busy          int           // number of requests in flight
	lastTurn      int           // value of Pool.assigned when the endpoint last got a request
	term          int           // counts each exit and return: the result of a request sent in an earlier term is outdated
	cause         error         // why the endpoint is out; nil while it is live
	otherModel    bool          // the endpoint is out because it serves another model
	unproven      bool          // the endpoint was out, and has not answered a request since
	nextWait      time.Duration // wait before the next probe
	refusalsInRow int           // number of requests refused in a row
}

// severalRefusals is the number of refusals in a row that is no coincidence on a server with random refusals.
const severalRefusals = 5

// NewPool returns a pool in which all endpoints are live. Probes end with ctx or Close. Load is measured against the
// number of requests that each endpoint serves in parallel, if it is known for all. The pool calls changed with the
// reason when it takes an endpoint out and when an endpoint that is out serves another model, and with a nil err when
// an endpoint returns. Calls come from many goroutines, one at a time.
func NewPool(ctx context.Context, members []PoolMember, changed func(url string, err error)) *Pool {
	p := &Pool{changed: changed, firstProbeWait: time.Second, maxProbeWait: longestRest}
	p.ctx, p.cancel = context.WithCancel(ctx)
	slotsKnown := !slices.ContainsFunc(members, func(m PoolMember) bool { return m.Model.Slots <= 0 })
	sizesKnown := !slices.ContainsFunc(members, func(m PoolMember) bool { return m.Parallelism == nil })
	for _, m := range members {
		size := func() int { return 1 }
		if sizesKnown {
			size = m.Parallelism
		} else if slotsKnown {
			size = func() int { return m.Model.Slots }
		}
		p.members = append(p.members, &member{PoolMember: m, capacity: size, nextWait: p.firstProbeWait})
	}
	return p
}

// Parallelism returns the sum of the live endpoints' best numbers of parallel requests.
func (p *Pool) Parallelism() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.members {
		if m.cause == nil && m.Parallelism != nil {
			n += m.Parallelism()
		}
	}
	return n
}

// Close ends the probes and waits for them.
func (p *Pool) Close() {
	p.mu.Lock() // takeOut starts no probe after this
	p.cancel()
	p.mu.Unlock()
	p.probes.Wait()
}

// Ask implements Client.
func (p *Pool) Ask(ctx context.Context, req Request) (Response, error) {
	var tried, suspects []call
	for {
		c, ok := p.next(tried)
		if !ok {
			if len(suspects) > 0 {
				return Response{}, suspects[0].withURL()
			}
			return Response{}, p.noEndpointError()
		}
		var resp Response
		resp, c.err = c.Client.Ask(ctx, req)
		p.done(c)
		tried = append(tried, c)
		switch {
		case c.err == nil:
			for _, d := range suspects {
				if !IsKind(d.err, ErrorBusy) || p.isOverloaded(d) {
					p.takeOut(d)
				}
			}
			resp.Endpoint = c.Server.URL
			return resp, nil
		case errors.As(c.err, new(*ModelChangedError)): // for good, see [ModelWatch]
			p.takeOut(c)
		case ctx.Err() != nil || !errors.As(c.err, new(*Error)):
			return Response{}, c.err
		case IsKind(c.err, ErrorTransport):
			p.takeOut(c)
		case IsKind(c.err, ErrorTimeout):
			p.takeOut(c)
			return Response{}, c.withURL()
		default:
			suspects = append(suspects, c)
		}
	}
}

// call holds a request to one endpoint and its error.
type call struct {
	*member
	endpointTermAtSend int // the endpoint's term when the request was sent
	err                error
}

// stale reports whether the endpoint went out or returned after the request was sent.
func (c call) stale() bool { return c.endpointTermAtSend != c.term }

// withURL returns the request's error with the address of the endpoint.
func (c call) withURL() error { return fmt.Errorf("%s: %w", c.Server.URL, c.err) }

// next assigns a request to the least busy live endpoint that is not in tried. The second result is false if there is
// none.
func (p *Pool) next(tried []call) (call, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var best *member
	for _, m := range p.members {
		had := slices.ContainsFunc(tried, func(c call) bool { return c.member == m })
		if m.cause == nil && !had && (best == nil || m.isPreferredTo(best)) {
			best = m
		}
	}
	if best == nil {
		return call{}, false
	}
	p.assigned++
	best.busy++
	best.lastTurn = p.assigned
	return call{member: best, endpointTermAtSend: best.term}, true
}

// isPreferredTo reports whether m gets a request rather than o: the endpoint with the lower load for its size, then the
// one that has waited longer, so that none starves. One with a request on trial comes last.
func (m *member) isPreferredTo(o *member) bool {
	return cmp.Or(
		cmp.Compare(m.onTrial(), o.onTrial()),
		cmp.Compare(m.busy*o.capacity(), o.busy*m.capacity()),
		cmp.Compare(m.lastTurn, o.lastTurn),
	) < 0
}

// onTrial returns 1 for an endpoint that returned, has not answered since, and already has a request; else 0.
func (m *member) onTrial() int {
	if m.unproven && m.busy > 0 {
		return 1
	}
	return 0
}

// done records that a request is no longer in flight, and whether the endpoint refused or answered it.
func (p *Pool) done(c call) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.busy--
	if IsKind(c.err, ErrorBusy) {
		c.refusalsInRow++
	}
	if c.err != nil {
		return
	}
	c.refusalsInRow = 0
	if !c.stale() {
		c.unproven, c.nextWait = false, p.firstProbeWait
	}
}

// isOverloaded reports whether an endpoint that refused a request should get no more for a while.
func (p *Pool) isOverloaded(c call) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return c.refusalsInRow >= max(severalRefusals, c.busy+1) || requestedWait(c.err) > 0
}

// updateAndNotify runs change, which may change the state of m, under the lock. If change returns true, it calls
// p.changed with err.
func (p *Pool) updateAndNotify(m *member, err error, change func() bool) {
	p.notifyMu.Lock()
	defer p.notifyMu.Unlock()
	p.mu.Lock()
	changed := change()
	p.mu.Unlock()
	if changed {
		p.changed(m.Server.URL, err)
	}
}

// takeOut stops requests to an endpoint after a failed one, unless the endpoint went out or returned since the request
// was sent. It starts the probes that may bring the endpoint back.
func (p *Pool) takeOut(c call) {
	p.updateAndNotify(c.member, c.err, func() bool {
		if c.stale() {
			return false
		}
		c.term++
		c.cause, c.unproven = c.err, true
		wait := max(c.nextWait, requestedWait(c.err))
		c.otherModel = errors.As(c.err, new(*ModelChangedError))
		if p.ctx.Err() == nil && !c.otherModel {
			p.probes.Go(func() { p.probeUntilBack(c.member, wait) })
		}
		return true
	})
}

// probeUntilBack probes an endpoint that is out until it returns, at first after wait. Each wait is twice the previous
// one, also across outages without an answer in between.
func (p *Pool) probeUntilBack(m *member, wait time.Duration) {
	for {
		select {
		case <-p.ctx.Done():
			return
		case <-time.After(wait):
		}
		err := p.probe(m)
		if p.ctx.Err() != nil {
			return
		}
		p.updateAndNotify(m, err, func() bool {
			m.nextWait = min(2*m.nextWait, p.maxProbeWait)
			wait = m.nextWait
			switch {
			case err == nil:
				m.term++
				m.cause, m.otherModel = nil, false
				return true
			case IsKind(err, ErrorNotFound) && !m.otherModel:
				m.cause, m.otherModel = err, true
				return true
			}
			return false
		})
		if err == nil {
			return
		}
	}
}

// probe requests the endpoint's model. The error is of kind ErrorNotFound if the endpoint serves another model now.
func (p *Pool) probe(m *member) error {
	ctx, cancel := context.WithTimeout(p.ctx, probeTimeout)
	defer cancel()
	model, err := m.Backend.Model(ctx, m.Model.Name)
	if err != nil {
		return err
	}
	if now, was := model.Identity(m.Server.WireFormat), m.Identity(); now != was {
		return &Error{Kind: ErrorNotFound, Message: fmt.Sprintf("it serves another model now: %s instead of %s", now, was)}
	}
	return nil
}

// noEndpointError returns the error for a request for which no endpoint is left. The failure may pass, unless all
// endpoints serve another model.
func (p *Pool) noEndpointError() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	err := &Error{Kind: ErrorNotFound}
	var whys []string
	for _, m := range p.members {
		if !m.otherModel {
			err.Kind = ErrorTransport
		}
		why := "was unavailable, and is back"
		if m.cause != nil {
			why = m.cause.Error()
		}
		whys = append(whys, m.Server.URL+": "+why)
	}
	err.Message = "no endpoint is left: " + strings.Join(whys, "; ")
	return err
}
