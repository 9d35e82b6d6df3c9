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

// Errors of a run with --until, for errors.Is. If its claim holds, the run ends without an error.
var (
	ErrRefuted   = errors.New("the claim does not hold")
	ErrUndecided = errors.New("all items do not decide the claim")
)

// StoppingClaim is a claim that a share of the items is at least, or at most, a threshold. It ends the run once it is
// decided.
type StoppingClaim struct {
	Metric    string  // name of the metric, the share of items that it counts as right
	AtMost    bool    // the claim is that the share is at most the threshold, not at least
	Threshold float64 // the threshold, from 0 to 1
}

// claimAlpha bounds the probability that the decision is wrong.
const claimAlpha = 0.05

// claimPattern matches a claim, such as "strict>=60": metric, comparison, percentage.
var claimPattern = regexp.MustCompile(`^\s*([a-z0-9-]+)\s*([<>]=)\s*([0-9]+(?:\.[0-9]+)?)\s*%?\s*$`)

// ParseStoppingClaim parses METRIC>=PERCENT or METRIC<=PERCENT for a protocol.
func ParseStoppingClaim(text, protocol string) (u StoppingClaim, err error) {
	shares := scoring.ItemwiseMetrics(protocol)
	match := claimPattern.FindStringSubmatch(text)
	switch {
	case len(shares) == 0:
		return u, fmt.Errorf("%s has no metric that counts items as right or wrong, which --until needs", protocol)
	case match == nil:
		return u, fmt.Errorf("%q: expected METRIC>=PERCENT or METRIC<=PERCENT, such as %s>=60", text, shares[0])
	case !slices.Contains(shares, match[1]):
		return u, fmt.Errorf("%s: --until cannot use the metric %q; choose one of %s",
			text, match[1], strings.Join(shares, ", "))
	}
	u = StoppingClaim{Metric: match[1], AtMost: match[2] == "<="}
	u.Threshold, err = strconv.ParseFloat(match[3], 64)
	if err != nil || !(u.Threshold > 0 && u.Threshold < 100) {
		return u, fmt.Errorf("%s: expected a percentage between 0 and 100", text)
	}
	u.Threshold /= 100
	return u, nil
}

func (u StoppingClaim) String() string {
	sign := ">="
	if u.AtMost {
		sign = "<="
	}
	return fmt.Sprintf("%s%s%g", u.Metric, sign, math.Round(1e10*u.Threshold)/1e8)
}

// claimTally counts the items that a run with a claim has judged.
type claimTally struct {
	StoppingClaim
	right, n     int // items that the metric counts as right, and all items that it counts
	unknownItems int // items of n whose result is unknown, since judgments failed
}

// observe adds the result of the next item and reports whether the claim is decided.
func (t *claimTally) observe(result scoring.ItemResult) bool {
	switch result {
	case scoring.ItemNotCounted:
		return false
	case scoring.ItemRight:
		t.right++
	case scoring.ItemUnknown:
		t.unknownItems++
	}
	t.n++
	above, below := t.compareInterval(t.interval())
	return above || below
}

// compareInterval reports whether an interval is above or below the threshold. A bound on it counts for the claim.
func (u StoppingClaim) compareInterval(iv stats.Interval) (above, below bool) {
	if u.AtMost {
		return iv.Low > u.Threshold, iv.High <= u.Threshold
	}
	return iv.Low >= u.Threshold, iv.High < u.Threshold
}

// interval returns the confidence interval of the share, valid after every item. It allows for either result of the
// failed items.
func (t *claimTally) interval() stats.Interval {
	return stats.Interval{
		Low:  stats.ShareConfidenceSequence(t.right, t.n, 1-claimAlpha).Low,
		High: stats.ShareConfidenceSequence(t.right+t.unknownItems, t.n, 1-claimAlpha).High,
	}
}

// rule returns the rule that ends a run when the claim is decided.
func (t *claimTally) rule() *StoppingRule {
	return &StoppingRule{
		Name:    "until " + t.String(),
		Alpha:   claimAlpha,
		Metric:  t.Metric,
		Observe: func(_ int, result scoring.ItemResult) bool { return t.observe(result) },
	}
}

// result returns the decision in words, for a run that has so many items and ended without another error. The error is
// ErrRefuted, ErrUndecided, or nil if the claim holds.
func (t *claimTally) result(items int) (text string, err error) {
	iv := t.interval()
	evidence := fmt.Sprintf("after %d of %d items: %.1f %% [%.1f, %.1f]",
		t.n, items, 100*float64(t.right)/float64(max(1, t.n)), 100*iv.Low, 100*iv.High)
	switch above, below := t.compareInterval(iv); {
	case !above && !below:
		return "", &errorWithKind{ErrUndecided, fmt.Errorf("%s: not decided %s", t, evidence)}
	case above == t.AtMost:
		return "", &errorWithKind{ErrRefuted, fmt.Errorf("%s: does not hold, %s", t, evidence)}
	}
	return fmt.Sprintf("%s: holds, %s", t, evidence), nil
}

// planOrMake adds a run to the plan, or makes the run. If the request has a claim, the run ends once that is decided.
func (w *requestWork) planOrMake(ctx context.Context, p *runState) error {
	if w.plan != nil {
		return w.planRun(ctx, p)
	}
	p.rule = w.Rule
	var until *claimTally
	if p.req.Until != "" {
		claim, err := ParseStoppingClaim(p.req.Until, p.req.Protocol)
		if err != nil {
			return err
		}
		until = &claimTally{StoppingClaim: claim}
		p.rule = until.rule()
	}
	rep, err := w.continueRun(ctx, p)
	if rep != nil {
		w.reports = append(w.reports, *rep)
	}
	if err != nil || until == nil {
		return err
	}
	text, err := until.result(len(p.job.Rows))
	if err == nil {
		w.Notef("%s", text)
	}
	return err
}
