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

// Delete removes a run: the folder goes away under its name in one step, then for good. A folder with anything else in
// it is left alone, and so is a run that is being made.
func (r *Manager) Delete(run string) error {
	r.deleting.Lock()
	defer r.deleting.Unlock()
	return ifThere(r.deleteRun(run))
}

// ifThere is err, in the words for who comes too late where something was not there.
func ifThere(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errGone
	}
	return err
}

var errGone = failure.NotFound("there is no such run or suite: it may have been deleted already")

func (r *Manager) deleteRun(run string) error {
	root, err := r.idle("run", func(j Job) bool { return j.Run() == run })
	if err != nil {
		return err
	}
	defer root.Close()
	if err := onlyARun(root, run); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(r.dir, filepath.FromSlash(run), ".lock"))
	switch got, err := lock.TryLock(); {
	case err != nil:
		return fmt.Errorf("the run cannot be deleted: %w", err)
	case !got:
		return failure.Conflict("gavel is writing to this run: wait until it is done, or stop it first")
	}
	defer lock.Unlock()
	gone := path.Join(path.Dir(run), deleted+strings.ToLower(rand.Text()[:10]))
	if err := root.Rename(run, gone); err != nil {
		return fmt.Errorf("the run cannot be deleted: %w", err)
	}
	if err := root.RemoveAll(gone); err != nil {
		return fmt.Errorf("the run is deleted, but its files are still in %s: %w", gone, err)
	}
	return nil
}

// deleted is how the folder of a run is called that goes away.
const deleted = ".deleted-"

var goes = regexp.MustCompile(`^\.deleted-[a-z2-7]{10}$`)

// sweep removes what servers and runs that were killed left below the folder of runs.
func sweep(ctx context.Context, dir string) {
	if to, err := filepath.EvalSymlinks(dir); err == nil { // a link is not walked
		dir = to
	}
	filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return fs.SkipAll
		case err != nil || !d.IsDir():
		case goes.MatchString(d.Name()):
			os.RemoveAll(at)
			return fs.SkipDir
		default:
			disk.Sweep(at, slices.Concat(judging.RunFiles, []string{scoring.SuiteFile, race.StateFile})...)
		}
		return nil
	})
}

// Describe keeps what people say of a run, in place of what was said before.
func (r *Manager) Describe(run string, said judging.About) error {
	said, err := said.Tidied()
	if err != nil {
		return failure.Bad("%w", err)
	}
	r.deleting.Lock()
	defer r.deleting.Unlock()
	root, err := os.OpenRoot(r.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := onlyFolders(root, run); err != nil {
		return ifThere(err)
	}
	if _, err := root.Lstat(path.Join(run, judging.ManifestFile)); err != nil {
		return failure.NotFound("there is no run %q", run)
	}
	return ifThere(judging.WriteAbout(filepath.Join(r.dir, filepath.FromSlash(run)), said))
}

// DeleteSuite removes a suite's runs, the stages they stand on included, one after the other, and then what says that
// it is one. Where a run may not be deleted it ends there, and what is left is still the suite.
func (r *Manager) DeleteSuite(folder string) error {
	r.deleting.Lock()
	defer r.deleting.Unlock()
	return ifThere(r.deleteSuite(folder))
}

func (r *Manager) deleteSuite(folder string) error {
	root, err := r.idle("suite", func(j Job) bool { return j.Suite == folder })
	if err != nil {
		return err
	}
	defer root.Close()
	if err := onlyFolders(root, folder); err != nil {
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
		err = root.Remove(path.Join(folder, scoring.SuiteFile))
	}
	if err != nil {
		return fmt.Errorf("the runs are deleted, the suite is not: %w", err)
	}
	if err := root.RemoveAll(path.Join(folder, judging.CacheDir)); err != nil { // of a shard's replies
		return fmt.Errorf("the suite is deleted, its cache is not: %w", err)
	}
	if left, err := fs.ReadDir(root.FS(), folder); err == nil && len(left) == 0 {
		return root.Remove(folder)
	}
	return nil
}

// idle opens the folder of runs, unless a job is making what is to be deleted.
func (r *Manager) idle(what string, makes func(Job) bool) (*os.Root, error) {
	for _, j := range r.Jobs() {
		if j.Active() && makes(j) {
			return nil, failure.Conflict("the %s is in progress: stop it first", what)
		}
	}
	return os.OpenRoot(r.dir)
}

// onlyFolders refuses a name that leads over a link.
func onlyFolders(root *os.Root, name string) error {
	if !fs.ValidPath(name) || name == "." {
		return failure.NotFound("there is no such run or suite")
	}
	for at := name; at != "."; at = path.Dir(at) {
		info, err := root.Lstat(at)
		switch {
		case err != nil:
			return err
		case !info.IsDir():
			return failure.Conflict("%s is a link or a file: delete it by hand", at)
		}
	}
	return nil
}

// onlyARun refuses what is not a run and nothing else, links included.
func onlyARun(root *os.Root, run string) error {
	if err := onlyFolders(root, run); err != nil {
		return err
	}
	entries, err := fs.ReadDir(root.FS(), run)
	if err != nil {
		return err
	}
	for _, e := range entries {
		ours := slices.Contains(judging.RunFiles, e.Name()) || strings.HasPrefix(e.Name(), ".")
		if plain := e.Type().IsRegular() || e.IsDir() && e.Name() == judging.CacheDir; !ours || !plain {
			return failure.Conflict("the folder holds %q, which is no file of the run: delete it by hand", e.Name())
		}
	}
	return nil
}
