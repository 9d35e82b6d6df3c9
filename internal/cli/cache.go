package cli

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/adrg/xdg"
	"github.com/urfave/cli/v2"

	"gavel/cache"
)

// cacheDir returns the folder of the cache: the value of --cache, else the default.
func cacheDir(flag string) string {
	return cmp.Or(flag, filepath.Join(xdg.CacheHome, "gavel", "replies"))
}

// openCache opens the cache of replies in dir, or the user's default cache if dir is "".
func (e *env) openCache(dir string) (*cache.Store, error) { return e.openCacheWithSpace(dir, 0) }

// openCacheWithSpace opens the cache of replies if its disk has minFree bytes left; 0 stands for the cache's default.
func (e *env) openCacheWithSpace(dir string, minFree uint64) (*cache.Store, error) {
	return cache.Open(cacheDir(dir), cache.Options{
		MinFree: minFree,
		Warn:    func(format string, args ...any) { e.say("warning: "+format, args...) },
	})
}

// withCache returns the action of a command that opens the cache and calls act. Such a command stores no reply, and so
// needs less free space than a run.
func (e *env) withCache(act func(c *cli.Context, s *cache.Store) error) cli.ActionFunc {
	return func(c *cli.Context) error {
		s, err := e.openCacheWithSpace(c.String("cache"), cache.MinFreeToClose)
		if full, ok := errors.AsType[*cache.DiskFullError](err); ok {
			return fmt.Errorf("cache %s: the disk has %d MiB left, but opening the cache takes %d: "+
				"free some space, or remove the folder and ask again for its replies",
				full.Dir, full.Free>>20, full.Need>>20)
		}
		if err != nil {
			return err
		}
		defer s.Close()
		return act(c, s)
	}
}

func cacheCommand(e *env) *cli.Command {
	printPath := func(c *cli.Context) error {
		_, err := fmt.Fprintln(e.stdout, cacheDir(c.String("cache")))
		return err
	}
	return parentCommand("cache", command("path", printPath), command("stats", e.withCache(e.cacheStats)),
		command("prune", e.cachePrune), command("rebuild", e.cacheRebuild))
}

func (e *env) cacheStats(c *cli.Context, s *cache.Store) error {
	st, err := s.Stats(c.Context)
	if err != nil {
		return err
	}
	return e.printResult(c, factsDocument(st.Rows(), st))
}

func (e *env) cachePrune(c *cli.Context) error {
	age := c.Duration("older-than")
	if c.IsSet("older-than") && age <= 0 {
		return usageError("--older-than %s: it must be more than 0", age)
	}
	return e.withCache(func(c *cli.Context, s *cache.Store) error {
		n, err := s.RemoveEntries(c.Context, cache.PruneFilter(c.Bool("all"), c.String("model"), age, e.now()))
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(e.stdout, "%d replies removed\n", n)
		return err
	})(c)
}

func (e *env) cacheRebuild(c *cli.Context) error {
	n, err := e.maker().RebuildCache(c.Context, c.String("cache"), c.Args().Slice()...)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.stdout, "%d replies filled in, %d already there, %d left out\n",
		n.Added, n.AlreadyCached, n.Skipped)
	return err
}
