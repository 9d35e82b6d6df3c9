package doctor

import (
	"context"
	"slices"

	"gavel/backends"
)

// foreignRounds is how often each canary is asked under load.
const foreignRounds = 4

// foreign sends canaries under load: a server that answers one out of another conversation gives
// verdicts on other pairs.
func (d *doctor) foreign(ctx context.Context) Finding {
	c := backends.NewCanaries(8, func() backends.Request { r := d.request(24, user("")); r.Think = d.think; return r }())
	if err := c.Listen(ctx, asker{d}); err != nil {
		return untold(err)
	}
	by, told := c.Told()
	if told < 2 {
		return bad(Unknown, "try again with a model that repeats a word when it is asked to",
			"the replies to %d canaries cannot be told apart by %s", c.Len(), by)
	}
	crowd := max(d.crowd(), atOnce)
	var many []backends.Request
	for round := range foreignRounds {
		for i := range c.Len() {
			many = append(many, c.Request((i*3+round)%c.Len()))
		}
	}
	crowded := d.burst(ctx, many, crowd)
	if len(crowded.errs) > 0 {
		return bad(Warn, "try a run with --concurrency 1", "%d of %d requests failed: %s",
			len(crowded.errs), len(many), why(crowded.errs[0]))
	}
	var wrong []string
	for k, r := range crowded.replies {
		if why, is := c.Foreign((k%c.Len()*3+k/c.Len())%c.Len(), r); is {
			wrong = append(wrong, why)
		}
	}
	value := map[string]any{
		"canaries":   len(many),
		"foreign":    len(wrong),
		"at_once":    crowd,
		"told_by":    by,
		"told_apart": told,
	}
	if len(wrong) > 0 {
		slices.Sort(wrong) // "it named" a word of another conversation says more than "it said" none, and comes first
		do := "run with --concurrency 1"
		if apart := d.Judge.Server.Advice().Apart; apart != "" {
			do = apart + "; " + do
		}
		return bad(Fail, do,
			"of %d canaries %d were answered out of another conversation under load (%d at once): %s",
			len(many), len(wrong), crowd, wrong[0]).with(value)
	}
	return good("of %d canaries under load (%d at once) each was answered in its own conversation, by %s",
		len(many), crowd, by).with(value)
}

// asker asks in the name of the doctor, who counts.
type asker struct{ d *doctor }

func (a asker) Ask(ctx context.Context, req backends.Request) (backends.Response, error) {
	return a.d.ask(ctx, req)
}
