package server

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"gavel/judging"
	"gavel/scoring"
	"gavel/server/failure"
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
	Alarm     string         `json:"alarm,omitempty"`   // what the first judgments tell, see judging.Alarms
	Last      time.Time      `json:"last,omitzero"`     // when the newest judgment began
	Tokens    float64        `json:"reply_tokens_per_second"`
	Usual     float64        `json:"usual_ms"`       // of a judgment that was asked, the median of the newest; 0 where unknown
	Slow      []SlowJudgment `json:"slow,omitempty"` // the slowest of all, the slowest first
	// Diagnosis is of the judgments so far, a moment ago; nil where there is none yet.
	Diagnosis *scoring.Diagnosis `json:"diagnosis,omitempty"`
	Scored    int                `json:"diagnosed,omitempty"` // judgments that it is of
	Score     template.HTML      `json:"-"`                   // it, with its tiles
}

// SlowJudgment is one that took much longer than usual.
type SlowJudgment struct {
	Item         string  `json:"item"`
	Milliseconds float64 `json:"ms"`
	Link         string  `json:"-"`
}

// What is slow: so many times as long as usual, and at least a second.
const (
	slowTimes = 3
	slowLeast = 1000
	slowMost  = 3 // that are named
)

// progress of the run, of what the index has.
func (x *index) progress(now time.Time) Progress {
	p := Progress{
		Run: x.run, Status: x.m.Status, Done: x.counts.Records, Judgments: x.m.Judgments, Failed: x.counts.Outcomes[string(judging.Failed)],
		Cached: x.counts.Cached, Outcomes: maps.Clone(x.counts.Outcomes), Last: x.counts.Last,
		Alarm: x.alarms.Said,
	}
	if p.Status != judging.Running {
		return p
	}
	if info := x.records.info; info != nil {
		p.Stalled = now.Sub(info.ModTime()) > stalledAfter
	}
	var tempo judging.Tempo
	for _, g := range x.judgments {
		tempo.Add(time.UnixMilli(g.at))
	}
	p.Rate = tempo.PerSecond(now)
	x.pace(&p, now)
	if left, ok := tempo.Left(p.Judgments-p.Done, now); ok && !p.Stalled {
		p.Left = &left
	}
	return p
}

// pace says how fast replies are written, and which judgments took long. What came from the cache tells neither.
func (x *index) pace(p *Progress, now time.Time) {
	var newest []uint32
	tokens, since := 0, now
	for _, g := range slices.Backward(x.judgments) {
		if g.took == 0 {
			continue
		}
		if len(newest) < 1000 {
			newest = append(newest, g.took)
		}
		if at := time.UnixMilli(g.at); now.Sub(at) <= 2*time.Minute {
			tokens += int(g.tokens)
			if at.Before(since) {
				since = at
			}
		}
		if len(p.Slow) < slowMost || g.took > uint32(p.Slow[slowMost-1].Milliseconds) {
			id := strings.Clone(x.ids.At(int(g.item)))
			p.Slow = append(p.Slow, SlowJudgment{id, float64(g.took), itemURL(x.run, id, "")})
			slices.SortStableFunc(p.Slow, func(a, b SlowJudgment) int { return cmp.Compare(b.Milliseconds, a.Milliseconds) })
			p.Slow = p.Slow[:min(len(p.Slow), slowMost)]
		}
	}
	if len(newest) > 0 {
		slices.Sort(newest)
		p.Usual = float64(newest[len(newest)/2])
	}
	p.Slow = slices.DeleteFunc(p.Slow, func(j SlowJudgment) bool { return j.Milliseconds < max(slowLeast, slowTimes*p.Usual) })
	if s := now.Sub(since).Seconds(); s > 0 {
		p.Tokens = float64(tokens) / s
	}
}

// status of a run now.
func (s *Server) status(ctx context.Context, run string) (Progress, error) {
	x, done, err := s.index(ctx, run)
	if err != nil {
		return Progress{}, err
	}
	p, m := x.progress(s.now()), x.m
	done()
	s.withJob(&p)
	s.withScore(&p, m)
	return p, nil
}

func (s *Server) statusView(r *http.Request) (Progress, error) {
	return s.status(r.Context(), r.PathValue("run"))
}

// withJob adds the job that makes a run. A run that this server makes is not silent, whatever its files look like; one
// that nobody makes here may be made by another process.
func (s *Server) withJob(p *Progress) {
	for _, j := range s.activeJobs() {
		if j.Run() == p.Run {
			p.Job, p.Stalled = &j, false
		}
	}
}

// withScore adds what the judgments come to so far.
func (s *Server) withScore(p *Progress, m *judging.Manifest) {
	at := s.scoreSoFar(p.Run, m)
	p.Diagnosis, p.Scored, p.Score = at.diagnosis, at.judgments, at.page
}

const (
	lookEvery  = time.Second
	aliveEvery = 20 * time.Second // a word at least, so that nobody takes the line for dead
	maxStreams = 256
)

// runEvents streams how a run goes on, as server-sent events: "progress" when it has changed, "score" with the part of
// the page that says what it comes to so far, and "end" when there is no more to come.
func (s *Server) runEvents(w http.ResponseWriter, r *http.Request) error {
	run := r.PathValue("run")
	if _, err := s.runs.manifest(run); err != nil {
		return err
	}
	select {
	case s.streams <- struct{}{}:
		defer func() { <-s.streams }()
	default:
		return failure.New(http.StatusServiceUnavailable, "too many pages follow runs already")
	}
	out := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // nginx would keep them until there are many
	send := func(text string) error {
		if err := writeBy(w, s.now().Add(writeTimeout)); err != nil {
			return err
		}
		if _, err := fmt.Fprint(w, text); err != nil {
			return err
		}
		return out.Flush()
	}
	s.watch(r.Context(), run, send) // an error is that who listened has gone
	return nil
}

// watch looks at a run until it ends, or nobody listens.
func (s *Server) watch(ctx context.Context, run string, send func(text string) error) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	last, score, said := "", template.HTML(""), s.now()
	for text := "retry: 5000\n\n"; ; text = "" {
		p, err := s.status(ctx, run)
		if err != nil {
			p = Progress{Run: run, Status: "gone", Problem: err.Error()}
		}
		over := err != nil || p.Status != judging.Running && p.Job == nil
		data, err := json.Marshal(p)
		if err != nil {
			return err
		}
		if string(data) != last {
			last = string(data)
			text += "event: progress\ndata: " + last + "\n\n"
		}
		if p.Score != score && p.Score != "" {
			score = p.Score
			html, err := json.Marshal(string(score))
			if err != nil {
				return err
			}
			text += "event: score\ndata: " + string(html) + "\n\n"
		}
		if over {
			text += "event: end\ndata: {}\n\n"
		} else if text == "" && s.now().Sub(said) >= aliveEvery {
			text = ": \n\n"
		}
		if text != "" {
			if said, err = s.now(), send(text); err != nil || over {
				return err
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		case <-s.ending.Done():
			return nil
		}
	}
}
