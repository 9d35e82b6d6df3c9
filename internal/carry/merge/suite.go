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

	"gavel/datasets"
	"gavel/internal/disk"
	"gavel/internal/eval"
	"gavel/judging"
	"gavel/scoring"
)

// suite merges the folders of a suite's shards.
func (w *merger) suite(ctx context.Context, part string, dirs []string) error {
	file, runs, err := w.suiteRuns(dirs)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(runs)) {
		if err := w.member(ctx, filepath.Join(part, name), runs[name]); err != nil {
			return err
		}
	}
	w.runs = len(runs)
	for _, c := range file.Cells {
		if len(runs[c.Run]) == 0 {
			for shard := range w.count {
				w.lack(shard+1, "%s is not begun", c.Run)
			}
		}
	}
	path := cmp.Or(file.Path, file.Name+".yaml")
	err = w.incomplete(func(shard int) string {
		return fmt.Sprintf("gavel suite run %s --shard %d/%d", datasets.Quoted(path), shard, w.count)
	})
	if err != nil {
		return err
	}
	// the contexts stand in the runs
	file.Shard = ""
	file.Path = ""
	file.NumCtx = nil
	return judging.WriteJSON(filepath.Join(part, scoring.SuiteFile), file)
}

// suiteRuns returns the suite that the folders are shards of, and the folders of its runs, by the name of the run.
func (w *merger) suiteRuns(dirs []string) (file *scoring.Suite, runs map[string][]string, err error) {
	runs = map[string][]string{}
	for _, dir := range dirs {
		s, err := scoring.ReadSuite(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil, fmt.Errorf("%s: is not the folder of a suite (no %s in it)", dir, scoring.SuiteFile)
		} else if err != nil {
			return nil, nil, err
		}
		_, count, err := eval.ParseShard(s.Shard)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: is not the folder of a shard: it was made without --shard", dir)
		}
		if file == nil {
			file, w.count = s, count
		}
		if count != w.count || !sameSuite(file, s) {
			return nil, nil, fmt.Errorf("%s and %s are not shards of one suite: %s of %s and %s of %s, "+
				"or other judges and conditions", dirs[0], dir, file.Shard, file.Name, s.Shard, s.Name)
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, nil, err
		}
		for _, e := range entries {
			run := filepath.Join(dir, e.Name())
			if e.Name()[0] != '.' && exists(filepath.Join(run, judging.ManifestFile)) {
				name := withoutShard(e.Name())
				runs[name] = append(runs[name], run)
			}
		}
	}
	return file, runs, nil
}

func sameSuite(a, b *scoring.Suite) bool {
	return a.Name == b.Name && slices.Equal(a.Judges, b.Judges) && slices.Equal(a.Conditions, b.Conditions) &&
		slices.Equal(a.Cells, b.Cells)
}

// member merges one run of a suite, or takes over answers that every shard has imported whole.
func (w *merger) member(ctx context.Context, part string, dirs []string) error {
	m, err := judging.ReadManifest(dirs[0])
	if err != nil {
		return err
	}
	if m.Shard == nil && m.Imported != "" {
		return w.imported(part, m.ID, dirs)
	}
	shards, err := w.open(dirs)
	if err != nil {
		return err
	}
	defer closeAll(shards)
	name := filepath.Base(part)
	_, err = w.run(ctx, part, filepath.Join(w.Out, name), name+" is not there", shards)
	return err
}

// imported copies imported answers from a shard that imported them to their end.
func (w *merger) imported(part, id string, dirs []string) error {
	whole := ""
	for _, dir := range dirs {
		m, err := judging.ReadManifest(dir)
		if err != nil {
			return err
		}
		if m.ID != id {
			return fmt.Errorf("%s and %s are not the same: every shard imports the same answers", dirs[0], dir)
		}
		if m.Status == judging.Running {
			continue
		}
		if err := unchanged(dir, m); err != nil {
			return err
		}
		whole = dir
	}
	if whole == "" {
		w.lack(1, "no shard imported %s to its end", filepath.Base(dirs[0]))
		return nil
	}
	return disk.CopyFiles(whole, part, judging.RunFiles...)
}
