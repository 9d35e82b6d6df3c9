// Package merge makes one run of its shards, or one suite of the folders of its shards, with the results that it would
// have if nobody had split it. What has to be said of the work goes to the Observer of the eval.Maker.
package merge

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gavel/datasets"
	"gavel/internal/disk"
	"gavel/internal/eval"
	"gavel/judging"
	"gavel/scoring"
)

// Request says what is merged.
type Request struct {
	Out        string   // folder to make; it must not be there
	Shards     []string // folders, all of them of shards of one run or of one suite
	Incomplete bool     // judgments may be missing, shards may not
}

// Merge makes the folder, in one step. Its error may be eval.ErrIncomplete: then it made none, and has noted the
// commands that ask for what is missing.
func Merge(ctx context.Context, m *eval.Maker, r Request) error {
	if len(r.Shards) == 0 {
		return eval.Failed(eval.ErrUsage, errors.New("the folders of the shards are missing: gavel merge OUT SHARD [...]"))
	}
	if _, err := os.Lstat(r.Out); err == nil {
		return fmt.Errorf("%s is there already: name another folder, or remove it", r.Out)
	}
	w := &merger{Maker: m, Request: r, lacks: map[int][]string{}}
	dirs := w.folders()
	merge := w.single
	if exists(filepath.Join(dirs[0], scoring.SuiteFile)) {
		merge = w.suite
	}
	if err := disk.MakeDir(r.Out, func(part string) error { return merge(ctx, part, dirs) }); err != nil {
		return err
	}
	said := fmt.Sprintf("%s: %d shards merged", r.Out, w.count)
	if w.runs > 0 {
		said += fmt.Sprintf(", %d runs", w.runs)
	}
	w.say("%s", said)
	return nil
}

// merger is a merge in progress.
type merger struct {
	*eval.Maker
	Request
	count int              // shards of the whole
	runs  int              // of a suite
	lacks map[int][]string // what is missing, by shard
}

func (w *merger) say(format string, args ...any) {
	if w.Observer != nil {
		w.Observer.Note(fmt.Sprintf(format, args...))
	}
}

func (w *merger) lack(shard int, format string, args ...any) {
	w.lacks[shard] = append(w.lacks[shard], fmt.Sprintf(format, args...))
}

// folders returns the folders to merge, each once: those that are named, with the later tries of their shards. A shard
// may have no other folder than that of a later try.
func (w *merger) folders() (dirs []string) {
	for _, dir := range w.Shards {
		dir = filepath.Clean(dir)
		tries := judging.LaterTries(dir)
		if exists(dir) || len(tries) == 0 {
			tries = append([]string{dir}, tries...)
		}
		for _, try := range tries {
			if !slices.Contains(dirs, try) {
				dirs = append(dirs, try)
			}
		}
	}
	return dirs
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// single merges the shards of one run.
func (w *merger) single(ctx context.Context, part string, dirs []string) error {
	shards, err := w.open(dirs)
	if err != nil {
		return err
	}
	defer closeAll(shards)
	m, err := w.run(ctx, part, filepath.Clean(w.Out), "no folder of it was named", shards)
	if err != nil {
		return err
	}
	if err := w.incomplete(func(shard int) string { return w.command(shards, shard) }); err != nil {
		w.say("  add --api-key-env if it was given: run.json does not hold it")
		return err
	}
	for i, s := range m.Stages {
		if was := shards[0].m.Stages[i].Run; s.Run != "" && was != s.Run {
			w.say("its answers: gavel merge %s %s_shard-*", datasets.Quoted(s.Run), datasets.Quoted(withoutShard(was)))
		}
	}
	return nil
}

// incomplete returns the error of a merge that lacks something, and notes what, with the command that makes a shard.
func (w *merger) incomplete(command func(shard int) string) error {
	if len(w.lacks) == 0 {
		return nil
	}
	var names []string
	for _, shard := range slices.Sorted(maps.Keys(w.lacks)) {
		names = append(names, fmt.Sprint(shard))
		w.say("shard %d of %d: %s", shard, w.count, listed(w.lacks[shard], "; "))
		w.say("  %s", command(shard))
	}
	return eval.Failed(eval.ErrIncomplete, fmt.Errorf("nothing was merged: of %d shards, these are missing "+
		"or incomplete: %s; run the commands above to complete them", w.count, strings.Join(names, ", ")))
}

// mostNamed is how many judgments, or items, are named before the rest are counted.
const mostNamed = 5

func listed(all []string, sep string) string {
	if n := len(all); n > mostNamed {
		return fmt.Sprintf("%s and %d more", strings.Join(all[:mostNamed], sep), n-mostNamed)
	}
	return strings.Join(all, sep)
}
