// Package merge makes one run of its shards, or one suite of the folders of its shards, with the results that it would
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
	"path"
	"path/filepath"
	"regexp"
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

// Merge makes the folder, in one step. Its error may be eval.ErrIncomplete: then it made none, and has noted what is
// missing.
func Merge(ctx context.Context, m *eval.Maker, r Request) error {
	if len(r.Shards) == 0 {
		return eval.Failed(eval.ErrUsage, errors.New("the folders of the shards are missing: gavel merge OUT SHARD [...]"))
	}
	if exists(r.Out) {
		return fmt.Errorf("%s is there already: name another folder, or remove it", r.Out)
	}
	w := &merger{Maker: m, Request: r, lacks: map[int][]string{}}
	if err := disk.MakeDir(r.Out, func(part string) error { return w.merge(ctx, part) }); err != nil {
		return err
	}
	w.say("%s: %d shards merged", r.Out, w.count)
	return nil
}

// merger is a merge in progress.
type merger struct {
	*eval.Maker
	Request
	count int              // shards of the whole
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

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// folders returns the folders to merge, each once: those that are named, with the later tries of their shards. A shard
// may have no other folder than that of a later try.
func (w *merger) folders() (dirs []string) {
	for _, dir := range w.Shards {
		dir = filepath.Clean(dir)
		tries, _ := filepath.Glob(dir + judging.TryInfix + "*")
		if exists(dir) || len(tries) == 0 {
			tries = append(tries, dir)
		}
		for _, try := range tries {
			if !slices.Contains(dirs, try) {
				dirs = append(dirs, try)
			}
		}
	}
	return dirs
}

// merge merges the shards of one run, or those of each run of a suite, into the folder part.
func (w *merger) merge(ctx context.Context, part string) error {
	dirs := w.folders()
	runs := map[string][]string{"": dirs}
	command := "the command of the shards, with"
	var suite *scoring.Suite
	if exists(filepath.Join(dirs[0], scoring.SuiteFile)) {
		var err error
		suite, runs, err = w.suite(dirs)
		if err != nil {
			return err
		}
		command = "gavel suite run " + datasets.Quoted(cmp.Or(suite.Path, suite.Name+".yaml"))
	}
	for _, name := range slices.Sorted(maps.Keys(runs)) {
		if err := w.run(ctx, filepath.Join(part, name), name, runs[name]); err != nil {
			return err
		}
	}
	if len(w.lacks) > 0 {
		return w.incomplete(command)
	}
	if suite == nil {
		return nil
	}
	// the contexts stand in the runs
	suite.Shard = ""
	suite.Path = ""
	return judging.WriteJSON(filepath.Join(part, scoring.SuiteFile), suite)
}

// mostReasons is how many things that a shard lacks are named before the rest are counted.
const mostReasons = 5

// incomplete notes what is missing, with the command that makes it.
func (w *merger) incomplete(command string) error {
	var names []string
	for _, shard := range slices.Sorted(maps.Keys(w.lacks)) {
		names = append(names, fmt.Sprint(shard))
		lacks := w.lacks[shard]
		if more := len(lacks) - mostReasons; more > 0 {
			lacks = append(lacks[:mostReasons], fmt.Sprintf("and %d more", more))
		}
		w.say("shard %d of %d: %s", shard, w.count, strings.Join(lacks, "; "))
		w.say("  %s --shard %d/%d", command, shard, w.count)
	}
	return eval.Failed(eval.ErrIncomplete, fmt.Errorf("nothing was merged: of %d shards, these are missing "+
		"or incomplete: %s; run the commands above to complete them", w.count, strings.Join(names, ", ")))
}

// suite returns the suite that the folders are shards of, and the folders of its runs, by the name of the run.
func (w *merger) suite(dirs []string) (*scoring.Suite, map[string][]string, error) {
	var suite *scoring.Suite
	runs := map[string][]string{}
	for _, dir := range dirs {
		s, err := scoring.ReadSuite(dir)
		if err != nil {
			return nil, nil, err
		}
		_, count, err := eval.ParseShard(s.Shard)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: is not the folder of a shard: it was made without --shard", dir)
		}
		if suite == nil {
			suite, w.count = s, count
			for _, c := range s.Cells {
				runs[c.Run] = nil
			}
		}
		if count != w.count || s.Name != suite.Name || !slices.Equal(s.Cells, suite.Cells) {
			return nil, nil, fmt.Errorf("%s and %s are not shards of one suite: %s of %s and %s of %s, "+
				"or other judges and conditions", dirs[0], dir, suite.Shard, suite.Name, s.Shard, s.Name)
		}
		manifests, err := fs.Glob(os.DirFS(dir), "[^.]*/"+judging.ManifestFile)
		if err != nil {
			return nil, nil, err
		}
		for _, manifest := range manifests {
			run := path.Dir(manifest)
			name := withoutShard(run)
			runs[name] = append(runs[name], filepath.Join(dir, run))
		}
	}
	return suite, runs, nil
}

var shardSuffix = regexp.MustCompile(`_shard-\d+-of-\d+(` + judging.TryInfix + `[^/\\]+)?`)

// withoutShard returns the path of a folder without the names of shards.
func withoutShard(dir string) string { return shardSuffix.ReplaceAllString(dir, "") }
