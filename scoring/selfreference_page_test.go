package scoring_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"gavel/internal/report"
	"gavel/judging"
	"gavel/scoring"
)

var tags = regexp.MustCompile(`<[^>]*>`)

// pageOf are the words of a run's page below its headline, and what stands in its headline.
func pageOf(rep scoring.Report, more ...scoring.Metadatum) string {
	p := &report.RunPage{Run: report.Run{Report: rep, Metadata: more}}
	body, err := p.Body()
	if err != nil {
		panic(err)
	}
	words := tags.ReplaceAllString(p.Says+" "+p.Also+" "+string(body), " ")
	return strings.Join(strings.Fields(words), " ")
}

// answersOfKind are so many judged answers that are alike.
func answersOfKind(n int, like judgedAnswer) (all []judgedAnswer) {
	for i := range n {
		s := like
		s.question = fmt.Sprintf("%s %v %v %s %s %d", like.group, like.own, like.right, like.cot, like.self, i)
		s.agent = "agent"
		all = append(all, s)
	}
	return all
}

// pageCase says what stands on a page, and what must not.
type pageCase struct {
	name      string
	rep       scoring.Report
	has, not  []string
	metadatum []scoring.Metadatum
}

func (c pageCase) run(t *testing.T) {
	page := pageOf(c.rep, c.metadatum...)
	for _, words := range c.has {
		if !strings.Contains(page, words) {
			t.Errorf("nowhere %q in\n%s", words, page)
		}
	}
	for _, words := range c.not {
		if strings.Contains(page, words) {
			t.Errorf("%q in\n%s", words, page)
		}
	}
}

// What the page of self-reference says where there is little to say.
func TestPagesOfSelfReference(t *testing.T) {
	score := func(groups ...[]judgedAnswer) scoring.Report {
		var all []judgedAnswer
		for _, g := range groups {
			all = append(all, g...)
		}
		return judgedRun(t, all...).Score(quick)
	}
	harm := score(
		answersOfKind(60, judgedAnswer{own: true, right: true, cot: "C", self: "C"}),
		answersOfKind(60, judgedAnswer{own: true, cot: "I", self: "I"}),
		answersOfKind(20, judgedAnswer{own: true, cot: "C", self: "I"}),
		answersOfKind(50, judgedAnswer{right: true, cot: "C", self: "I"}),
		answersOfKind(30, judgedAnswer{cot: "I", self: "C"}),
		answersOfKind(10, judgedAnswer{cot: "I", self: ""}),
	)
	for _, c := range []pageCase{
		{
			name: "its own answers do harm",
			rep:  harm,
			has: []string{
				"Its own answer is right 140 questions", "Its own answer is wrong 90 questions",
				"Showing it does harm there: it costs 100 points [94, 100].",
				"One agent only, llama.", "use a judge that answers better", "judged wrong, or no verdict",
				// of 60 both are right; one of 80 and 50; neither of 40
				"of 60", "of 130", "On 40 answers it is unknown", "judged right: 90 of 90",
			},
			not:       []string{"By category", "R of own", "By agent"},
			metadatum: []scoring.Metadatum{{Name: "agent's answers", Value: "llama (run 12)"}},
		},
		{
			name: "no own answers",
			rep: score(
				answersOfKind(40, judgedAnswer{noOwn: true, right: true, cot: "C", self: "C"}),
				answersOfKind(40, judgedAnswer{noOwn: true, cot: "I", self: "C"}),
			),
			has: []string{"Outcomes of 80 answers", "Judges, by reasoning alone"},
			not: []string{"Answers right itself", "Does one depend", "Does it believe", "Its own answer is", "does harm"},
		},
		{
			name: "three answers",
			rep: score(
				answersOfKind(1, judgedAnswer{own: true, right: true, cot: "C", self: "C"}),
				answersOfKind(1, judgedAnswer{own: true, cot: "I", self: "I"}),
				answersOfKind(1, judgedAnswer{right: true, cot: "C", self: "I"}),
			),
			has: []string{"Its own answer is right 2 questions", "Its own answer is wrong 1 question"},
			not: []string{"does harm", "strong", "no dependence seen", "compare the answer", "NaN", "beyond noise"},
		},
		{
			name: "all right",
			rep: score(
				answersOfKind(40, judgedAnswer{own: true, right: true, cot: "C", self: "C"}),
				answersOfKind(40, judgedAnswer{own: true, cot: "I", self: "I"}),
			),
			has: []string{"Its own answer is right 80 questions", "judged right: 80 of 80 80 100 % of 80 96–100"},
			not: []string{"Its own answer is wrong", "Does one depend", "harm", "NaN", "or no verdict"},
		},
		{
			name: "no verdicts",
			rep: score(
				answersOfKind(20, judgedAnswer{own: true, right: true}),
				answersOfKind(20, judgedAnswer{cot: "", self: ""}),
			),
			has: []string{"judged wrong, or no verdict", "judged wrong, or no verdict: 20 of 20 20 0 % of 20 0–16"},
			not: []string{"harm", "NaN", "strong"},
		},
		{
			name: "strong in both modes",
			rep: score(
				answersOfKind(40, judgedAnswer{own: true, right: true, cot: "C", self: "C"}),
				answersOfKind(40, judgedAnswer{own: true, cot: "I", self: "I"}),
				answersOfKind(40, judgedAnswer{right: true, cot: "I", self: "I"}),
				answersOfKind(40, judgedAnswer{cot: "C", self: "C"}),
				answersOfKind(10, judgedAnswer{right: true, cot: "C", self: "C"}),
			),
			has: []string{"Reasoning alone: strong. Its own answer shown: strong."},
			not: []string{"compare the answer"},
		},
		{
			name: "two categories, of which nothing is sure",
			rep: score(
				answersOfKind(6, judgedAnswer{group: "law", own: true, right: true, cot: "C", self: "C"}),
				answersOfKind(6, judgedAnswer{group: "math", right: true, cot: "C", self: "I"}),
				answersOfKind(6, judgedAnswer{group: "math", own: true, cot: "C", self: "C"}),
			),
			has: []string{"By category", "sorted by the difference · beyond noise: 1 of 2"},
			not: []string{"By category and agent", "NaN"},
		},
	} {
		t.Run(c.name, c.run)
	}
}

// Of two answers that are both wrong what was read tells whether they are the same.
func TestSameWrongAnswer(t *testing.T) {
	var records []*judging.Record
	for i, said := range []*string{new("42"), new("42.0"), new("43"), new(""), nil} {
		for _, r := range (judgedAnswer{question: fmt.Sprint(i), agent: "a", cot: "C", self: "C"}).records(bothModes...) {
			r.AgentFinalAnswer = said
			records = append(records, r)
		}
	}
	rep := gather(t, manifestOf("self-reference", 5), records).Score(quick)
	if same, other := in(t, rep, "own-same-correct", scoring.Overall, "cot"), in(t, rep, "own-other-incorrect", scoring.Overall, "cot"); same.N != 2 || other.N != 2 {
		t.Errorf("%d say the same, %d something else; want 2 and 2", same.N, other.N)
	}
}
