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
	f := &answersFile{
		kind:    "gsm8k",
		about:   "GSM8K model solutions",
		source:  src,
		options: judging.Settings{markerOption.Name: solutionMarker},
		dataset: judging.DatasetInfo{Name: "gsm8k", Format: datasets.GSM8K.Name},
		check:   checkSolution,
	}
	var models []string // in the order of the rows
	index := -1
	err = f.gather("rows with question, ground_truth and, for each model, is_correct and solution",
		func(raw json.RawMessage) (answerRow, error) {
			index++
			row, named, err := readSolutions(raw, index)
			for _, m := range named {
				if err == nil && !slices.Contains(models, m) {
					models = append(models, m)
				}
			}
			return row, err
		})
	if err != nil {
		return nil, err
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
		a, err := f.by(m).run(to, gavel)
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

// by is the file with the solutions of one model.
func (f answersFile) by(model string) *answersFile {
	f.model = model
	f.rows = slices.Clone(f.rows)
	for i := range f.rows {
		row := &f.rows[i]
		if s, ok := row.solutions[model]; ok {
			row.replies = []string{*s.Text}
			if s.Right != nil {
				row.told = new(strconv.FormatBool(*s.Right))
			}
		}
	}
	return &f
}

// readSolutions takes a row apart. Its models are the keys that hold an object with a solution. The question has the id
// that it has in the dataset, whose rows these are: the number of its row, from 0.
func readSolutions(raw json.RawMessage, index int) (row answerRow, models []string, err error) {
	var keys map[string]json.RawMessage
	if err := imports.DecodeRow(raw, &keys); err != nil {
		return row, nil, err
	}
	var question, truth string
	for _, k := range []struct {
		name string
		to   *string
	}{{"question", &question}, {"ground_truth", &truth}} {
		if err := json.Unmarshal(keys[k.name], k.to); err != nil || *k.to == "" {
			return row, nil, fmt.Errorf("key %q is missing or no text", k.name)
		}
	}
	row.line, err = problemLine(index, question, truth)
	if err != nil {
		return row, nil, err
	}
	row.item, err = datasets.GSM8K.Parse(row.line)
	if err != nil {
		return row, nil, err
	}
	row.solutions = map[string]solution{}
	for key := range imports.Keys(raw) {
		var s solution
		if json.Unmarshal(keys[key], &s) == nil && s.Text != nil {
			models = append(models, key)
			row.solutions[key] = s
		}
	}
	if models == nil {
		return row, nil, errors.New("no model's solution: this is no file of GSM8K's model solutions")
	}
	return row, models, nil
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
func checkSolution(_ judging.Asker, r *judging.Record, row answerRow) (told bool, differ string) {
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
