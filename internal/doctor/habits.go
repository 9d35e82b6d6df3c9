package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gavel/backends"
	"gavel/judging"
	"gavel/scoring/stats"
)

// coldTime is how long prompts are asked one by one; a slow server is asked fewer.
const coldTime = 20 * time.Second

// sameAgain compares the replies that the same prompts get when the server reads them anew, when it has them in its
// prompt cache, and under load: on some servers cache hits and batches change greedy replies. Where replies can be held
// to labels, they are verdicts.
func (d *doctor) sameAgain(ctx context.Context) Finding {
	var reqs []backends.Request
	what := "replies"
	for _, p := range d.Prompts {
		req := d.request(32, judging.FirstTurn(p, d.SystemRole)...)
		if d.constrains && len(p.Labels) > 0 {
			what = "verdicts"
			req.Constrain = p.Labels
			req.Think = d.think
		}
		reqs = append(reqs, req)
	}
	if len(reqs) == 0 {
		return skipped("no prompts to repeat")
	}
	cold, err := d.oneByOne(ctx, reqs, true, coldTime)
	if err != nil {
		return untold(err)
	}
	reqs = reqs[:len(cold)]
	var warm []backends.Response
	for range 2 { // the first fills the cache
		warm, err = d.oneByOne(ctx, reqs, false, time.Hour)
		if err != nil {
			return untold(err)
		}
	}
	crowd := d.crowd()
	var many []backends.Request // every prompt as often as it takes to make a crowd
	for i := 0; i < len(reqs) || i < crowd; i++ {
		many = append(many, reqs[i%len(reqs)])
	}
	crowded := d.burst(ctx, many, crowd)
	if len(crowded.errs) > 0 {
		return bad(Warn, "try a run with --concurrency 1", "%d of %d requests failed: %s",
			len(crowded.errs), len(many), why(crowded.errs[0]))
	}
	n := len(cold)
	inWarm := changed(cold, warm)
	inLoad := changed(cold, crowded.replies)
	value := map[string]any{"prompts": n, "changed_warm": inWarm, "changed_under_load": inLoad, "at_once": crowd}
	first := "when first asked"
	if d.Judge.Server.Can(backends.ReadAnew) {
		first = "from prompts read anew"
	}
	said := fmt.Sprintf("of %d %s %s, %s when asked again, %s under load (%d at once)",
		n, what, first, shareOf(inWarm, n), shareOf(inLoad, n), crowd)
	if cached, all := cachedOf(warm); cached > 0 {
		value["cached"] = cached * 100 / all
		said += fmt.Sprintf("; of the repeated prompts %d %% were cached", cached*100/all)
	}
	if inWarm+inLoad > 0 {
		return bad(Warn, d.steadier(), "%s", said).with(value)
	}
	return good("%s", said).with(value)
}

// oneByOne asks requests one after the other, at least two of them, until the time is over.
func (d *doctor) oneByOne(
	ctx context.Context, reqs []backends.Request, anew bool, limit time.Duration,
) (replies []backends.Response, err error) {
	start := d.Now()
	for _, req := range reqs {
		if len(replies) >= 2 && d.Now().Sub(start) > limit {
			break
		}
		req.NoPromptCache = anew
		resp, err := d.ask(ctx, req)
		if err != nil {
			return nil, err
		}
		replies = append(replies, resp)
	}
	return replies, nil
}

// changed counts the first replies that some later reply to the same prompt differs from; later ones go round.
func changed(first, later []backends.Response) int {
	differs := map[int]bool{}
	for i, r := range later {
		i %= len(first)
		if f := first[i]; strings.TrimSpace(r.Text) != strings.TrimSpace(f.Text) ||
			r.Thinking != f.Thinking || r.Finish != f.Finish {
			differs[i] = true
		}
	}
	return len(differs)
}

// shareOf is how many changed, with the 95 % interval of the share.
func shareOf(k, n int) string {
	iv := stats.Blaker(k, n, 0.95)
	return fmt.Sprintf("%d changed [%.1f, %.1f %%]", k, 100*iv.Low, 100*iv.High)
}

// cachedOf counts the prompt tokens that the server says it had, and all of them.
func cachedOf(replies []backends.Response) (cached, all int) {
	for _, r := range replies {
		if r.CachedTokens != nil {
			cached, all = cached+*r.CachedTokens, all+r.PromptTokens
		}
	}
	return cached, all
}

// steadier is what to do about a server whose cache or batches change its verdicts.
func (d *doctor) steadier() string {
	do := d.Judge.Server.Advice().Steady
	if d.steady == backends.Yes {
		do = "" // it is, and does not help
	}
	always := "run with --strict-determinism (one request at a time), or measure the noise with --repeat 3"
	if d.Judge.Server.Can(backends.ReadAnew) {
		always = strings.Replace(always, "at a time", "at a time, no prompt cache", 1)
	}
	if do == "" {
		return always
	}
	return do + ", or " + always
}

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
