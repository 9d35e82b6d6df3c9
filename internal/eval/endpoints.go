package eval

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"gavel/backends"
	"gavel/cache"
	"gavel/judging"
)

// FindJudges finds the servers to ask, one or all that --base-url names, and the model on each. If one is missing it
// returns an error: a smaller pool than requested could go unnoticed.
func (e *Maker) FindJudges(ctx context.Context, o RunRequest) ([]backends.PoolMember, error) {
	if o.Simulated() {
		b, server, err := OpenSimulated(o.Model)
		if err != nil {
			return nil, err
		}
		model, err := pickModel(ctx, b, o.Model)
		return []backends.PoolMember{{Backend: b, Client: b, Server: server, Model: model}}, err
	}
	judges, err := e.connectAll(ctx, o)
	if err != nil {
		return nil, err
	}
	name := o.Model
	for i := range judges {
		j := &judges[i]
		j.Model, err = e.waitForModel(ctx, j.Backend, name, o.RetryFor)
		if err != nil {
			return nil, err
		}
		if j.Model.IsDecisionModel == backends.AbilityYes && !j.Server.Can(backends.HasDecisionModels) &&
			o.Backend == Backends[0] {
			return nil, InvalidField("backend", "systemone",
				"systemone is missing: %s is a decision model, which writes no reply", j.Model.Name)
		}
		name = j.Model.Name // the other servers must have the model of the first
	}
	return judges, e.checkSameModel(judges)
}

// connectAll finds the servers that a request names, which must be of one kind, without their models.
func (e *Maker) connectAll(ctx context.Context, o RunRequest) ([]backends.PoolMember, error) {
	var judges []backends.PoolMember
	several := len(o.BaseURLs) > 1
	for i := range max(1, len(o.BaseURLs)) {
		endpoint := o.Endpoint
		if several {
			endpoint.BaseURLs = o.BaseURLs[i : i+1]
		}
		var server backends.ServerInfo
		wait := e.serverWaitOptions(o.RetryFor)
		wait.ShouldRetry = temporary
		b, err := backends.CallWithRetry(ctx, wait, func() (b backends.Backend, err error) {
			b, server, err = e.Connect(ctx, endpoint)
			return b, err
		})
		if several && backends.IsKind(err, backends.ErrorTransport, backends.ErrorTimeout) {
			err = fmt.Errorf("%w A run needs all of its servers at the start: start this one, or leave out its --base-url", err)
		}
		if err != nil {
			return nil, err
		}
		judges = append(judges, backends.PoolMember{Backend: b, Client: backends.WithTimeout(b, o.Timeout), Server: server})
		if a := judges[0].Server; a.WireFormat != server.WireFormat || a.Name != server.Name {
			firstName, name := a.Name, server.Name
			if firstName == name {
				firstName += " (--backend " + a.WireFormat + ")"
				name += " (--backend " + server.WireFormat + ")"
			}
			return nil, fmt.Errorf("%s is %s and %s is %s: all servers of a run must be of the same kind",
				a.URL, firstName, server.URL, name)
		}
	}
	return judges, nil
}

// temporary reports whether an error is likely to pass: a proxy answers for its server, or the server asks for fewer
// requests. If nothing listens, the address is more likely wrong.
func temporary(e *backends.Error) bool {
	return e.Status == http.StatusTooManyRequests || e.Status > http.StatusNotImplemented
}

// serverWaitOptions returns the options of a retry for at most limit, which notes once that it waits for a server.
func (e *Maker) serverWaitOptions(limit time.Duration) backends.RetryOptions {
	var once sync.Once
	return backends.RetryOptions{TimeLimit: limit, OnRetry: func(err error) {
		once.Do(func() { e.Notef("waiting for the server, up to %s: %v", limit, err) })
	}}
}

// waitForModel requests the description of the model to ask, and waits for a server that is still loading the model.
func (e *Maker) waitForModel(
	ctx context.Context, b backends.Backend, name string, limit time.Duration,
) (backends.Model, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, max(limit, 5*time.Second), // do not wait longer for one that hangs
		&backends.Error{Kind: backends.ErrorTimeout, Message: fmt.Sprintf("no answer within %s (--retry-for)", limit)})
	defer cancel()
	return backends.CallWithRetry(ctx, e.serverWaitOptions(limit), func() (backends.Model, error) {
		return pickModel(ctx, b, name)
	})
}

// checkSameModel returns an error unless all servers of a run serve the same model.
func (e *Maker) checkSameModel(judges []backends.PoolMember) error {
	a := judges[0]
	for _, b := range judges[1:] {
		if a.Identity() != b.Identity() {
			return fmt.Errorf("the servers have different models: %s has %q and %s has %q; "+
				"all servers of a run must serve the same model",
				a.Server.URL, a.Identity(), b.Server.URL, b.Identity())
		}
		if a.Model.Context != b.Model.Context {
			e.Notef("warning: %s serves %d tokens of context and %s serves %d: "+
				"prompts that do not fit the smaller one end as prompt-too-long or cut",
				a.Server.URL, a.Model.Context, b.Server.URL, b.Model.Context)
		}
	}
	return nil
}

// JointModel returns the first server's model with the smallest context of all servers of a run and the sum of their
// slots.
func JointModel(judges []backends.PoolMember) backends.Model {
	m := judges[0].Model
	for _, j := range judges[1:] {
		if c := j.Model.Context; c > 0 && (m.Context == 0 || c < m.Context) {
			m.Context = c
		}
		m.Slots += j.Model.Slots
	}
	return m
}

// allServers lists the servers of a run if there are several.
func allServers(judges []backends.PoolMember) []backends.ServerInfo {
	if len(judges) == 1 {
		return nil
	}
	var all []backends.ServerInfo
	for _, j := range judges {
		all = append(all, j.Server)
	}
	return all
}

// describeAll names the server of a run, or the number of servers.
func describeAll(judges []backends.PoolMember) string {
	if len(judges) == 1 {
		return DescribeServer(judges[0].Server)
	}
	return fmt.Sprintf("%d servers", len(judges))
}

// openServers returns the client of a run's servers, wrapped in retries and the cache, and a function that closes the
// client. Several servers are a pool inside the retries.
func (e *Maker) openServers(ctx context.Context, p *runState) (backends.Client, func() error, error) {
	closeStore := func() error { return nil }
	var store *cache.Store
	if !p.req.NoCache {
		var err error
		store, closeStore, err = e.acquireCache(p.cacheFolder())
		if err != nil {
			return nil, nil, err
		}
	}
	ctx, unwatch := context.WithCancel(ctx)
	client, closePool, err := e.pool(ctx, p, store)
	closeAll := func() error {
		unwatch()
		closePool()
		return closeStore()
	}
	if err != nil {
		return nil, nil, errors.Join(err, closeAll())
	}
	if e.Batch == nil { // which would give the same reply again
		retrier := backends.WithRetry(client, backends.RetryOptions{TimeLimit: p.req.RetryFor})
		client = retrier
		if level := p.job.CurrentConcurrency; level != nil {
			p.job.CurrentConcurrency = func() int { return level() + min(retrier.WaitingRequests(), defaultMaxAtOnce) }
		}
	}
	if store != nil {
		client = cache.CachingClient(client, store, p.req.AskAgain)
	}
	return &replyWarningClient{Client: client, model: p.job.Manifest.Model, warn: e.Notef}, closeAll, nil
}

// pool returns the client of the run's servers before retries, and a function that closes the client. Each server
// except a batch is asked regularly which model it serves.
func (e *Maker) pool(ctx context.Context, p *runState, store *cache.Store) (backends.Client, func(), error) {
	nothing := func() {}
	judges := slices.Clone(p.judges)
	m := p.job.Manifest
	firstSample := m.TokenSample
	p.watches = map[string]*backends.ModelWatch{}
	for i := range judges {
		if _, ok := judges[i].Backend.(backends.ModelIdentifier); !ok || e.Batch != nil { // a batch has a single model
			continue
		}
		w := backends.NewModelWatch(ctx, judges[i], p.req.RetryFor)
		if p.req.StrictDeterminism {
			w.SampleLock = make(chan struct{}, 1)
		}
		p.watches[judges[i].Server.URL] = w
		w.ExpectFingerprint(p.systemFingerprints[judges[i].Server.URL].MostFrequent())
		sample, sampleErr, err := w.Begin(m.TokenSample)
		if sampleErr != nil && ctx.Err() == nil {
			e.Notef("warning: %s gave no sample of its model (%v): "+
				"gavel would not notice other weights of the same name and size", judges[i].Server.URL, sampleErr)
		}
		if err != nil && firstSample == nil { // the sample comes from a server before this one
			return nil, nothing, fmt.Errorf("the servers have different models: %w; "+
				"all servers of a run must serve the same model", err)
		}
		if err != nil {
			return nil, nothing, fmt.Errorf("this run was started with another model: %w; "+
				"serve that model again, or choose another folder with --out", err)
		}
		judges[i].Client, m.TokenSample = w, sample
	}
	for i := range judges {
		p.concurrencyReason = adaptConcurrency(p.req, &judges[i], func() int { return int(p.missing.Load()) / len(judges) })
	}
	if err := checkCachedTokenSample(m, store); err != nil {
		return nil, nothing, err
	}
	p.job.CurrentConcurrency = judges[0].Parallelism
	p.job.ParallelWithinItem = judges[0].Server.Can(backends.BatchesRequests)
	if len(judges) == 1 {
		return judges[0].Client, nothing, nil
	}
	pool := backends.NewPool(ctx, judges, func(url string, err error) {
		if err != nil {
			e.Notef("server %s is out: %v", url, err)
		} else {
			e.Notef("server %s is back", url)
		}
	})
	if judges[0].Parallelism != nil {
		p.job.CurrentConcurrency = pool.Parallelism
	}
	return pool, pool.Close, nil
}

// checkCachedTokenSample returns an error if the model's sample of likely tokens differs from the one in the cache:
// models of the same name and shape have the same identity, and so the same keys, although their replies differ.
func checkCachedTokenSample(m *judging.Manifest, store *cache.Store) error {
	if store == nil || m.TokenSample == nil {
		return nil
	}
	model := m.Spec.Model
	cachedSample := store.StoredSample(model.Identity, model.Name)
	switch {
	case cachedSample == nil:
		store.StoreTokenSample(model.Identity, model.Name, m.TokenSample) // a cache without a sample works too
	case !cachedSample.FitsSameModel(m.TokenSample):
		return fmt.Errorf("the cache holds replies of another model with the same name and size as %q but "+
			"other weights (%s; now %s): "+
			"choose another folder with --cache, or serve this model under a name of its own (llama.cpp: --alias)",
			model.Name, cachedSample, m.TokenSample)
	}
	return nil
}
