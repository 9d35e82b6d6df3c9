package cache

import (
	"crypto/sha256"
	"fmt"
)

// Put stores an entry. On a nearly full disk it stores nothing, and its error wraps ErrDiskFull. After the first failed
// write the store is given up: Badger accepts no more writes, and would end the process.
func (s *Store) Put(key [sha256.Size]byte, e Entry) error {
	value, err := encode(key[:], e)
	if err == nil {
		err = s.callBadger(s.timeout, func() error { return s.write(key[:], value) })
	}
	if err == nil && s.bytesSinceRenewal.Add(int64(len(value))) >= reopenAfterBytes {
		err = s.callBadger(s.timeout, s.reopenDatabase)
	}
	return err
}

// write writes one value. Badger groups concurrent writes.
func (s *Store) write(key, value []byte) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.checkFolder(); err != nil {
		return err
	}
	if free, ok := s.hasFreeSpace(s.opts.MinFree); !ok {
		return fmt.Errorf("%w: it has %d MiB left, the cache needs %d", ErrDiskFull, free>>20, s.opts.MinFree>>20)
	}
	s.hasWrites.Store(true)
	txn := s.db.NewTransaction(true)
	defer txn.Discard()
	if err := txn.Set(key, value); err != nil {
		return err // too long
	}
	if err := txn.Commit(); err != nil {
		return s.giveUp("it cannot be written to (%w)", err)
	}
	return nil
}
