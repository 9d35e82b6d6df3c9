package store

import (
	"context"
	"slices"
	"strings"
)

// Index of a run, up to date and held for reading until done is called.
func (s *Store) Index(ctx context.Context, run string) (x *Index, done func(), err error) {
	x, err = s.fresh(ctx, run)
	if err != nil {
		return nil, nil, err
	}
	x.mu.RLock()
	if x.Manifest == nil { // read by somebody else meanwhile, who found it damaged
		x.mu.RUnlock()
		return nil, nil, ErrChanged
	}
	return x, x.mu.RUnlock, nil
}

// fresh is an index that is up to date, or was brought there. Only who has something to read waits for a place.
func (s *Store) fresh(ctx context.Context, run string) (*Index, error) {
	m, err := s.Manifest(run)
	if err != nil {
		s.indexes.Drop(run)
		return nil, err
	}
	x := s.indexes.GetOr(run, func() *Index { return newIndex(s, run) })
	if x.current(m) {
		return x, nil
	}
	done, err := s.Place(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	return x, x.refresh()
}

// Place waits until records may be read, or something else made that takes memory; then it is, until done is called.
func (s *Store) Place(ctx context.Context) (done func(), err error) {
	select {
	case s.places <- struct{}{}:
		return func() { <-s.places }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Held hands out several runs, held for reading: in the order of their names, since two who hold one each and wait for the
// other's would wait for ever.
func (s *Store) Held(ctx context.Context, names []string, use func([]*Index) error) error {
	runs := make([]*Index, len(names))
	for i, name := range names {
		var err error
		if runs[i], err = s.fresh(ctx, name); err != nil {
			return err
		}
	}
	order := slices.Clone(runs)
	slices.SortFunc(order, func(a, b *Index) int { return strings.Compare(a.Run, b.Run) })
	for _, x := range slices.Compact(order) {
		x.mu.RLock()
		defer x.mu.RUnlock()
		if x.Manifest == nil {
			return ErrChanged
		}
	}
	return use(runs)
}
