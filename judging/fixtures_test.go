package judging

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging/judgingtest"
)

// pairwise is a comparison as simple as one can be: what all protocols share is
// tried with it, those of gavel in their own folders.
type pairwise struct {
	name     string
	template Template
}

func comparison(name string) Protocol {
	two := []string{"A>B", "B>A"}
	return Protocol{
		Name: name, Goal: "better", Shapes: []datasets.Shape{datasets.ShapePair}, PresentationsPerItem: 2, HasFollowUpTurn: true,
		Templates: []Template{
			NewTemplate("sop", "ours", "Name the better: [[A>B]] or [[B>A]].", two),
			NewTemplate("direct", "ours", "Only the label: [[A>B]] or [[B>A]].", two),
			NewTemplate("arena-hard", "ours", "[[A>>B]], [[A>B]], [[A=B]], [[B>A]] or [[B>>A]]", []string{"A>>B", "A>B", "A=B", "B>A", "B>>A"}),
			NewTemplate("none", "ours", "How many?", nil),
		},
		NewAsker: func(t Template, _ Settings) Asker { return pairwise{name, t} },
	}
}

func init() {
	for _, name := range []string{"pairwise", "reversed"} {
		Register(comparison(name))
	}
}

func (p pairwise) Name() string { return p.name }

func (pairwise) Presentations(datasets.Item) []Presentation {
	return []Presentation{{Index: 0, Order: []int{0, 1}}, {Index: 1, Order: []int{1, 0}}}
}

func (p pairwise) Prompt(item datasets.Item, s Presentation) Prompt {
	out := Prompt{
		System: p.template.System, FollowUp: "continue your judgment and finish by outputting a final verdict label",
		User:   item.Question + "\n\nA: " + item.Candidates[s.Order[0]].Text + "\n\nB: " + item.Candidates[s.Order[1]].Text,
		Oracle: backends.Oracle{Item: item.ID, Presentation: s.Index, Order: s.Order, VerdictLabels: []string{"[[A>B]]", "[[B>A]]"}, CorrectPosition: slices.Index(s.Order, item.Gold)},
	}
	for _, l := range p.template.Labels {
		out.Labels = append(out.Labels, "[["+l+"]]")
	}
	if p.template.Name != "direct" {
		out.LabelRequest = LabelTurnText
	}
	return out
}

var labelOfTwo = regexp.MustCompile(`\[\[([AB<>=]+)\]\]`)

func (p pairwise) Parse(s Presentation, reply string, reading ReadingOptions) Verdict {
	label, span, outcome := FindReplyLabel(labelOfTwo, reply, reading.LabelPolicy)
	switch {
	case outcome != Decided:
		return Verdict{Outcome: outcome, Choice: NoCandidate, Span: span}
	case !slices.Contains(p.template.Labels, label):
		return Verdict{Outcome: NoVerdict, Label: label, Choice: NoCandidate, Span: span}
	case label == "A=B":
		return Verdict{Outcome: Tie, Label: label, Choice: NoCandidate, Span: span}
	case strings.HasPrefix(label, "A>"):
		return Verdict{Outcome: Decided, Label: label, Choice: s.Order[0], Span: span}
	}
	return Verdict{Outcome: Decided, Label: label, Choice: s.Order[1], Span: span}
}

func protocolNamed(t testing.TB, name, template string) Asker {
	t.Helper()
	k, err := ProtocolNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	tpl, err := k.Template(template)
	if err != nil {
		t.Fatal(err)
	}
	return k.NewAsker(tpl, nil)
}

var noon = time.Date(2025, 1, 2, 12, 0, 0, 0, time.UTC)

// completed returns the given judgments, by item, as Completed.
func completed(judgments map[string][]bool) (s Completed) {
	for item, have := range judgments {
		for i, h := range have {
			if h {
				s.Add(&Record{Item: item, Presentation: i, Presentations: len(have)})
			}
		}
	}
	return s
}

// newJob returns a pairwise job over all items of a set, one at a time.
func newJob(t *testing.T, set *datasets.Set, client backends.Client) (*RunJob, *judgingtest.RecordCollector[*Record]) {
	t.Helper()
	p := protocolNamed(t, "pairwise", "sop")
	w := &judgingtest.RecordCollector[*Record]{}
	rows := make([]int, set.Len())
	for i := range rows {
		rows[i] = i
	}
	return &RunJob{
		Manifest: NewManifest("test", specOf(p, set)), Asker: p, Set: set, Rows: rows, Client: client,
		Concurrency: 1, Write: w.Write, Now: func() time.Time { return noon },
	}, w
}

// right returns a judge that always chooses the correct candidate. observe, if not nil, sees each request first.
func right(observe func(backends.Request)) judgingtest.Script {
	return func(_ context.Context, req backends.Request) (backends.Response, error) {
		if observe != nil {
			observe(req)
		}
		return judgingtest.Reply(judgingtest.RightLabel(req))
	}
}

func specOf(p Asker, set *datasets.Set) Spec {
	return Spec{
		Protocol: p.Name(), Goal: "better", Prompt: p.(pairwise).template,
		Dataset:    DatasetSpec{SHA256: set.SHA256, Items: set.Len(), IDsHash: "ids"},
		Model:      ModelSpec{Name: "judge", Identity: "test judge"},
		Parameters: DefaultParameters,
	}
}
