package cli

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	pretty "github.com/jedib0t/go-pretty/v6/text"
	"github.com/urfave/cli/v2"

	"gavel/datasets/references"
	"gavel/internal/report"
	"gavel/internal/report/table"
	"gavel/judging"
	"gavel/protocols/pairwise"
	"gavel/scoring"
)

var _ = register(firstSteps, 10, "demo", demoCommand)

func demoCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "demo",
		Usage:     "see real judges scored: no model, no network",
		UsageText: "gavel demo [--full] [--serve] [--out DIR]",
		Flags: []cli.Flag{
			stringFlag("out", "keep the runs in `DIR`"),
			boolFlag("full", "print every column of the table"),
			boolFlag("serve", "then show the runs in the browser, as gavel serve does"),
			&cli.StringFlag{Name: "addr", Value: defaultAddress, Usage: "with --serve: `ADDRESS` to listen on"},
		},
		Before: noArguments,
		Action: e.demo,
	}
}

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
	asks := fmt.Sprintf("%d published judges on LLMBar: %d pairs of outputs, each pair shown in both orders. "+
		"Their verdicts are part of gavel, scored now. Two coins would get 25 %%.", len(board.Rows), len(set.Gold))
	if err := e.printDemo(board, asks, c.Bool("full")); err != nil {
		return err
	}
	if c.Bool("serve") {
		if e.terminal {
			serve = append(serve, "--open")
		}
		serve = append(serve, "--runs", out)
		return newApp(e, serve[1:]...).RunContext(c.Context, serve)
	}
	_, err = fmt.Fprint(e.stdout, "\nLook at it: gavel demo --serve      Your own judge: gavel doctor\n")
	return err
}

// publishedBoard makes a run in the folder out for each judge whose verdicts on all pairs are part of gavel, and ranks
// them.
func publishedBoard(set *references.Set, out string) (report.Board, error) {
	marks := map[string]string{}
	var names []string
	var runs []*scoring.Run
	var reports []scoring.Report
	for _, judge := range set.Judges {
		if !set.Whole(judge) {
			continue
		}
		made, err := pairwise.Published(set, judge, version())
		if err != nil {
			return report.Board{}, err
		}
		loader, err := scoring.NewLoader(made.Manifest, scoring.DefaultOptions.Reading)
		if err != nil {
			return report.Board{}, err
		}
		for _, r := range made.Records {
			if err := loader.Add(r); err != nil {
				return report.Board{}, err
			}
		}
		run := loader.Run()
		run.Dir = filepath.Join(out, runFolder("llmbar "+judge.Name))
		rep := run.Score(scoring.DefaultOptions.Bootstrap)
		err = made.Write(run.Dir)
		if err == nil {
			err = judging.WriteJSON(filepath.Join(run.Dir, judging.ResultsFile), rep)
		}
		if err != nil {
			return report.Board{}, err
		}
		if judge.LabelsStay {
			marks[judge.Name] = "*"
		}
		names = append(names, judge.Name)
		runs = append(runs, run)
		reports = append(reports, rep)
	}
	rankings, err := scoring.RankScored(runs, reports, scoring.DefaultOptions.Bootstrap)
	if err != nil {
		return report.Board{}, err
	}
	board := report.NewBoard(rankings[0], names)
	for i := range board.Rows {
		board.Rows[i].Mark = marks[board.Rows[i].Name]
	}
	return board, nil
}

// printDemo prints the board and its findings as paragraphs for a terminal.
func (e *env) printDemo(board report.Board, asks string, full bool) error {
	const widest, stay = 80, "* the labels (a), (b) stayed with the outputs when the order was reversed"
	w := e.screen()
	width := cmp.Or(e.columns, widest)
	columns := min(width, widest)
	for line := range strings.Lines(paragraph(board.Says, columns)) {
		fmt.Fprintln(w, table.Bold(w, strings.TrimSuffix(line, "\n")))
	}
	fmt.Fprintf(w, "\n%s\n", paragraph(asks, columns))
	if err := board.Text(w, width, full); err != nil {
		return err
	}
	found := strings.Join(pointedOut(board.Rows), " ")
	_, err := fmt.Fprintf(w, "%s\n%s", paragraph(stay, columns), paragraph(found, columns))
	return err
}

// paragraph breaks lines between words at the given width.
func paragraph(lines string, columns int) string {
	const percent, unbroken = " %", "\ue000%" // a space at which no line breaks
	var out strings.Builder
	lines = strings.ReplaceAll(lines, percent, unbroken)
	for line := range strings.SplitSeq(pretty.WrapSoft(lines, columns), "\n") {
		fmt.Fprintln(&out, strings.TrimRight(strings.ReplaceAll(line, unbroken, percent), " "))
	}
	return out.String()
}

// runFolder turns a judge's name into the name of a folder.
func runFolder(words string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(words), func(r rune) bool {
		return r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), "-")
}

// pointedOut returns three findings: the best judge's advice, the judge with the strongest position bias, and the judge
// that good-looking outputs mislead most.
func pointedOut(rows []report.Standing) (found []string) {
	best := rows[0]
	place := -1
	fooled := -1
	far := 0.0
	gap := 0.0
	for i, row := range rows {
		if v := row.NamesFirst.Value; v != nil && math.Abs(*v-50) > far {
			far = math.Abs(*v - 50)
			place = i
		}
		natural, adversarial := split(row.Report)
		if natural-adversarial > gap {
			gap = natural - adversarial
			fooled = i
		}
	}
	found = append(found, fmt.Sprintf("Where both orders agree %s is right on %.0f %%, and %.0f %% of the pairs get such "+
		"a verdict.", best.Name, *best.RightWhereAlike.Value, *best.Coverage.Value))
	if place >= 0 {
		row := rows[place]
		found = append(found, fmt.Sprintf("%s names the output shown first in %.0f %% of its verdicts: the place decides.",
			row.Name, *row.NamesFirst.Value))
	}
	if fooled >= 0 {
		natural, adversarial := split(rows[fooled].Report)
		found = append(found, fmt.Sprintf("%s is fooled by outputs that look good: %.0f %% right on Natural pairs, "+
			"%.0f %% on Adversarial ones.", rows[fooled].Name, natural, adversarial))
	}
	return found
}

// split returns on what percentage of LLMBar's natural and of its adversarial pairs a judge is correct in both orders.
func split(r *scoring.Report) (natural, adversarial float64) {
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
