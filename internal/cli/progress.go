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

const (
	// Times between updates of the progress display, and the width of its bar.
	lineEvery  = 5 * time.Second        // between two lines, where stderr is no terminal
	barEvery   = 200 * time.Millisecond // between two updates of the bar on a terminal
	scoreEvery = 2 * time.Second        // between two computations of the score so far
	barWidth   = 24                     // of the bar, in columns
)

// progress shows on stderr how far a run is: a bar on a terminal, else a line every lineEvery.
// It is an [eval.Observer].
type progress struct {
	env *env // environment with the stream and the terminal for the display
	mu  sync.Mutex
	runProgress
}

// runProgress holds how far one run is.
type runProgress struct {
	run         eval.RunStart           // the run: how many judgments it needs
	barLines    int                     // lines of the bar that are on the terminal
	done        int                     // judgments made since the run started
	cached      int                     // of these, judgments whose replies were all in the cache
	outcomes    map[judging.Outcome]int // number of judgments by outcome
	lastFailure *judging.Record         // the last judgment that failed; nil for none
	started     time.Time
	tempo       judging.Tempo // speed of the judgments
	lastShown   time.Time     // when progress was last shown
	score       string        // the run's score so far, as last computed
	scoreTime   time.Time     // when score was last computed
}

var _ eval.Observer = (*progress)(nil)

// RunOpened implements eval.Observer: it starts the display of a run.
func (p *progress) RunOpened(run eval.RunStart) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.env.now()
	p.runProgress = runProgress{
		run:       run,
		outcomes:  map[judging.Outcome]int{},
		started:   now,
		lastShown: now,
		scoreTime: now,
	}
	if run.Missing == 0 {
		return
	}
	if run.Completed > 0 {
		p.env.say("continuing: %d judgments are done, %d to go", run.Completed, run.Missing)
	}
	if p.env.terminal {
		p.draw(now)
	}
}

// Recorded implements eval.Observer: it counts a judgment and updates the display, if the last
// update is long enough ago.
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
	p.outcomes[r.Outcome]++
	if r.Outcome == judging.Failed {
		p.lastFailure = r
	}
	every := lineEvery
	if p.env.terminal {
		every = barEvery
	}
	now := p.env.now()
	if now.Sub(p.lastShown) < every {
		return
	}
	p.lastShown = now
	if p.run.LiveScoreText != nil && now.Sub(p.scoreTime) >= scoreEvery {
		p.scoreTime = now
		p.score = p.run.LiveScoreText()
	}
	if p.env.terminal {
		p.draw(now)
	} else {
		p.env.say("%s", p.line(now))
	}
}

// draw draws the bar, and below it the score so far, in place of the previous ones.
func (p *progress) draw(now time.Time) {
	full := barWidth * p.done / p.run.Missing
	lines := []string{fmt.Sprintf("judging  %s%s  %d of %d%s", strings.Repeat("━", full),
		strings.Repeat("─", barWidth-full), p.done, p.run.Missing, strings.ReplaceAll(p.pace(now), ", ", " · "))}
	if below := joinWithDots(p.score, p.outcomeCounts()); below != "" {
		lines = append(lines, "so far   "+below)
	}
	if load := p.concurrencyText(); load != "" {
		lines = append(lines, "asking   "+load)
	}
	if columns := terminalColumns(p.env.stderr); columns > 1 {
		for i, line := range lines { // one that goes on in the next row cannot be taken back
			if letters := []rune(line); len(letters) >= columns {
				lines[i] = string(letters[:columns-2]) + "…"
			}
		}
	}
	io.WriteString(p.env.stderr, p.eraseSequence()+strings.Join(lines, "\n"))
	p.barLines = len(lines)
}

// eraseSequence returns the escape sequences that remove the bar from the terminal, so that the next text takes its
// place.
func (p *progress) eraseSequence() string {
	if p.barLines == 0 {
		return ""
	}
	up := strings.Repeat("\x1b[K\x1b[A", p.barLines-1)
	p.barLines = 0
	return "\r" + up + "\x1b[K"
}

// outcomeCounts returns the numbers of cached judgments and of each outcome other than a verdict.
func (p *progress) outcomeCounts() string {
	var parts []string
	if p.cached > 0 {
		parts = append(parts, fmt.Sprintf("%d cached", p.cached))
	}
	for _, o := range judging.Outcomes {
		if n := p.outcomes[o]; n > 0 && o != judging.Decided {
			parts = append(parts, fmt.Sprintf("%d %s", n, o))
		}
	}
	return strings.Join(parts, ", ")
}

// pace returns the speed of the run and the time left as words; "" while they are unknown.
func (p *progress) pace(now time.Time) string {
	seconds, ok := p.tempo.Remaining(p.run.Missing-p.done, now)
	if !ok {
		return ""
	}
	tempo := fmt.Sprintf("%.1f/s", p.tempo.PerSecond(now))
	if perMinute := 60 * p.tempo.PerSecond(now); perMinute < 30 {
		tempo = fmt.Sprintf("%.1f/min", perMinute)
	}
	return fmt.Sprintf(", %s, %s left", tempo, time.Duration(seconds*float64(time.Second)).Round(time.Second))
}

// concurrencyText returns in words how many judgments are asked at once; "" if that is unknown.
func (p *progress) concurrencyText() string {
	if p.run.ConcurrencyText == nil {
		return ""
	}
	return p.run.ConcurrencyText(p.run.Missing - p.done)
}

// line returns the progress as one line.
func (p *progress) line(now time.Time) string {
	line := fmt.Sprintf("%d/%d judgments%s", p.done, p.run.Missing, p.pace(now))
	score := ""
	if p.score != "" {
		score = "so far " + p.score
	}
	return joinNonEmpty(", ", line, p.concurrencyText(), p.outcomeCounts(), score)
}

// Note prints a message for people between two updates of the progress.
func (p *progress) Note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	io.WriteString(p.env.stderr, p.eraseSequence())
	p.env.say("%s", text)
}

// RunEnded prints how many judgments were made, and the last failure.
func (p *progress) RunEnded() {
	p.mu.Lock()
	defer p.mu.Unlock()
	io.WriteString(p.env.stderr, p.eraseSequence())
	took := p.env.now().Sub(p.started)
	line := fmt.Sprintf("%d/%d judgments in %s", p.done, p.run.Missing, took.Round(10*time.Millisecond))
	p.env.say("%s", joinNonEmpty(", ", line, p.outcomeCounts()))
	if p.lastFailure != nil {
		p.env.say("last failure: item %s, presentation %d: %s",
			p.lastFailure.Item, p.lastFailure.Presentation+1, p.lastFailure.Error)
	}
}
