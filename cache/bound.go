package cache

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/dgraph-io/badger/v4"
)

// Badger repeats a write that fails for ever: if its folder vanishes or cannot be written to, Close never returns, and
// neither does a write that waits for room in memory. A recovered panic leaves Badger's locks taken, and the next call
// waits for them. So no call waits for Badger longer than defaultTimeout. After a panic or a timeout the store is given
// up: nothing calls it again, not even Close.

// defaultTimeout is far more than what a slow disk takes for 8 MB.
const defaultTimeout = 30 * time.Second

// mergedASecond is how many bytes a slow disk merges in a second.
const mergedASecond = 4 << 20

// ErrGivenUp is wrapped by what a store says that was given up: see bound.go. Options.Warn was told then.
var ErrGivenUp = errors.New("given up")

// givenUp maps the folders of stores that this process gave up to the reason. Badger may go on writing there until the
// process ends.
var givenUp sync.Map

// ended returns why the store is no longer used; nil while it is.
func (s *Store) ended() error { return context.Cause(s.life) }

// finish warns once and then ends the use of the store. The warning comes first, since a call that this ends may exit
// the process.
func (s *Store) finish(why error) error {
	s.said.Do(func() {
		s.opts.Warn("cache %s is not used any more, and replies are not remembered: %v", s.dir, why)
		s.end(why)
	})
	return s.ended()
}

func (s *Store) giveUp(format string, args ...any) error {
	why := fmt.Errorf(format+": it is %w, and what it was told last may be asked again", append(args, ErrGivenUp)...)
	givenUp.Store(absolute(s.dir), why)
	return s.finish(why)
}

// within waits for f, which asks Badger, until limit, and no longer than until the store is given up. Where it returns
// an error, f may go on, and what f sets is not to be read.
func (s *Store) within(limit time.Duration, f func() error) error {
	if err := s.ended(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() {
		var err error
		defer func() { done <- err }()
		defer guard(&err)
		err = f()
	}()
	select {
	case err := <-done:
		return s.giveUpAfterPanic(err)
	case <-time.After(limit):
		return s.giveUp("its disk did not answer within %s, or cannot be written to", limit)
	case <-s.life.Done():
		return s.ended()
	}
}

// giveUpAfterPanic gives the store up where the error was a panic.
func (s *Store) giveUpAfterPanic(err error) error {
	if errors.Is(err, errPanicked) {
		s.distrust()
		return s.giveUp("%w", err)
	}
	return err
}

// checkFolder gives the store up if its files are gone, or another folder stands in their place: otherwise Badger would
// retry for ever, or leave tables that no manifest names.
func (s *Store) checkFolder() error {
	_, err := os.Stat(filepath.Join(s.dir, badger.ManifestFilename))
	if now, _ := os.Stat(s.dir); err != nil || !os.SameFile(s.folder, now) {
		return s.giveUp("its files are gone")
	}
	return nil
}

func absolute(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		return abs
	}
	return dir
}

// checkNotGivenUp returns an error if this process has given the folder up.
func checkNotGivenUp(dir string) error {
	if why, held := givenUp.Load(absolute(dir)); held {
		return fmt.Errorf("cache %s cannot be opened again by this gavel (%w): "+
			"start gavel anew, name another folder with --cache, or use --no-cache", dir, why.(error))
	}
	return nil
}
