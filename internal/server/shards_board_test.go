package server

import (
	"os"
	"path/filepath"
	"testing"

	"gavel/judging"
)

// A folder of shards alone, copied so that their results are older than their records, has a first page.
func TestFirstPageOfShardsAlone(t *testing.T) {
	dir := t.TempDir()
	shard(t, filepath.Join(dir, "a_shard-1-of-2"), "right")
	must(t, os.Remove(filepath.Join(dir, "a_shard-1-of-2", judging.ResultsFile)))
	s := newSite(t, dir, nil)
	if w := s.ask("GET", "/", ""); w.Code != 200 {
		t.Errorf("first page: %d\n%.1500s", w.Code, s.log)
	}
	s.answers(200, "/api/v1/leaderboard")
}
