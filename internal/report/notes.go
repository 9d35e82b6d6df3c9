package report

import (
	"fmt"
	"slices"
	"strings"

	"gavel/internal/phrases"
	"gavel/scoring"
)

// dotted joins those parts that are not empty, with a dot between.
func dotted(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " · ")
}

// textIf returns text if it applies; else "", which dotted leaves out.
func textIf(applies bool, text string) string {
	if applies {
		return text
	}
	return ""
}

// simulatedMark marks simulated judges in titles.
const simulatedMark = "SIMULATED"

// promptSettingsText returns the name of a run's prompt, with the run's settings.
func promptSettingsText(q scoring.RunSetup) string {
	return strings.TrimSuffix(q.Prompt+", "+q.Settings, ", ")
}

// outcomeCountsText returns a line with the number of judgments of each outcome that occurred, decided first.
func outcomeCountsText(r scoring.Report) string {
	var parts []string
	for _, o := range scoring.Outcomes {
		if n := r.Outcomes[o]; n > 0 || o == scoring.OutcomeDecided {
			parts = append(parts, fmt.Sprintf("%s %d", o, n))
		}
	}
	return fmt.Sprintf("%d = %s", r.Judgments(), strings.Join(parts, " + "))
}

// intervalNote returns a note on how the intervals of a run were computed and how its replies were read.
func intervalNote(r scoring.Report) string {
	var methods []string
	for _, x := range r.Results {
		methods = append(methods, x.IntervalMethod)
	}
	return IntervalMethodsNote(r.Bootstrap, methods) + "; " + scoring.ReadingNote(r)
}

// IntervalMethodsNote returns a note on how intervals were computed: over which units, and by which of methods.
func IntervalMethodsNote(b scoring.BootstrapInfo, methods []string) string {
	note := phrases.Sentence("run.intervals", 100*b.Level, b.Unit)
	for _, m := range scoring.IntervalMethods {
		if slices.Contains(methods, m.Name) {
			note += ", " + m.About
		}
	}
	if slices.Contains(methods, scoring.IntervalByBootstrap) || slices.Contains(methods, scoring.IntervalByBiasCorrected) {
		note += " " + phrases.Sentence("run.rounds", b.Rounds, b.Seed)
	}
	return note
}
