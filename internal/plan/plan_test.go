package plan

import "testing"

// TestPlanSays: what is asked is answered, and no more.
func TestPlanSays(t *testing.T) {
	for _, c := range []struct {
		plan SampleSizes
		want string
	}{
		{SampleSizes{Detect: new(5.0)}, "975 pairs are needed to detect a difference of 5 points."},
		{SampleSizes{PairsAtHand: new(350)}, "350 pairs detect a difference of 8.4 points or more."},
		{SampleSizes{PairsAtHand: new(1)}, "1 pair detects no difference."},
	} {
		c.plan.Discordant, c.plan.Power, c.plan.Alpha = 30, 80, 0.05
		if err := c.plan.Compute(); err != nil || c.plan.Says != c.want {
			t.Errorf("%q, want %q: %v", c.plan.Says, c.want, err)
		}
	}
}
