package suite

import (
	"path/filepath"

	"gavel/internal/eval"
	"gavel/judging"
)

// SelectShard reduces a suite to one shard, a part of its items: every cell becomes its run over the shard's items, in
// a folder next to the suite's. It continues an earlier try of the shard.
func (s *Suite) SelectShard(p eval.Shard) error {
	s.Out += p.Suffix()
	s.shard = p.String()
	for _, c := range s.Cells {
		c.Request.Out = filepath.Join(s.Out, c.name)
		c.Request.Shard = s.shard
		switch {
		case c.Request.Cache != "":
			c.Request.Cache = filepath.Join(c.Request.Cache, filepath.Base(s.Out))
		case !c.Request.NoCache:
			c.Request.Cache = filepath.Join(s.Out, judging.CacheDir)
		}
		if err := c.Request.Validate(); err != nil {
			return s.locateError(c, err)
		}
	}
	return eval.CopyEarlierTry(s.Out, p.Try)
}
