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

// Badger repeats a failing write for ever: if its folder vanishes or becomes read-only, Close never returns, and
// neither does a write that waits for memory. A recovered panic leaves Badger's locks taken, so that the next call
// blocks. Therefore no call waits for Badger longer than badgerCallTimeout. After a panic or a timeout the store is
// given up: nothing calls Badger again, not even Close.

// badgerCallTimeout limits the wait for a call of Badger. It is far longer than a slow disk needs for 8 MB.
const badgerCallTimeout = 30 * time.Second

// mergeBytesPerSecond estimates the bytes that a slow disk merges per second.
const mergeBytesPerSecond = 4 << 20

// ErrStoreGivenUp marks the errors of a store that was given up: nothing calls Badger for it again, after a panic, a
// timeout or a failed write. Options.Warn was called before.
var ErrStoreGivenUp = errors.New("given up")

// givenUp maps the folders of stores that this process gave up to the reason. Badger may write there until the process
// ends.
var givenUp sync.Map

// endReason returns the reason why the store is no longer used; nil while the store is used.
func (s *Store) endReason() error { return context.Cause(s.lifetimeContext) }

// warnAndEnd warns once and then ends the use of the store. The warning comes first, since a caller that this stops may
// exit the process.
func (s *Store) warnAndEnd(why error) error {
	s.warnOnEnd.Do(func() {
		s.opts.Warn("cache %s is no longer used, and replies are not stored: %v", s.dir, why)
		s.end(why)
	})
	return s.endReason()
}

// giveUp ends the use of the store for good: this process does not open the folder again. It returns the reason.
func (s *Store) giveUp(format string, args ...any) error {
	why := fmt.Errorf(format+": it is %w, and its last replies may be requested again", append(args, ErrStoreGivenUp)...)
	givenUp.Store(absolute(s.dir), why)
	return s.warnAndEnd(why)
}

// callBadger runs f, which calls Badger, and waits for it until limit or until the store is given up. If it returns an
// error, f may still be running: variables that f sets must not be read.
func (s *Store) callBadger(limit time.Duration, f func() error) error {
	if err := s.endReason(); err != nil {
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
	case <-s.lifetimeContext.Done():
		return s.endReason()
	}
}

// giveUpAfterPanic gives the store up if the error comes from a panic.
func (s *Store) giveUpAfterPanic(err error) error {
	if errors.Is(err, errPanicked) {
		s.markDamaged()
		return s.giveUp("%w", err)
	}
	return err
}

// checkFolder gives the store up if its files are gone or its folder was replaced: Badger would otherwise retry for
// ever, or leave tables that no manifest lists.
func (s *Store) checkFolder() error {
	_, err := os.Stat(filepath.Join(s.dir, badger.ManifestFilename))
	if now, _ := os.Stat(s.dir); err != nil || !os.SameFile(s.folderInfo, now) {
		return s.giveUp("its files are gone")
	}
	return nil
}

// absolute returns the absolute path of a folder, or dir if there is none.
func absolute(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		return abs
	}
	return dir
}

// checkNotGivenUp returns an error if this process gave up the store in dir.
func checkNotGivenUp(dir string) error {
	if why, ok := givenUp.Load(absolute(dir)); ok {
		return fmt.Errorf("cache %s cannot be opened again by this gavel (%w): "+
			"restart gavel, name another folder with --cache, or use --no-cache", dir, why.(error))
	}
	return nil
}
