package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gavel/scoring"
	"gavel/scoring/stats"
)

// What a run with an until may end with, for errors.Is; one that holds ends without an error.
var (
	ErrRefuted   = errors.New("surely not so")
	ErrUndecided = errors.New("not decided by all items")
)

// Until is a question to a run, which ends as soon as it is answered: is a share of the items surely at
// least so much, or at most?
type Until struct {
	Metric string
	AtMost bool
	Share  float64
}

// untilLevel is that of the confidence sequence which is to lie on one side.
const untilLevel = 1 - untilAlpha

// untilAlpha bounds the probability that the answer is wrong.
const untilAlpha = 0.05

var untilShape = regexp.MustCompile(`^\s*([a-z0-9-]+)\s*([<>]=)\s*([0-9]+(?:\.[0-9]+)?)\s*%?\s*$`)

// ParseUntil reads METRIC>=PERCENT or METRIC<=PERCENT, for a protocol.
func ParseUntil(text, protocol string) (u Until, err error) {
	shares := scoring.Shares(protocol)
	found := untilShape.FindStringSubmatch(text)
	switch {
	case len(shares) == 0:
		return u, fmt.Errorf("%s has no metric that counts items as right or wrong, which --until needs", protocol)
	case found == nil:
		return u, fmt.Errorf("%q: expected METRIC>=PERCENT or METRIC<=PERCENT, such as %s>=60", text, shares[0])
	case !slices.Contains(shares, found[1]):
		return u, fmt.Errorf("%s: --until cannot use the metric %q; choose one of %s",
			text, found[1], strings.Join(shares, ", "))
	}
	u = Until{Metric: found[1], AtMost: found[2] == "<="}
	u.Share, err = strconv.ParseFloat(found[3], 64)
	if err != nil || !(u.Share > 0 && u.Share < 100) {
		return u, fmt.Errorf("%s: expected a percentage between 0 and 100", text)
	}
	u.Share /= 100
	return u, nil
}

func (u Until) String() string {
	sign := ">="
	if u.AtMost {
		sign = "<="
	}
	return fmt.Sprintf("%s%s%g", u.Metric, sign, math.Round(1e10*u.Share)/1e8)
}

// tally is what an until has seen.
type tally struct {
	Until
	right, lost, n int // lost: nobody knows yet whether they are right
	decided, holds bool
}

// look takes the next item, and tells whether the question is answered. What failed counts against the answer.
func (t *tally) look(is scoring.ItemResult) bool {
	switch is {
	case scoring.LeftOut:
		return false
	case scoring.Right:
		t.right++
	case scoring.NotKnown:
		t.lost++
	}
	t.n++
	above, below := t.side(t.interval())
	t.decided, t.holds = above || below, above != t.AtMost
	return t.decided
}

// side tells on which side an interval lies, if on one. At the share itself the question is answered with yes.
func (u Until) side(iv stats.Interval) (above, below bool) {
	if u.AtMost {
		return iv.Low > u.Share, iv.High <= u.Share
	}
	return iv.Low >= u.Share, iv.High < u.Share
}

func (t *tally) interval() stats.Interval {
	return stats.Interval{
		Low:  stats.Sequence(t.right, t.n, untilLevel).Low,
		High: stats.Sequence(t.right+t.lost, t.n, untilLevel).High,
	}
}

// rule ends the run of a request when the question is answered.
func (t *tally) rule() *Rule {
	return &Rule{
		Name: "until " + t.String(), Alpha: untilAlpha, Metric: t.Metric,
		Look: func(_ int, is scoring.ItemResult) bool { return t.look(is) },
	}
}

// end says what came of it, of a run that has ended well; the error is ErrRefuted, ErrUndecided, or nil where it holds.
func (t *tally) end(of int) (text string, err error) {
	iv := t.interval()
	seen := fmt.Sprintf("after %d of %d items: %.1f %% [%.1f, %.1f]",
		t.n, of, 100*float64(t.right)/float64(max(1, t.n)), 100*iv.Low, 100*iv.High)
	switch {
	case !t.decided:
		return "", &kindError{ErrUndecided, fmt.Errorf("%s: not decided %s", t, seen)}
	case !t.holds:
		return "", &kindError{ErrRefuted, fmt.Errorf("%s: surely not so, %s", t, seen)}
	}
	return fmt.Sprintf("%s: surely so, %s", t, seen), nil
}

func (w *work) planOrMake(ctx context.Context, p *runState) error {
	if w.plan != nil {
		return w.planRun(ctx, p)
	}
	if p.req.Until == "" {
		p.rule = w.Rule
		return w.took(w.continueRun(ctx, p))
	}
	until, err := ParseUntil(p.req.Until, p.req.Protocol)
	if err != nil {
		return err
	}
	seen := &tally{Until: until}
	p.rule = seen.rule()
	if err := w.took(w.continueRun(ctx, p)); err != nil {
		return err
	}
	said, err := seen.end(len(p.job.Rows))
	if err == nil {
		w.say("%s", said)
	}
	return err
}

func (w *work) took(rep *scoring.Report, err error) error {
	if rep != nil {
		w.made = append(w.made, *rep)
	}
	return err
}
