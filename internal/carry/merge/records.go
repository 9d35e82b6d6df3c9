package merge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gavel/internal/codec"
	"gavel/internal/disk"
	"gavel/judging"
)

// A shard's task may have been started again while its first try still wrote, so one judgment may have several records.

// chosen is which record of a judgment counts.
type chosen struct {
	folder int // of the folders of its shard
	failed bool
	done   bool // it is written
}

// mostNamed is how many judgments, or items, are named before the rest are counted.
const mostNamed = 5

// records writes those of all shards, one of each judgment, and tells how many judgments did not fail. Judgments that
// are missing are noted, by item. A shard at a time is held in memory, as a few bytes a judgment.
func (w *work) records(
	ctx context.Context, path string, m *judging.Manifest, shards []*shard,
) (answered int, err error) {
	err = disk.Write(path, func(out io.Writer) error {
		enc := codec.NewEncoder(out)
		for _, folders := range tries(shards) {
			picked, err := w.pick(ctx, folders)
			if err != nil {
				return err
			}
			var stand judging.Completed
			for i, s := range folders {
				err := s.each(ctx, func(r *judging.Record) error {
					c := picked[key(r)]
					if c == nil || c.folder != i || c.done || c.failed != (r.Outcome == judging.Failed) {
						return nil // nil is one that a task which goes on has written since
					}
					c.done = true
					if !c.failed {
						stand.Add(r)
					}
					r.Run = m.ID
					for i := range r.Replies {
						if reply := &r.Replies[i]; len(m.Servers) > 1 && reply.Endpoint == "" {
							reply.Endpoint = s.m.Server.URL
						}
					}
					return enc.Encode(r)
				})
				if err != nil {
					return err
				}
			}
			answered += stand.Count()
			w.missing(folders[0], &stand)
		}
		return nil
	})
	return answered, err
}

// pick says which record of each judgment counts: the first that did not fail.
func (w *work) pick(ctx context.Context, folders []*shard) (map[string]*chosen, error) {
	picked := map[string]*chosen{}
	for i, s := range folders {
		asker, err := judging.AskerOf(s.m)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(s.dir, judging.ManifestFile), err)
		}
		n := 0
		err = s.each(ctx, func(r *judging.Record) error {
			if err := s.check(asker, r); err != nil {
				return fmt.Errorf("damaged record: %s: %w; mend the line or delete it: the command of the shard asks again for it",
					r.Item, err)
			}
			n++
			failed := r.Outcome == judging.Failed
			if c := picked[key(r)]; c == nil || c.failed && !failed {
				picked[key(r)] = &chosen{folder: i, failed: failed}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if slices.Contains(s.altered, judging.RecordsFile) {
			err := s.notWritten(judging.RecordsFile)
			if n >= s.m.Judgments {
				return nil, err
			}
			w.say("warning: %v", err)
		}
	}
	return picked, nil
}

func listed(all []string, sep string) string {
	if n := len(all); n > mostNamed {
		return fmt.Sprintf("%s and %d more", strings.Join(all[:mostNamed], sep), n-mostNamed)
	}
	return strings.Join(all, sep)
}

func key(r *judging.Record) string {
	return r.Item + "\x00" + strconv.Itoa(r.Presentation) + "\x00" + strconv.Itoa(r.Repetition)
}

// each calls f for the records of a shard; one that is of no item of it was not written by its run.
func (s *shard) each(ctx context.Context, f func(*judging.Record) error) error {
	path := filepath.Join(s.dir, judging.RecordsFile)
	err := judging.ReadRecords(path, func(r *judging.Record) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if r.Run != s.m.ID {
			return fmt.Errorf("the record of %s is of another run", r.Item)
		}
		return f(r)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil // nothing was asked yet
	}
	return err
}

// notWritten is the error of a file that is not as the shard's run wrote it: texts, labels or replies may be others.
func (s *shard) notWritten(file string) error {
	return fmt.Errorf("%s: it was changed after the run wrote it, by its SHA-256 in %s: "+
		"copy the folder again or, if the change was meant, run the command of the shard again",
		filepath.Join(s.dir, file), judging.ManifestFile)
}

// check refuses a record that is of none of the shard's judgments.
func (s *shard) check(asker judging.Asker, r *judging.Record) error {
	if r.Repetition >= s.m.Spec.Parameters.Repetitions() {
		return fmt.Errorf("repeat %d, and every prompt is asked %d times", r.Repetition, s.m.Spec.Parameters.Repetitions())
	}
	last := &s.checked
	if last.item.ID != r.Item {
		row, is := 0, false
		if s.set != nil {
			row, is = s.set.Find(r.Item)
		}
		if !is {
			return fmt.Errorf("%s has no such item", filepath.Join(s.dir, judging.ItemsFile))
		}
		var err error
		last.item, err = s.set.Item(row)
		if err != nil {
			return err
		}
		last.presentations = asker.Presentations(last.item)
	}
	return r.CheckItem(s.m, last.item, last.presentations)
}

// missing notes the items of a shard with judgments that are not there.
func (w *work) missing(s *shard, stand *judging.Completed) {
	if w.Incomplete || stand.Count() == s.m.Judgments {
		return
	}
	var ids []string
	for row := range s.places {
		if id := s.set.ID(row); !stand.Complete(id, s.m.Spec.Parameters.Repetitions()) {
			ids = append(ids, id)
		}
	}
	w.lack(s.m.Shard.Index, "%d of %d judgments failed or are missing in %s (items %s)",
		s.m.Judgments-stand.Count(), s.m.Judgments, s.dir, listed(ids, ", "))
}
