package cli

import (
	"path/filepath"
	"strings"

	"gavel/internal/eval"
	"gavel/internal/report"
)

// next says which command one would give now, where there is an obvious one. It is a remark: standard output stays as
// it is.
func (e *env) next(words ...string) {
	for i, w := range words {
		words[i] = eval.Quoted(w)
	}
	e.say("next: %s", strings.Join(words, " "))
}

// nextOf are the commands that one would give now that a run is made, or scored.
func nextOf(run string) []report.Next {
	serve := "gavel serve --open"
	if folder := filepath.Dir(filepath.Clean(run)); folder != "runs" {
		serve += " --runs " + eval.Quoted(folder)
	}
	return []report.Next{
		{Command: serve, Purpose: "look at what it got wrong"},
		{Command: "gavel score " + eval.Quoted(run) + " --full", Purpose: "every way to count"},
	}
}
