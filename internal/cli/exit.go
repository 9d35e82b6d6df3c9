package cli

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"gavel/internal/eval"
)

// Exit statuses.
const (
	exitOK          = 0
	exitError       = 1
	exitUsage       = 2
	exitIncomplete  = 3   // a run ended with judgments failed, missing, or without a verdict for want of room
	exitRefuted     = 4   // what --until asks is surely not so
	exitUndecided   = 5   // all items do not tell
	exitInterrupted = 130 // Ctrl-C
)

// status says what went wrong, in one line, and picks the exit status.
func (e *env) status(ctx context.Context, err error) int {
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
		e.say("gavel: %s", terminalWords.Advised(err, plain(err)))
	}
	return code
}

// errSaid is wrapped by errors that have been printed already.
var errSaid = errors.New("said")

// plain returns an error in one line. Of a file that is not there Go says which of its calls found that out, and
// names the file even where it was named before: both are left out.
func plain(err error) string {
	text := strings.ReplaceAll(err.Error(), "\n", " ")
	var of *fs.PathError
	if !errors.As(err, &of) || of.Path == "" {
		return text
	}
	before, after, _ := strings.Cut(text, of.Op+" "+of.Path+": ")
	if after != "" && !strings.HasSuffix(before, of.Path+": ") {
		after = of.Path + ": " + after
	}
	return before + after
}
