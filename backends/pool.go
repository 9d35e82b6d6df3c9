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

// Member is one endpoint of a pool. All of a pool serve the same model: the identities of their models are equal.
type Member struct {
	Backend Backend
	Client  Client // what is asked: Backend, with a time limit around it
	Server  Server // its URL names the endpoint in messages and replies
	Model   Model  // as found when the pool was made
	// AtOnce is how many requests it is best asked at once; nil where that stays as it is. It is of Client.
	AtOnce func() int
}

// Identity of the member's model, as it was when the pool was made.
func (m Member) Identity() string { return m.Model.Identity(m.Server.Kind) }

var _ Client = (*Pool)(nil)

// Pool is a Client over several endpoints of one model.
//
// A request goes to the least busy endpoint that is live. What an error says of
// the endpoint, and what becomes of the request, goes by its kind:
//
//   - Transport: the endpoint is taken out, and the request goes on at another
//     at once.
//   - *ModelChangedError: the same, and the endpoint does not come back.
//   - Timeout: the endpoint is taken out, for it may hang; but the judge may as
//     well be slow, so the error goes up, and [Retry] counts it.
//   - Any other: nobody knows yet who is to blame, so the other endpoints are
//     asked. If one of them answers, those that did not are taken out: an
//     endpoint that refuses everything would always be the least busy, and draw
//     all the work to itself. If none does it is the request, all stay, and the
//     error goes up. One that is Busy is taken out only if it says when to come
//     back (Retry-After), or has refused several in a row, and more than it
//     works on: a server that is full still answers.
//
// Each endpoint is asked at most once in a call, and an error goes up when none
// is left; [WithRetry] around the pool waits and calls again.
//
// An endpoint that is out gets no work. It is asked for its model, after a wait that grows from probe to probe, and is
// back when that is the model it had. It is then given one request at a time until it has answered one, and the next
// wait begins where the last ended until it has: a server that lists its models but answers nothing keeps coming back.
type Pool struct {
	changed func(url string, err error) // see [NewPool]
	first   time.Duration               // wait before an endpoint that failed is probed
	longest time.Duration               // wait between two probes
	ctx     context.Context             // of the probes
	cancel  context.CancelFunc
	probes  sync.WaitGroup

	telling sync.Mutex // taken before mu by who tells Changed, which may ask the pool

	mu      sync.Mutex
	members []*member
	turns   int // requests handed out
}

// member is an endpoint and how it fares.
type member struct {
	Member
	size    func() int    // requests at once
	busy    int           // requests in flight
	turn    int           // when it was last given one
	term    int           // raised by every change: what a request sent in an earlier one learns is old news
	why     error         // why it is out; nil while it is live
	other   bool          // it is out and was seen to serve another model
	trial   bool          // it was out, and has not answered since
	waiting time.Duration // before its next probe
	refused int           // requests in a row
}

// severalRefusals in a row are no chance, where a server refuses some requests at random.
const severalRefusals = 5

// NewPool makes a pool of endpoints that are all live. Probes end with ctx, or with Close. If the number of requests
// that each endpoint serves in parallel is known, requests in flight are measured against it. The pool calls changed
// when it takes an endpoint out, with the reason; when an endpoint that is out serves another model; and, with a nil
// err, when an endpoint is back. Calls come from many goroutines, one at a time.
func NewPool(ctx context.Context, members []Member, changed func(url string, err error)) *Pool {
	p := &Pool{changed: changed, first: time.Second, longest: longestRest}
	p.ctx, p.cancel = context.WithCancel(ctx)
	told := !slices.ContainsFunc(members, func(m Member) bool { return m.Model.Slots <= 0 })
	known := !slices.ContainsFunc(members, func(m Member) bool { return m.AtOnce == nil })
	for _, m := range members {
		size := func() int { return 1 }
		if known {
			size = m.AtOnce
		} else if told {
			size = func() int { return m.Model.Slots }
		}
		p.members = append(p.members, &member{Member: m, size: size, waiting: p.first})
	}
	return p
}

// AtOnce is how many requests the live endpoints are best asked at once, of those that have it.
func (p *Pool) AtOnce() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.members {
		if m.why == nil && m.AtOnce != nil {
			n += m.AtOnce()
		}
	}
	return n
}

// Close ends the probes and waits until they have ended.
func (p *Pool) Close() {
	p.mu.Lock() // takeOut starts none after this
	p.cancel()
	p.mu.Unlock()
	p.probes.Wait()
}

// Ask implements Client.
func (p *Pool) Ask(ctx context.Context, req Request) (Response, error) {
	var tried, doubted []call
	for {
		c, ok := p.next(tried)
		if !ok {
			if len(doubted) > 0 {
				return Response{}, doubted[0].named()
			}
			return Response{}, p.down()
		}
		var resp Response
		resp, c.err = c.Client.Ask(ctx, req)
		p.done(c)
		tried = append(tried, c)
		switch {
		case c.err == nil:
			for _, d := range doubted {
				if !IsKind(d.err, Busy) || p.unwilling(d) {
					p.takeOut(d)
				}
			}
			resp.Endpoint = c.Server.URL
			return resp, nil
		case errors.As(c.err, new(*ModelChangedError)): // for good, see [Watch]
			p.takeOut(c)
		case ctx.Err() != nil || !errors.As(c.err, new(*Error)):
			return Response{}, c.err
		case IsKind(c.err, Transport):
			p.takeOut(c)
		case IsKind(c.err, Timeout):
			p.takeOut(c)
			return Response{}, c.named()
		default:
			doubted = append(doubted, c)
		}
	}
}

// call is one request at one endpoint, and how it ended.
type call struct {
	*member
	sent int // the endpoint's term when it was sent
	err  error
}

// stale tells whether the endpoint has gone out or come back since.
func (c call) stale() bool { return c.sent != c.term }

func (c call) named() error { return fmt.Errorf("%s: %w", c.Server.URL, c.err) }

// next hands a request to the least busy live endpoint that has not had it.
func (p *Pool) next(tried []call) (call, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var best *member
	for _, m := range p.members {
		had := slices.ContainsFunc(tried, func(c call) bool { return c.member == m })
		if m.why == nil && !had && (best == nil || m.before(best)) {
			best = m
		}
	}
	if best == nil {
		return call{}, false
	}
	p.turns++
	best.busy++
	best.turn = p.turns
	return call{member: best, sent: best.term}, true
}

// before tells whether work goes to m rather than to o: by how busy they are
// for their size, then to the one that has waited longer, so that none starves.
func (m *member) before(o *member) bool {
	return cmp.Or(
		cmp.Compare(m.onTrial(), o.onTrial()),
		cmp.Compare(m.busy*o.size(), o.busy*m.size()),
		cmp.Compare(m.turn, o.turn),
	) < 0
}

// onTrial is 1 for an endpoint that came back, has not answered since, and has a request to show it with.
func (m *member) onTrial() int {
	if m.trial && m.busy > 0 {
		return 1
	}
	return 0
}

// done takes note that a request is no longer in flight.
func (p *Pool) done(c call) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.busy--
	if IsKind(c.err, Busy) {
		c.refused++
	}
	if c.err != nil {
		return
	}
	c.refused = 0
	if !c.stale() {
		c.trial, c.waiting = false, p.first
	}
}

// unwilling reports whether an endpoint that refused a request is better left alone for a while.
func (p *Pool) unwilling(c call) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return c.refused >= max(severalRefusals, c.busy+1) || requestedWait(c.err) > 0
}

// tell runs change under the lock, and calls changed if it returns true.
func (p *Pool) tell(m *member, err error, change func() bool) {
	p.telling.Lock()
	defer p.telling.Unlock()
	p.mu.Lock()
	changed := change()
	p.mu.Unlock()
	if changed {
		p.changed(m.Server.URL, err)
	}
}

// takeOut takes an endpoint out because a request failed there, unless the endpoint has gone out or come back since
// that request began.
func (p *Pool) takeOut(c call) {
	p.tell(c.member, c.err, func() bool {
		if c.stale() {
			return false
		}
		c.term++
		c.why, c.trial = c.err, true
		wait := max(c.waiting, requestedWait(c.err))
		c.other = errors.As(c.err, new(*ModelChangedError))
		if p.ctx.Err() == nil && !c.other {
			p.probes.Go(func() { p.watch(c.member, wait) })
		}
		return true
	})
}

// watch probes an endpoint that is out until it is back. Each wait is twice as long as the one before, also across
// outages as long as the endpoint has answered nothing in between.
func (p *Pool) watch(m *member, wait time.Duration) {
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
		p.tell(m, err, func() bool {
			m.waiting = min(2*m.waiting, p.longest)
			wait = m.waiting
			switch {
			case err == nil:
				m.term++
				m.why, m.other = nil, false
				return true
			case IsKind(err, NotFound) && !m.other:
				m.why, m.other = err, true
				return true
			}
			return false
		})
		if err == nil {
			return
		}
	}
}

// probe asks an endpoint for its model. The error is of kind NotFound where it
// answers but does not serve what it served.
func (p *Pool) probe(m *member) error {
	ctx, cancel := context.WithTimeout(p.ctx, probeTime)
	defer cancel()
	model, err := m.Backend.Model(ctx, m.Model.Name)
	if err != nil {
		return err
	}
	if is, was := model.Identity(m.Server.Kind), m.Identity(); is != was {
		return &Error{Kind: NotFound, Message: fmt.Sprintf("it serves another model now: %s, and it was %s", is, was)}
	}
	return nil
}

// down is the error of a pool that has no endpoint left for a request. It may
// pass, unless all of them serve another model.
func (p *Pool) down() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	err := &Error{Kind: NotFound}
	var whys []string
	for _, m := range p.members {
		if !m.other {
			err.Kind = Transport
		}
		why := "was out, and is back"
		if m.why != nil {
			why = m.why.Error()
		}
		whys = append(whys, m.Server.URL+": "+why)
	}
	err.Message = "no endpoint is left: " + strings.Join(whys, "; ")
	return err
}
