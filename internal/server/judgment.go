package server

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"gavel/datasets"
	"gavel/internal/report"
	"gavel/internal/server/markup"
	"gavel/internal/server/store"
	"gavel/judging"
)

// JudgmentView holds a judgment with its prompt and replies.
type JudgmentView struct {
	JudgmentBrief
	Presentations int                     `json:"showings"` // of the item: orders and modes
	Mode          string                  `json:"mode,omitempty"`
	Order         []string                `json:"order" jsonschema:"candidates in the order shown; null without any"`
	System        string                  `json:"system,omitempty"`
	User          string                  `json:"user"`
	Asked         string                  `json:"asked" jsonschema:"whether the rebuilt prompt is the one that was sent"`
	Turns         []TurnView              `json:"turns"`
	Label         string                  `json:"label,omitempty"`  // of the verdict, as the judge wrote it
	Answer        string                  `json:"answer,omitempty"` // that was read, to a question without candidates
	Rule          string                  `json:"rule,omitempty"`   // that found the verdict; "" if there is only one
	Gold          string                  `json:"gold,omitempty"`   // the item's label: id of the correct candidate
	Recorded      string                  `json:"recorded_as,omitempty" jsonschema:"recorded outcome, if it differs now"`
	Error         string                  `json:"error,omitempty"`
	Probabilities []judging.Probability   `json:"probabilities,omitempty" jsonschema:"label, logprob, p"`
	At            time.Time               `json:"at,omitzero"`
	Imported      *judging.ImportedFields `json:"imported,omitempty" jsonschema:"see records.jsonl"`

	Words          judgmentWords `json:"-"` // the judgment in words, for pages
	ImportedPrompt string        `json:"-"` // prompt that the file of an imported record has; "" for none
	placePrefix    string        // prefix of Place on a page of several runs
}

// TurnView holds a reply of the judge, and the message of gavel before it.
type TurnView struct {
	Said string `json:"said,omitempty" jsonschema:"message of gavel before the reply, if it is not the prompt"`
	judging.Reply

	Raw []markup.Segment `json:"-"` // Text with the verdict marked
}

// Results of comparing the rebuilt prompt with the one that was sent.
const (
	promptSame    = "the same, to the byte"
	promptDiffers = "differs"
	promptUnknown = "unknown" // imported runs used prompts of their own
)

// judgmentView returns the view of an indexed judgment, read from its record j. It renders the prompt again from the
// item; if item is nil, the view has no prompt.
func judgmentView(
	x *store.Index, indexed store.IndexedJudgment, j store.JudgedRecord, item *datasets.Item,
) (JudgmentView, error) {
	m := x.Manifest
	r, v := j.Record, j.Verdict
	g := JudgmentView{
		JudgmentBrief: judgmentBrief(indexed),
		Presentations: r.Presentations,
		Mode:          r.Mode,
		Order:         r.Order,
		Asked:         promptUnknown,
		Label:         v.Label,
		Answer:        v.Answer,
		Rule:          v.Rule,
		Gold:          r.Gold,
		Error:         r.Error,
		Probabilities: r.Probabilities,
		At:            r.At,
		Imported:      r.Imported,
		Turns:         []TurnView{},
	}
	if im := r.Imported; im != nil && !strings.Contains(r.Text(), strings.TrimSpace(im.Prompt)) {
		g.ImportedPrompt = im.Prompt // JudgeBench's files have the judge's first reply there
	}
	g.Choice, g.Words = r.CandidateID(v.Choice), describeJudgment(m, j)
	if v.Outcome != r.Outcome || g.Choice != r.Choice {
		g.Recorded = strings.TrimSpace(string(r.Outcome) + " " + r.Choice)
	}
	params := m.Spec.Parameters
	var prompt judging.Prompt
	if item != nil {
		var same bool
		var err error
		prompt, same, err = r.RenderPrompt(x.Asker, *item, params.SystemTextRole)
		if err != nil {
			return g, err
		}
		g.System, g.User = prompt.System, prompt.User
		switch {
		case r.Imported != nil: // unknown
		case same:
			g.Asked = promptSame
		default:
			g.Asked = promptDiffers
		}
	}
	turn, span, _ := r.TurnOfSpan(v.Span)
	for i, reply := range r.Replies {
		t := TurnView{Reply: reply}
		if i > 0 {
			t.Said = params.NextTurnText(prompt)
			if r.Challenged && i == len(r.Replies)-1 {
				t.Said = prompt.Challenge
			}
		}
		var verdict judging.Span
		if i == turn {
			verdict = span
		}
		t.Raw = markup.Segments(reply.Text, verdict)
		g.Turns = append(g.Turns, t)
	}
	return g, nil
}

// judgmentWords holds a judgment in words for people, with the candidates' ids even if the prompt called them A and B.
type judgmentWords struct {
	Says    string   // the verdict in words
	Names   []string // the prompt's name of each candidate shown, such as "A is x1"; nil if the prompt uses ids
	Right   string   // the correct choice, as the prompt calls it; "" if unknown
	Swapped bool     // the order differs from that of the item
	Shown   []string // ids of the candidates in the order shown
	Percent string   // the judge's confidence, such as "87 %"; "" if unknown
}

// describeJudgment returns the words for a judgment of the run of m.
func describeJudgment(m *judging.Manifest, j store.JudgedRecord) judgmentWords {
	p, _ := judging.ProtocolNamed(m.Spec.Protocol)
	out := judgmentWords{Swapped: !slices.IsSorted(j.Order), Shown: p.ShownIDs(j.Order)}
	if j.Confidence != nil {
		out.Percent = fmt.Sprintf("%.0f %%", 100**j.Confidence)
	}
	var rights []string
	right := m.CorrectCandidateIDs(j.Record)
	for at, id := range out.Shown {
		if p.CandidateName == nil {
			break
		}
		name := p.CandidateName(m.Spec.Prompt, at)
		if name == "" { // the prompt uses ids
			break
		}
		out.Names = append(out.Names, fmt.Sprintf("%s is %s", name, id))
		if slices.Contains(right, id) {
			rights = append(rights, name)
		}
	}
	out.Right, out.Says = strings.Join(rights, " or "), verdictWords(m, j)
	return out
}

// verdictWords returns the words for a verdict, such as "a tie" or the candidate that it names as better or worse.
func verdictWords(m *judging.Manifest, j store.JudgedRecord) string {
	v := j.Verdict
	id := j.CandidateID(v.Choice)
	p, _ := judging.ProtocolNamed(m.Spec.Protocol)
	switch {
	case v.Outcome == judging.Tie:
		return "a tie"
	case v.Outcome != judging.Decided:
		return "no verdict: " + string(v.Outcome)
	case id == "":
		return v.Answer
	case p.VerdictText != nil:
		return p.VerdictText(m.Spec.Goal, id)
	}
	return id
}

// Place returns the id of the HTML element that shows the judgment on a page.
func (g JudgmentView) Place() string {
	return fmt.Sprintf("%sjudgment-%d-%d", g.placePrefix, g.Presentation, g.Repetition)
}

// itemMark holds a sign such as ✓ for a judgment or outcome, its kind for the style sheet, and its words for screen
// readers.
type itemMark struct{ Kind, Sign, Words string }

// Mark returns the sign for a judgment: right, wrong, a tie, no verdict, or a verdict without a label.
func (b JudgmentBrief) Mark() itemMark {
	switch {
	case b.Right != nil && *b.Right:
		return itemMark{Kind: "right", Sign: "✓", Words: "right"}
	case b.Outcome == string(judging.Tie):
		return itemMark{Kind: "tie", Sign: "=", Words: "tie"}
	case b.Outcome != string(judging.Decided):
		return itemMark{Kind: "open", Sign: "–", Words: b.Outcome}
	case b.Right != nil:
		return itemMark{Kind: "wrong", Sign: "✗", Words: "wrong"}
	}
	return itemMark{Kind: "unlabelled", Sign: "•", Words: "names " + b.Choice}
}

// judgeFaultRatio decides what sentences doubt: if at least one in judgeFaultRatio items is wrong every time, the judge
// is the likely cause, and otherwise the labels may be wrong.
const judgeFaultRatio = 4

// everyJudgmentWords returns the words for "in every judgment of an item" that fit the run of m, such as " in both
// orders"; "" if the run judges each item once, or scores candidates.
func everyJudgmentWords(m *judging.Manifest) string {
	p, _ := judging.ProtocolNamed(m.Spec.Protocol)
	switch perItem := m.Judgments / max(1, m.Spec.Dataset.Items*m.Spec.Parameters.Repetitions()); {
	case perItem < 2, p.ScoresCandidates:
		return ""
	case perItem == 2 && report.ItemCountText(m.Spec.Protocol, 1) == "1 pair":
		return " in both orders"
	}
	return " every time"
}

// JudgmentBrief holds a judgment as lists of items show it.
type JudgmentBrief struct {
	Presentation int    `json:"showing"`
	Repetition   int    `json:"repeat,omitempty"`
	Outcome      string `json:"outcome"`
	Choice       string `json:"choice,omitempty" jsonschema:"id of the candidate"`
	Position     int    `json:"place,omitempty" jsonschema:"position at which the candidate was shown, from 1"`
	Right        *bool  `json:"right" jsonschema:"null if unknown"`
}

// judgmentBrief returns an indexed judgment for a list, without the chosen candidate's id, which the index lacks.
func judgmentBrief(g store.IndexedJudgment) JudgmentBrief {
	return JudgmentBrief{
		Presentation: g.Presentation,
		Repetition:   g.Repetition,
		Outcome:      string(g.Outcome),
		Position:     g.ChosenPosition + 1,
		Right:        g.Right.Pointer(),
	}
}

// questionExcerpt returns the beginning of an item's question, or else of the judged answer, on one line.
func questionExcerpt(item datasets.Item) string {
	if item.Question == "" && item.Answered != nil {
		item.Question = item.Answered.Text
	}
	return markup.Shorten(item.Question, 160)
}

// briefs returns the judgments of item i for a list. They lack the ids of the chosen candidates if item has no texts.
func briefs(x *store.Index, i int, item datasets.Item) []JudgmentBrief {
	all := []JudgmentBrief{}
	for _, g := range x.Judgments(i) {
		b := judgmentBrief(g)
		if g.Choice >= 0 && g.Choice < len(item.Candidates) {
			b.Choice = item.Candidates[g.Choice].ID
		}
		all = append(all, b)
	}
	return all
}
