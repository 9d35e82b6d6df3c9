package server

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"gavel/scoring"
	"gavel/server/kept"
	"gavel/server/markup"
)

// letters tell which judges of a column of the leaderboard cannot be told apart. Every two of them are tested item by item,
// which takes longer than a page may: it is done in the background, one column after the other, and kept for as long as
// the runs are as they were.
type letters struct {
	s     *Server
	known *kept.LRU[string, kept.Value[string, map[string]string]] // by column: letters by number and run
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
	return &letters{s: s, known: kept.NewLRU[string, kept.Value[string, map[string]string]](256)}
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

// of gives the letters of a column, where they are known; else they are asked for.
func (l *letters) of(c lettering) (map[string]string, bool) {
	if at, ok := l.known.Get(c.column); ok && at.Of == c.state {
		return at.V, true
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
		l.known.Put(c.column, kept.Value[string, map[string]string]{Of: c.state, V: l.made(c)})
		l.mu.Lock()
		l.queue = slices.DeleteFunc(l.queue, func(q lettering) bool { return q.column == c.column && q.state == c.state })
		l.mu.Unlock()
	}
}

// made tests every two runs. Where that cannot be done there are no letters, and the pages of the runs say why.
func (l *letters) made(c lettering) map[string]string {
	out := map[string]string{}
	defer func() {
		if p := recover(); p != nil { // one column must not end the server
			l.s.opts.Log("comparing runs on %q: %v\n%s", markup.Visible(c.column), p, debug.Stack())
		}
	}()
	var runs []*scoring.Run
	for _, name := range c.runs {
		m, err := l.s.runs.Manifest(name)
		if err != nil {
			return out
		}
		run, err := l.s.runs.LoadBy(name, m, scoring.DefaultOptions.Reading, nil)
		if err != nil {
			return out
		}
		runs = append(runs, run)
	}
	rankings, err := scoring.Rank(runs, scoring.DefaultOptions.Bootstrap)
	if err != nil {
		return out
	}
	for _, r := range rankings {
		for _, p := range r.Runs {
			out[numberKey(p.Result)+"\x00"+p.Run] = p.Letters
		}
	}
	return out
}

// letter gives the cells of a leaderboard their letters, where it shows a headline.
func (s *Server) letter(ctx context.Context, b *board, cells map[[2]string]*boardCell, f *runsFilter) {
	patience := letterWait
	if s.opts.Static {
		patience = s.patience
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for i := range b.Columns {
		c := &b.Columns[i]
		asked := lettering{column: b.Protocol + "\x00" + c.key}
		var state strings.Builder
		var bytes int64
		for _, r := range c.runs {
			asked.runs = append(asked.runs, r.Name)
			bytes += r.of.Records.Size
			fmt.Fprintln(&state, r.Name, r.ID, r.of.Records)
		}
		if asked.state = state.String(); len(asked.runs) < 2 || numberKey(c.runs[0].numbers[0].Result) != f.Metric {
			continue
		}
		if len(asked.runs) > letteredRuns || bytes > letteredBytes {
			c.Letters = "too many or too large runs to be compared here"
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
		for _, cell := range cells {
			if cell.row.Dataset+"\x00"+cell.row.data == c.key {
				cell.Letters = found[f.Metric+"\x00"+cell.Name]
				b.Lettered = b.Lettered || cell.Letters != ""
			}
		}
	}
}
