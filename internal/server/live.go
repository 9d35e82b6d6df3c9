package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"gavel/internal/report"
	"gavel/internal/server/failure"
	"gavel/internal/server/jobs"
	"gavel/internal/server/memo"
	"gavel/internal/server/store"
	"gavel/judging"
	"gavel/scoring"
)

// Progress holds the state of a run, with its speed while it is in progress.
type Progress struct {
	Run                 string         `json:"run"`
	Status              string         `json:"status"`
	Stalled             bool           `json:"stalled,omitempty"`
	Done                int            `json:"done" jsonschema:"judgments in the records"`
	Judgments           int            `json:"judgments"`
	Failed              int            `json:"failed"` // judgments whose requests failed
	Cached              int            `json:"cached_replies"`
	Outcomes            map[string]int `json:"outcomes"`
	Job                 *jobs.Job      `json:"job,omitempty" jsonschema:"the job on this server that makes the run"`
	Problem             string         `json:"problem,omitempty" jsonschema:"why the progress is unknown"`
	Alarm               string         `json:"alarm,omitempty" jsonschema:"warning from the first judgments"`
	LatestJudgmentStart time.Time      `json:"last,omitzero" jsonschema:"start of the newest judgment"`
	store.RunSpeed

	Diagnosis *scoring.Diagnosis `json:"diagnosis,omitempty" jsonschema:"of the judgments so far, a few seconds old"`
	Scored    int                `json:"diagnosed,omitempty" jsonschema:"judgments in the diagnosis"`
	Score     *report.RunPage    `json:"-"` // the same diagnosis with the scores, for pages
}

// indexedProgress returns the state of an indexed run, with the job that makes it and its scores so far. A run that a
// job of this server makes is never stalled; a run without a job may be made by another process.
func (s *Server) indexedProgress(x *store.Index) Progress {
	p := Progress{
		Run:                 x.Run,
		Status:              x.Manifest.Status,
		Done:                x.Counts.Records,
		Judgments:           x.Manifest.Judgments,
		Failed:              x.Counts.Outcomes[string(judging.Failed)],
		Cached:              x.Counts.Cached,
		Outcomes:            x.Counts.Outcomes,
		LatestJudgmentStart: x.Counts.LatestJudgmentStart,
		Alarm:               x.Alarm,
	}
	if p.Status == judging.Running {
		p.RunSpeed = x.Pace(s.Now())
		p.Stalled = s.isStalled(p.LastWrite)
		if p.Stalled {
			p.SecondsLeft = nil
		}
	}
	for _, j := range s.activeJobs() {
		if j.Run() == p.Run {
			p.Job, p.Stalled = &j, false
		}
	}
	p.Score = s.liveScore(p.Run, x.Manifest)
	if p.Score != nil {
		p.Diagnosis = p.Score.Diagnosis
		p.Scored = p.Score.Judgments()
	}
	return p
}

// progressOf returns the present state of the run with this name.
func (s *Server) progressOf(ctx context.Context, run string) (Progress, error) {
	x, err := s.runs.Index(ctx, run)
	if err != nil {
		return Progress{}, err
	}
	return s.indexedProgress(x), nil
}

// statusView returns the present state of the run that a request names.
func (s *Server) statusView(r *http.Request) (Progress, error) {
	return s.progressOf(r.Context(), r.PathValue("run"))
}

const (
	lookEvery         = time.Second      // pause between two looks of a stream at its run
	keepAliveInterval = 20 * time.Second // pause after which a stream sends a comment, so that proxies keep it open
	maxStreams        = 2 * maxConnsEach // open streams; more than the connections of one address
)

// runEvents streams server-sent events about the run that a request names: "progress" with each change, "score" with
// the HTML of the results so far, and "end" when the run has ended.
func (s *Server) runEvents(w http.ResponseWriter, r *http.Request) error {
	run, err := s.requestedRunName(r)
	if err != nil {
		return err
	}
	select {
	case s.streamSlots <- struct{}{}:
		defer func() { <-s.streamSlots }()
	default:
		return failure.New(http.StatusServiceUnavailable, "too many pages follow runs already")
	}
	out := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // otherwise nginx buffers events
	send := func(text string) error {
		if err := setWriteDeadline(w, s.Now().Add(writeTimeout)); err != nil {
			return err
		}
		if _, err := fmt.Fprint(w, text); err != nil {
			return err
		}
		return out.Flush()
	}
	s.watch(r.Context(), run, send) // an error means that the client has gone
	return nil
}

// watch sends the events of a run until the run ends, the client goes, or the server closes.
func (s *Server) watch(ctx context.Context, run string, send func(text string) error) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	last := ""
	var score *report.RunPage
	lastSent := s.Now()
	for text := "retry: 5000\n\n"; ; text = "" {
		p, err := s.progressOf(ctx, run)
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
		if p.Score != score && p.Score != nil {
			score = p.Score
			var page strings.Builder
			if err := s.pages.templates["run"].ExecuteTemplate(&page, "run-so-far", score); err != nil {
				return err
			}
			html, err := json.Marshal(page.String())
			if err != nil {
				return err
			}
			text += "event: score\ndata: " + string(html) + "\n\n"
		}
		if over {
			text += "event: end\ndata: {}\n\n"
		} else if text == "" && s.Now().Sub(lastSent) >= keepAliveInterval {
			text = ": \n\n"
		}
		if text != "" {
			lastSent, err = s.Now(), send(text)
			if err != nil || over {
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

// maxLiveScoreBytes limits the records.jsonl that is scored during its run. Larger runs are scored at their end.
const maxLiveScoreBytes = 256 << 20

// liveScore returns the latest results of a run in progress; nil if there are none yet. If there are new records, it
// scores them in the background for the next call. If that fails, the earlier results stay; other calls show the error.
func (s *Server) liveScore(run string, m *judging.Manifest) *report.RunPage {
	records := s.runs.Stamps(run).Records
	if m.Status != judging.Running || records.Size == 0 || records.Size > maxLiveScoreBytes || s.ending.Err() != nil {
		return nil
	}
	name := fmt.Sprint("score of ", run, " ", m.ID, m.Started) // the folder may have had another run
	return memo.GetAndRefresh(s.backgroundMemo, name, records, func() (*report.RunPage, error) {
		loaded, err := s.runs.LoadOneReading(run, "")
		if err != nil {
			return nil, err
		}
		rep := loaded.Score(scoring.DefaultOptions.Bootstrap)
		if rep.Diagnosis == nil {
			return nil, nil
		}
		return report.NewRunPage(report.Run{Report: rep}), nil
	})
}
