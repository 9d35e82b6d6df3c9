// Package merge combines the shards of a run, or the folders of a suite's shards, into one run or suite with the
// results of an undivided one. Messages go to the Observer of the eval.Maker.
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

// Inputs says what to merge, and where to.
type Inputs struct {
	Out             string   // folder to create for the merged run or suite; it must not exist
	Shards          []string // folders of shards, all of one run or one suite
	AllowIncomplete bool     // accept shards that lack judgments; no shard may be missing
}

// Merge merges shards (parts of the items) of a run or a suite into the new folder r.Out, which it creates in one step.
// If its error is eval.ErrIncomplete, it created no folder, and has noted what is missing.
func Merge(ctx context.Context, m *eval.Maker, r Inputs) error {
	if len(r.Shards) == 0 {
		return eval.ErrorOfKind(eval.ErrUsage,
			errors.New("the folders of the shards are missing: gavel carry merge OUT SHARD [...]"))
	}
	if disk.Exists(r.Out) {
		return fmt.Errorf("%s exists: name another folder, or remove it", r.Out)
	}
	w := &merger{Maker: m, Inputs: r, missing: map[int][]string{}}
	if err := disk.MakeDir(r.Out, func(part string) error { return w.merge(ctx, part) }); err != nil {
		return err
	}
	w.Notef("%s: %d shards merged", r.Out, w.shardCount)
	return nil
}

// merger merges the shards of one run or suite.
type merger struct {
	*eval.Maker
	Inputs
	shardCount int              // number of shards
	missing    map[int][]string // by number of the shard: descriptions of missing parts
}

// addMissing adds a description of something missing to those of a shard.
func (w *merger) addMissing(shard int, format string, args ...any) {
	w.missing[shard] = append(w.missing[shard], fmt.Sprintf(format, args...))
}

// folders returns the folders to merge, each once: the given ones and those of later tries of the same shards. Of a
// shard, the folder of a later try may be the only one.
func (w *merger) folders() (dirs []string) {
	for _, dir := range w.Shards {
		dir = filepath.Clean(dir)
		tries, _ := filepath.Glob(dir + judging.TryInfix + "*")
		if disk.Exists(dir) || len(tries) == 0 {
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

// merge merges the shards of a run, or of each run of a suite, into part, the unfinished folder of the result.
func (w *merger) merge(ctx context.Context, part string) error {
	dirs := w.folders()
	runs := map[string][]string{"": dirs}
	command := "the command of the shards, with"
	var suite *scoring.SuiteMatrix
	if disk.Exists(filepath.Join(dirs[0], scoring.SuiteRunsFile)) {
		var err error
		suite, runs, err = w.groupSuiteRuns(dirs)
		if err != nil {
			return err
		}
		command = "gavel suite run " + datasets.ShellQuote(cmp.Or(suite.Path, suite.Name+".yaml"))
	}
	for _, name := range slices.Sorted(maps.Keys(runs)) {
		if err := w.run(ctx, filepath.Join(part, name), name, runs[name]); err != nil {
			return err
		}
	}
	if len(w.missing) > 0 {
		return w.incompleteError(command)
	}
	if suite == nil {
		return nil
	}
	// the merged folder is no shard
	suite.Shard = ""
	suite.Path = ""
	return judging.WriteJSON(filepath.Join(part, scoring.SuiteRunsFile), suite)
}

// mostReasons is the number of missing parts that a message lists for a shard; it counts the rest.
const mostReasons = 5

// incompleteError notes what each shard lacks and the command that completes it, and returns the error.
func (w *merger) incompleteError(command string) error {
	var names []string
	for _, shard := range slices.Sorted(maps.Keys(w.missing)) {
		names = append(names, fmt.Sprint(shard))
		reasons := w.missing[shard]
		if more := len(reasons) - mostReasons; more > 0 {
			reasons = append(reasons[:mostReasons], fmt.Sprintf("and %d more", more))
		}
		w.Notef("shard %d of %d: %s", shard, w.shardCount, strings.Join(reasons, "; "))
		w.Notef("  %s --shard %d/%d", command, shard, w.shardCount)
	}
	return eval.ErrorOfKind(eval.ErrIncomplete, fmt.Errorf("nothing was merged: of %d shards, these are missing "+
		"or incomplete: %s; run the commands above to complete them", w.shardCount, strings.Join(names, ", ")))
}

// groupSuiteRuns returns the suite that all folders dirs are shards of, and for each of its runs, by name, the
// folders of the run's shards.
func (w *merger) groupSuiteRuns(dirs []string) (*scoring.SuiteMatrix, map[string][]string, error) {
	var suite *scoring.SuiteMatrix
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
			suite, w.shardCount = s, count
			for _, c := range s.Cells {
				runs[c.Run] = nil
			}
		}
		if count != w.shardCount || s.Name != suite.Name || !slices.Equal(s.Cells, suite.Cells) {
			return nil, nil, fmt.Errorf("%s and %s are not shards of one suite: %s of %s and %s of %s, "+
				"or other judges and conditions", dirs[0], dir, suite.Shard, suite.Name, s.Shard, s.Name)
		}
		manifests, _ := fs.Glob(os.DirFS(dir), "[^.]*/"+judging.ManifestFile)
		for _, manifest := range manifests {
			run := path.Dir(manifest)
			name := wholePath(run)
			runs[name] = append(runs[name], filepath.Join(dir, run))
		}
	}
	return suite, runs, nil
}

// shardSuffix matches the end of a shard's folder name, such as _shard-3-of-16_try-2.
var shardSuffix = regexp.MustCompile(`_shard-\d+-of-\d+(` + judging.TryInfix + `[^/\\]+)?`)

// wholePath returns the path of a run's shard without the suffixes of shard and try: the path of the undivided run.
func wholePath(dir string) string { return shardSuffix.ReplaceAllString(dir, "") }
