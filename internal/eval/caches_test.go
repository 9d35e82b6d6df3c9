package eval

import (
	"errors"
	"os"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/cache"
)

// A server's runs share a cache: one that was given up locks nobody out of a
// sentence.
func TestSharedCacheVanishes(t *testing.T) {
	t.Chdir(t.TempDir())
	shared := new(SharedCache)
	var notes []string
	open := func() (*cache.Store, func() error, error) {
		return shared.open(func() (*cache.Store, error) {
			return cache.Open("replies", cache.Options{MinFree: 1, Warn: func(format string, _ ...any) { notes = append(notes, format) }})
		})
	}
	store, leave, err := open()
	assert.NilError(t, err)
	assert.NilError(t, store.Put([32]byte{1}, cache.Entry{}))
	assert.NilError(t, os.RemoveAll("replies"))
	if err := leave(); !errors.Is(err, cache.ErrStoreGivenUp) || len(notes) != 1 {
		t.Errorf("left: %v, said %q", err, notes)
	}
	if _, _, err := open(); !errors.Is(err, cache.ErrStoreGivenUp) {
		t.Errorf("opened again: %v", err)
	}
}
