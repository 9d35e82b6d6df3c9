package suite

import (
	"fmt"
	"path/filepath"
	"time"

	"gavel/internal/eval"
	"gavel/judging"
)

// InShards refuses what cannot be made in so many shards, each in such a time.
func (s *Suite) InShards(n int, each time.Duration) error {
	if n < 1 || n > eval.MostShards || each <= 0 {
		return eval.Failed(eval.ErrUsage, fmt.Errorf("--tasks is from 1 to %d, and --time more than 0", eval.MostShards))
	}
	for _, c := range s.Cells {
		r := c.Request
		r.Shard = eval.Part{Index: 1, Of: n}.String()
		if err := r.Validate(); err != nil {
			return s.blame(c, err)
		}
	}
	return nil
}

// Only makes of a suite that of one shard: every cell is its run of the shard's items, in a folder beside the
// suite's. It goes on with what an earlier try of the shard left.
func (s *Suite) Only(p eval.Part) error {
	s.Out += p.Suffix()
	s.shard = p.String()
	for _, c := range s.Cells {
		c.out = filepath.Join(s.Out, c.name)
		c.Request.Out, c.Request.Shard = c.out, s.shard
		switch {
		case c.Request.Cache != "":
			c.Request.Cache = filepath.Join(c.Request.Cache, filepath.Base(s.Out))
		case !c.Request.NoCache:
			c.Request.Cache = filepath.Join(s.Out, judging.CacheDir)
		}
		if err := c.Request.Validate(); err != nil {
			return s.blame(c, err)
		}
	}
	return eval.TakeUp(s.Out, p.Try)
}
