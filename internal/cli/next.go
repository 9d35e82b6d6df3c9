package cli

import (
	"path/filepath"
	"strings"

	"gavel/datasets"
	"gavel/internal/doc"
	"gavel/scoring"
)

// next suggests the command to give next, on standard error.
func (e *env) next(words ...string) {
	for i, w := range words {
		words[i] = datasets.ShellQuote(w)
	}
	e.say("next: %s", strings.Join(words, " "))
}

// nextOf returns the commands to give after a run is made or scored.
func nextOf(r scoring.Report) []doc.Command {
	run := r.Run
	serve := "gavel serve --open"
	if folder := filepath.Dir(filepath.Clean(run)); folder != "runs" {
		serve += " --runs " + datasets.ShellQuote(folder)
	}
	all := []doc.Command{
		{Line: serve, Purpose: "look at what it got wrong"},
		{Line: "gavel score " + datasets.ShellQuote(run) + " --format full", Purpose: "every way to count"},
	}
	if len(r.References) > 0 {
		all = append(all, doc.Command{
			Line:    "gavel score " + datasets.ShellQuote(run) + " --section references",
			Purpose: "beside published judges",
		})
	}
	return all
}
