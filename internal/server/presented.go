package server

import (
	"fmt"
	"slices"
	"strings"

	"gavel/internal/server/store"
	"gavel/judging"
)

// presented is a judgment in words: candidates go by their own ids, whatever the prompt called them.
type presented struct {
	Says    string   // the verdict
	Names   []string // what its prompt calls each candidate, in the order shown; nil where it calls them by their ids
	Right   string   // what is right to name here, as the prompt calls it; "" where nobody can say
	Swapped bool     // not in the item's own order
	Shown   []string // the candidates that the judge was shown, in their order
	Percent string   // of the judge's confidence; "" where it is not told
}

// present puts a judgment into words.
func present(m *judging.Manifest, j store.Judged) presented {
	out := presented{Swapped: !slices.IsSorted(j.Order), Shown: j.Order}
	p, err := judging.ProtocolNamed(m.Spec.Protocol)
	if err == nil {
		out.Shown = p.Shown(j.Order)
	}
	if j.Confidence != nil {
		out.Percent = fmt.Sprintf("%.0f %%", 100**j.Confidence)
	}
	var rights []string
	right := m.ToName(j.Record)
	for at, id := range out.Shown {
		if p.Called == nil {
			break
		}
		name := p.Called(m.Spec.Prompt, at)
		if name == "" { // it uses ids
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

// verdictWords is a verdict for the goal of the run.
func verdictWords(m *judging.Manifest, j store.Judged) string {
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
	case p.Says != nil:
		return p.Says(m.Spec.Goal, id)
	}
	return id
}

// itemQuestion is what the judge was asked about an item, and what is right.
type itemQuestion struct {
	Question string
	Right    string // "" where nobody can say
}

// questionAbout says what a run asks of an item; r is a record of it, or nil.
func questionAbout(m *judging.Manifest, item *ItemTexts, r *judging.Record) (a itemQuestion) {
	p, _ := judging.ProtocolNamed(m.Spec.Protocol)
	a.Question = p.Question(m.Spec.Goal)
	if item != nil && item.Answer != "" {
		a.Right = item.Answer
	}
	if r == nil || a.Right != "" {
		return a
	}
	ids := m.ToName(r)
	a.Right = strings.Join(ids, " or ")
	if len(ids) > 0 && p.Labelled != nil {
		a.Right = p.Labelled(m.Spec.Goal, ids, r.Order)
	}
	return a
}

// Grid tells whether each judgment is of more than two options, which a page shows place by place.
func (v ItemView) Grid() bool {
	return len(v.Judgments) > 0 && !slices.ContainsFunc(v.Judgments, func(g JudgmentView) bool {
		return len(g.Order) < 3 || g.Presentations < 2
	})
}

// Place of the judgment on a page: the id of its element.
func (g JudgmentView) Place() string {
	return fmt.Sprintf("%sjudgment-%d-%d", g.side, g.Presentation, g.Repetition)
}

// Heading of the item: the beginning of its question, else its id.
func (v ItemView) Heading() string {
	if v.Item != nil && strings.TrimSpace(v.Item.Question) != "" {
		return v.Item.Question
	}
	return v.ID
}

// Says is what the judgments of the item come to.
func (v ItemView) Says() string {
	var once []JudgmentView
	for _, g := range v.Judgments {
		if g.Repetition == 0 {
			once = append(once, g)
		}
	}
	if len(once) == 0 {
		return "Not judged yet."
	}
	has := func(flag string) bool { return slices.Contains(v.Flags, flag) }
	first := once[0].Words.Says
	times := everyTime(v.Row.manifest)
	switch {
	case has("missing"):
		return "Not all judgments are there yet."
	case has("right"):
		return "Right" + times + ": " + first + "."
	case has("confident") && !has("inconsistent"):
		return "Wrong" + times + ": it says " + first + "."
	case has("confident"):
		return "Wrong" + times + ", and not the same."
	case has("inconsistent") && len(once) == 2 && once[0].Mode == "":
		return fmt.Sprintf("It flips with the order: first %s, then %s.", first, once[1].Words.Says)
	case has("inconsistent"):
		return "The judgments do not agree."
	case has("open"):
		return "A judgment has no verdict."
	case has("tie"):
		return "A judgment is a tie."
	case has("wrong"):
		return "Not right" + times + "."
	}
	return "It says " + first + "."
}

// Confident tells whether a judgment says how sure it is.
func (v ItemView) Confident() bool {
	return slices.ContainsFunc(v.Judgments, func(g JudgmentView) bool { return g.Words.Percent != "" })
}

// URL of the item's page in its run.
func (v ItemView) URL() string { return itemURL(v.Run.Name, v.ID, "") }

// itemMark is a judgment as a sign.
type itemMark struct{ Kind, Sign, Words string }

// Mark of a judgment.
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
