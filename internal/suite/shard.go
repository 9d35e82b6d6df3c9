package suite

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
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

// ofKey is the name of a variable that holds a key.
var ofKey = regexp.MustCompile(`(?i)(key|token|secret|password)[0-9]*(_|$)`)

// KeyVariables names the environment variables that hold the API keys of the suite's judges, for a job that sets them.
// It refuses names that are not those of keys: the file may be somebody else's, and loaders and interpreters obey
// LD_PRELOAD and its like.
func (s *Suite) KeyVariables() (names []string, err error) {
	for _, c := range s.Cells {
		name := c.Request.APIKeyEnv
		switch {
		case name == "" || slices.Contains(names, name):
		case !ofKey.MatchString(name):
			return nil, s.blame(c, eval.Wrong("api-key-env", name, "%s: a job sets only variables that are named after a"+
				" KEY, TOKEN, SECRET or PASSWORD, such as GPU_KEY: rename it", name))
		default:
			names = append(names, name)
		}
	}
	return names, nil
}
