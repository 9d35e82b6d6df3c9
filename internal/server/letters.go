package server

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gavel/internal/server/memo"
	"gavel/scoring"
)

// Letters tell which judges of a column of the leaderboard cannot be told apart. Every two of them are tested item by
// item, which takes longer than a page may: it is done in the background, and remembered for as long as the runs are as
// they were. The tests of all columns of a page are corrected together.

// Limits of what is tested in the background, and how long a page waits for it.
const (
	letteredRuns  = 24
	letteredBytes = 128 << 20
	letterWait    = 150 * time.Millisecond
)

// rank tests every two runs. Where that cannot be done there is nothing, and the pages of the runs say why.
func (s *Server) rank(runs []RunRow) ([]scoring.Ranking, error) {
	var loaded []*scoring.Run
	for _, row := range runs {
		m, err := s.runs.Manifest(row.Name)
		if err != nil {
			return nil, nil
		}
		run, err := s.runs.LoadBy(row.Name, m, scoring.DefaultOptions.Reading)
		if err != nil {
			return nil, nil
		}
		loaded = append(loaded, run)
	}
	rankings, err := scoring.Rank(loaded, scoring.DefaultOptions.Bootstrap)
	if err != nil {
		return nil, nil
	}
	return rankings, nil
}

// letter gives the cells of a leaderboard their letters, where it shows a headline.
func (s *Server) letter(ctx context.Context, b *leaderboard, cells map[cellKey]*boardCell, f *runsFilter) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(s.opts.letterWait, letterWait))
	defer cancel()
	var all []*scoring.Ranking // of all columns
	for i := range b.Columns {
		c := &b.Columns[i]
		if !c.testable(f.Metric) {
			continue
		}
		var state strings.Builder
		for _, r := range c.runs {
			fmt.Fprintln(&state, r.Name, r.ID, r.of.Records)
		}
		known, err := memo.Get(ctx, s.background, fmt.Sprintf("letters %q %q", b.Protocol, c.key), state.String(),
			func() ([]scoring.Ranking, error) { return s.rank(c.runs) })
		b.Pending = b.Pending || err != nil
		for _, r := range known { // a copy is corrected
			r.Runs = slices.Clone(r.Runs)
			r.Pairs = slices.Clone(r.Pairs)
			all = append(all, &r)
		}
	}
	if b.Pending { // one correction is over all of them
		return
	}
	scoring.Correct(all)
	of := map[string]string{} // by run
	for _, r := range all {
		b.Tests = r.Family
		for _, p := range r.Runs {
			if numberKey(p.Result) == f.Metric {
				of[p.Run] = p.Letters
			}
		}
	}
	for _, cell := range cells {
		cell.Letters = of[cell.Name]
		b.Lettered = b.Lettered || cell.Letters != ""
	}
}

// testable tells whether a column has judges to be tested, and not too many.
func (c *boardColumn) testable(metric string) bool {
	if len(c.runs) < 2 || numberKey(c.runs[0].numbers[0].Result) != metric {
		return false
	}
	var bytes int64
	for _, r := range c.runs {
		bytes += r.of.Records.Size
	}
	if len(c.runs) > letteredRuns || bytes > letteredBytes {
		c.Letters = "too many or too large runs to be compared here"
		return false
	}
	return true
}
