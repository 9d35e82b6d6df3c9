package pointwise

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/imports"
	"gavel/protocols/pairwise"
)

// Imports lists the importers of scores from other harnesses' files.
var Imports = []imports.Importer{
	{
		Name:      "llmbar-rating",
		About:     "LLMBar's stored scores become a run",
		Usage:     "FILE... --out RUN [--model NAME]",
		ManyFiles: true,
		Options:   []imports.Flag{imports.ModelFlag("`NAME` of the judge; default: as the path has it")},
		Import:    importRating,
	},
	{
		Name:  "scores",
		About: "the scores of one judge in a table become a run, compared with the other people in the table",
		Usage: "FILE|DATASET --model NAME --scale SCALE --out RUN",
		Options: []imports.Flag{
			{Name: "model", Usage: "`NAME` of the judge: a person, or a column of scores, of the table", Required: true},
			{Name: scaleOption.Name, Usage: "`SCALE` of the scores", Required: true, Check: func(scale string) error {
				if len(levelsOf(scale)) < 2 {
					return errors.New("write yes-no, or the lowest and the highest score, such as 1-5")
				}
				return nil
			}},
		},
		Import: importScores,
	},
}

// importScores turns the scores of one of the people who scored the responses of a dataset into a run.
func importScores(r imports.Input) ([]*imports.ImportedRun, error) {
	set, info, err := r.OpenDataset(r.Files[0])
	if err != nil {
		return nil, err
	}
	defer set.Close()
	judge := r.Option("model")
	asker := pointwise{template: judging.Template{Name: "imported", Labels: levelsOf(r.Option(scaleOption.Name))}}
	in := &imports.Builder{
		ImportedRun: imports.ImportedRun{Dir: r.Out}, Asker: asker, MissingError: "no score in the table",
	}
	for i := range set.Len() {
		item, err := set.Item(i)
		if err != nil {
			return nil, err
		}
		p := item.People
		if p == nil || len(p.Scores) < 2 {
			continue
		}
		score, has := p.Scores[judge]
		if !has {
			continue
		}
		delete(p.Scores, judge)
		in.Add(item)
		j := imports.StoredJudgment{Replies: []string{"[[" + levelOf(asker.template.Labels, score) + "]]"}}
		if _, err := in.AddJudgment(item, 0, j); err != nil {
			return nil, err
		}
	}
	if in.VerdictCount == 0 {
		return nil, fmt.Errorf("%s has no scores by %s, on this scale, of responses that others have scored too: "+
			"it needs the columns question, response, score and person, or a column of scores for each", set.Name, judge)
	}
	return finishImport(in, r, judge, "a table of scores", info)
}

// finishImport describes the run of a judge and writes it.
func finishImport(
	in *imports.Builder, r imports.Input, judge, source string, data judging.DatasetInfo,
) ([]*imports.ImportedRun, error) {
	spec := judging.Spec{
		Protocol: name, Goal: Protocol.Goal, Prompt: in.Asker.(pointwise).template,
		Model: judging.ModelSpec{Name: judge, Identity: "imported " + judge},
	}
	in.SetManifest(r.Gavel, source, r.Files[0], spec, data)
	in.AddLine("%s: %d items, %d scores, %d of them read", judge, len(in.Items), len(in.Records), in.VerdictCount)
	in.Summary = append(in.Summary, imports.SkippedLines(data.Skipped, "lines", data.BadLines)...)
	in.AddLine("run written to %s", in.Dir)
	return []*imports.ImportedRun{&in.ImportedRun}, in.Write(in.Dir)
}

// importRating turns the stored scores of LLMBar's strategies Rating (arXiv 2310.07641), a result.json for each subset,
// into a run.
func importRating(r imports.Input) ([]*imports.ImportedRun, error) {
	asker := pointwise{template: judging.Template{Origin: "LLMBar (arXiv 2310.07641)", Labels: levelsOf(llmBarScale)}}
	in := &imports.Builder{
		ImportedRun: imports.ImportedRun{Dir: r.Out}, Asker: asker, MissingError: "no score in the imported file",
	}
	var bad imports.Rejects
	judge, dataset := "", datasets.LLMBarFormat.Name
	for _, file := range r.Files {
		subset, model, strategy, err := pairwise.LLMBarPathParts(file)
		if err != nil {
			return nil, err
		}
		if judge != "" && (judge != model || asker.template.Name != strategy) {
			return nil, fmt.Errorf("%s: is of %s by %s, others of %s by %s: one judge and one prompt a run",
				file, model, strategy, judge, asker.template.Name)
		}
		judge = model
		asker.template.Name = strategy
		in.Asker = asker
		bad.Path = file
		n := 0
		_, err = imports.EachRow(file, func(row int, raw []byte) error {
			item, scores, err := ratingRow(raw, datasets.LLMBarID(subset, n))
			n++
			if err != nil {
				bad.Add(row, err)
				return nil
			}
			in.Add(item)
			for k, score := range scores {
				if _, err := in.AddJudgment(item, k, imports.StoredJudgment{Replies: score[:1]}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if len(r.Files) == 1 {
			dataset += "-" + strings.ToLower(path.Base(subset))
		}
	}
	if len(in.Records) == 0 {
		return nil, bad.NoRowsError("rows with input, output_1, output_2, label and results with score_1 and score_2")
	}
	return finishImport(in, r, cmp.Or(r.Option("model"), judge), "LLMBar's stored scores", judging.DatasetInfo{
		Name: dataset, Format: datasets.LLMBarFormat.Name, Rows: len(in.Items), Skipped: bad.N, BadLines: bad.First,
	})
}

// ratingRow returns the pair of a row and the replies with the scores of its two outputs.
func ratingRow(raw json.RawMessage, id string) (item datasets.Item, scores [2][]string, err error) {
	item, last, err := pairwise.LLMBarRow(raw, id)
	if err != nil {
		return item, scores, err
	}
	var stored struct {
		First  []string `json:"score_1"`
		Second []string `json:"score_2"`
	}
	err = json.Unmarshal(last, &stored)
	scores = [2][]string{stored.First, stored.Second}
	if err == nil && (len(stored.First) == 0 || len(stored.Second) == 0) {
		err = fmt.Errorf(`"results" has no "score_1" and "score_2": for comparisons, gavel import llmbar`)
	}
	return item, scores, err
}
