package jobs

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gofrs/flock"

	"gavel/internal/disk"
	"gavel/internal/server/failure"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/race"
)

// Delete removes the run with this name. It renames the run's folder in one step, and then removes the files. It
// refuses to remove a run in progress, and a folder that also holds files that are not part of a run.
func (r *Manager) Delete(run string) error {
	r.deleteMu.Lock()
	defer r.deleteMu.Unlock()
	return goneIfMissing(r.deleteRun(run))
}

// goneIfMissing returns err, or for a missing file the error that the run or suite does not exist.
func goneIfMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return failure.NotFound("there is no such run or suite: it may have been deleted already")
	}
	return err
}

// deleteRun does the work of Delete. The caller holds r.deleting.
func (r *Manager) deleteRun(run string) error {
	root, err := r.openRunsUnlessBusy("run", func(j Job) bool { return j.Run() == run })
	if err != nil {
		return err
	}
	defer root.Close()
	if err := checkRunFiles(root, run); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(r.runsFolder, filepath.FromSlash(run), ".lock"))
	switch got, err := lock.TryLock(); {
	case err != nil:
		return fmt.Errorf("the run cannot be deleted: %w", err)
	case !got:
		return failure.Conflict("gavel is writing to this run: wait until it is done, or stop it first")
	}
	defer lock.Unlock()
	gone := path.Join(path.Dir(run), deletedPrefix+strings.ToLower(rand.Text()[:10]))
	if err := root.Rename(run, gone); err != nil {
		return fmt.Errorf("the run cannot be deleted: %w", err)
	}
	if err := root.RemoveAll(gone); err != nil {
		return fmt.Errorf("the run is deleted, but its files are still in %s: %w", gone, err)
	}
	return nil
}

// deletedPrefix begins the name that a run's folder gets before its files are removed.
const deletedPrefix = ".deleted-"

// deletedName matches the names of folders that Delete has renamed and whose files it is removing.
var deletedName = regexp.MustCompile(`^\.deleted-[a-z2-7]{10}$`)

// removeLeftovers removes what killed processes left below dir, the folder of runs: folders that were being deleted,
// and temporary files of runs and suites.
func removeLeftovers(ctx context.Context, dir string) {
	if to, err := filepath.EvalSymlinks(dir); err == nil { // WalkDir does not follow a link
		dir = to
	}
	filepath.WalkDir(dir, func(folder string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return fs.SkipAll
		case err != nil || !d.IsDir():
		case deletedName.MatchString(d.Name()):
			os.RemoveAll(folder)
			return fs.SkipDir
		default:
			disk.Sweep(folder, slices.Concat(judging.RunFiles, []string{scoring.SuiteRunsFile, race.StateFile})...)
		}
		return nil
	})
}

// Describe replaces a run's about.json: the name, tags and note that people gave the run.
func (r *Manager) Describe(run string, details judging.RunDescription) error {
	details, err := details.Normalize()
	if err != nil {
		return failure.BadRequest("%w", err)
	}
	r.deleteMu.Lock()
	defer r.deleteMu.Unlock()
	root, err := os.OpenRoot(r.runsFolder)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := checkNoLinks(root, run); err != nil {
		return goneIfMissing(err)
	}
	if _, err := root.Lstat(path.Join(run, judging.ManifestFile)); err != nil {
		return failure.NotFound("there is no run %q", run)
	}
	return goneIfMissing(judging.WriteAbout(filepath.Join(r.runsFolder, filepath.FromSlash(run)), details))
}

// DeleteSuite removes all runs in a suite's folder one by one, and then the file that makes the folder a suite. At a
// run that cannot be deleted it stops; the runs that are left still form a suite.
func (r *Manager) DeleteSuite(folder string) error {
	r.deleteMu.Lock()
	defer r.deleteMu.Unlock()
	return goneIfMissing(r.deleteSuite(folder))
}

// deleteSuite does the work of DeleteSuite. The caller holds r.deleting.
func (r *Manager) deleteSuite(folder string) error {
	root, err := r.openRunsUnlessBusy("suite", func(j Job) bool { return j.Suite == folder })
	if err != nil {
		return err
	}
	defer root.Close()
	if err := checkNoLinks(root, folder); err != nil {
		return err
	}
	entries, err := fs.ReadDir(root.FS(), folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		run := path.Join(folder, e.Name())
		if _, err := root.Lstat(path.Join(run, judging.ManifestFile)); err != nil {
			continue
		}
		if err := r.deleteRun(run); err != nil {
			return fmt.Errorf("%s: %w", run, err)
		}
	}
	err = root.RemoveAll(path.Join(folder, race.StateFile))
	if err == nil {
		err = root.Remove(path.Join(folder, scoring.SuiteRunsFile))
	}
	if err != nil {
		return fmt.Errorf("the runs are deleted, the suite is not: %w", err)
	}
	if err := root.RemoveAll(path.Join(folder, judging.CacheDir)); err != nil { // replies of a shard
		return fmt.Errorf("the suite is deleted, its cache is not: %w", err)
	}
	if rest, err := fs.ReadDir(root.FS(), folder); err == nil && len(rest) == 0 {
		return root.Remove(folder)
	}
	return nil
}

// openRunsUnlessBusy opens the folder of runs, or returns an error if an active job makes the run or suite to delete.
// makes reports whether a job does; kind, "run" or "suite", is for the text of the error.
func (r *Manager) openRunsUnlessBusy(kind string, makes func(Job) bool) (*os.Root, error) {
	for _, j := range r.Jobs() {
		if j.Active() && makes(j) {
			return nil, failure.Conflict("the %s is in progress: stop it first", kind)
		}
	}
	return os.OpenRoot(r.runsFolder)
}

// checkNoLinks returns an error unless name and all its parents are folders below root, none of them a link.
func checkNoLinks(root *os.Root, name string) error {
	if !fs.ValidPath(name) || name == "." {
		return failure.NotFound("there is no such run or suite")
	}
	for folder := name; folder != "."; folder = path.Dir(folder) {
		info, err := root.Lstat(folder)
		switch {
		case err != nil:
			return err
		case !info.IsDir():
			return failure.Conflict("%s is a link or a file: delete it by hand", folder)
		}
	}
	return nil
}

// checkRunFiles refuses a run's folder with links, or with files that no run has. Hidden files count as the run's.
func checkRunFiles(root *os.Root, run string) error {
	if err := checkNoLinks(root, run); err != nil {
		return err
	}
	entries, err := fs.ReadDir(root.FS(), run)
	if err != nil {
		return err
	}
	for _, e := range entries {
		isRunFile := slices.Contains(judging.RunFiles, e.Name()) || strings.HasPrefix(e.Name(), ".")
		if plain := e.Type().IsRegular() || e.IsDir() && e.Name() == judging.CacheDir; !isRunFile || !plain {
			return failure.Conflict("the folder holds %q, which is no file of the run: delete it by hand", e.Name())
		}
	}
	return nil
}
