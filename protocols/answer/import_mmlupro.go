package answer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/imports"
)

// mmluProOutput is a row of MMLU-Pro's published model outputs: the dataset's keys, the letter that was extracted, and
// the reply under one of two names.
type mmluProOutput struct {
	Pred          *string `json:"pred"`           // letter that MMLU-Pro's script extracted
	GeneratedText *string `json:"generated_text"` // the reply
	ModelOutputs  *string `json:"model_outputs"`  // the reply, in other files
}

// importMMLUPro turns published model outputs of MMLU-Pro, a JSON array or a zip archive of one, into a run. The name
// of the model comes from the option, else from the name of the file.
func importMMLUPro(r imports.Input) ([]*imports.ImportedRun, error) {
	letters := letterCounts{}
	f := &answersFile{
		path:    r.Files[0],
		kind:    "mmlu-pro",
		source:  "MMLU-Pro model outputs",
		dataset: judging.DatasetInfo{Name: "mmlu-pro", Format: datasets.MMLUProFormat.Name},
		model:   cmp.Or(r.Option("model"), outputsName.FindStringSubmatch(filepath.Base(r.Files[0]))[1]),
	}
	err := f.gather("rows of MMLU-Pro with generated_text or model_outputs", func(raw json.RawMessage) (answerRow, error) {
		row, err := mmluProRow(raw)
		row.compareWithFile = letters.compare
		return row, err
	})
	if err != nil {
		return nil, err
	}
	var notes, wrongIndex []string
	for _, row := range f.rows {
		if row.item.Note != "" {
			wrongIndex = append(wrongIndex, row.item.ID)
		}
	}
	if wrongIndex != nil {
		notes = []string{fmt.Sprintf("%d rows have an answer_index that is not the place of their answer's "+
			"letter; the letter counts: %s", len(wrongIndex), strings.Join(wrongIndex, ", "))}
	}
	a, err := f.run(r.Out, r.Gavel, notes...)
	if err != nil {
		return nil, err
	}
	a.AddLine("by the official script's rules, the last stand-alone letter included, %d replies have an answer; "+
		"the file's pred is the same for %d of them", a.rowsWithReading, a.sameReadings)
	for _, pred := range slices.Sorted(maps.Keys(letters)) {
		letter := "null"
		if pred != "" {
			letter = strconv.Quote(pred)
		}
		a.AddLine("  in %d replies they find none: the file has %s there, which is no answer", letters[pred], letter)
	}
	return []*imports.ImportedRun{&a.ImportedRun}, nil
}

// outputsName matches the name of any file. Its first group is the model: the name without MMLU-Pro's prefix, its
// number of shots and the extension.
var outputsName = regexp.MustCompile(`(?s)^(?:model_outputs_)?(.+?)(_\d+shots?)?(\.jsonl?|\.zip)*$`)

// mmluProRow splits a row of published outputs into the dataset's question and the model's answer.
func mmluProRow(raw json.RawMessage) (row answerRow, err error) {
	var o mmluProOutput
	if err := datasets.DecodeObject(raw, &o); err != nil {
		return row, err
	}
	line, err := imports.WithoutKeys(raw, json.Compact, "pred", "generated_text", "model_outputs")
	if err != nil {
		return row, err
	}
	row.item, err = datasets.MMLUProFormat.Item(line)
	if err != nil {
		return row, err
	}
	row.Decision = o.Pred
	if text := cmp.Or(o.GeneratedText, o.ModelOutputs); text != nil {
		row.Replies = []string{*text}
		return row, nil
	}
	keys := maps.Collect(imports.ObjectEntries(raw))
	if keys["generated_text"] == nil && keys["model_outputs"] == nil {
		return row, errors.New("neither generated_text nor model_outputs: this is no row of model outputs")
	}
	return row, nil
}

// officialReading reads a reply by the three rules of MMLU-Pro's script and takes the first of several answers. The
// script makes a random guess where its rules find none; gavel does not.
var officialReading = judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel, Lenient: true, FirstAnswer: true}

// letterCounts counts the file's letters where the official rules find none; "" is null.
type letterCounts map[string]int

// compare checks the letter that gavel reads by the official rules against the file's pred. If the rules find no
// letter, pred is a random guess or null: such rows cannot differ, and letters counts them by pred.
func (letters letterCounts) compare(p judging.Asker, r *judging.Record) (hasReading bool, differ string) {
	pred, text := *cmp.Or(r.Imported.Decision, new("")), r.Replies[0].Text
	v := p.Parse(r.Shown(), text, officialReading)
	switch v.Label {
	case "":
		letters[pred]++
		return false, ""
	case pred:
		return true, ""
	}
	return true, fmt.Sprintf(", question %s (its answer is %s): the file has %s, the reply says %s, %s; %s",
		r.Item, r.Gold, cmp.Or(pred, "null"), v.Label, excerptAround(text, v.Span.Start), explainMismatch(p, r, text, pred))
}

// explainMismatch explains why the reply's letter is not pred, the file's: where else in the reply pred may come from.
func explainMismatch(p judging.Asker, r *judging.Record, text, pred string) string {
	last := officialReading
	last.FirstAnswer = false
	switch {
	case pred == "":
		return "the reply is right: there is a letter to be found"
	case !slices.Contains(r.Order, pred):
		return "the reply is right: the file's is none of the options"
	case p.Parse(r.Shown(), text, last).Label == pred:
		return "the reply is right by the official rule, the first answer binds; the file has the last"
	}
	return "the reply is right: no rule finds the file's letter in it"
}
