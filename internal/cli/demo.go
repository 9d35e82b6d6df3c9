package cli

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/urfave/cli/v2"

	"gavel/datasets/references"
	"gavel/internal/doc"
	"gavel/internal/report"
	"gavel/protocols/pairwise"
	"gavel/scoring"
)

// demo ranks published judges whose verdicts are part of gavel and, with --serve, shows their runs in the browser.
func (e *env) demo(c *cli.Context) error {
	out := c.String("out")
	serve := []string{c.App.Name, "serve", "--addr", c.String("addr")}
	if out == "" {
		tmp, err := os.MkdirTemp("", "gavel-demo-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(tmp)
		out = tmp
		serve = append(serve, "--read-only")
	}
	set := references.LLMBar()
	board, err := publishedBoard(set, out)
	if err != nil {
		return err
	}
	d := board.Document()
	d.Data = board
	d.Answer = fmt.Sprintf("%d published judges on LLMBar: %d pairs of outputs, each pair shown in both orders. "+
		"Their verdicts are part of gavel, scored now. By chance it is 25 %%.", len(board.Rows), len(set.GoldByItem))
	d.Blocks[0].AddPlainNotes("* the labels (a), (b) stayed with the outputs when the order was reversed")
	findings := doc.Block{}
	findings.AddPlainNotes(demoFindings(board.Rows)...)
	d.Blocks = append(d.Blocks, findings)
	if !c.Bool("serve") {
		d.Blocks = append(d.Blocks, doc.Block{Commands: []doc.Command{
			{Line: "gavel demo --serve", Purpose: "look at it in the browser"},
			{Line: "gavel doctor", Purpose: "test a judge of your own"},
		}})
	}
	e.columns = cmp.Or(e.columns, demoWidth)
	if err := e.printResult(c, d); err != nil {
		return err
	}
	if !c.Bool("serve") {
		return nil
	}
	if e.terminal {
		serve = append(serve, "--open")
	}
	serve = append(serve, "--runs", out)
	return newApp(e).RunContext(c.Context, serve)
}

// demoWidth is the width of the demo's tables without a terminal, in columns, as in the README.
const demoWidth = 80

// publishedBoard makes a run, in the folder out, for each judge whose published verdicts on all pairs of the set are
// part of gavel, and returns their ranking.
func publishedBoard(set *references.PublishedSet, out string) (report.Board, error) {
	var dirs []string
	marks := map[string]string{}
	for _, judge := range set.Judges {
		if !set.Complete(judge) {
			continue
		}
		run, err := pairwise.PublishedRun(set, judge, version())
		if err != nil {
			return report.Board{}, err
		}
		dir := filepath.Join(out, runFolderName("llmbar "+judge.Name))
		if err := run.Write(dir); err != nil {
			return report.Board{}, err
		}
		dirs = append(dirs, dir)
		if judge.LabelsFollowResponses {
			marks[judge.Name] = "*"
		}
	}
	runs, reports, err := scoreImported(dirs)
	if err != nil {
		return report.Board{}, err
	}
	rankings, err := scoring.RankScored(runs, reports, scoring.DefaultOptions.Bootstrap)
	if err != nil {
		return report.Board{}, err
	}
	board := report.NewBoard(rankings[0], nil)
	for i, row := range board.Rows {
		board.Rows[i].Mark = marks[row.Name]
	}
	return board, nil
}

// runFolderName returns the name of a run's folder made from words such as a judge's name: small
// letters, digits and hyphens.
func runFolderName(words string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(words), func(r rune) bool {
		return r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), "-")
}

// demoFindings returns three findings in words about the ranked judges: the best judge's accuracy when consistent, the
// judge with the strongest position bias, and the judge that good-looking outputs mislead most.
func demoFindings(rows []report.BoardRow) []string {
	positionBias := func(row report.BoardRow) float64 { return math.Abs(*row.PrefersFirst.Value - 50) }
	gap := func(row report.BoardRow) float64 {
		natural, adversarial := llmBarPercentages(row.Report)
		return natural - adversarial
	}
	highest := func(measure func(report.BoardRow) float64) report.BoardRow {
		return slices.MaxFunc(rows, func(a, b report.BoardRow) int { return cmp.Compare(measure(a), measure(b)) })
	}
	best := rows[0]
	biased := highest(positionBias)
	fooled := highest(gap)
	natural, adversarial := llmBarPercentages(fooled.Report)
	return []string{
		fmt.Sprintf("When consistent, %s is correct on %.0f %%; %.0f %% of the pairs get such a verdict.",
			best.Name, *best.AccuracyWhenConsistent.Value, *best.Coverage.Value),
		fmt.Sprintf("%s prefers the output shown first in %.0f %% of its verdicts: position bias.",
			biased.Name, *biased.PrefersFirst.Value),
		fmt.Sprintf("Outputs that look good mislead %s: correct on %.0f %% of the Natural pairs, "+
			"%.0f %% of the Adversarial ones.", fooled.Name, natural, adversarial),
	}
}

// llmBarPercentages returns the percentages of LLMBar's natural and adversarial pairs that are correct in both orders.
func llmBarPercentages(r *scoring.Report) (natural, adversarial float64) {
	var right, pairs [2]float64
	head := report.Headline(r)
	for _, x := range r.Results {
		if x.Metric != head.Metric || x.Group == scoring.Overall || x.Value == nil {
			continue
		}
		part := 0
		if strings.HasPrefix(x.Group, "Adversarial/") {
			part = 1
		}
		right[part] += *x.Value * float64(x.N)
		pairs[part] += float64(x.N)
	}
	return right[0] / pairs[0], right[1] / pairs[1]
}
