package answer

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/imports"
)

// GSM8K's file of model solutions: a question, its worked answer, and for each of several models its solution and
// whether that is right. What ends in "#### 18" in the dataset ends in "A: 18" here, in both.

// solutionMarker stands before the answer in these files.
const solutionMarker = "A:"

// solutionRow is a row of it: the solutions by model.
type solutionRow struct {
	where     string
	line      []byte // of the dataset
	item      datasets.Item
	models    []string // in the order of the row
	solutions map[string]solution
}

type solution struct {
	Right *bool   `json:"is_correct"`
	Text  *string `json:"solution"`
}

// importGSM8K turns GSM8K's file of model solutions into runs: one for each model, in folders of out named after them,
// or that of one model in out itself, where model names it or the file has no other.
func importGSM8K(path, out, model, gavel string) ([]*importedRun, error) {
	src, err := imports.Open(path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	bad := imports.Rejects{Path: path}
	var rows []solutionRow
	var models []string
	index := -1
	err = src.Each(func(n int, raw json.RawMessage) error {
		index++
		row, err := readSolutions(raw, index)
		if err != nil {
			bad.Add(n, err)
			return nil
		}
		for _, m := range row.models {
			if !slices.Contains(models, m) {
				models = append(models, m)
			}
		}
		row.where = rowNumber(n)
		rows = append(rows, row)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, bad.None("rows with question, ground_truth and, for each model, is_correct and solution")
	}
	wanted := models
	if model != "" {
		if !slices.Contains(models, model) {
			return nil, fmt.Errorf("%s: no solutions by %q: there are %s", path, model, strings.Join(models, ", "))
		}
		wanted = []string{model}
	}
	var all []*importedRun
	for _, m := range wanted {
		to := out
		if len(wanted) > 1 {
			to = filepath.Join(out, folderName(m))
		}
		f, err := solutionsOf(src, m, rows)
		if err == nil {
			err = f.reject(&bad, "solutions")
		}
		if err != nil {
			return all, err
		}
		a, err := f.run(to, gavel)
		if err != nil {
			return all, err
		}
		a.say()
		a.Say("is_correct is as read from the solution in %d of %d", a.Same, a.Told)
		all = append(all, a)
	}
	return all, nil
}

// folderName is a model's name as the name of a folder.
func folderName(model string) string {
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) || r < ' ' {
			return '_'
		}
		return r
	}, model)
	if strings.Trim(name, ".") == "" {
		return "_" + name
	}
	return name
}

// solutionsOf is the file of one model.
func solutionsOf(src *imports.Source, model string, rows []solutionRow) (*answersFile, error) {
	f := &answersFile{
		kind: "gsm8k", about: "GSM8K model solutions", source: src, model: model,
		options: judging.Settings{markerOption.Name: solutionMarker},
		dataset: judging.DatasetInfo{Name: "gsm8k", Format: datasets.GSM8K.Name}, check: checkSolution,
	}
	seen := map[string]string{}
	for _, r := range rows {
		row := answered{where: r.where, line: r.line, item: r.item}
		if s, ok := r.solutions[model]; ok {
			row.replies = []string{*s.Text}
			if s.Right != nil {
				told := strconv.FormatBool(*s.Right)
				row.told = &told
			}
		}
		if err := f.add(row, seen); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// readSolutions takes a row apart. Its models are the keys that hold an object with a solution. The question has the id
// that it has in the dataset, whose rows these are: the number of its row, from 0.
func readSolutions(raw json.RawMessage, index int) (solutionRow, error) {
	row := solutionRow{solutions: map[string]solution{}}
	var keys map[string]json.RawMessage
	if err := imports.DecodeRow(raw, &keys); err != nil {
		return row, err
	}
	var question, truth string
	for _, k := range []struct {
		name string
		to   *string
	}{{"question", &question}, {"ground_truth", &truth}} {
		if err := json.Unmarshal(keys[k.name], k.to); err != nil || *k.to == "" {
			return row, fmt.Errorf("key %q is missing or no text", k.name)
		}
	}
	var err error
	row.line, err = problemLine(index, question, truth)
	if err != nil {
		return row, err
	}
	row.item, err = datasets.GSM8K.Parse(row.line)
	if err != nil {
		return row, err
	}
	for key := range imports.Keys(raw) {
		var s solution
		if json.Unmarshal(keys[key], &s) == nil && s.Text != nil {
			row.models = append(row.models, key)
			row.solutions[key] = s
		}
	}
	if len(row.models) == 0 {
		return row, errors.New("no model's solution: this is no file of GSM8K's model solutions")
	}
	return row, nil
}

// problemLine is a question as a line of the dataset has it, with its id.
func problemLine(index int, question, truth string) ([]byte, error) {
	at := strings.LastIndex(truth, "\n") + 1
	number, ok := strings.CutPrefix(truth[at:], solutionMarker)
	if !ok {
		return nil, fmt.Errorf("ground_truth does not end in a line %q", solutionMarker+" …")
	}
	line := imports.PythonString(fmt.Appendf(nil, `{"id": %d, "question": `, index), question)
	line = imports.PythonString(append(line, `, "answer": `...), truth[:at]+"####"+number)
	return append(line, '}'), nil
}

// checkSolution compares whether the answer that we read is right with what the file says.
func checkSolution(_ judging.Asker, r *judging.Record, row answered) (told bool, differ string) {
	if row.told == nil {
		return false, ""
	}
	if SameNumber(r.Answer, r.Gold) == (*row.told == "true") {
		return true, ""
	}
	text := row.replies[0]
	why := "no answer is read from it"
	if r.Outcome == judging.Decided {
		why = fmt.Sprintf("read from it is %s (rule %s), %s", r.Answer, r.Rule, quote(text, strings.LastIndex(text, r.Label)))
	}
	return true, fmt.Sprintf("%s (its answer is %s): the file has is_correct %s; %s", row.where, r.Gold, *row.told, why)
}
