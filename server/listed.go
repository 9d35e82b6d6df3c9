package server

import (
	"context"
	"sync"
	"time"
)

// The list of runs is made anew for everybody who looks, as long as that is quick. Over thousands of runs it takes a look
// at tens of thousands of files: then it is kept, and made anew beside those who look at the last one.
const (
	slowList = 100 * time.Millisecond
	keptList = 10          // times as long as it took to make
	oldList  = time.Minute // from where on nobody is shown it any more
)

// rowList are the rows of all runs as they were last looked at.
type rowList struct {
	mu    sync.Mutex
	rows  []RunRow
	of    int // how often the store had forgotten its listing
	at    time.Time
	took  time.Duration
	going bool // it is being made anew
}

// rows are those of all runs. Nobody changes them.
func (s *Server) rows(ctx context.Context) ([]RunRow, error) {
	k := &s.listing
	k.mu.Lock()
	age := s.now().Sub(k.at)
	if k.took < slowList || age > oldList || k.of != s.runs.Forgotten() {
		k.mu.Unlock()
		return s.relist(ctx)
	}
	defer k.mu.Unlock()
	if age > keptList*k.took && !k.going {
		k.going = true
		go func() {
			s.relist(s.runs.Closing) // an error is told to the next who looks
			k.mu.Lock()
			defer k.mu.Unlock()
			k.going = false
		}()
	}
	return k.rows, nil
}

func (s *Server) relist(ctx context.Context) ([]RunRow, error) {
	of, begun := s.runs.Forgotten(), time.Now()
	runs, err := s.runs.List()
	if err != nil {
		return nil, err
	}
	rows := make([]RunRow, len(runs))
	for i, run := range runs {
		if s.opts.Static {
			s.prefetch.sumUp(run)
		}
		rows[i] = s.row(ctx, run)
	}
	if !s.opts.Static {
		s.prefetch.begin(runs)
	}
	k := &s.listing
	k.mu.Lock()
	defer k.mu.Unlock()
	k.rows, k.of, k.at, k.took = rows, of, s.now(), time.Since(begun)
	return rows, nil
}
