package eval

import (
	"cmp"

	"gavel/backends"
)

// firstConcurrency is what a server is asked at once to begin with, where neither it nor its kind says how much.
const firstConcurrency = 8

// simulatedConcurrency is for judges without a server.
const simulatedConcurrency = 4

// Concurrency is how much a server is asked at once to begin with: what was asked for, else what the server says it
// serves, else what suits its kind.
func Concurrency(asked int, s backends.Server, m backends.Model) int {
	switch {
	case asked > 0:
		return asked
	case m.Slots > 0:
		return m.Slots
	}
	if s.Can(backends.Simulate) {
		return simulatedConcurrency
	}
	return cmp.Or(s.Batches(), firstConcurrency)
}

// jointConcurrency is what was asked for, else what the servers are asked together to begin with (see [concurrency]).
// Where all of them say how many they answer at once, it is not more: what waits in a server is answered in the order
// in which it came, and by the time that an item's next judgment has its turn, the prompts of other items have pushed
// its beginning out of the server's cache.
func (e *Maker) jointConcurrency(o Request, judges []backends.Member) int {
	n, slots := 0, 0
	for _, j := range judges {
		n += o.atOnce(j)
		slots += j.Model.Slots
	}
	asked := o.Concurrency
	switch {
	case o.StrictDeterminism:
		return 1
	case asked == 0:
		return n
	case asked <= n || n != slots:
		return asked
	}
	e.say("--concurrency %d: %d are asked for at once, as many as the server answers; more would only wait "+
		"there, and its prompt cache would forget what judgments of one item have in common", asked, n)
	return n
}

// concurrency has a server be asked as many requests at once as it turns out to answer fastest, where neither the
// request nor the server says how many. It returns why it is not more, for people.
func concurrency(o Request, j *backends.Member, left func() int) (why func() string) {
	word := func(why string) func() string { return func() string { return why } }
	switch {
	case o.StrictDeterminism:
		return word("--strict-determinism")
	case o.Concurrency > 0:
		return word("--concurrency")
	}
	n := o.atOnce(*j)
	if j.Model.Slots > 0 {
		j.AtOnce = func() int { return n }
		return word("as many as the server answers")
	}
	found := backends.NewConcurrency(j.Client, backends.ConcurrencyOptions{
		First:   n,
		Most:    o.mostAtOnce(),
		Timeout: o.Timeout,
		Left:    left,
		Batches: j.Server.Can(backends.ShareBatch),
	})
	j.Client = found
	j.AtOnce = found.AtOnce
	return found.Why
}

// atOnce is how many requests a server is asked at once to begin with where gavel chooses.
func (r Request) atOnce(j backends.Member) int {
	return min(Concurrency(0, j.Server, j.Model), r.mostAtOnce())
}

// mostAtOnce is the bound of what one server is asked at once where gavel chooses.
func (r Request) mostAtOnce() int { return cmp.Or(r.MaxConcurrency, usualMostAtOnce) }

// usualMostAtOnce is what a vLLM takes up at once unless it is told.
const usualMostAtOnce = 256
