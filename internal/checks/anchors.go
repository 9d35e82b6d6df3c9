package checks

import (
	"context"

	"gonum.org/v1/gonum/stat/distuv"

	"gavel/datasets"
	"gavel/internal/eval"
	"gavel/internal/labels"
	"gavel/scoring/stats"
)

// Change says what changed since the baseline.
type Change struct {
	// `nothing`, `judge`, `answers`, or `both`: the judge, and perhaps the answers too
	Verdict             string  `json:"verdict"`
	AnchorItems         int     `json:"anchors"`      // items with the same text in every check, asked twice
	MovedAnchors        int     `json:"moved"`        // anchors with another verdict than in the baseline, twice
	InconsistentAnchors int     `json:"inconsistent"` // anchors of whose two verdicts one is that of the baseline
	P                   float64 `json:"p"`            // p-value: the judge is the same
	OtherItems          int     `json:"others"`       // other items with a verdict now and in the baseline
	OtherItemsMoved     int     `json:"others_moved"` // those with another verdict
}

// requestForItems returns the request for all items of a file in the format of a run's items.
func requestForItems(r eval.RunRequest, file string) eval.RunRequest {
	r.Dataset = file
	r.IDsFile = ""
	r.Limit = 0
	r.Sample = nil
	r.Groups = nil
	r.Mapping = datasets.Mapping{}
	return r
}

// askAnchors asks the judge about the anchors twice and compares its verdicts with those of the baseline.
func (c *Check) askAnchors(ctx context.Context, e *eval.Maker, dir string) error {
	f := c.file
	if f.Anchors == nil {
		return nil
	}
	dirs := []string{dir + "/anchors-1", dir + "/anchors-2", c.Run, c.Run}
	if f.baseline != nil {
		dirs[3] = f.baseline.Dir
	}
	var verdicts []map[string]string
	for i, dir := range dirs {
		request := requestForItems(f.request, f.anchorsPath)
		request.Out = dir
		if i < 2 {
			if _, err := e.Run(ctx, request); err != nil {
				return err
			}
		}
		judge, err := labels.ReadJudge(dir, readingOptions)
		if err != nil {
			return err
		}
		verdicts = append(verdicts, judge.Verdicts)
	}
	c.Change = newChange(f.Anchors, verdicts, c.Identity["items"] == c.BaselineIdentity["items"])
	return nil
}

// barConfidenceLevel is the confidence level of two intervals that overlap unless the difference is significant at 5 %
// (Goldstein and Healy, JRSS A 158 (1995), 175-177).
const barConfidenceLevel = 0.83

// newChange compares the baseline's verdicts on the anchors with two verdicts on each now, which verdicts begins with.
// If the judge is the same, each of the three is equally likely to be the only one that differs: an exact binomial test
// of the anchors with exactly one such verdict. Then come the verdicts on other items, now and in the baseline: more of
// them changed than the judge changes by itself if the intervals of both shares do not overlap. If these items are
// the same, the judge changed.
func newChange(baseline map[string]string, verdicts []map[string]string, sameItems bool) *Change {
	c := &Change{Verdict: "nothing"}
	for id, b := range baseline {
		c.AnchorItems++
		switch x, y := verdicts[0][id], verdicts[1][id]; {
		case x == y && x != b:
			c.MovedAnchors++
		case x != y && (x == b || y == b):
			c.InconsistentAnchors++
		}
	}
	c.P = 1 - distuv.Binomial{
		N: float64(c.MovedAnchors + c.InconsistentAnchors),
		P: 1.0 / 3,
	}.CDF(float64(c.MovedAnchors-1))
	for id, x := range verdicts[2] {
		if b := verdicts[3][id]; b != "" {
			c.OtherItems++
			if x != b {
				c.OtherItemsMoved++
			}
		}
	}
	others := stats.Blaker(c.OtherItemsMoved, c.OtherItems, barConfidenceLevel).Low >
		stats.Blaker(c.InconsistentAnchors, c.AnchorItems, barConfidenceLevel).High
	switch judge := c.P < alpha; {
	case judge && others && !sameItems:
		c.Verdict = "both"
	case judge || others && sameItems:
		c.Verdict = "judge"
	case others:
		c.Verdict = "answers"
	}
	return c
}
