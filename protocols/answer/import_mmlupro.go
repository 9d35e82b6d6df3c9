package answer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/imports"
)

// mmluProOutput is a row of MMLU-Pro's published model outputs: the dataset's
// own keys, the letter that was extracted, and the reply under one of two names.
type mmluProOutput struct {
	Pred          *string `json:"pred"`
	GeneratedText *string `json:"generated_text"`
	ModelOutputs  *string `json:"model_outputs"`
}

// mmluPro is what came of importing MMLU-Pro's model outputs. Its numbers are of the official script's three rules; by
// default gavel reads without the last of them, and ImportedRun.Read counts that.
type mmluPro struct {
	*importedRun
	Found  int            // rows where the official rules find a letter
	Filled map[string]int // what the file has in the rows where they find none: "" is null
}

// importMMLUPro turns published model outputs of MMLU-Pro, a zip archive with one JSON array in it or the array itself,
// into the run directory out. model is the model's name; "": that in the file's name.
func importMMLUPro(path, out, model, gavel string) (*mmluPro, error) {
	src, err := imports.Open(path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	im := &mmluPro{Filled: map[string]int{}}
	f := &answersFile{
		kind: "mmlu-pro", about: "MMLU-Pro model outputs", source: src,
		dataset: judging.DatasetInfo{Name: "mmlu-pro", Format: datasets.MMLUPro.Name}, check: im.check,
	}
	f.model = model
	if model == "" {
		f.model = outputsModel(src)
	}
	if err := f.gather("rows of MMLU-Pro with generated_text or model_outputs", mmluProRow); err != nil {
		return nil, err
	}
	astray := []string{}
	for _, row := range f.rows {
		if row.item.Note != "" {
			astray = append(astray, row.item.ID)
		}
	}
	im.importedRun, err = f.run(out, gavel)
	if err != nil {
		return nil, err
	}
	var notes []string
	if len(astray) > 0 {
		notes = []string{fmt.Sprintf("%d rows have an answer_index that is not the place of their answer's "+
			"letter; the letter counts: %s", len(astray), strings.Join(astray, ", "))}
	}
	im.say(notes...)
	im.Say("by the official script's rules, the last stand-alone letter included, %d replies have an answer; "+
		"the file's pred is the same for %d of them", im.Found, im.Same)
	for _, pred := range slices.Sorted(maps.Keys(im.Filled)) {
		there := "null"
		if pred != "" {
			there = strconv.Quote(pred)
		}
		im.Say("  in %d replies they find none: the file has %s there, which is no answer", im.Filled[pred], there)
	}
	return im, nil
}

// outputsName is how MMLU-Pro names its files.
var outputsName = regexp.MustCompile(`^model_outputs_(.+?)(_\d+shots?)?(\.json|\.zip)*$`)

// outputsModel is the model by the name of the file in the archive, or that of the archive.
func outputsModel(src *imports.Source) string {
	archive := imports.Source{Path: src.Path}
	for _, name := range []string{src.Name(), archive.Name()} {
		if m := outputsName.FindStringSubmatch(name); m != nil {
			return m[1]
		}
	}
	name := src.Name()
	for _, end := range []string{".zip", ".json", ".jsonl"} {
		name = strings.TrimSuffix(name, end)
	}
	return name
}

// mmluProRow takes a row apart: the question as the dataset has it, and the answer.
func mmluProRow(raw json.RawMessage) (answerRow, error) {
	var o mmluProOutput
	if err := imports.DecodeRow(raw, &o); err != nil {
		return answerRow{}, err
	}
	line, err := imports.Without(raw, json.Compact, "pred", "generated_text", "model_outputs")
	if err != nil {
		return answerRow{}, err
	}
	row := answerRow{line: line, told: o.Pred}
	row.item, err = datasets.MMLUPro.Parse(line)
	if err != nil {
		return answerRow{}, err
	}
	text := o.GeneratedText
	if text == nil {
		text = o.ModelOutputs
	}
	if text != nil {
		row.replies = []string{*text}
		return row, nil
	}
	keys := maps.Collect(imports.Keys(raw))
	if keys["generated_text"] == nil && keys["model_outputs"] == nil {
		return answerRow{}, errors.New("neither generated_text nor model_outputs: this is no row of model outputs")
	}
	return row, nil
}

// official is how MMLU-Pro's script reads a reply: its three rules, of several answers the first. What it does where
// they find none is a guess, and no part of it.
var official = judging.Reading{Policy: judging.Unique, Lenient: true, First: true}

// check compares the official rules, as we apply them, with the file's pred. A row in which they find nothing cannot
// differ: what the file has there is filled in, and counted.
func (im *mmluPro) check(p judging.Asker, r *judging.Record, row answerRow) (told bool, differ string) {
	text, pred := row.replies[0], ""
	if row.told != nil {
		pred = *row.told
	}
	v := p.Parse(r.Shown(), text, official)
	if v.Label == "" {
		im.Filled[pred]++
		return false, ""
	}
	im.Found++
	if v.Label == pred {
		return true, ""
	}
	return true, fmt.Sprintf("%s, question %s (its answer is %s): the file has %s, the reply says %s, %s; %s",
		row.where, r.Item, r.Gold, cmp.Or(pred, "null"), v.Label, quote(text, standsAt(text, v)), rightOf(p, r, text, pred))
}

// standsAt is about where in a reply the verdict stands.
func standsAt(text string, v judging.Verdict) int {
	for _, find := range []*regexp.Regexp{letterAfterIs, letterAfterColon} {
		if at := find.FindStringIndex(text); at != nil {
			return at[0]
		}
	}
	return strings.LastIndex(text, v.Label)
}

// rightOf says which of two readings is right, and why: what else the file's letter may be.
func rightOf(p judging.Asker, r *judging.Record, text, pred string) string {
	last := official
	last.First = false
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
