package pointwise

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/imports"
	"gavel/protocols/pairwise"
)

// Imports lists the importers of scores from other harnesses' files.
var Imports = []imports.Importer{{
	Name:      "llmbar-rating",
	About:     "LLMBar's stored scores become a run",
	Usage:     "FILE... --out RUN [--model NAME]",
	ManyFiles: true,
	Options:   []imports.Flag{imports.Model("`NAME` of the judge; default: as the path has it")},
	Import:    importRating,
}}

// importRating turns the stored scores of LLMBar's strategies Rating (arXiv 2310.07641), a result.json for each subset,
// into a run.
func importRating(r imports.Input) ([]*imports.ImportedRun, error) {
	asker := pointwise{template: judging.Template{Origin: "LLMBar (arXiv 2310.07641)", Labels: levelsOf(llmBarScale)}}
	in := &imports.Builder{
		ImportedRun: imports.ImportedRun{Dir: r.Out}, Asker: asker, MissingError: "no score in the imported file",
	}
	var bad imports.Rejects
	judge, dataset := "", datasets.LLMBar.Name
	for _, file := range r.Files {
		subset, model, strategy, err := pairwise.LLMBarFile(file)
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
				if _, err := in.Judge(item, k, imports.StoredJudgment{Replies: score[:1]}); err != nil {
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
	model := cmp.Or(r.Option("model"), judge)
	spec := judging.Spec{
		Protocol: name, Goal: Protocol.Goal, Prompt: asker.template,
		Model: judging.ModelSpec{Name: model, Identity: "imported " + model},
	}
	in.Describe(r.Gavel, "LLMBar's stored scores", r.Files[0], spec, judging.DatasetInfo{
		Name: dataset, Format: datasets.LLMBar.Name, Rows: len(in.Items), Skipped: bad.N, Bad: bad.First,
	})
	in.AddLine("%s: %d pairs, %d scores, %d of them read", model, len(in.Items), len(in.Records), in.Read)
	in.Summary = append(in.Summary, imports.SkippedLines(bad.N, "lines", bad.First)...)
	in.AddLine("run written to %s", in.Dir)
	return []*imports.ImportedRun{&in.ImportedRun}, in.Write(in.Dir)
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
