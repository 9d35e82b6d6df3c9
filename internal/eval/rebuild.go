package eval

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gavel/backends"
	"gavel/cache"
	"gavel/judging"
)

// CacheRebuildCounts counts replies in records: Added those put into a cache, AlreadyCached those that the cache had,
// and Skipped those left out, because their prompts were never sent or are rendered differently now.
type CacheRebuildCounts struct{ Added, AlreadyCached, Skipped int }

// RebuildCache puts the replies in records back into the cache of a folder, or with "" the user's, under the keys of
// their requests: each judgment of the runs below dirs is asked again, and its record answers. It notes the runs that
// it leaves out.
func (e *Maker) RebuildCache(ctx context.Context, cacheDir string, dirs ...string) (n CacheRebuildCounts, err error) {
	store, err := e.OpenCache(cacheDir)
	if err != nil {
		return n, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	for _, dir := range dirs {
		dir += string(filepath.Separator) // follows a link to a folder
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.Name() != judging.ManifestFile {
				return err
			}
			return e.cacheReplies(ctx, filepath.Dir(path), &replayClient{store: store, counts: &n})
		})
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// cacheReplies puts the replies of one run into c's cache. It returns an error only if the cache cannot be written or
// the context ends; it notes other problems.
func (e *Maker) cacheReplies(ctx context.Context, run string, c *replayClient) error {
	job, err := e.storedJob(run)
	if err == nil {
		defer job.Set.Close()
		err = checkCachedTokenSample(job.Manifest, c.store)
	}
	if err == nil && job.Manifest.Simulated {
		err = errors.New("it was simulated")
	}
	if err == nil {
		job.Client = c
		err = judging.ReadRecords(filepath.Join(run, judging.RecordsFile), func(r *judging.Record) error {
			c.record, c.replies = r, slices.Concat(r.Replies, r.ExtraReplies)
			_, err := job.Repeat(ctx, r)
			c.counts.Skipped += len(c.replies)
			return errors.Join(err, c.err)
		})
	}
	if err != nil && c.err == nil && ctx.Err() == nil {
		e.Notef("%s is left out: %v", run, err)
		return nil
	}
	return err
}

// replayClient answers the requests of one judgment with the replies of its record, and stores those that a cache
// lacks.
type replayClient struct {
	store   *cache.Store // nil: nothing is stored
	counts  *CacheRebuildCounts
	record  *judging.Record
	replies []judging.Reply // replies of record that have not answered a request yet
	err     error           // last error of the store
}

func (c *replayClient) Ask(ctx context.Context, req backends.Request) (backends.Response, error) {
	if ctx.Err() != nil || len(c.replies) == 0 || c.store != nil && c.replies[0].NotSent() {
		return backends.Response{}, &backends.Error{Kind: backends.ErrorNotFound, Message: "the record has no such reply"}
	}
	reply := c.replies[0]
	c.replies = c.replies[1:]
	resp := reply.Response()
	if resp.Finish == backends.FinishPromptTooLong {
		resp.Context = req.ReportedContextTokens
	}
	if len(req.Labels) > 0 && len(c.replies) <= len(c.record.ExtraReplies) { // the last turn or an aside
		resp.LabelProbabilities = c.labelProbabilities(reply, len(c.replies) == len(c.record.ExtraReplies))
	}
	if c.store == nil {
		return resp, nil
	}
	key := cache.Key(req)
	if _, ok := c.store.Get(key); ok {
		c.counts.AlreadyCached++
		return resp, nil
	}
	c.counts.Added++
	c.err = c.store.Put(key, cache.Entry{
		Model: req.Model, Created: c.record.At.Truncate(time.Second), Response: resp, Bundle: reply.ImportBundle,
	})
	return resp, c.err
}

// labelProbabilities returns the label probabilities that came with a reply. turn says that the reply is the last turn,
// which came with those of all labels without an aside. An aside, an extra request for one label, came with that
// label's.
func (c *replayClient) labelProbabilities(reply judging.Reply, turn bool) (labels []backends.LabelProbability) {
	for _, p := range c.record.Probabilities {
		aside := slices.ContainsFunc(c.record.ExtraReplies, func(a judging.Reply) bool {
			return strings.TrimSpace(a.Text) == p.Label
		})
		if p.Logprob != nil && (turn && !aside || !turn && p.Label == strings.TrimSpace(reply.Text)) {
			labels = append(labels, backends.LabelProbability{Text: p.Label, Logprob: *p.Logprob})
		}
	}
	return labels
}
