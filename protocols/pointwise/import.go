package pointwise

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/imports"
	"gavel/protocols/pairwise"
	"gavel/protocols/reading"
)

//go:embed imports.yaml
var importTexts string

// Imports lists the importers of scores from other harnesses' files.
var Imports = imports.ReadImporters(importTexts, map[string]imports.Function{
	"llmbar-rating": importRating,
	"scores":        importScores,
}, map[string]func(value string) error{
	scaleOption.Name: func(scale string) error {
		if len(levelsOf(scale)) < 2 {
			return errors.New("write yes-no, or the lowest and the highest score, such as 1-5")
		}
		return nil
	},
})

// importScores turns the scores of one of the people who scored the responses of a dataset into a run. With the option
// dataset, the table has ids of that dataset's items and responses in place of texts.
func importScores(r imports.Input) ([]*imports.ImportedRun, error) {
	dataset, judge := r.Option("dataset"), r.Option("model")
	set, info, err := r.OpenDataset(cmp.Or(dataset, r.Files[0]))
	if err != nil && dataset == "" {
		err = fmt.Errorf("%w; for ids in place of texts, name the dataset with --dataset", err)
	}
	if err != nil {
		return nil, err
	}
	defer set.Close()
	levels := levelsOf(r.Option(scaleOption.Name))
	in := &imports.Builder{
		ImportedRun:  imports.ImportedRun{Dir: r.Out},
		Asker:        pointwise{template: judging.Template{Name: "imported", Labels: levels}},
		MissingError: "no score in the table",
	}
	var table map[string]map[int]float64
	if dataset != "" {
		table, err = readScoreTable(r.Files[0], judge, set)
		if err != nil {
			return nil, err
		}
	}
	for i := range set.Len() {
		item, err := set.Item(i)
		if err != nil {
			return nil, err
		}
		scores := table[item.ID]
		if p := item.People; dataset == "" && p != nil && len(p.Scores) > 1 {
			if score, has := p.Scores[judge]; has {
				scores = map[int]float64{0: score}
				delete(p.Scores, judge)
			}
		}
		if scores == nil {
			continue
		}
		in.AddItem(item)
		for k := range item.Candidates {
			var j imports.StoredJudgment
			if score, has := scores[k]; has {
				text := levelText(levels, score)
				if !reading.OnScale(text, levels) {
					return nil, fmt.Errorf("%s: the score %s by %s is not on the scale of --scale", r.Files[0], text, judge)
				}
				j.Replies = []string{"[[" + text + "]]"}
			}
			if _, err := in.AddJudgment(item, k, j); err != nil {
				return nil, err
			}
		}
	}
	if in.VerdictCount == 0 {
		return nil, fmt.Errorf("%s has no scores by %s, on this scale, of responses that others have scored too: "+
			"it needs the columns question, response, score and person, or a column of scores for each, named with "+
			"--field score=COLUMN; with --dataset item, response and score", r.Files[0], judge)
	}
	return finishImport(in, r, judge, "a table of scores", info)
}

// readScoreTable returns a judge's scores in a table of item, response, score and, where several people scored, person,
// by the ids of a set's items and the indexes of their responses. An error names the file and line.
func readScoreTable(path, judge string, set *datasets.Set) (map[string]map[int]float64, error) {
	scores := map[string]map[int]float64{}
	var bad error
	_, err := imports.EachRow(path, func(line int, raw []byte) error {
		var row map[string]json.RawMessage
		bad = datasets.DecodeObject(raw, &row)
		text := func(column string) string { return datasets.ScalarText(row[column]) }
		var item datasets.Item
		i, ok := set.Find(text("item"))
		if ok && bad == nil {
			item, bad = set.Item(i)
		}
		k := slices.IndexFunc(item.Candidates, func(c datasets.Candidate) bool { return c.ID == text("response") })
		score, err := strconv.ParseFloat(text("score"), 64)
		_, isScored := scores[item.ID][k]
		byOther := cmp.Or(text("person"), judge) != judge
		switch {
		case bad != nil:
		case k < 0:
			bad = fmt.Errorf("%s has no item %q with a response %q: the table needs the columns item, response and score",
				set.Name, text("item"), text("response"))
		case err != nil:
			bad = fmt.Errorf("%q is no score", text("score"))
		case isScored && !byOther:
			bad = errors.New("a second score of this response: the column person has to say whose each score is")
		}
		if bad != nil {
			bad = fmt.Errorf("%s:%d: %w", path, line, bad)
		} else if !byOther {
			if scores[item.ID] == nil {
				scores[item.ID] = map[int]float64{}
			}
			scores[item.ID][k] = score
		}
		return bad
	})
	return scores, cmp.Or(bad, err)
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
	in.Summary = append(in.Summary, imports.SkippedRowsSummary(data.Skipped, "lines", data.BadLines)...)
	in.AddLine("run written to %s", in.Dir)
	return []*imports.ImportedRun{&in.ImportedRun}, in.Write(in.Dir)
}

// importRating turns the stored scores of LLMBar's strategies Rating (arXiv 2310.07641), a result.json for each subset,
// into a run.
func importRating(r imports.Input) ([]*imports.ImportedRun, error) {
	files, err := pairwise.LLMBarFiles(r.Files)
	if err != nil {
		return nil, err
	}
	first := files[0]
	in := &imports.Builder{
		ImportedRun: imports.ImportedRun{Dir: r.Out},
		Asker: pointwise{template: judging.Template{
			Name: first.Prompt, Origin: "LLMBar (arXiv 2310.07641)", Labels: levelsOf(llmBarScale),
		}},
		MissingError: "no score in the imported file",
	}
	var bad imports.Rejects
	for _, f := range files {
		bad.Path = f.Path
		n := 0
		_, err := imports.EachRow(f.Path, func(row int, raw []byte) error {
			item, scores, err := parseRatingRow(raw, datasets.LLMBarID(f.Subset, n))
			n++
			if err != nil {
				bad.Add(row, err)
				return nil
			}
			in.AddItem(item)
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
	}
	if len(in.Records) == 0 {
		return nil, bad.NoRowsError("rows with input, output_1, output_2, label and results with score_1 and score_2")
	}
	return finishImport(in, r, cmp.Or(r.Option("model"), first.Judge), "LLMBar's stored scores", judging.DatasetInfo{
		Name: pairwise.LLMBarName(files), Format: datasets.LLMBarFormat.Name, Rows: len(in.Items),
		Skipped: bad.N, BadLines: bad.First,
	})
}

// parseRatingRow returns the pair of a row and the replies with the scores of its two outputs.
func parseRatingRow(raw json.RawMessage, id string) (item datasets.Item, scores [2][]string, err error) {
	item, phases, err := pairwise.LLMBarPhases(raw, id)
	if err != nil {
		return item, scores, err
	}
	var stored struct {
		First  []string `json:"score_1"`
		Second []string `json:"score_2"`
	}
	err = json.Unmarshal(phases[len(phases)-1], &stored)
	scores = [2][]string{stored.First, stored.Second}
	if err == nil && (len(stored.First) == 0 || len(stored.Second) == 0) {
		err = fmt.Errorf(`"results" has no "score_1" and "score_2": for comparisons, gavel import llmbar`)
	}
	return item, scores, err
}
