package checks

import (
	"context"

	"gonum.org/v1/gonum/stat/distuv"

	"gavel/datasets"
	"gavel/internal/doc"
	"gavel/internal/eval"
	"gavel/internal/labels"
	"gavel/internal/phrases"
	"gavel/scoring/stats"
)

// Change says what changed since the baseline.
type Change struct {
	// `nothing`, `judge`, `answers`, or `both`: the judge, and perhaps the answers too; `unknown` if the anchors did not
	// change and there are no other items
	Verdict             string  `json:"verdict"`
	AnchorItems         int     `json:"anchors"`      // items with the same text in every check, asked twice
	MovedAnchors        int     `json:"moved"`        // anchors with another verdict than in the baseline, twice
	InconsistentAnchors int     `json:"inconsistent"` // anchors of whose two verdicts one is that of the baseline
	P                   float64 `json:"p"`            // p-value: the judge is the same
	OtherItems          int     `json:"others"`       // other items with a verdict now and in the baseline
	OtherItemsMoved     int     `json:"others_moved"` // those with another verdict

	// verdicts that are possible, by whether those on the anchors (row) and on other items (column) changed, and
	// the place of the one that holds
	possibleVerdicts [2][2]string
	row, column      int
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
	if f.AnchorVerdicts == nil {
		return nil
	}
	dirs := []string{dir + "/anchors-1", dir + "/anchors-2", c.Run}
	if f.baselineRun != nil {
		dirs = append(dirs, f.baselineRun.Dir)
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
		judge, err := labels.ReadJudge(dir, replyReadingRules)
		if err != nil {
			return err
		}
		verdicts = append(verdicts, judge.Verdicts)
	}
	c.Change = newChange(f.AnchorVerdicts, append(verdicts, nil), c.Identity["items"] == c.BaselineIdentity["items"])
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
	c := &Change{possibleVerdicts: [2][2]string{{"nothing", "answers"}, {"judge", "both"}}}
	if sameItems {
		c.possibleVerdicts = [2][2]string{{"nothing", "judge"}, {"judge", "judge"}}
	}
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
		if b := verdicts[3][id]; b != "" && (baseline[id] == "" || !sameItems) {
			c.OtherItems++
			if x != b {
				c.OtherItemsMoved++
			}
		}
	}
	if c.OtherItems == 0 {
		c.possibleVerdicts[0][0] = "unknown"
	}
	if c.P < alpha {
		c.row = 1
	}
	if stats.Blaker(c.OtherItemsMoved, c.OtherItems, barConfidenceLevel).Low >
		stats.Blaker(c.InconsistentAnchors, c.AnchorItems, barConfidenceLevel).High {
		c.column = 1
	}
	c.Verdict = c.possibleVerdicts[c.row][c.column]
	return c
}

// table returns a table of what may have changed, by whether the verdicts on the anchors and on other items did. The
// cell that holds is marked, and has the counts.
func (c *Change) table() *doc.Table {
	t := &doc.Table{RowHead: "verdicts on", Look: "keep"}
	t.Columns = doc.ColumnsOfKind(doc.ColumnWords, "others: same", "others: changed")
	for i, name := range []string{"anchors: same", "anchors: changed"} {
		row := doc.Row{Name: name}
		for k, verdict := range c.possibleVerdicts[i] {
			cell := doc.TextCell(phrases.Sentence("check.cell-" + verdict))
			if i == c.row && k == c.column {
				cell.Look = " holds"
				cell.Text = phrases.Sentence("check.holds",
					cell.Text, c.MovedAnchors, c.AnchorItems, c.OtherItemsMoved, c.OtherItems)
			}
			row.Cells = append(row.Cells, cell)
		}
		t.Add(row)
	}
	return t
}
