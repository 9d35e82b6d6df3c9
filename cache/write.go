package cache

import (
	"crypto/sha256"
	"fmt"
	"sync"
)

// writing gathers what is to be written: while Badger takes one batch, which is
// the slow part, all that comes waits together for the next.
type writing struct {
	mu   sync.Mutex
	next *batch // that has not been taken; nil where nobody waits
	busy bool   // somebody writes
}

// batch is what goes to Badger at once.
type batch struct {
	values []*value
	bytes  int64
	done   chan struct{} // closed at its end
	err    error
}

// value is an entry as it is stored.
type value struct {
	key   [sha256.Size]byte
	bytes []byte
	err   error // why Badger does not take it
}

// Put stores an answer. On a disk that is nearly full it stores nothing, and its error wraps ErrDiskFull. The first
// write that Badger fails is the last: after it Badger takes no other, and would end the process.
func (s *Store) Put(key [sha256.Size]byte, e Entry) error {
	if err := s.ended(); err != nil {
		return err
	}
	encoded, err := encode(key[:], e)
	if err != nil {
		return err
	}
	v := &value{key: key, bytes: encoded}
	b := s.add(v)
	<-b.done
	if b.err != nil {
		return b.err
	}
	return v.err
}

// add puts a value into the batch that is written next.
func (s *Store) add(v *value) *batch {
	w := &s.writing
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.next == nil {
		w.next = &batch{done: make(chan struct{})}
	}
	b := w.next
	b.values, b.bytes = append(b.values, v), b.bytes+int64(len(v.bytes))
	if !w.busy {
		w.busy = true
		go s.writeAll()
	}
	return b
}

// writeAll writes batches until nobody waits for one.
func (s *Store) writeAll() {
	w := &s.writing
	for {
		w.mu.Lock()
		b := w.next
		w.next = nil
		w.busy = b != nil
		if !w.busy {
			w.mu.Unlock()
			return
		}
		w.mu.Unlock()
		b.err = s.do(s.opts.Timeout, func() error { return s.writeBatch(b) })
		if b.err == nil && s.unrenewed.Add(b.bytes) >= renewAfter {
			b.err = s.do(s.opts.Timeout, s.renew)
		}
		close(b.done)
	}
}

func (s *Store) writeBatch(b *batch) error {
	if err := s.here(); err != nil {
		return err
	}
	if free, ok := s.freeFor(s.opts.MinFree); !ok {
		return fmt.Errorf("%w: it has %d MiB left, the cache needs %d", ErrDiskFull, free>>20, s.opts.MinFree>>20)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	s.wrote.Store(true)
	for left := b.values; len(left) > 0; {
		n, err := s.commit(left)
		if err != nil {
			return s.giveUp("it cannot be written to (%w)", err)
		}
		left = left[n:]
	}
	return nil
}

// commit writes as many of the values as go into one transaction, and tells how
// many it is done with: one that is too long by itself has its error.
func (s *Store) commit(values []*value) (n int, err error) {
	txn := s.db.NewTransaction(true)
	defer txn.Discard()
	for i, v := range values {
		err := txn.Set(v.key[:], v.bytes)
		if err != nil && i > 0 {
			break // in the next one, maybe
		}
		v.err = err
		if err != nil {
			return 1, nil
		}
		n++
	}
	return n, txn.Commit()
}
