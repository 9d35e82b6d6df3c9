package merge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"gavel/cache"
	"gavel/judging"
)

// replies takes what the shards remember into one cache, so that the merged run can be replayed and bundled.
// What is there already stays.
func (w *work) replies(ctx context.Context) (err error) {
	var dirs []string
	for _, dir := range w.Shards {
		if at := filepath.Join(dir, judging.CacheDir); isDir(at) {
			dirs = append(dirs, at)
		}
	}
	if len(dirs) == 0 {
		return nil
	}
	into, err := w.OpenCache(w.Cache)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, into.Close()) }()
	taken, same := 0, 0
	for _, dir := range dirs {
		n, had, err := w.take(ctx, into, dir)
		if err != nil {
			return fmt.Errorf("the replies in %s: %w; --no-replies leaves them out", dir, err)
		}
		taken, same = taken+n, same+had
	}
	w.say("%d replies taken into the cache, %d already there", taken, same)
	return nil
}

func (w *work) take(ctx context.Context, into *cache.Store, dir string) (taken, same int, err error) {
	from, err := w.OpenCache(dir)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	err = from.Visit(ctx, func(key []byte, e cache.Entry, unusable error) error {
		if unusable != nil {
			return nil // whoever replays says that it is not there
		}
		if _, ok := into.Get([32]byte(key)); ok {
			same++
			return nil
		}
		taken++
		return into.Put([32]byte(key), e)
	})
	return taken, same, err
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
