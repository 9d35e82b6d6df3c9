// Package probe shows a judge pairs that were rewritten so that the better response stays the better, and counts the
// verdicts that change.
package probe

import (
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/pairwise"
)

const name = "probe"

// Of each pair: plainly, again, and perPair rewrites. That is three times what pairwise asks.
const (
	perPair       = 4
	presentations = 2 + perPair
)

// Protocol asks which of two responses is the better, of pairs as they are and rewritten.
var Protocol = judging.Protocol{
	Name:  name,
	About: "two responses, as they are and rewritten: which verdicts change?",
	Help: `Asks a judge about every pair of the dataset six times, in one order: as it is, once more as
it is (its own noise), and with four of ten changes that leave the better response the
better.

The changes: the worse one is padded, dressed up, or tells the judge what to answer; the
judge is asked whether it is sure; the assistants have other names; the instructions have
typing errors. The table says which of them move verdicts more than a change of the
prompt's form does.

Examples:
  gavel run NAME --model qwen3:8b --dataset judgebench-gpt4o
  gavel run NAME --model qwen3:8b --dataset sample --dry-run
  gavel run NAME --backend sim --model accuracy=0.8,swayed=0.2 --dataset sample`,
	Items:         "pairs",
	Goal:          pairwise.Protocol.Goal,
	Asks:          "which is GOAL, whatever is added?",
	Judges:        []datasets.Shape{datasets.Pair},
	Presentations: presentations,
	FollowUps:     true,
	Templates:     slices.DeleteFunc(slices.Clone(pairwise.Protocol.Templates), hasParts),
	Own:           pairwise.Protocol.Own,
	Adapt:         withCatalogue,
	Describe:      pairwise.Protocol.Describe,
	Called:        pairwise.Protocol.Called,
	Says:          pairwise.Protocol.Says,
	Labelled:      pairwise.Protocol.Labelled,
	New: func(t judging.Template, s judging.Settings) judging.Asker {
		return probe{plain: pairwise.Protocol.New(t, nil), rewrites: of(t)}
	},
}

// hasParts tells whether a prompt is of other parts than a system message and JudgeBench's user message.
func hasParts(t judging.Template) bool { return len(t.Texts) > 0 }

// probe asks as pairwise does, about rewritten pairs.
type probe struct {
	plain    judging.Asker
	rewrites rewrites
}

func (probe) Name() string { return name }

// ReadsByPolicy is true: the labels are JudgeBench's.
func (probe) ReadsByPolicy(*judging.Record) bool { return true }

// Check refuses a pair of which nobody said which response is the worse.
func (probe) Check(item datasets.Item) error {
	if item.Gold < 0 {
		return fmt.Errorf("pair %s has no label: nobody can say which response is the worse, which is rewritten; "+
			"use pairs with a label", item.ID)
	}
	return nil
}

// Presentations: plainly, again, and perPair rewrites, all in the one order that is drawn by the pair's id, as is where
// in the catalogue its rewrites begin.
func (p probe) Presentations(item datasets.Item) []judging.Presentation {
	drawn := int(crc32.ChecksumIEEE([]byte(item.ID)))
	order := []int{0, 1}
	if drawn%2 == 1 {
		order = []int{1, 0}
	}
	modes := []string{plainly, again}
	for i := range perPair {
		modes = append(modes, p.rewrites[(drawn/2+i)%len(p.rewrites)].Name)
	}
	out := make([]judging.Presentation, len(modes))
	for i, mode := range modes {
		out[i] = judging.Presentation{Index: i, Order: order, Mode: mode}
	}
	return out
}

// Prompt is pairwise's of the rewritten pair, whose instructions are rewritten in turn.
func (p probe) Prompt(item datasets.Item, s judging.Presentation) judging.Prompt {
	w := p.rewrites.named(s.Mode)
	prompt := p.plain.Prompt(item, s)
	prompt.Again = s.Mode == again
	o := &prompt.Oracle
	o.Presentation = 0
	if s.Mode != plainly {
		o.Rewrite = s.Mode
	}
	texts := [2]string{item.Candidates[s.Order[0]].Text, item.Candidates[s.Order[1]].Text}
	worse := slices.Index(s.Order, 1-item.Gold) // −1 in a run whose items are no longer those that it asked about
	if w.worse() && worse >= 0 {
		o.Favours = o.Choices[worse]
		texts[worse] = w.of(texts[worse], o.Favours)
	}
	names := w.calling(item.ID)
	parts := []string{
		pairwise.Question(item.Question), pairwise.Answer(names.first, texts[0]), pairwise.Answer(names.second, texts[1]),
	}
	if w.How == "order" {
		parts = append(parts[1:], parts[0])
	}
	prompt.User = strings.Join(parts, "\n\n")
	w.instructions(&prompt, item.ID)
	return prompt
}

// Parse is pairwise's, of the letters that the reply goes by.
func (p probe) Parse(s judging.Presentation, reply string, how judging.Reading) judging.Verdict {
	if w := p.rewrites.named(s.Mode); w.How == "letters" || w.How == "names" {
		reply = w.plainAgain(reply)
	}
	return p.plain.Parse(s, reply, how)
}
