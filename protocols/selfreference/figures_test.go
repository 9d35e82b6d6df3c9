package selfreference

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"gotest.tools/v3/golden"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
	"gavel/judging/judgingtest"
	"gavel/protocols/answer"
)

// judgmentOf returns an item with an agent's answer, and the judge's own.
func judgmentOf(item datasets.Item, text, reference string) datasets.Item {
	return datasets.Item{
		ID: item.ID + "@agent", Shape: datasets.ShapeJudgment, Source: item.Source, Group: item.Group, Question: answer.QuestionText(item), Gold: 1,
		Candidates: []datasets.Candidate{{ID: labelCorrect}, {ID: labelIncorrect}},
		Answered: &datasets.AgentAnswer{
			QuestionID: item.ID, QuestionShape: item.Shape, Agent: "agent", Text: text, Reference: reference, Own: &datasets.Answer{Value: "C", Right: true},
		},
	}
}

// figurePrompts has the paper's prompts, each rendered with the names of its positions as the texts.
func figurePrompts() map[int]judging.Prompt {
	choice := judgingtest.ChoiceItem()
	choice.Group, choice.Question, choice.Candidates = "{category}", "{question}", nil
	for i := range 4 {
		choice.Candidates = append(choice.Candidates, datasets.Candidate{ID: string(rune("A"[0]) + rune(i)), Text: fmt.Sprintf("{Option %d}", i+1)})
	}
	number := numberItem()
	number.Question = "{question}"
	preference := preferenceItem()
	preference.Question, preference.Candidates[0].Text, preference.Candidates[1].Text = "{Question}", "{Answer A}", "{Answer B}"

	answering := answer.Protocol.NewAsker(answer.Protocol.Templates[0], nil)
	out := map[int]judging.Prompt{}
	for n, item := range map[int]datasets.Item{5: number, 6: choice, 7: preference} {
		out[n] = answering.Prompt(item, answering.Presentations(item)[0])
	}
	judge := Protocol.NewAsker(judgmentTemplate, nil)
	plain := judgmentOf(number, "{answer_a}", "{ref_answer}")
	verdict := judgmentOf(preference, "{response}", "{ref_answer}")
	verdict.Question = "{question}"
	for i, n := range []int{8, 10} {
		out[n] = judge.Prompt(plain, judge.Presentations(plain)[i])
		out[n+1] = judge.Prompt(verdict, judge.Presentations(verdict)[i])
	}
	return out
}

// unscanned removes what the scan added to the paper's text.
var unscanned = strings.NewReplacer("```", "", `\*\*`, "**", `\_`, "_", "**", "", "#", "",
	"{answer a}", "{answer_a}", // an underscore that the scan lost
	"\n:\n", "\n", // the dots that stand for more options
)

func TestPromptsAreThePapersFigures(t *testing.T) {
	raw, err := os.ReadFile("../../../shared/papers/self-reference.txt")
	if err != nil {
		t.Skip("the paper's text is not on this machine")
	}
	paper := string(raw)
	_, paper, _ = strings.Cut(paper, "https://cloud.sambanova.ai\n") // what stands before Figure 5
	for n := 5; n <= 11; n++ {
		figure, rest, ok := strings.Cut(paper, fmt.Sprintf("\nFigure %d: Prompt template", n))
		if !ok {
			t.Fatalf("the paper's text has no Figure %d", n)
		}
		_, paper, _ = strings.Cut(rest, "\n") // its caption
		want := judgingtest.CollapseSpaces(unscanned.Replace(figure))
		p := figurePrompts()[n]
		got := judgingtest.CollapseSpaces(p.System + "\n\n" + p.User)
		if n == 6 || n == 7 || n == 8 || n == 10 { // those that mark the system message
			got = "[System] " + got
		}
		if got != want {
			t.Errorf("Figure %d: got\n%s\nthe paper has\n%s", n, got, want)
		}
	}
}

// The golden files also show gavel's own choices: line breaks, and what is the system message.
func TestFiguresGolden(t *testing.T) {
	for n, p := range figurePrompts() {
		var b strings.Builder
		for _, m := range judging.FirstTurnMessages(p, backends.RoleSystem) {
			fmt.Fprintf(&b, "--- %s\n%s\n", m.Role, m.Content)
		}
		fmt.Fprintf(&b, "--- labels\n%s\n--- label turn\n%s\n", strings.Join(p.Labels, "\n"), p.LabelRequest)
		if p.FollowUp != "" {
			t.Errorf("Figure %d is followed up", n)
		}
		golden.Assert(t, b.String(), fmt.Sprintf("prompts/figure-%02d.golden", n))
	}
}

// Only Figures 9 and 11 have stars around what they ask for, and Figures 8 and 10 have none.
func TestStarsOfTheLabels(t *testing.T) {
	for n, p := range figurePrompts() {
		stars := n == 9 || n == 11
		if n >= 8 && (strings.Contains(p.System, "**[[Correct]]**") != stars || (p.Labels[0] == "**[[Correct]]**") != stars || (p.Labels[1] == "**[[Incorrect]]**") != stars) {
			t.Errorf("Figure %d: labels %v", n, p.Labels)
		}
	}
}

// Up to ten options, each on its own line.
func TestOptionsOfAChoice(t *testing.T) {
	p := answer.Protocol.NewAsker(answer.Protocol.Templates[0], nil)
	for n := 3; n <= 10; n++ {
		item := judgingtest.ChoiceItem()
		item.Candidates = nil
		for i := range n {
			item.Candidates = append(item.Candidates, datasets.Candidate{ID: string(rune("A"[0]) + rune(i)), Text: fmt.Sprintf("text %d", i)})
		}
		s := p.Presentations(item)[0]
		got := p.Prompt(item, s)
		if len(s.Order) != n || len(got.Labels) != n || strings.Count(got.User, "\n") != n+3 {
			t.Errorf("%d options: order %v, labels %v\n%s", n, s.Order, got.Labels, got.User)
		}
		last := fmt.Sprintf("\n%c. text %d\n\nAnswer:", 'A'+n-1, n-1)
		if !strings.Contains(got.User, last) || got.Labels[n-1] != fmt.Sprintf("The answer is (%c)", 'A'+n-1) {
			t.Errorf("%d options: no %q in\n%s\nlabels %v", n, last, got.User, got.Labels)
		}
	}
}

// The judged question has the text of the answered one, in both prompts.
func TestJudgedQuestionIsTheAskedOne(t *testing.T) {
	p := answer.Protocol.NewAsker(answer.Protocol.Templates[0], nil)
	for _, item := range []datasets.Item{judgingtest.ChoiceItem(), numberItem(), preferenceItem()} {
		question := p.Prompt(item, p.Presentations(item)[0]).User
		shownQuestion := answer.QuestionText(item)
		want := map[datasets.Shape]string{
			datasets.ShapeChoice:     "Question: " + shownQuestion + "\n\nAnswer: Let's think step by step.",
			datasets.ShapeNumber:     "The question is: " + shownQuestion + `. Let's think step by step and then finish your answer with "The answer is (arabic numerals):"`,
			datasets.ShapePreference: shownQuestion,
		}[item.Shape]
		if question != want {
			t.Errorf("asked\n%s\njudged\n%s", question, shownQuestion)
		}
	}
}

// Any text of an item is in the prompt unchanged, and changes nothing around it.
func TestTextsOfQuestionsAreData(t *testing.T) {
	positions := map[string]string{}
	for name, text := range map[string]string{"the places": "{question}{options}{category}{answer_a}{answer_b}{ref_answer}{response}", "labels": "[[Correct]] **[[Incorrect]]** [[A]] The answer is (B)", "an end": "[The End of Assistant's Answer]\n[The End of Reference Answer]"} {
		positions[name] = text
	}
	for name, text := range judgingtest.TemplateHazards {
		positions[name] = text
	}
	const marks = "QQQ AAA BBB GGG"
	type filled struct {
		name     string
		protocol judging.Protocol
		item     func(text func(mark string) string) datasets.Item
	}
	var all []filled
	all = append(all,
		filled{"choice", answer.Protocol, func(text func(string) string) datasets.Item {
			item := judgingtest.ChoiceItem()
			item.Question, item.Group, item.Candidates[0].Text, item.Candidates[2].Text = text("QQQ"), text("GGG"), text("AAA"), text("BBB")
			return item
		}},
		filled{"number", answer.Protocol, func(text func(string) string) datasets.Item {
			item := numberItem()
			item.Question = text("QQQ")
			return item
		}},
		filled{"preference", answer.Protocol, func(text func(string) string) datasets.Item {
			item := preferenceItem()
			item.Question, item.Candidates[0].Text, item.Candidates[1].Text = text("QQQ"), text("AAA"), text("BBB")
			return item
		}},
	)
	for _, of := range []datasets.Item{numberItem(), preferenceItem()} {
		all = append(all, filled{"judgment of " + string(of.Shape), Protocol, func(text func(string) string) datasets.Item {
			item := judgmentOf(of, text("AAA"), "x"+text("BBB"))
			item.Question = text("QQQ")
			return item
		}})
	}
	for _, f := range all {
		p := f.protocol.NewAsker(f.protocol.Templates[0], nil)
		plain := f.item(func(mark string) string { return mark })
		for _, s := range p.Presentations(plain) {
			frame := p.Prompt(plain, s)
			for name, h := range positions {
				got := p.Prompt(f.item(func(mark string) string { return h + mark[:1] }), s)
				var swap []string
				for mark := range strings.FieldsSeq(marks) {
					swap = append(swap, mark, h+mark[:1])
				}
				to := strings.NewReplacer(swap...)
				if got.User != to.Replace(frame.User) || got.System != to.Replace(frame.System) {
					t.Errorf("%s, mode %q, %s: got\n%q\n%q", f.name, s.Mode, name, got.System, got.User)
				}
			}
		}
	}
}

func TestNoSystemMessage(t *testing.T) {
	p := answer.Protocol.NewAsker(answer.Protocol.Templates[0], nil)
	prompt := p.Prompt(numberItem(), p.Presentations(numberItem())[0])
	for _, role := range []string{backends.RoleSystem, backends.RoleUser} {
		got := judging.FirstTurnMessages(prompt, role)
		if len(got) != 1 || got[0].Role != backends.RoleUser || got[0].Content != prompt.User || strings.HasPrefix(got[0].Content, "\n") {
			t.Errorf("system role %s: %+v", role, got)
		}
	}
}
