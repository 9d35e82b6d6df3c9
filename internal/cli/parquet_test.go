package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"gotest.tools/v3/assert"

	"gavel/internal/carry/export"
	"gavel/judging"
	"gavel/scoring"
)

// TestExportParquet: what is written is read again, adds up to the judge's score, and is the same twice.
func TestExportParquet(t *testing.T) {
	home(t)
	mustCall(t, "run", "pairwise", "--backend", "sim", "--model", "accuracy=0.7,first=0.2,silent=0.1", "--dataset", "sample", "--repeat", "2", "--out", "runs/a")
	mustCall(t, "run", "multi-option", "--backend", "sim", "--model", "accuracy=0.6", "--dataset", "sample-options", "--out", "runs/b")
	_, stderr, _ := call(t, "export", "parquet", "runs", "--out", "one.parquet")
	mustCall(t, "export", "parquet", "runs", "--out", "two.parquet")
	assert.Equal(t, read(t, "one.parquet"), read(t, "two.parquet"))

	rows, err := parquet.ReadFile[export.JudgmentRow]("one.parquet")
	assert.NilError(t, err)
	judgments := records(t, "runs/a")
	assert.Equal(t, len(rows), len(judgments)+len(records(t, "runs/b")))
	assert.Assert(t, strings.HasPrefix(stderr, "218 judgments of 2 runs written"), stderr)
	right := map[string]int{} // judgments of an item that are right
	for i, row := range rows[:len(judgments)] {
		r := judgments[i]
		assert.Equal(t, row.Run+row.Item+row.Outcome+row.Choice, "a"+r.Item+string(r.Outcome)+r.Choice)
		assert.DeepEqual(t, row.Order, r.Order)
		assert.Equal(t, row.Replies[0], r.Replies[0].Text)
		assert.Equal(t, row.At.UnixMilli(), r.At.UnixMilli())
		switch {
		case r.Outcome != judging.Decided:
			assert.Assert(t, row.Right == nil && row.Position == nil)
		default:
			assert.Equal(t, row.Order[*row.Position-1], r.Choice)
			assert.Equal(t, *row.Right, r.Choice == r.Gold)
		}
		right[row.Item] += 0
		if row.Repeat == 0 && row.Right != nil && *row.Right {
			right[row.Item]++
		}
	}
	both := 0
	for _, n := range right {
		if n == 2 {
			both++
		}
	}
	var scores struct{ Runs []scoring.Report }
	assert.NilError(t, json.Unmarshal([]byte(mustCall(t, "score", "--json", "runs/a")), &scores))
	strict := scores.Runs[0].Overall("strict")
	assert.Equal(t, 100*float64(both)/float64(strict.N), *strict.Value)
}
