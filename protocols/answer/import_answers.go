package answer

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/imports"
)

// answerLine is a line of gavel's own format for answers: the id of a question and the whole reply to it. Where no
// dataset is named, the question stands beside it, as in [datasets.Questions].
type answerLine struct {
	ID     json.RawMessage `json:"id"`
	Answer json.RawMessage `json:"answer"`
	Model  string          `json:"model"`
}

// answersOptions say how a file of answers is imported.
type answersOptions struct {
	Questions *datasets.Set       // the dataset that was answered; nil: the lines carry their questions
	Dataset   judging.DatasetInfo // of Questions
	Model     string              // whose answers; "": the only model of the file
	Settings  judging.Settings    // options of protocol answer
}

// ImportFile makes a run of a file of answers: published outputs of MMLU-Pro, or
// gavel's own lines of answers to the questions at hand.
func ImportFile(file, out string, questions *datasets.Set, info judging.DatasetInfo, gavel string) (err error) {
	if strings.HasSuffix(file, ".zip") || strings.HasSuffix(file, ".json") {
		_, err = importMMLUPro(imports.Request{
			Files: []string{file}, Out: out, Gavel: gavel, Option: func(string) string { return "" },
		})
	} else {
		_, err = importAnswers(file, out, answersOptions{Questions: questions, Dataset: info}, gavel)
	}
	return err
}

// importAnswers turns a file of answers in gavel's own format into the run directory out.
func importAnswers(path, out string, o answersOptions, gavel string) ([]*imports.Run, error) {
	src, err := imports.Open(path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	f := &answersFile{
		kind:    "answers",
		about:   "answers in gavel's format",
		source:  src,
		options: o.Settings,
		model:   o.Model,
	}
	f.dataset = o.Dataset
	if o.Questions == nil {
		f.dataset = judging.DatasetInfo{Name: datasets.Base(path), Format: datasets.Questions.Name}
	} else {
		f.sha = o.Questions.SHA256
	}
	in := answersIn{file: f, o: o, bad: imports.Rejects{Path: path}, seen: map[string]answerRow{}}
	if err := src.Each(in.take); err != nil {
		return nil, err
	}
	if err := in.finish(); err != nil {
		return nil, err
	}
	a, err := f.run(out, gavel, in.notes()...)
	if err != nil {
		return nil, err
	}
	return []*imports.Run{&a.Run}, nil
}

// answersIn gathers the lines of a file.
type answersIn struct {
	file    *answersFile
	o       answersOptions
	bad     imports.Rejects
	seen    map[string]answerRow // by id
	models  []string             // of the lines
	twice   int                  // lines that say again what one before them says
	others  int                  // of other models than the one asked for
	unknown []string             // ids that the dataset has not
	missing int                  // questions of the dataset without an answer
}

func (in *answersIn) take(n int, raw json.RawMessage) error {
	row, model, err := in.read(raw)
	if err != nil {
		in.bad.Add(n, err)
		return nil
	}
	if model != "" && !slices.Contains(in.models, model) {
		in.models = append(in.models, model)
	}
	switch {
	case in.o.Model != "" && model != "" && model != in.o.Model:
		in.others++
		return nil
	case in.o.Model == "" && len(in.models) > 1:
		return fmt.Errorf("row %d: model is %q, before it was %q: name the one you want with --model",
			n, in.models[1], in.models[0])
	}
	row.where = rowNumber(n)
	id := row.item.ID
	if first, twice := in.seen[id]; twice {
		if slices.Equal(first.Replies, row.Replies) {
			in.twice++
			return nil
		}
		return fmt.Errorf("row %d: another answer to %q than in %s: remove one of the two", n, id, first.where)
	}
	in.seen[id] = row
	if in.o.Questions == nil {
		in.file.rows = append(in.file.rows, row)
	} else if _, known := in.o.Questions.Find(id); !known {
		in.unknown = append(in.unknown, id)
	}
	return nil
}

// read takes a line apart.
func (in *answersIn) read(raw json.RawMessage) (row answerRow, model string, err error) {
	var l answerLine
	if err := imports.DecodeRow(raw, &l); err != nil {
		return row, "", err
	}
	row.item.ID = datasets.Scalar(l.ID)
	var text *string
	switch {
	case row.item.ID == "":
		return row, "", errors.New(`key "id" is missing or empty`)
	case l.Answer == nil:
		return row, "", errors.New(`key "answer" is missing: it is the whole reply, or null where there is none`)
	case json.Unmarshal(l.Answer, &text) != nil:
		return row, "", errors.New(`"answer" is no text: it is the whole reply`)
	}
	if text != nil {
		row.Replies = []string{*text}
	}
	if in.o.Questions != nil {
		return row, l.Model, nil
	}
	line, err := imports.Without(raw, json.Compact, "answer", "model")
	if err == nil {
		row.item, err = parsed(datasets.Questions, line)
	}
	return row, l.Model, err
}

// finish joins the answers with the dataset's questions, in its order.
func (in *answersIn) finish() error {
	f := in.file
	if in.o.Questions != nil {
		if err := in.join(in.o.Questions); err != nil {
			return err
		}
	}
	if len(f.rows) == 0 {
		switch {
		case len(in.unknown) > 0:
			return fmt.Errorf("%s: none of its %d ids is one of %s (the first is %q)",
				in.bad.Path, len(in.unknown), f.dataset.Name, in.unknown[0])
		case in.others > 0:
			return fmt.Errorf("%s: no answer by %q: there are %s", in.bad.Path, in.o.Model, strings.Join(in.models, ", "))
		}
		return in.bad.None("a line with id and answer, and without --dataset also question and gold")
	}
	if f.model == "" {
		if len(in.models) == 0 {
			return fmt.Errorf("%s: no line says whose answers these are: name the model with --model", in.bad.Path)
		}
		f.model = in.models[0]
	}
	if in.o.Questions == nil {
		return f.reject(&in.bad, "")
	}
	return nil
}

func (in *answersIn) join(set *datasets.Set) error {
	for i := range set.Len() {
		row, answered := in.seen[set.ID(i)]
		if !answered {
			in.missing++
			continue
		}
		item, err := set.Item(i)
		if err != nil {
			return err
		}
		if !slices.Contains(Graded, item.Shape) {
			return fmt.Errorf("%s: %s is of shape %q: answers are to questions of the shapes %s",
				set.Name, item.ID, item.Shape, shapeNames(Graded))
		}
		row.item = item
		in.file.rows = append(in.file.rows, row)
	}
	return nil
}

func shapeNames(shapes []datasets.Shape) string {
	names := make([]string, len(shapes))
	for i, s := range shapes {
		names[i] = string(s)
	}
	return strings.Join(names, ", ")
}

// notes says what was left out.
func (in *answersIn) notes() []string {
	var out imports.Run
	say := out.Say
	if in.o.Questions != nil { // else they are the dataset's
		out.Said = append(out.Said, imports.Skipped(in.bad.N, "rows of the file", in.bad.First)...)
	}
	if n := len(in.unknown); n > 0 {
		say("%d answers are to ids that %s does not have, and were left out: %s", n, in.file.dataset.Name, fewOf(in.unknown))
	}
	if in.missing > 0 {
		say("%d of the %d questions of %s have no answer here, and are no part of the run",
			in.missing, in.o.Questions.Len(), in.file.dataset.Name)
	}
	if in.twice > 0 {
		say("%d rows repeat an earlier row; each answer counts once", in.twice)
	}
	if in.others > 0 {
		say("%d rows are by other models, and were left out", in.others)
	}
	return out.Said
}

// fewOf lists the first of many.
func fewOf(all []string) string {
	const few = 5
	if len(all) <= few {
		return strings.Join(all, ", ")
	}
	return strings.Join(all[:few], ", ") + ", …"
}
