package merge_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"gavel/internal/carry/merge"
	"gavel/judging"
)

// growingContext lets a shard's task write more after the merge has checked the context n times.
type growingContext struct {
	context.Context
	n    *int
	grow func()
}

func (g growingContext) Err() error {
	if *g.n--; *g.n == 0 {
		g.grow()
	}
	return nil
}

// A shard that is still written to may be merged with what it has so far.
func TestMergeBesideAWriter(t *testing.T) {
	t.Chdir(t.TempDir())
	_, parts := shards(t, 2, "limit=8")
	path := filepath.Join(parts[0], judging.RecordsFile)
	lines := bytes.SplitAfter(read(t, path), []byte("\n"))
	m, err := judging.ReadManifest(parts[0])
	check(t, err)
	m.Status, m.Files = judging.Running, nil
	check(t, judging.WriteJSON(filepath.Join(parts[0], judging.ManifestFile), m))
	last := lines[len(lines)-2]
	for n := 1; n < 60; n++ {
		write(t, path, bytes.Join(lines[:len(lines)-2], nil))
		calls := n
		ctx := growingContext{t.Context(), &calls, func() {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			check(t, err)
			f.Write(last)
			check(t, f.Close())
		}}
		e, _ := maker()
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Fatalf("grown at look %d: %v", n, p)
				}
			}()
			check(t, os.RemoveAll("merged"))
			check(t, merge.Merge(ctx, e, merge.Inputs{Out: "merged", Shards: parts, AllowIncomplete: true}))
		}()
	}
}
