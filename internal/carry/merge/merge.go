// Package merge makes one run of its shards, or one suite of the folders of its shards: with the results that it would
// have if nobody had split it. What has to be said of the work goes to the Observer of the eval.Maker.
package merge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
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
	parent, name := filepath.Split(filepath.Clean(r.Out))
	parent, passing := filepath.Clean(parent), "."+name+"-merging-" // which nobody looks for runs in
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return fmt.Errorf("%s cannot be made: %w", r.Out, err)
	}
	disk.SweepTempDirs(parent, passing)
	temp, remove, err := disk.TempDir(parent, passing)
	if err != nil {
		return fmt.Errorf("%s cannot be made: %w", r.Out, err)
	}
	defer remove()
	part := filepath.Join(temp, name)
	w := &work{Maker: m, Request: r, lacks: map[int][]string{}}
	w.Shards = w.withTries()
	do := w.single
	if _, err := os.Stat(filepath.Join(w.Shards[0], scoring.SuiteFile)); err == nil {
		w.ofSuite, do = true, w.suite
	}
	if err := do(ctx, part); err != nil {
		return err
	}
	if err := disk.Move(part, r.Out); err != nil {
		return err
	}
	if w.ofSuite {
		w.say("%s: %d shards merged, %d runs", r.Out, w.of, w.runs)
	} else {
		w.say("%s: %d shards merged", r.Out, w.of)
	}
	return nil
}

// withTries adds the folders of later tries of the same shards. A shard may have no other folder than one of a later
// try.
func (w *work) withTries() (dirs []string) {
	for _, dir := range w.Shards {
		name, tries := filepath.Base(filepath.Clean(dir)), []string(nil)
		if of := judging.ShardNamed(name); of != nil && strings.HasSuffix(name, judging.ShardSuffix(of.Index, of.Of, "")) {
			tries = judging.OtherTries(dir)
		}
		if _, err := os.Lstat(dir); err == nil || len(tries) == 0 {
			dirs = append(dirs, dir)
		}
		for _, try := range tries {
			same := func(dir string) bool { return filepath.Clean(dir) == try }
			if !slices.ContainsFunc(w.Shards, same) && !slices.Contains(dirs, try) && begun(try) {
				dirs = append(dirs, try)
				w.say("%s is taken too: a later try of a shard that is named", try)
			}
		}
	}
	return dirs
}

// begun tells whether a folder is of a run or a suite.
func begun(dir string) bool {
	for _, file := range []string{judging.ManifestFile, scoring.SuiteFile} {
		if _, err := os.Stat(filepath.Join(dir, file)); err == nil {
			return true
		}
	}
	return false
}

// work is a merge that goes on.
type work struct {
	*eval.Maker
	Request
	of      int              // shards
	ofSuite bool             // these are folders of a suite's
	runs    int              // of the suite
	lacks   map[int][]string // by shard: what is missing of it
}

func (w *work) say(format string, args ...any) {
	if w.Observer != nil {
		w.Observer.Note(fmt.Sprintf(format, args...))
	}
}

// single merges the shards of one run.
func (w *work) single(ctx context.Context, part string) error {
	shards, err := w.open(w.Shards)
	if err != nil {
		return err
	}
	defer closeAll(shards)
	m, err := w.run(ctx, part, filepath.Dir(filepath.Clean(w.Out)), shards)
	if err == nil {
		err = w.complete(func(shard int) string { return w.command(shards, shard) })
	}
	if err != nil {
		return err
	}
	for i, s := range m.Stages {
		if was := shards[0].m.Stages[i].Run; s.Run != "" && was != s.Run {
			w.say("its answers: gavel merge %s %s_shard-*", datasets.Quoted(s.Run), datasets.Quoted(judging.WithoutShard(was)))
		}
	}
	return nil
}

// complete is the error of what is missing; it notes the commands that make it.
func (w *work) complete(command func(shard int) string) error {
	if len(w.lacks) == 0 {
		return nil
	}
	var names []string
	for _, shard := range slices.Sorted(maps.Keys(w.lacks)) {
		names = append(names, fmt.Sprint(shard))
		w.say("shard %d of %d: %s", shard, w.of, listed(w.lacks[shard], "; "))
		w.say("  %s", command(shard))
	}
	if !w.ofSuite {
		w.say("  add --api-key-env if it was given: run.json does not hold it")
	}
	return eval.Failed(eval.ErrIncomplete, fmt.Errorf("nothing was merged: of %d shards, these are missing "+
		"or incomplete: %s; run the commands above to complete them", w.of, strings.Join(names, ", ")))
}

func (w *work) lack(shard int, format string, args ...any) {
	w.lacks[shard] = append(w.lacks[shard], fmt.Sprintf(format, args...))
}

// suite merges the folders of a suite's shards.
func (w *work) suite(ctx context.Context, part string) error {
	file, runs, err := w.folders()
	if err != nil {
		return err
	}
	for _, name := range stagesFirst(runs) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := w.member(ctx, filepath.Join(part, name), runs[name]); err != nil {
			return err
		}
		w.runs++
	}
	for _, c := range file.Cells {
		if len(runs[c.Run]) == 0 {
			for shard := range w.of {
				w.lack(shard+1, "%s is not begun", c.Run)
			}
		}
	}
	path := cmp.Or(file.Path, file.Name+".yaml")
	err = w.complete(func(shard int) string {
		return fmt.Sprintf("gavel suite run %s --shard %d/%d", datasets.Quoted(path), shard, w.of)
	})
	if err != nil {
		return err
	}
	file.Shard = ""
	file.Path = ""
	return judging.WriteJSON(filepath.Join(part, scoring.SuiteFile), file)
}

// member merges one run of a suite, or takes one over that every shard has whole.
func (w *work) member(ctx context.Context, part string, dirs []string) error {
	m, err := judging.ReadManifest(dirs[0])
	if err != nil {
		return err
	}
	if m.Shard == nil && m.Imported != "" {
		return w.imported(part, dirs)
	}
	shards, err := w.open(dirs)
	if err != nil {
		return err
	}
	defer closeAll(shards)
	_, err = w.run(ctx, part, w.Out, shards)
	return err
}

// imported takes over answers that every shard has imported, from one that did so to their end.
func (w *work) imported(part string, dirs []string) error {
	first, whole := "", ""
	for _, dir := range dirs {
		m, err := judging.ReadManifest(dir)
		if err != nil {
			return err
		}
		if first == "" {
			first = m.ID
		}
		if m.ID != first {
			return fmt.Errorf("%s and %s are not the same: every shard imports the same answers", dirs[0], dir)
		}
		if whole != "" || m.Status == judging.Running {
			continue
		}
		whole = dir
		altered, err := m.Changed(nil, dir)
		if err == nil && len(altered) > 0 {
			err = (&shard{dir: dir}).notWritten(altered[0])
		}
		if err != nil {
			return err
		}
	}
	if whole == "" {
		w.lack(1, "no shard imported %s to its end", filepath.Base(dirs[0]))
		return nil
	}
	return disk.CopyDir(whole, part, func(name string) bool { return name[0] != '.' })
}

// folders are the suite that the folders are shards of, and its runs' folders by the name of the run.
func (w *work) folders() (file *scoring.Suite, runs map[string][]string, err error) {
	runs = map[string][]string{}
	for _, dir := range w.Shards {
		s, of, err := suiteShard(dir)
		if err != nil {
			return nil, nil, err
		}
		if file == nil {
			file, w.of = s, of
		}
		if of != w.of || !sameSuite(file, s) {
			return nil, nil, fmt.Errorf("%s and %s are not shards of one suite: %s of %s and %s of %s, "+
				"or other judges and conditions", w.Shards[0], dir, file.Shard, file.Name, s.Shard, s.Name)
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, nil, err
		}
		for _, e := range entries {
			run := filepath.Join(dir, e.Name())
			if _, err := os.Stat(filepath.Join(run, judging.ManifestFile)); err == nil && e.Name()[0] != '.' {
				name := judging.WithoutShard(e.Name())
				runs[name] = append(runs[name], run)
			}
		}
	}
	return file, runs, nil
}

func suiteShard(dir string) (*scoring.Suite, int, error) {
	s, err := scoring.ReadSuite(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, fmt.Errorf("%s: is not the folder of a suite (no %s in it)", dir, scoring.SuiteFile)
	} else if err != nil {
		return nil, 0, err
	}
	index, of, err := eval.ParseShard(s.Shard)
	if err != nil || index == 0 {
		return nil, 0, fmt.Errorf("%s: is not the folder of a shard: it was made without --shard", dir)
	}
	return s, of, nil
}

func sameSuite(a, b *scoring.Suite) bool {
	return a.Name == b.Name && slices.Equal(a.Judges, b.Judges) && slices.Equal(a.Conditions, b.Conditions) &&
		slices.Equal(a.Cells, b.Cells)
}

// stagesFirst are the runs by name, those of answers first.
func stagesFirst(runs map[string][]string) []string {
	staged := func(name string) int {
		if m, err := judging.ReadManifest(runs[name][0]); err == nil && len(m.Stages) > 0 {
			return 1
		}
		return 0
	}
	return slices.SortedFunc(maps.Keys(runs), func(a, b string) int {
		if d := staged(a) - staged(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
}
