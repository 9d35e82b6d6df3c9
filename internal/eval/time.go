package eval

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// time says how long the calls of a planned run take, by earlier runs of the judge in the folders that it may be in.
func (e *Maker) time(run *RunPlan) {
	if run.Manifest.Simulated || run.Plan.Calls() <= 0 || e.Planning != nil {
		// who listens to plans times them all together
		return
	}
	if p, ok := SpeedsIn(e.folder(), filepath.Dir(filepath.Clean(run.Dir))).Of(run.Manifest, AnyOfJudge); ok {
		run.Pace = &p
	}
}

// Seconds are how long the plan's calls take; ok is false where nobody knows.
func (run *RunPlan) Seconds() (seconds float64, ok bool) {
	switch {
	case run.Manifest.Simulated || run.Plan.Calls() <= 0:
		return 0, true
	case run.Pace == nil:
		return 0, false
	}
	return run.Pace.Seconds * float64(run.Plan.Calls()), true
}

// Time is how long the plan's calls take, in words, or how to find out.
func (run *RunPlan) Time() string {
	s, ok := run.Seconds()
	switch {
	case !ok:
		return fmt.Sprintf("unknown: no earlier run of this judge; to measure it: %s", run.measuring())
	case run.Pace == nil || s == 0:
		return "none: no server is asked"
	}
	return fmt.Sprintf("about %s, by %s", Span(s), run.Pace.Basis)
}

// measuring is the command that measures how fast the judge is.
func (run *RunPlan) measuring() string {
	words := []string{"gavel", "doctor", "--model", Quoted(run.Manifest.Model.Name)}
	for _, url := range run.Request.BaseURLs[:min(1, len(run.Request.BaseURLs))] {
		words = append(words, "--base-url", Quoted(url))
	}
	return strings.Join(words, " ")
}

// Span is a number of seconds as people say it.
func Span(s float64) string {
	switch {
	case s < 10 && s != 0:
		return strconv.FormatFloat(s, 'g', 2, 64) + " s"
	case s < 60:
		return strconv.FormatFloat(s, 'f', 0, 64) + " s"
	case s < 3600:
		return strconv.FormatFloat(s/60, 'f', 0, 64) + " min"
	}
	return strconv.FormatFloat(s/3600, 'f', 1, 64) + " h"
}
