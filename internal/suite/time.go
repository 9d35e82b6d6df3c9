package suite

import (
	"context"
	"fmt"
	"time"

	"gavel/internal/eval"
)

// What a shard is given more time for than the plan says: its server has to be started, and no two shards take as long.
const (
	shardStarts  = 15 * time.Minute
	shardVaries  = 1.5
	shardUnknown = 24 * time.Hour
)

// TimeOf is how long one of so many shards may take, and in words how that was found: by the plan, as far as the judges
// were measured before and can be reached.
func (s *Suite) TimeOf(ctx context.Context, e *eval.Maker, shards int) (time.Duration, string) {
	quiet := *e
	quiet.Observer = nil
	plan, err := s.Plan(ctx, &quiet, false)
	unknown := 0
	if err == nil {
		for _, c := range plan.Cells {
			if c.Error != "" {
				unknown++
			}
		}
	}
	switch {
	case err != nil:
		return shardUnknown, "nobody knows, since there is no plan"
	case unknown > 0:
		return shardUnknown, fmt.Sprintf("nobody knows, since %d of %d runs cannot be planned here", unknown, len(plan.Cells))
	case plan.Total.Unmeasured > 0:
		return shardUnknown,
			fmt.Sprintf("nobody knows, since %d of %d calls were never measured (gavel suite plan --probe)",
				plan.Total.Unmeasured, plan.Total.Calls)
	}
	each := plan.Total.Hours * 3600 / float64(shards)
	return shardStarts + time.Duration(each*shardVaries*float64(time.Second)),
		fmt.Sprintf("the plan says %s for all, %s for each", eval.Span(3600*plan.Total.Hours), eval.Span(each))
}
