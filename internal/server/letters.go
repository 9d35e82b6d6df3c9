package server

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"gavel/internal/server/kept"
	"gavel/internal/server/markup"
	"gavel/scoring"
)

// letters tell which judges of a column of the leaderboard cannot be told apart. Every two of them are tested item by
// item, which takes longer than a page may: it is done in the background, one column after the other, and kept for as
// long as the runs are as they were. The tests of all columns of a page are corrected together.
type letters struct {
	s     *Server
	known *kept.LRU[string, kept.Value[string, []scoring.Ranking]] // by column
	mu    sync.Mutex
	queue []lettering
	ended chan struct{} // closed when the queue is empty; nil where nobody is at work
}

// lettering is a column whose letters are asked for.
type lettering struct {
	column, state string
	runs          []string
}

// Limits of what is tested in the background, and how long a page waits for it.
const (
	letteredRuns  = 24
	letteredBytes = 128 << 20
	letterWait    = 150 * time.Millisecond
)

func newLetters(s *Server) *letters {
	return &letters{s: s, known: kept.NewLRU[string, kept.Value[string, []scoring.Ranking]](256)}
}

// wait waits for what is under way. The store's end ends it.
func (l *letters) wait() {
	l.mu.Lock()
	ended := l.ended
	l.mu.Unlock()
	if ended != nil {
		<-ended
	}
}

// of gives the tests of a column, as if it stood alone, where they are known; else they are asked for.
func (l *letters) of(c lettering) ([]scoring.Ranking, bool) {
	if at, ok := l.known.Get(c.column); ok && at.Of == c.state {
		return ranked(at.V), true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.ContainsFunc(l.queue, func(q lettering) bool { return q.column == c.column && q.state == c.state }) {
		l.queue = append(l.queue, c)
	}
	if l.ended == nil {
		l.ended = make(chan struct{})
		go l.work()
	}
	return nil, false
}

func (l *letters) work() {
	for {
		l.mu.Lock()
		if len(l.queue) == 0 || l.s.runs.Closing.Err() != nil {
			l.queue = nil
			close(l.ended)
			l.ended = nil
			l.mu.Unlock()
			return
		}
		c := l.queue[0]
		l.mu.Unlock()
		l.known.Put(c.column, kept.Value[string, []scoring.Ranking]{Of: c.state, V: l.made(c)})
		l.mu.Lock()
		l.queue = slices.DeleteFunc(l.queue, func(q lettering) bool { return q.column == c.column && q.state == c.state })
		l.mu.Unlock()
	}
}

// ranked are rankings that can be corrected.
func ranked(all []scoring.Ranking) []scoring.Ranking {
	out := slices.Clone(all)
	for i := range out {
		out[i].Runs, out[i].Pairs = slices.Clone(out[i].Runs), slices.Clone(out[i].Pairs)
	}
	return out
}

// made tests every two runs. Where that cannot be done there is nothing, and the pages of the runs say why.
func (l *letters) made(c lettering) (rankings []scoring.Ranking) {
	defer func() {
		if p := recover(); p != nil { // one column must not end the server
			l.s.opts.Log("comparing runs on %q: %v\n%s", markup.Visible(c.column), p, debug.Stack())
		}
	}()
	var runs []*scoring.Run
	for _, name := range c.runs {
		m, err := l.s.runs.Manifest(name)
		if err != nil {
			return nil
		}
		run, err := l.s.runs.LoadBy(name, m, scoring.DefaultOptions.Reading)
		if err != nil {
			return nil
		}
		runs = append(runs, run)
	}
	rankings, err := scoring.Rank(runs, scoring.DefaultOptions.Bootstrap)
	if err != nil {
		return nil
	}
	return rankings
}

// letter gives the cells of a leaderboard their letters, where it shows a headline.
func (s *Server) letter(ctx context.Context, b *board, cells map[[2]string]*boardCell, f *runsFilter) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(s.opts.letterWait, letterWait))
	defer cancel()
	var all []*scoring.Ranking // of all columns
	for i := range b.Columns {
		asked, ok := b.Columns[i].lettering(b.Protocol, f.Metric)
		if !ok {
			continue
		}
		found, ok := s.letters.of(asked)
		for !ok && ctx.Err() == nil {
			select {
			case <-ctx.Done():
			case <-time.After(5 * time.Millisecond):
				found, ok = s.letters.of(asked)
			}
		}
		b.Pending = b.Pending || !ok
		for k := range found {
			all = append(all, &found[k])
		}
	}
	if b.Pending { // one correction is over all of them
		return
	}
	scoring.Correct(all)
	of := map[string]string{} // by run
	for _, r := range all {
		b.Tests = r.Family
		for _, p := range r.Runs {
			if numberKey(p.Result) == f.Metric {
				of[p.Run] = p.Letters
			}
		}
	}
	for _, cell := range cells {
		cell.Letters = of[cell.Name]
		b.Lettered = b.Lettered || cell.Letters != ""
	}
}

// lettering is what a column asks for; false where there is nothing to test, or too much.
func (c *boardColumn) lettering(protocol, metric string) (lettering, bool) {
	asked := lettering{column: protocol + "\x00" + c.key}
	var state strings.Builder
	var bytes int64
	for _, r := range c.runs {
		asked.runs = append(asked.runs, r.Name)
		bytes += r.of.Records.Size
		fmt.Fprintln(&state, r.Name, r.ID, r.of.Records)
	}
	asked.state = state.String()
	if len(asked.runs) < 2 || numberKey(c.runs[0].numbers[0].Result) != metric {
		return asked, false
	}
	if len(asked.runs) > letteredRuns || bytes > letteredBytes {
		c.Letters = "too many or too large runs to be compared here"
		return asked, false
	}
	return asked, true
}
