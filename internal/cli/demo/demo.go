// Package demo shows what gavel finds out about judges. No model, no network and no data are needed: the verdicts of
// published judges are part of gavel.
package demo

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/text"

	"gavel/datasets/references"
	"gavel/internal/report"
	"gavel/internal/report/table"
	"gavel/judging"
	"gavel/protocols/pairwise"
	"gavel/scoring"
)

// Demo is what published judges decided on all of LLMBar's pairs, scored.
type Demo struct {
	asks  string // what the judges were asked, and about what
	board report.Board
}

// New scores the judges. Their runs stay in the folder out; "" is none.
func New(version, out string) (*Demo, error) {
	set := references.LLMBar()
	marks := map[string]string{}
	var names []string
	var runs []*scoring.Run
	var reports []scoring.Report
	for _, judge := range set.Judges {
		if !set.Whole(judge) {
			continue
		}
		made, err := pairwise.Published(set, judge, version)
		if err != nil {
			return nil, err
		}
		loader, err := scoring.NewLoader(made.Manifest, scoring.DefaultOptions.Reading)
		if err != nil {
			return nil, err
		}
		for _, r := range made.Records {
			if err := loader.Add(r); err != nil {
				return nil, err
			}
		}
		run := loader.Run()
		if out != "" {
			run.Dir = filepath.Join(out, Folder("llmbar "+judge.Name))
			if err := made.Write(run.Dir); err != nil {
				return nil, err
			}
		}
		rep := run.Score(scoring.DefaultOptions.Bootstrap)
		if out != "" {
			if err := judging.WriteJSON(filepath.Join(run.Dir, judging.ResultsFile), rep); err != nil {
				return nil, err
			}
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
		return nil, err
	}
	d := &Demo{board: report.NewBoard(rankings[0], reports, names)}
	for i := range d.board.Rows {
		d.board.Rows[i].Mark = marks[d.board.Rows[i].Name]
	}
	d.asks = fmt.Sprintf("%d published judges on LLMBar: %d pairs of outputs, each pair shown in both orders. "+
		"Their verdicts are part of gavel, scored now. Two coins would get 25 %%.", len(runs), len(set.Gold))
	return d, nil
}

// widest is how wide paragraphs are at most.
const widest = 80

// WriteText prints the demo for a terminal of so many columns, 0 where that is not known. full leaves nothing out.
func (d *Demo) WriteText(w io.Writer, columns int, full bool) error {
	if columns <= 0 {
		columns = widest
	}
	board := columns
	columns = min(columns, widest)
	for line := range strings.Lines(paragraph(d.board.Says, columns)) {
		fmt.Fprintln(w, table.Bold(w, strings.TrimSuffix(line, "\n")))
	}
	fmt.Fprintf(w, "\n%s\n", paragraph(d.asks, columns))
	if err := d.board.Text(w, board, full); err != nil {
		return err
	}
	const stay = "* the labels (a), (b) stayed with the outputs when the order was reversed"
	_, err := fmt.Fprintf(w, "%s\n%s", paragraph(stay, columns), paragraph(strings.Join(d.found(), " "), columns))
	return err
}

// paragraph breaks lines between words.
func paragraph(lines string, columns int) string {
	const percent, unbroken = " %", "\ue000%" // which nothing wraps at
	var out strings.Builder
	lines = strings.ReplaceAll(lines, percent, unbroken)
	for line := range strings.SplitSeq(text.WrapSoft(lines, columns), "\n") {
		fmt.Fprintln(&out, strings.TrimRight(strings.ReplaceAll(line, unbroken, percent), " "))
	}
	return out.String()
}

// Folder names a run after words.
func Folder(words string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(words), func(r rune) bool {
		return r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), "-")
}

// found are the best judge's advice, the judge that goes by the place most, and the one that looks deceive most.
func (d *Demo) found() (found []string) {
	rows := d.board.Rows
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

// split is on how many of LLMBar's natural pairs and of its adversarial ones a judge is correct in both orders, in
// percent.
func split(r *scoring.Report) (natural, adversarial float64) {
	var right, pairs [2]float64
	for _, x := range r.Results {
		if x.Metric != "strict" || x.Group == scoring.Overall || x.Value == nil {
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
