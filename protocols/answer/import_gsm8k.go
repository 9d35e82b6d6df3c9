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

// GSM8K's file of model solutions has a question, its worked answer, and for each model its solution and whether it is
// right. Where the dataset ends with "#### 18", both end with "A: 18".

// solutionMarker precedes the answer in GSM8K's files of model solutions.
const solutionMarker = "A:"

// solution is a model's solution to a question of GSM8K, and whether the file calls it right.
type solution struct {
	model string
	Right *bool   `json:"is_correct"`
	Text  *string `json:"solution"`
}

// importGSM8K turns GSM8K's file of model solutions into runs, one for each model in a folder named after it; or into a
// single run if one model is selected or the file has only one.
func importGSM8K(r imports.Input) (all []*imports.ImportedRun, err error) {
	f := &answersFile{
		kind:    "gsm8k",
		source:  "GSM8K model solutions",
		path:    r.Files[0],
		options: judging.Settings{markerOption.Name: solutionMarker},
		dataset: judging.DatasetInfo{Name: "gsm8k", Format: datasets.GSM8KFormat.Name},
	}
	var models []string                   // in the order of the rows
	byQuestion := map[string][]solution{} // by the id of the question
	index := -1
	err = f.gather("rows with question, ground_truth and, for each model, is_correct and solution",
		func(raw json.RawMessage) (answerRow, error) {
			index++
			item, solutions, err := readSolutions(raw, index)
			for _, s := range solutions {
				if !slices.Contains(models, s.model) {
					models = append(models, s.model)
				}
			}
			byQuestion[item.ID] = solutions
			return answerRow{item: item}, err
		})
	if err != nil {
		return nil, err
	}
	if model := r.Option("model"); model != "" {
		if !slices.Contains(models, model) {
			return nil, fmt.Errorf("%s: no solutions by %q: there are %s", f.path, model, strings.Join(models, ", "))
		}
		models = []string{model}
	}
	for _, f.model = range models {
		dir := r.Out
		if len(models) > 1 {
			dir = filepath.Join(dir, folderName(f.model))
		}
		for i := range f.rows {
			row := &f.rows[i]
			*row = answerRow{item: row.item, where: row.where}
			for _, s := range byQuestion[row.item.ID] {
				if s.model == f.model {
					s.fillRow(row)
				}
			}
		}
		a, err := f.run(dir, r.Gavel)
		if err != nil {
			return all, err
		}
		a.AddLine("is_correct is as read from the solution in %d of %d", a.sameReadings, a.rowsWithReading)
		all = append(all, &a.ImportedRun)
	}
	return all, nil
}

// folderName returns a model's name in a form that is valid as a folder's name.
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

// fillRow makes the solution the answer of row, to be compared with the file's is_correct.
func (s solution) fillRow(row *answerRow) {
	row.Replies = []string{*s.Text}
	if s.Right != nil {
		row.Decision = new(strconv.FormatBool(*s.Right))
		row.compareWithFile = s.compare
	}
}

// readSolutions parses row number index, from 0, of a file of model solutions. The row's models are the keys whose
// value is an object with a solution. The question's id is index, as in the dataset.
func readSolutions(raw json.RawMessage, index int) (item datasets.Item, all []solution, err error) {
	var keys map[string]json.RawMessage
	if err := datasets.DecodeObject(raw, &keys); err != nil {
		return item, nil, err
	}
	var texts [2]string
	for i, name := range []string{"question", "ground_truth"} {
		if err := json.Unmarshal(keys[name], &texts[i]); err != nil || texts[i] == "" {
			return item, nil, fmt.Errorf("key %q is missing or no text", name)
		}
	}
	line, err := problemLine(index, texts[0], texts[1])
	if err != nil {
		return item, nil, err
	}
	item, err = datasets.GSM8KFormat.Item(line)
	if err != nil {
		return item, nil, err
	}
	for key, value := range imports.ObjectEntries(raw) {
		s := solution{model: key}
		if json.Unmarshal(value, &s) == nil && s.Text != nil {
			all = append(all, s)
		}
	}
	if all == nil {
		err = errors.New("no model's solution: this is no file of GSM8K's model solutions")
	}
	return item, all, err
}

// problemLine returns a question and its worked answer as a line of the GSM8K dataset; index becomes its id.
func problemLine(index int, question, truth string) ([]byte, error) {
	lineStart := strings.LastIndex(truth, "\n") + 1
	number, ok := strings.CutPrefix(truth[lineStart:], solutionMarker)
	if !ok {
		return nil, fmt.Errorf("ground_truth does not end in a line %q", solutionMarker+" …")
	}
	return imports.EncodeLikePython(struct {
		ID       int    `json:"id"`
		Question string `json:"question"`
		Answer   string `json:"answer"`
	}{index, question, truth[:lineStart] + "####" + number})
}

// compare describes a difference between gavel's grade of the answer and the file's; "" if they agree.
func (s solution) compare(_ judging.Asker, r *judging.Record) (hasReading bool, differ string) {
	if SameNumber(r.Answer, r.Gold) == *s.Right {
		return true, ""
	}
	why := "no answer is read from it"
	if r.Outcome == judging.Decided {
		why = fmt.Sprintf("read from it is %s (rule %s), %s", r.Answer, r.Rule,
			excerptAround(*s.Text, strings.LastIndex(*s.Text, r.Label)))
	}
	return true, fmt.Sprintf(" (its answer is %s): the file has is_correct %t; %s", r.Gold, *s.Right, why)
}
