package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"sync"
	"time"

	"gavel/judging"
	"gavel/server/jobs"
)

// Progress is how far a run is.
type Progress struct {
	Run       string         `json:"run"`
	Status    string         `json:"status"`
	Stalled   bool           `json:"stalled,omitempty"`
	Done      int            `json:"done"` // judgments in the records
	Judgments int            `json:"judgments"`
	Failed    int            `json:"failed"`
	Cached    int            `json:"cached_replies"`
	Outcomes  map[string]int `json:"outcomes"`
	Rate      float64        `json:"rate"`              // judgments a second, see judging.Tempo
	Left      *float64       `json:"left_s"`            // seconds, at that rate; null where unknown
	Job       *jobs.Job      `json:"job,omitempty"`     // that makes it, where this server does
	Problem   string         `json:"problem,omitempty"` // why nothing can be said
	Last      time.Time      `json:"last,omitzero"`     // when the newest judgment began
}

// progress of the run, of what the index has.
func (x *index) progress(now time.Time) Progress {
	p := Progress{
		Run: x.run, Status: x.m.Status, Done: x.counts.Records, Judgments: x.m.Judgments, Failed: x.counts.Outcomes[string(judging.Failed)],
		Cached: x.counts.Cached, Outcomes: maps.Clone(x.counts.Outcomes), Last: x.counts.Last,
	}
	if p.Status != judging.Running {
		return p
	}
	if info := x.records.info; info != nil {
		p.Stalled = now.Sub(info.ModTime()) > stalledAfter
	}
	var tempo judging.Tempo
	for _, g := range x.games {
		tempo.Add(time.UnixMilli(g.at))
	}
	p.Rate = tempo.PerSecond(now)
	if left, ok := tempo.Left(p.Judgments-p.Done, now); ok && !p.Stalled {
		p.Left = &left
	}
	return p
}

// status of a run now.
func (s *Server) status(ctx context.Context, run string) (Progress, error) {
	x, done, err := s.index(ctx, run)
	if err != nil {
		return Progress{}, err
	}
	p := x.progress(s.now())
	done()
	s.withJob(&p)
	return p, nil
}

func (s *Server) statusView(r *http.Request) (Progress, error) {
	return s.status(r.Context(), r.PathValue("run"))
}

// withJob adds the job that makes a run. A run that this server makes is not
// silent, whatever its files look like; one that nobody makes here may be made
// by another process.
func (s *Server) withJob(p *Progress) {
	for _, j := range s.activeJobs() {
		if j.Run() == p.Run {
			p.Job, p.Stalled = &j, false
		}
	}
}

// hub tells everybody who listens how runs go on. However many they are, each
// run is looked at once a second.
type hub struct {
	s      *Server
	mu     sync.Mutex
	feeds  map[string]*feed
	closed chan struct{}
	once   sync.Once
}

// feed is what is told of one run.
type feed struct {
	listeners map[chan []byte]bool
	last      []byte
	stop      chan struct{}
}

const (
	lookEvery  = time.Second
	aliveEvery = 20 * time.Second // a word at least, so that nobody takes the line for dead
	maxFeeds   = 64
)

func newHub(s *Server) *hub {
	return &hub{s: s, feeds: map[string]*feed{}, closed: make(chan struct{})}
}

func (h *hub) close() { h.once.Do(func() { close(h.closed) }) }

// listen hands out what is told of a run until the function returned is called.
// The channel is closed when the run has ended.
func (h *hub) listen(run string) (<-chan []byte, func(), error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f := h.feeds[run]
	if f == nil {
		if len(h.feeds) >= maxFeeds {
			return nil, nil, &failure{http.StatusServiceUnavailable, "too many runs are being watched"}
		}
		f = &feed{listeners: map[chan []byte]bool{}, stop: make(chan struct{})}
		h.feeds[run] = f
		go h.watch(run, f)
	}
	ch := make(chan []byte, 1)
	f.listeners[ch] = true
	if f.last != nil {
		ch <- f.last
	}
	return ch, func() { h.leave(run, f, ch) }, nil
}

func (h *hub) leave(run string, f *feed, ch chan []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !f.listeners[ch] {
		return
	}
	delete(f.listeners, ch)
	if len(f.listeners) == 0 && h.feeds[run] == f {
		delete(h.feeds, run)
		close(f.stop)
	}
}

// watch looks at a run until it ends or nobody listens.
func (h *hub) watch(run string, f *feed) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	ctx, cancel := context.WithCancel(context.Background()) // nobody's in particular: it ends with the feed
	defer cancel()
	for {
		p, err := h.s.status(ctx, run)
		if err != nil {
			p = Progress{Run: run, Status: "gone", Problem: err.Error()}
		}
		over := err != nil || p.Status != judging.Running && p.Job == nil
		h.tell(run, f, p, over)
		if over {
			return
		}
		select {
		case <-tick.C:
		case <-f.stop:
			return
		case <-h.closed:
			return
		}
	}
}

// tell hands progress to everybody. Who is slow misses what is old.
func (h *hub) tell(run string, f *feed, p Progress, over bool) {
	text, err := json.Marshal(p)
	if err != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	changed := string(text) != string(f.last)
	f.last = text
	for ch := range f.listeners {
		if changed || over {
			select {
			case <-ch:
			default:
			}
			ch <- text
		}
		if over {
			close(ch)
		}
	}
	if over {
		clear(f.listeners)
		if h.feeds[run] == f {
			delete(h.feeds, run)
		}
	}
}

// runEvents streams the progress of a run.
func (s *Server) runEvents(w http.ResponseWriter, r *http.Request) error {
	run := r.PathValue("run")
	if _, err := s.runs.manifest(run); err != nil {
		return err
	}
	ch, leave, err := s.live.listen(run)
	if err != nil {
		return err
	}
	defer leave()
	return s.stream(w, r, ch)
}

// stream sends what comes as server-sent events: "progress", and "end" when
// there is no more.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, ch <-chan []byte) error {
	out := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // nginx would keep them until there are many
	send := func(text string) error {
		if err := out.SetWriteDeadline(s.now().Add(writeTimeout)); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return err
		}
		if _, err := fmt.Fprint(w, text); err != nil {
			return err
		}
		return out.Flush()
	}
	if send("retry: 5000\n\n") != nil {
		return nil
	}
	alive := time.NewTicker(aliveEvery)
	defer alive.Stop()
	for {
		var err error
		select {
		case text, more := <-ch:
			if !more {
				send("event: end\ndata: {}\n\n")
				return nil
			}
			err = send("event: progress\ndata: " + string(text) + "\n\n")
		case <-alive.C:
			err = send(": \n\n")
		case <-r.Context().Done():
			return nil
		case <-s.live.closed:
			return nil
		}
		if err != nil {
			return nil // who listened has gone
		}
	}
}
