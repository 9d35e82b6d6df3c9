package judging

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// GSM8K's file of model solutions: a question, its worked answer, and for each
// of several models its solution and whether that is right. What ends in
// "#### 18" in the dataset ends in "A: 18" here, in both.

// solutionMarker stands before the answer in these files.
const solutionMarker = "A:"

// solutionRow is a row of it: the solutions by model.
type solutionRow struct {
	question, truth string
	models          []string // in the order of the row
	solutions       map[string]solution
}

type solution struct {
	Right *bool   `json:"is_correct"`
	Text  *string `json:"solution"`
}

// ImportGSM8K turns GSM8K's file of model solutions into runs: one for each
// model, in folders of out named after them, or that of one model in out itself,
// where model names it or the file has no other.
func ImportGSM8K(path, out, model, gavel string) ([]*ImportedRun, error) {
	src, err := openSource(path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	bad := rejects{path: path}
	var rows []solutionRow
	var where []int
	var models []string
	err = src.each(func(n int, raw json.RawMessage) error {
		row, err := readSolutions(raw)
		if err != nil {
			bad.add(n, err)
			return nil
		}
		for _, m := range row.models {
			if !slices.Contains(models, m) {
				models = append(models, m)
			}
		}
		rows, where = append(rows, row), append(where, n)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, bad.none("rows with question, ground_truth and, for each model, is_correct and solution")
	}
	wanted := models
	if model != "" {
		if !slices.Contains(models, model) {
			return nil, fmt.Errorf("%s: no solutions by %q: there are %s", path, model, strings.Join(models, ", "))
		}
		wanted = []string{model}
	}
	var all []*ImportedRun
	for _, m := range wanted {
		to := out
		if len(wanted) > 1 {
			to = filepath.Join(out, folderName(m))
		}
		f, err := solutionsOf(src, m, rows, where)
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
func solutionsOf(src *sourceFile, model string, rows []solutionRow, where []int) (*answersFile, error) {
	f := &answersFile{
		kind: "gsm8k", about: "GSM8K model solutions", source: src, model: model,
		options: Settings{markerOption.Name: solutionMarker},
		dataset: DatasetInfo{Name: "gsm8k", Format: gsm8kFormat.Name}, check: checkSolution,
	}
	seen := map[string]string{}
	for i, r := range rows {
		row := answered{where: rowNumber(where[i])}
		var err error
		if row.line, err = r.line(where[i]); err == nil {
			row.item, err = gsm8kFormat.Parse(row.line)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", src.path, row.where, err)
		}
		if s, ok := r.solutions[model]; ok && s.Text != nil {
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

// readSolutions takes a row apart. Its models are the keys that hold an object
// with a solution.
func readSolutions(raw json.RawMessage) (solutionRow, error) {
	row := solutionRow{solutions: map[string]solution{}}
	var keys map[string]json.RawMessage
	if err := decodeRow(raw, &keys); err != nil {
		return row, err
	}
	for key, to := range map[string]*string{"question": &row.question, "ground_truth": &row.truth} {
		if err := json.Unmarshal(keys[key], to); err != nil || *to == "" {
			return row, fmt.Errorf("key %q is missing or no text", key)
		}
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.Token()
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return row, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return row, err
		}
		var s solution
		if value[0] == '{' && json.Unmarshal(value, &s) == nil && s.Text != nil {
			row.models = append(row.models, key.(string))
			row.solutions[key.(string)] = s
		}
	}
	if len(row.models) == 0 {
		return row, errors.New("no model's solution: this is no file of GSM8K's model solutions")
	}
	if _, err := row.goldAt(); err != nil {
		return row, err
	}
	return row, nil
}

// goldAt is where the last line of the truth begins, which has to be the answer.
func (r solutionRow) goldAt() (int, error) {
	at := strings.LastIndex(r.truth, "\n") + 1
	if !strings.HasPrefix(r.truth[at:], solutionMarker) {
		return 0, fmt.Errorf("ground_truth does not end in a line %q", solutionMarker+" …")
	}
	return at, nil
}

// checkSolution compares whether the answer that we read is right with what the
// file says.
func checkSolution(_ Protocol, r *Record, row answered) (told bool, differ string) {
	if row.told == nil {
		return false, ""
	}
	if Right(r) == (*row.told == "true") {
		return true, ""
	}
	text := row.replies[0]
	why := "no answer is read from it"
	if r.Outcome == Decided {
		why = fmt.Sprintf("read from it is %s (rule %s), %s", r.Answer, r.Rule, quote(text, strings.LastIndex(text, r.Label)))
	}
	return true, fmt.Sprintf("%s (its answer is %s): the file has is_correct %s; %s", row.where, r.Gold, *row.told, why)
}

// line is the row as a line of the dataset has it.
func (r solutionRow) line(n int) ([]byte, error) {
	at, err := r.goldAt()
	if err != nil {
		return nil, err
	}
	line := pythonString([]byte(`{"id": `), strconv.Itoa(n))
	line = pythonString(append(line, `, "question": `...), r.question)
	line = pythonString(append(line, `, "answer": `...), r.truth[:at]+"####"+r.truth[at+len(solutionMarker):])
	return append(line, '}'), nil
}
