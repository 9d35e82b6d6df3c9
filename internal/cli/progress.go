package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"gavel/internal/eval"
	"gavel/judging"
)

// lineEvery is how often progress is said where stderr is no terminal.
const lineEvery = 5 * time.Second

// barEvery is how often the bar is drawn, and scoreEvery how often it is looked what the run comes to so far.
const (
	barEvery   = 200 * time.Millisecond
	scoreEvery = 2 * time.Second
)

// barWidth is that of the bar, in columns.
const barWidth = 24

// progress shows on stderr how far a run is: a bar on a terminal, else a line every few seconds. It is an
// [eval.Observer].
type progress struct {
	on *env
	mu sync.Mutex
	tally
}

// tally is one run's progress.
type tally struct {
	drawn   int // lines of the bar that stand on the terminal
	total   int
	done    int
	cached  int
	other   map[judging.Outcome]int
	failed  *judging.Record // the last that did
	atOnce  func(left int) string
	started time.Time
	tempo   judging.Tempo
	last    time.Time
	soFar   func() string // what the run comes to, "" while that says nothing
	score   string        // what it said last
	scored  time.Time     // and when
}

var _ eval.Observer = (*progress)(nil)

// RunOpened implements eval.Observer.
func (p *progress) RunOpened(run eval.RunStart) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.on.now()
	p.tally = tally{
		total:   run.Missing,
		other:   map[judging.Outcome]int{},
		started: now,
		last:    now,
		scored:  now,
		atOnce:  run.AtOnce,
		soFar:   run.SoFar,
	}
	if run.Missing == 0 {
		return
	}
	if run.Completed > 0 {
		p.on.say("continuing: %d judgments are done, %d to go", run.Completed, run.Missing)
	}
	if p.on.terminal {
		p.draw(now)
	}
}

// Recorded implements eval.Observer.
func (p *progress) Recorded(r *judging.Record) {
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
	every := lineEvery
	if p.on.terminal {
		every = barEvery
	}
	now := p.on.now()
	if now.Sub(p.last) < every {
		return
	}
	p.last = now
	if p.soFar != nil && now.Sub(p.scored) >= scoreEvery {
		p.scored = now
		p.score = p.soFar()
	}
	if p.on.terminal {
		p.draw(now)
	} else {
		p.on.say("%s", p.line(now))
	}
}

// draw draws the bar, and below it what the run comes to so far, in place of what it drew last.
func (p *progress) draw(now time.Time) {
	full := barWidth * p.done / p.total
	lines := []string{fmt.Sprintf("judging  %s%s  %d of %d%s", strings.Repeat("━", full),
		strings.Repeat("─", barWidth-full), p.done, p.total, strings.ReplaceAll(p.pace(now), ", ", " · "))}
	if below := joined(p.score, p.counts()); below != "" {
		lines = append(lines, "so far   "+below)
	}
	if load := p.load(); load != "" {
		lines = append(lines, "asking   "+load)
	}
	if columns := columnsOf(p.on.stderr); columns > 1 {
		for i, line := range lines { // one that goes on in the next row cannot be taken back
			if letters := []rune(line); len(letters) >= columns {
				lines[i] = string(letters[:columns-2]) + "…"
			}
		}
	}
	io.WriteString(p.on.stderr, p.taken()+strings.Join(lines, "\n"))
	p.drawn = len(lines)
}

// taken takes back what was drawn: the next to be written begins where it began.
func (p *progress) taken() string {
	if p.drawn == 0 {
		return ""
	}
	up := strings.Repeat("\x1b[K\x1b[A", p.drawn-1)
	p.drawn = 0
	return "\r" + up + "\x1b[K"
}

// counts are what is cached and each outcome that is not decided.
func (p *progress) counts() string {
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
func (p *progress) pace(now time.Time) string {
	left, ok := p.tempo.Left(p.total-p.done, now)
	if !ok {
		return ""
	}
	tempo := fmt.Sprintf("%.1f/s", p.tempo.PerSecond(now))
	if perMinute := 60 * p.tempo.PerSecond(now); perMinute < 30 {
		tempo = fmt.Sprintf("%.1f/min", perMinute)
	}
	return fmt.Sprintf(", %s, %s left", tempo, time.Duration(left*float64(time.Second)).Round(time.Second))
}

// load is how many are asked at once, where somebody knows.
func (p *progress) load() string {
	if p.atOnce == nil {
		return ""
	}
	return p.atOnce(p.total - p.done)
}

func (p *progress) line(now time.Time) string {
	line := fmt.Sprintf("%d/%d judgments%s", p.done, p.total, p.pace(now))
	score := p.score
	if score != "" {
		score = "so far " + score
	}
	return joinedBy(", ", line, p.load(), p.counts(), score)
}

// Note says something, between two lines of progress where there are some.
func (p *progress) Note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	io.WriteString(p.on.stderr, p.taken())
	p.on.say("%s", text)
}

// RunEnded says what it came to.
func (p *progress) RunEnded() {
	p.mu.Lock()
	defer p.mu.Unlock()
	io.WriteString(p.on.stderr, p.taken())
	took := p.on.now().Sub(p.started)
	line := fmt.Sprintf("%d/%d judgments in %s", p.done, p.total, took.Round(10*time.Millisecond))
	p.on.say("%s", joinedBy(", ", line, p.counts()))
	if p.failed != nil {
		p.on.say("last failure: item %s, presentation %d: %s", p.failed.Item, p.failed.Presentation+1, p.failed.Error)
	}
}
