package eval

import (
	"cmp"

	"gavel/backends"
)

// firstConcurrency is the number of requests in flight at the start, if neither the server nor its kind suggests one.
const firstConcurrency = 8

// simulatedConcurrency is the number of judgments in flight of a simulated judge.
const simulatedConcurrency = 4

// InitialConcurrency returns the number of requests in flight with which a server starts: the requested number if above
// 0, else the number of slots that the server reports, else one that suits its kind.
func InitialConcurrency(requested int, s backends.ServerInfo, m backends.Model) int {
	switch {
	case requested > 0:
		return requested
	case m.Slots > 0:
		return m.Slots
	}
	if s.Can(backends.IsSimulated) {
		return simulatedConcurrency
	}
	return cmp.Or(s.UsefulParallel(), firstConcurrency)
}

// jointConcurrency returns the requested concurrency, or else the sum of the servers' starting ones (see
// [adaptConcurrency]). If all servers report their slots, it is at most their sum: a server answers waiting requests in
// order, so by the time of an item's next judgment, other prompts have pushed its beginning out of the prompt cache.
func (e *Maker) jointConcurrency(o RunRequest, judges []backends.PoolMember) int {
	n, slots := 0, 0
	for _, j := range judges {
		n += o.startConcurrency(j)
		slots += j.Model.Slots
	}
	requested := o.Concurrency
	switch {
	case o.StrictDeterminism:
		return 1
	case requested == 0:
		return n
	case requested <= n || n != slots:
		return requested
	}
	e.Notef("--concurrency %d: %d are asked for at once, as many as the server answers; more would only wait "+
		"there, and its prompt cache would forget what judgments of one item have in common", requested, n)
	return n
}

// adaptConcurrency makes the client of a server search for the number of requests in flight at which the server is
// fastest, if neither the request nor the server sets one. remaining returns the number of requests still to make. The
// returned function explains the limit to people.
func adaptConcurrency(o RunRequest, j *backends.PoolMember, remaining func() int) (why func() string) {
	reason := func(why string) func() string { return func() string { return why } }
	switch {
	case o.StrictDeterminism:
		return reason("--strict-determinism")
	case o.Concurrency > 0:
		return reason("--concurrency")
	}
	n := o.startConcurrency(*j)
	if j.Model.Slots > 0 {
		j.Parallelism = func() int { return n }
		return reason("as many as the server answers")
	}
	adaptive := backends.NewConcurrencyTuner(j.Client, backends.ConcurrencyOptions{
		Initial:           n,
		Max:               o.maxAtOnce(),
		Timeout:           o.Timeout,
		Remaining:         remaining,
		HasBatchingEngine: j.Server.Can(backends.BatchesRequests),
	})
	j.Client = adaptive
	j.Parallelism = adaptive.Parallelism
	return adaptive.LimitReason
}

// startConcurrency returns the number of requests in flight with which a server starts if the request sets none.
func (r RunRequest) startConcurrency(j backends.PoolMember) int {
	return min(InitialConcurrency(0, j.Server, j.Model), r.maxAtOnce())
}

// maxAtOnce returns the limit of one server's requests in flight if the request sets no number.
func (r RunRequest) maxAtOnce() int { return cmp.Or(r.MaxConcurrency, defaultMaxAtOnce) }

// defaultMaxAtOnce is the default of maxAtOnce: vLLM's own default number of concurrent requests.
const defaultMaxAtOnce = 256
