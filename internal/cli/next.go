package cli

import (
	"path/filepath"
	"slices"

	"gavel/datasets"
	"gavel/internal/doc"
	"gavel/internal/report"
	"gavel/scoring"
)

// next suggests on standard error the command of gavel to type next, given as words.
func (e *env) next(words ...string) {
	e.say("next: gavel %s", datasets.ShellLine(words...))
}

// nextCommands returns commands to type next after a run was made or scored, with their purposes.
func nextCommands(r scoring.Report) []doc.Command {
	run := datasets.ShellQuote(r.Run)
	serve := "gavel serve --open"
	if folder := filepath.Dir(filepath.Clean(r.Run)); folder != "runs" {
		serve += " --runs " + datasets.ShellQuote(folder)
	}
	var all []doc.Command
	add := func(line, purpose string) { all = append(all, doc.Command{Line: line, Purpose: purpose}) }
	if runHasWrongItems(r) {
		add("gavel items "+run+" --wrong", "look at what it got wrong")
	}
	add(serve, "look at it in the browser")
	add("gavel score "+run+" --format full", "every way to count")
	if len(r.References) > 0 {
		add("gavel score "+run+" --section references", "beside published judges")
	}
	return all
}

// runHasWrongItems reports whether a run's headline score is a share of items that are correct, and below 100 %.
func runHasWrongItems(r scoring.Report) bool {
	h := report.Headline(&r)
	return h != nil && slices.Contains(scoring.ItemwiseMetrics(r.Protocol), h.Metric) && h.Value != nil && *h.Value < 100
}
