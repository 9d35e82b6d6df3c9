package cli

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"gavel/internal/eval"
)

// Exit statuses of gavel.
const (
	exitOK          = 0
	exitError       = 1
	exitUsage       = 2
	exitIncomplete  = 3   // the run ended, and judgments failed, are missing, or did not fit the context
	exitRefuted     = 4   // the condition of gavel run --until does not hold
	exitUndecided   = 5   // all items are too few to decide the condition of --until
	exitInterrupted = 130 // Ctrl-C or another signal
)

// exitStatus prints err in one line, unless it was printed already, and returns the exit status.
func (e *env) exitStatus(ctx context.Context, err error) int {
	if err == nil {
		return exitOK
	}
	code := exitError
	switch {
	case errors.Is(err, eval.ErrInterrupted), ctx.Err() != nil && errors.Is(context.Cause(ctx), eval.ErrInterrupted):
		code = exitInterrupted
	case errors.Is(err, eval.ErrIncomplete):
		code = exitIncomplete
	case errors.Is(err, eval.ErrUsage):
		code = exitUsage
	case errors.Is(err, eval.ErrRefuted):
		code = exitRefuted
	case errors.Is(err, eval.ErrUndecided):
		code = exitUndecided
	}
	if !errors.Is(err, errSaid) {
		e.say("gavel: %s", terminalAdvice.WithAdvice(err, oneLine(err)))
	}
	return code
}

// errSaid is wrapped by errors that were printed already, so that status does not print them again.
var errSaid = errors.New("said")

// oneLine returns the text of err in one line. For a missing file, it leaves out the system call, and the path if
// the text before names it.
func oneLine(err error) string {
	text := strings.ReplaceAll(err.Error(), "\n", " ")
	var path *fs.PathError
	if !errors.As(err, &path) || path.Path == "" {
		return text
	}
	before, after, _ := strings.Cut(text, path.Op+" "+path.Path+": ")
	if after != "" && !strings.HasSuffix(before, path.Path+": ") {
		after = path.Path + ": " + after
	}
	return before + after
}
