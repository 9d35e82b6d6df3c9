package demo

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"unicode"

	"gavel/datasets/references"
	"gavel/protocols/pairwise"
	"gavel/scoring"
)

// published are the judges whose verdicts on all of LLMBar's pairs are part of gavel.
func published(version, out string) (*Demo, error) {
	set := references.LLMBar()
	d := &Demo{}
	marks := map[string]string{}
	for _, judge := range set.Judges {
		if !set.Whole(judge) {
			continue
		}
		made, err := pairwise.Published(set, judge, version)
		if err != nil {
			return nil, err
		}
		dir := ""
		if out != "" {
			dir = filepath.Join(out, Folder("llmbar "+judge.Name))
			if err := made.Write(dir); err != nil {
				return nil, err
			}
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
		run.Dir = dir
		if judge.LabelsStay {
			marks[judge.Name] = "*"
		}
		if err := d.add(judge.Name, run, dir); err != nil {
			return nil, err
		}
	}
	d.asks = fmt.Sprintf("%d published judges on LLMBar: %d pairs of outputs, each pair shown in both orders. "+
		"Their verdicts are part of gavel, scored now. Two coins would get 25 %%.", len(d.runs), len(set.Gold))
	d.notes = "* the labels (a), (b) stayed with the outputs when the order was reversed"
	if err := d.rank(); err != nil {
		return nil, err
	}
	for i := range d.board.Rows {
		d.board.Rows[i].Mark = marks[d.board.Rows[i].Name]
	}
	d.found = d.pairsFound()
	return d, nil
}

// Folder names a run after words.
func Folder(words string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(words), func(r rune) bool {
		return r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), "-")
}

// pairsFound are the best judge's advice, the judge that goes by the place most, and the one that looks deceive most.
func (d *Demo) pairsFound() (found []string) {
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
