package cli

import (
	"context"
	"strings"
	"testing"
	"time"

	"gavel/internal/eval"
)

// TestCompareIsWatched: a comparison of many runs says how far it is, and one Ctrl-C ends it.
func TestCompareIsWatched(t *testing.T) {
	home(t)
	args := []string{"compare"}
	for _, judge := range []string{"accuracy=0.9", "accuracy=0.6", "coin"} {
		dir := "runs/" + judge
		mustCall(t, "run", "pairwise", "--backend", "sim", "--model", judge, "--dataset", "sample", "--out", dir)
		args = append(args, dir)
	}
	var out, errs overheard // what Ctrl-C ends may go on until the process ends
	e := newEnv(nil, &out, &errs)
	now := time.Now()
	e.now = func() time.Time {
		now = now.Add(lineEvery)
		return now
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	code := e.runCommandLine(ctx, args)
	if code != exitOK || !strings.HasPrefix(errs.String(), "1/3 comparisons\n2/3 comparisons\n") {
		t.Errorf("exit %d, said %q", code, errs.String())
	}
	before := out.String()
	cancel(eval.ErrInterrupted)
	code = e.runCommandLine(ctx, args)
	if code != exitInterrupted || out.String() != before {
		t.Errorf("exit %d after Ctrl-C, and %q", code, out.String())
	}
}
