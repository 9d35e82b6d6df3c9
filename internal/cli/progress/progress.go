// Package progress tells somebody at a terminal how far a run is.
package progress

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"gavel/internal/eval"
	"gavel/judging"
)

// lineEvery is how often progress is said where stderr is no terminal.
const lineEvery = 5 * time.Second

// barEvery is how often the words of the bar are written.
const barEvery = 200 * time.Millisecond

// Terminal is where progress is told.
type Terminal struct {
	Out io.Writer
	Is  bool // it is one: a bar is drawn; else lines are said
	Now func() time.Time
	Say func(format string, args ...any) // says a line
}

// Progress tells how far a run is: a bar on a terminal, else a line every few seconds. It is an [eval.Observer].
type Progress struct {
	mu sync.Mutex
	tally
}

// On is progress that is told somewhere.
func On(t Terminal) *Progress { return &Progress{tally: tally{on: t}} }

// tally is one run's progress.
type tally struct {
	on      Terminal
	bar     *progressbar.ProgressBar
	total   int
	done    int
	cached  int
	other   map[judging.Outcome]int
	failed  *judging.Record // the last that did
	atOnce  func() string
	started time.Time
	tempo   judging.Tempo
	last    time.Time
}

var _ eval.Observer = (*Progress)(nil)

// RunOpened implements eval.Observer.
func (p *Progress) RunOpened(run eval.RunStart) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.on.Now()
	p.tally = tally{
		on: p.on, total: run.Missing, other: map[judging.Outcome]int{}, started: now, last: now, atOnce: run.AtOnce,
	}
	if run.Missing == 0 {
		return
	}
	if run.Completed > 0 {
		p.on.Say("continuing: %d judgments are done, %d to go", run.Completed, run.Missing)
	}
	if p.on.Is {
		p.bar = progressbar.NewOptions(run.Missing,
			progressbar.OptionSetWriter(p.on.Out), progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(false),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionSetWidth(20), progressbar.OptionClearOnFinish())
	}
}

// RequestSent implements eval.Observer: the bar tells enough.
func (p *Progress) RequestSent() func(error) { return func(error) {} }

// Recorded implements eval.Observer.
func (p *Progress) Recorded(r *judging.Record) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	p.tempo.Add(r.At)
	cached := len(r.Replies) > 0
	for _, reply := range r.Replies {
		cached = cached && reply.Cached
	}
	if cached {
		p.cached++
	}
	if r.Outcome != judging.Decided {
		p.other[r.Outcome]++
	}
	if r.Outcome == judging.Failed {
		p.failed = r
	}
	if p.bar != nil {
		if now := p.on.Now(); now.Sub(p.last) >= barEvery {
			p.last = now
			p.bar.Describe(strings.TrimPrefix(strings.TrimSuffix(p.counts(), ", ")+p.pace(now), ", "))
		}
		p.bar.Add(1)
		return
	}
	if now := p.on.Now(); now.Sub(p.last) >= lineEvery {
		p.last = now
		p.on.Say("%s", p.line(now))
	}
}

// counts are what is cached and each outcome that is not decided.
func (p *Progress) counts() string {
	var parts []string
	if p.cached > 0 {
		parts = append(parts, fmt.Sprintf("%d cached", p.cached))
	}
	for _, o := range judging.Outcomes {
		if n := p.other[o]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, o))
		}
	}
	return strings.Join(parts, ", ")
}

// pace is how fast the run goes and how long it still takes, where that can be told.
func (p *Progress) pace(now time.Time) string {
	left, ok := p.tempo.Left(p.total-p.done, now)
	if !ok {
		return ""
	}
	pace := fmt.Sprintf(", %.1f/s, %s left",
		p.tempo.PerSecond(now), time.Duration(left*float64(time.Second)).Round(time.Second))
	if p.atOnce != nil {
		pace += ", " + p.atOnce()
	}
	return pace
}

func (p *Progress) line(now time.Time) string {
	line := fmt.Sprintf("%d/%d judgments%s", p.done, p.total, p.pace(now))
	if c := p.counts(); c != "" {
		line += ", " + c
	}
	return line
}

// Note says something, between two lines of progress where there are some.
func (p *Progress) Note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		p.bar.Clear()
	}
	p.on.Say("%s", text)
}

// RunEnded says what it came to.
func (p *Progress) RunEnded() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		p.bar.Clear()
	}
	took := p.on.Now().Sub(p.started)
	line := fmt.Sprintf("%d/%d judgments in %s", p.done, p.total, took.Round(10*time.Millisecond))
	if c := p.counts(); c != "" {
		line += ", " + c
	}
	p.on.Say("%s", line)
	if p.failed != nil {
		p.on.Say("last failure: item %s, presentation %d: %s", p.failed.Item, p.failed.Presentation+1, p.failed.Error)
	}
}
