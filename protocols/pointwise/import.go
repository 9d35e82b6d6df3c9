package pointwise

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"gavel/datasets"
	"gavel/internal/codec"
	"gavel/judging"
	"gavel/protocols/imports"
	"gavel/protocols/pairwise"
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
// dataset, the table has ids of that dataset's items and responses in place of texts, and may be one judge's alone.
func importScores(r imports.Input) ([]*imports.ImportedRun, error) {
	dataset, judge := r.Option("dataset"), r.Option("model")
	set, info, err := r.OpenDataset(cmp.Or(dataset, r.Files[0]))
	if err != nil {
		return nil, err
	}
	defer set.Close()
	var table scoreTable
	if dataset != "" {
		table, err = readScores(r.Files[0], judge, set)
		if err == nil && table.hasOthers(judge) {
			set, err = table.responses(set)
			info.Format = datasets.ScoresFormat.Name
		}
		if err != nil {
			return nil, err
		}
	}
	asker := pointwise{template: judging.Template{Name: "imported", Labels: levelsOf(r.Option(scaleOption.Name))}}
	in := &imports.Builder{
		ImportedRun: imports.ImportedRun{Dir: r.Out}, Asker: asker, MissingError: "no score in the table",
	}
	for i := range set.Len() {
		item, err := set.Item(i)
		if err != nil {
			return nil, err
		}
		scores := table[item.ID]
		if p := item.People; p != nil {
			scores = nil
			if len(p.Scores) > 1 {
				scores = []map[string]float64{p.Scores}
			}
		}
		if !slices.ContainsFunc(scores, func(people map[string]float64) bool { _, has := people[judge]; return has }) {
			continue
		}
		in.Add(item)
		for k, people := range scores {
			var j imports.StoredJudgment
			if score, has := people[judge]; has {
				j.Replies = []string{"[[" + levelOf(asker.template.Labels, score) + "]]"}
			}
			delete(people, judge)
			if _, err := in.AddJudgment(item, k, j); err != nil {
				return nil, err
			}
		}
	}
	if in.VerdictCount == 0 {
		return nil, fmt.Errorf("%s has no scores by %s, on this scale, of responses that others have scored too: "+
			"it needs the columns question, response, score and person, or a column of scores for each; "+
			"with --dataset item, response and score", r.Files[0], judge)
	}
	return finishImport(in, r, judge, "a table of scores", info)
}

// scoreTable holds the scores of responses by their item's id, their index in the item, and the person.
type scoreTable map[string][]map[string]float64

// readScores reads a table of item, response, score and, where several people scored, person, with the ids of a set. A
// row without a person has the judge's score. An error names the file and line.
func readScores(path, judge string, set *datasets.Set) (scoreTable, error) {
	table := scoreTable{}
	add := func(raw []byte) error {
		var row map[string]json.RawMessage
		if err := datasets.DecodeObject(raw, &row); err != nil {
			return err
		}
		text := func(column string) string { return datasets.ScalarText(row[column]) }
		id, response := cmp.Or(text("item"), text("id"), text("pair_id")), text("response")
		i, ok := set.Find(id)
		if !ok {
			return fmt.Errorf("%s has no item %q: the table needs the columns item, response and score", set.Name, id)
		}
		item, err := set.Item(i)
		if err != nil {
			return err
		}
		k := slices.IndexFunc(item.Candidates, func(c datasets.Candidate) bool { return c.ID == response })
		if k < 0 {
			return fmt.Errorf("%s has no response %q", id, response)
		}
		score, err := strconv.ParseFloat(text("score"), 64)
		if err != nil {
			return fmt.Errorf("%q is no score", text("score"))
		}
		if table[id] == nil {
			table[id] = make([]map[string]float64, len(item.Candidates))
		}
		if table[id][k] == nil {
			table[id][k] = map[string]float64{}
		}
		table[id][k][cmp.Or(text("person"), judge)] = score
		return nil
	}
	var bad error
	_, err := imports.EachRow(path, func(line int, raw []byte) error {
		if bad = add(raw); bad != nil {
			bad = fmt.Errorf("%s:%d: %w", path, line, bad)
		}
		return bad
	})
	return table, cmp.Or(bad, err)
}

// hasOthers reports whether somebody else than the judge has scored a response.
func (t scoreTable) hasOthers(judge string) bool {
	for _, responses := range t {
		for _, people := range responses {
			if _, has := people[judge]; len(people) > 1 || len(people) == 1 && !has {
				return true
			}
		}
	}
	return false
}

// responses returns the scored responses of a set as a set of single responses.
func (t scoreTable) responses(set *datasets.Set) (*datasets.Set, error) {
	var lines [][]byte
	for i := range set.Len() {
		item, err := set.Item(i)
		if err != nil {
			return nil, err
		}
		for k, people := range t[item.ID] {
			if people == nil {
				continue
			}
			c := item.Candidates[k]
			line, err := codec.Marshal(map[string]any{
				"id": item.ID + "-" + c.ID, "group": item.Group, "question": item.Question, "response": c.Text, "scores": people,
			})
			if err != nil {
				return nil, err
			}
			lines = append(lines, line)
		}
	}
	return datasets.FromLines(set.Name, datasets.ScoresFormat.Name, lines)
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
