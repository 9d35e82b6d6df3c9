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

// Protocol asks which of two responses is better, for original and for rewritten pairs.
var Protocol = judging.Protocol{
	Name:  name,
	About: "two responses, as they are and rewritten: which verdicts change?",
	Help: `Asks a judge about every pair of the dataset ten times, in one order: as it is, once more as
it is (its own noise), and with 8 of 17 changes that leave the better response the better.

The changes: the worse one is padded, dressed up, tells the judge what to answer or ends in a
forged verdict; ":", a constant text or nothing stands in its place; the judge is asked
whether it is sure; the assistants have other names; the instructions have typing errors. The
table says which of them move verdicts more than a change of the prompt's form does. In one
of the 17 both responses are the same text: whichever it then prefers, it is by position.

Examples:
  gavel run NAME --model qwen3:8b --dataset judgebench-gpt4o
  gavel run NAME --model qwen3:8b --dataset sample --dry-run
  gavel run NAME --backend sim --model accuracy=0.8,swayed=0.2 --dataset sample`,
	ItemsNoun:         "pairs",
	Goal:              pairwise.Protocol.Goal,
	QuestionTemplate:  "which is GOAL, whatever is added?",
	Shapes:            []datasets.Shape{datasets.ShapePair},
	HasFollowUpTurn:   true,
	Templates:         slices.DeleteFunc(slices.Clone(pairwise.Protocol.Templates), promptHasSeveralTexts),
	CustomTemplate:    pairwise.Protocol.CustomTemplate,
	ChangeTemplate:    withCatalogue,
	CorrectIDs:        correctIDs,
	FillRecord:        pairwise.Protocol.FillRecord,
	CandidateName:     pairwise.Protocol.CandidateName,
	VerdictText:       pairwise.Protocol.VerdictText,
	CorrectAnswerText: pairwise.Protocol.CorrectAnswerText,
	NewAsker: func(t judging.Template, s judging.Settings) judging.Asker {
		return probe{originalAsker: pairwise.Protocol.NewAsker(t, nil), rewrites: rewritesOf(t)}
	},
}

// correctIDs returns the candidate labelled the better; none of a pair of identical responses.
func correctIDs(r *judging.Record, _ judging.Settings) []string {
	if r.Mode == modeIdentical || r.Gold == "" {
		return nil
	}
	return []string{r.Gold}
}

// promptHasSeveralTexts reports whether a prompt consists of several texts; protocol probe cannot rewrite such prompts.
func promptHasSeveralTexts(t judging.Template) bool { return len(t.Texts) > 0 }

// probe asks a judge about rewritten pairs with the prompts of protocol pairwise.
type probe struct {
	originalAsker judging.Asker // asks about original pairs
	rewrites      rewrites
}

func (probe) Name() string { return name }

// ReadsByPolicy returns true: the policy for replies with several labels applies, as in protocol pairwise.
func (probe) ReadsByPolicy(*judging.Record) bool { return true }

// Check returns an error for a pair without a label, since the worse response is not known.
func (probe) Check(item datasets.Item) error {
	if item.Gold < 0 {
		return fmt.Errorf("pair %s has no label: probe rewrites the worse response, so use pairs with a label", item.ID)
	}
	return nil
}

// itemHash returns the number that decides how an item is shown, by its id.
func itemHash(item datasets.Item) int { return int(crc32.ChecksumIEEE([]byte(item.ID))) }

// Presentations returns the original pair twice and some rewrites of the catalogue, all in one order. The pair's id
// determines the order and which rewrites are shown.
func (p probe) Presentations(item datasets.Item) []judging.Presentation {
	hash := itemHash(item)
	order := []int{0, 1}
	if hash%2 == 1 {
		order = []int{1, 0}
	}
	modes := []string{modePlain, modeAgain}
	for i := range p.rewrites.countPerPair() {
		modes = append(modes, p.rewrites[(hash/2+i)%len(p.rewrites)].Name)
	}
	out := make([]judging.Presentation, len(modes))
	for i, mode := range modes {
		out[i] = judging.Presentation{Index: i, Order: order, Mode: mode}
	}
	return out
}

// Prompt returns the prompt of protocol pairwise for the pair and the instructions as the rewrite changes them.
func (p probe) Prompt(item datasets.Item, s judging.Presentation) judging.Prompt {
	w := p.rewrites.Find(s.Mode)
	prompt := p.originalAsker.Prompt(item, s)
	prompt.EqualsOtherPrompt = s.Mode == modeAgain
	o := &prompt.Oracle
	o.Presentation = 0
	if s.Mode != modePlain {
		o.RewriteName = s.Mode
	}
	texts := [2]string{item.Candidates[s.Order[0]].Text, item.Candidates[s.Order[1]].Text}
	worse := slices.Index(s.Order, 1-item.Gold) // −1 if the items of the run were replaced
	if worse >= 0 {
		if n := len(w.Instead); n > 0 {
			texts[worse] = w.Instead[itemHash(item)%n]
		}
		texts[worse] = w.ApplyToResponse(texts[worse], o.VerdictLabels[worse])
		if w.changesWorse() {
			o.SupportedVerdict = o.VerdictLabels[worse]
		}
	}
	if s.Mode == modeIdentical {
		texts[1] = texts[0]
		o.CorrectPosition = -1
	}
	names := w.assistantNamesFor(item.ID)
	parts := []string{
		pairwise.QuestionSection(item.Question),
		pairwise.AnswerSection(names.first, texts[0]),
		pairwise.AnswerSection(names.second, texts[1]),
	}
	if w.How == "order" {
		parts = append(parts[1:], parts[0])
	}
	prompt.User = strings.Join(parts, "\n\n")
	w.rewriteInstructions(&prompt, item.ID)
	return prompt
}

// Parse reads a reply as pairwise does, after restoring the names of the assistants.
func (p probe) Parse(s judging.Presentation, reply string, method judging.ReadingOptions) judging.Verdict {
	if w := p.rewrites.Find(s.Mode); w.How == "letters" || w.How == "names" {
		reply = w.restoreNames(reply)
	}
	return p.originalAsker.Parse(s, reply, method)
}
