package doctor

import (
	"fmt"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"gavel/backends"
	"gavel/internal/report/table"
)

// textWidth is how wide the words of a finding may be, so that a table of them fits into 80 columns.
const textWidth = 48

// Verdict says whether a run may be made, and what was not checked.
func (r *Report) Verdict() string {
	said := r.readiness()
	if len(r.Late) > 0 {
		said += "\nno time for: " + strings.Join(r.Late, ", ") + " (see --time-limit)"
	}
	return said
}

func (r *Report) readiness() string {
	minds, ready := 0, "ready"
	for _, f := range r.Findings {
		if f.Status == Warn || f.Status == Unknown {
			minds++
		}
	}
	if late := len(r.Late); late > 0 {
		ready = fmt.Sprintf("ready so far (checks not made: %d)", late)
	}
	switch {
	case !r.Ready:
		return "not ready: see what failed above"
	case minds == 0:
		return ready
	case minds == 1:
		return ready + "; read one finding above"
	}
	return fmt.Sprintf("%s; read %d findings above", ready, minds)
}

// Tables are the findings and, where the speed could be measured, what it means for a run.
func (r *Report) Tables() []table.Table {
	// A finding in each row, and what to do about it below.
	t := table.Table{Columns: table.Left("", "check", "finding")}
	for _, f := range r.Findings {
		status, check := string(f.Status), f.Check
		for _, line := range wrapped(f.Said, textWidth, "") {
			t.Row(status, check, line)
			status, check = "", ""
		}
		if f.Do != "" {
			for _, line := range wrapped("→ "+f.Do, textWidth, "  ") {
				t.Row("", "", line)
			}
		}
	}
	if r.Speed == nil {
		return []table.Table{t}
	}
	return []table.Table{t, r.paces()}
}

// wrapped breaks a line between words; lines after the first begin with indent.
func wrapped(s string, width int, indent string) []string {
	lines := strings.Split(pretty.WrapSoft(strings.Join(strings.Fields(s), " "), width-len(indent)), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
		if i > 0 {
			lines[i] = indent + lines[i]
		}
	}
	return lines
}

func (r *Report) paces() table.Table {
	s := r.Speed
	t := table.Table{
		Title: fmt.Sprintf("JudgeBench, %d pairs in both orders (%d judgments): an estimate",
			judgeBench.pairs, judgeBench.judgments),
		Columns: table.Right("at once", "read tok/s", "write tok/s", "direct/s", "takes", "sop/s", "takes"),
		Notes:   r.assumptions(),
	}
	for _, p := range s.Paces {
		t.Row(
			fmt.Sprint(p.Concurrency), figure(p.Prompt), figure(p.Reply),
			figure(p.Direct.PerSecond), span(p.Direct.Hours), figure(p.Sop.PerSecond), span(p.Sop.Hours),
		)
	}
	return t
}

// assumptions are what the estimate stands on.
func (r *Report) assumptions() []string {
	b, per := judgeBench, "4 bytes a token (not measured)"
	if r.Speed.BytesPerTok > 0 {
		per = fmt.Sprintf("%.1f bytes a token (measured)", r.Speed.BytesPerTok)
	}
	notes := []string{
		"direct/s, sop/s: judgments a second with that prompt;",
		fmt.Sprintf("speeds are the middle of up to %d measurements;", mostTries),
		fmt.Sprintf("prompts of %d bytes (direct) and %d (sop) on average, %s;", b.direct, b.sop, per),
		fmt.Sprintf("replies of %d and %d tokens, asked once, none from a cache;", b.directReply, b.sopReply),
	}
	if r.Speed.Call >= 0.01 {
		notes = append(notes,
			fmt.Sprintf("%.2g s overhead per request (measured), in parallel for concurrent requests;", r.Speed.Call))
	}
	if len(r.Speed.Paces) < 2 {
		notes = append(notes, "more requests at once were not measured;")
	}
	if r.Model.Thinks == backends.Yes {
		notes = append(notes, "thinking is not counted and may multiply the tokens of a reply;")
	}
	last := len(notes) - 1
	notes[last] = strings.TrimSuffix(notes[last], ";")
	return notes
}

// figure writes a number with two significant digits or no decimals.
func figure(v float64) string {
	switch {
	case v >= 10:
		return fmt.Sprintf("%.0f", v)
	case v >= 1:
		return fmt.Sprintf("%.1f", v)
	case v >= 0.1:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.2g", v)
}

// span writes hours the way people say them.
func span(hours float64) string {
	switch {
	case hours < 0.025:
		return fmt.Sprintf("%.0f s", max(1, hours*3600))
	case hours < 1.5:
		return fmt.Sprintf("%.0f min", hours*60)
	case hours < 48:
		return fmt.Sprintf("%.1f h", hours)
	}
	return fmt.Sprintf("%.1f days", hours/24)
}
