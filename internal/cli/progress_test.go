package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"gavel/internal/eval"
	"gavel/judging"
)

// screen returns the contents of a terminal after this output, with the control sequences that a bar uses.
func screen(written string) string {
	rows := [][]rune{{}}
	y, x := 0, 0
	for written != "" {
		switch {
		case strings.HasPrefix(written, "\x1b[K"):
			rows[y] = rows[y][:min(x, len(rows[y]))]
			written = written[3:]
			continue
		case strings.HasPrefix(written, "\x1b[A"):
			y--
			written = written[3:]
			continue
		}
		r, size := utf8.DecodeRuneInString(written)
		written = written[size:]
		switch r {
		case '\r':
			x = 0
		case '\n':
			x = 0
			y++
			if y == len(rows) {
				rows = append(rows, nil)
			}
		default:
			rows[y] = append(rows[y][:min(x, len(rows[y]))], r)
			x++
		}
	}
	var lines []string
	for _, row := range rows {
		lines = append(lines, string(row))
	}
	return strings.Join(lines, "\n")
}

// progressText is a run of 100 judgments that is told to a terminal of so many columns, one judgment a second.
func progressText(t *testing.T, columns int, during func(p *progress, done int)) (written string) {
	var out bytes.Buffer
	now := time.Unix(1e9, 0)
	t.Setenv("COLUMNS", fmt.Sprint(columns))
	p := &progress{env: &env{stderr: &out, terminal: columns > 0, now: func() time.Time { return now }}}
	done := 0
	p.RunOpened(eval.RunStart{Missing: 100, LiveScoreText: func() string {
		if done < 60 {
			return ""
		}
		return fmt.Sprintf("correct in both orders on 40 to 60 %% of %d pairs", done/2)
	}})
	for done < 100 {
		done++
		now = now.Add(time.Second)
		p.Recorded(&judging.Record{Outcome: judging.Decided, At: now})
		during(p, done)
		if done == 80 {
			io.WriteString(&out, "\x00")
		}
	}
	p.RunEnded()
	return out.String()
}

// TestBar: what a run comes to stands below the bar, what is said above it, and both go when the run ends.
func TestBar(t *testing.T) {
	all := progressText(t, 80, func(p *progress, done int) {
		if done == 70 {
			p.Note("something is wrong")
		}
	})
	before, after, _ := strings.Cut(all, "\x00")
	const want = "something is wrong\n" +
		"judging  ━━━━━━━━━━━━━━━━━━━─────  80 of 100 · 1.0/s · 20s left\n" +
		"so far   correct in both orders on 40 to 60 % of 40 pairs"
	if got := screen(before); got != want {
		t.Errorf("in mid-run the terminal has\n%s\nwant\n%s", got, want)
	}
	if got, want := screen(before+after), "something is wrong\n100/100 judgments in 1m40s\n"; got != want {
		t.Errorf("at the end the terminal has\n%q, want\n%q", got, want)
	}
}

// TestNarrowBar: no line of the bar is as wide as the terminal, which would begin another row.
func TestNarrowBar(t *testing.T) {
	before, _, _ := strings.Cut(progressText(t, 50, func(*progress, int) {}), "\x00")
	for line := range strings.Lines(screen(before)) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n >= 50 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// TestLines: where there is no terminal, lines say the same.
func TestLines(t *testing.T) {
	all := progressText(t, 0, func(*progress, int) {})
	const want = "80/100 judgments, 1.0/s, 20s left, so far correct in both orders on 40 to 60 % of 40 pairs\n"
	if !strings.Contains(all, want) || strings.Contains(all, "\x1b") {
		t.Errorf("said\n%s", all)
	}
}
