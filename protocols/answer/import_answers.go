package answer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/imports"
)

// answerLine is a line of gavel's own format for answers: the id of a question and the whole reply. Without a dataset,
// the line has the question too, as in [datasets.QuestionsFormat].
type answerLine struct {
	ID     json.RawMessage `json:"id"`     // id of the question
	Answer json.RawMessage `json:"answer"` // the whole reply, or null
	Model  string          `json:"model"`  // model that answered; may be absent
}

// ImportFile makes a run in the folder out from a file of answers: MMLU-Pro's published outputs (.zip,
// .json), or gavel's own format with answers to questions. info describes the questions' dataset; gavel is
// the version of the program.
func ImportFile(file, out string, questions *datasets.Set, info judging.DatasetInfo, gavel string) (err error) {
	r := imports.Input{Files: []string{file}, Out: out, Gavel: gavel, Option: func(string) string { return "" }}
	if strings.HasSuffix(file, ".zip") || strings.HasSuffix(file, ".json") {
		_, err = importMMLUPro(r)
	} else {
		_, err = importAnswers(r, questions, info)
	}
	return err
}

// importAnswers makes a run from a file in gavel's own format with answers to the questions of a dataset. questions is
// nil without a dataset: then the file's lines have their questions.
func importAnswers(r imports.Input, questions *datasets.Set, info judging.DatasetInfo) ([]*imports.ImportedRun, error) {
	f := &answersFile{
		path:                 r.Files[0],
		kind:                 "answers",
		source:               "answers in gavel's format",
		model:                r.Option("model"),
		severalAuthorsFormat: "model is %q, before it was %q: name the one you want with --model",
		dataset: judging.DatasetInfo{
			Name:   datasets.ShortName(r.Files[0]),
			Format: datasets.QuestionsFormat.Name,
		},
	}
	if marker := r.Option("marker"); marker != "" {
		f.options = judging.Settings{markerOption.Name: marker}
	}
	if questions != nil {
		f.datasetSHA256 = questions.SHA256
		f.dataset = info
	}
	others := 0 // rows of models that were not selected
	err := f.gather("a line with id and answer, and without --dataset also question and gold",
		func(raw json.RawMessage) (row answerRow, err error) {
			row, err = parseAnswerLine(raw, questions)
			if err == nil && row.author != "" && f.model != "" && row.author != f.model {
				others++
				f.emptyError = fmt.Errorf("%s: no answer by %q: there are some by %q", f.path, f.model, row.author)
				err = errOtherModel
			}
			return row, err
		})
	if err != nil {
		return nil, err
	}
	if f.model == "" {
		return nil, fmt.Errorf("%s: no line says whose answers these are: name the model with --model", f.path)
	}
	var notes imports.ImportedRun
	if questions != nil {
		notes.Summary = append(notes.Summary, imports.SkippedRowsSummary(f.bad.N, "rows of the file", f.bad.First)...)
		if n := len(f.unknown); n > 0 {
			notes.AddLine("%d answers are to ids that %s does not have, and were left out: %s",
				n, f.dataset.Name, strings.Join(f.unknown[:min(n, 5)], ", "))
		}
		slices.SortFunc(f.rows, func(a, b answerRow) int { return cmp.Compare(a.item.Line, b.item.Line) })
		if missing := questions.Len() - len(f.rows); missing > 0 {
			notes.AddLine("%d of the %d questions of %s have no answer here, and are no part of the run",
				missing, questions.Len(), f.dataset.Name)
		}
	}
	if others > 0 {
		notes.AddLine("%d rows are by other models, and were left out", others)
	}
	a, err := f.run(r.Out, r.Gavel, notes.Summary...)
	if err != nil {
		return nil, err
	}
	return []*imports.ImportedRun{&a.ImportedRun}, nil
}

// parseAnswerLine parses a line of gavel's format. The row's question comes from questions, and has no shape if they
// lack the id; if questions is nil, the line has it.
func parseAnswerLine(raw json.RawMessage, questions *datasets.Set) (row answerRow, err error) {
	var l answerLine
	if err := datasets.DecodeObject(raw, &l); err != nil {
		return row, err
	}
	id := datasets.ScalarText(l.ID)
	var text *string
	switch {
	case id == "":
		return row, errors.New(`key "id" is missing or empty`)
	case l.Answer == nil:
		return row, errors.New(`key "answer" is missing: it is the whole reply, or null where there is none`)
	case json.Unmarshal(l.Answer, &text) != nil:
		return row, errors.New(`"answer" is no text: it is the whole reply`)
	}
	if text != nil {
		row.Replies = []string{*text}
	}
	row.author = l.Model
	if questions == nil {
		line, err := imports.WithoutKeys(raw, json.Compact, "answer", "model")
		if err == nil {
			row.item, err = datasets.QuestionsFormat.Item(line)
		}
		return row, err
	}
	row.item.ID = id
	i, ok := questions.Find(id)
	if !ok {
		return row, nil
	}
	row.item, err = questions.Item(i)
	if err == nil && !slices.Contains(GradableShapes, row.item.Shape) {
		err = fmt.Errorf("%s is of shape %q: answers are to questions of the shapes %v", id, row.item.Shape, GradableShapes)
	}
	return row, err
}
