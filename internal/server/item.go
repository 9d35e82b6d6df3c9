package server

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"gavel/datasets"
	"gavel/internal/report"
	"gavel/internal/server/failure"
	"gavel/internal/server/markup"
	"gavel/internal/server/store"
	"gavel/judging"
	"gavel/scoring"
)

// ItemView is the page of an item.
type ItemView struct {
	Run       RunHead        `json:"run"`
	Item      *ItemTexts     `json:"item" jsonschema:"null where the run has no texts"`
	ID        string         `json:"id"`
	Group     string         `json:"group,omitempty"`
	Flags     []string       `json:"facts" jsonschema:"see the filter show"`
	Problem   string         `json:"problem,omitempty" jsonschema:"why there is no item"`
	Judgments []JudgmentView `json:"games"`
	Number    int            `json:"number" jsonschema:"of the item in the run, from 1"`
	Total     int            `json:"total"`
	Previous  string         `json:"-"` // links
	Next      string         `json:"-"`
	Back      string         `json:"-"`

	Row    RunRow       `json:"-"`
	Asked  itemQuestion `json:"-"`
	ToName []string     `json:"-"` // ids of the candidates that it is right to name
	Others []otherJudge `json:"-"` // that were asked the same of it
	Across string       `json:"-"` // link to the item as some of them judged it; "" where there are none
	Beside string       `json:"-"` // says who they are
	Called string       `json:"-"` // its judge, among others that stand beside it

	Pending bool `json:"-"` // the other judges' outcomes are still being read
}

// otherJudge is how another judge did on an item.
type otherJudge struct {
	Name, Link string
	itemMark
}

// mostOthers is how many other judges the page of an item shows.
const mostOthers = 20

// addOthers says how the other judges did on an item, the best first.
func (s *Server) addOthers(ctx context.Context, v *ItemView) error {
	m, err := s.matrixOf(ctx, v.Run.Name, true)
	v.Pending = m.Pending
	item := m.of(v.ID)
	if item == nil {
		return err
	}
	beside := []RunRow{v.Row}
	for k, run := range m.runs {
		if len(v.Others) < mostOthers && judgeOf(run.manifest) != judgeOf(v.Row.manifest) {
			beside = append(beside, run)
			v.Others = append(v.Others, otherJudge{
				Name: m.Judges[k].Name, Link: itemURL(run.Name, v.ID, ""), itemMark: item.Marks[k],
			})
		}
	}
	v.Across = compareItemURL(beside, v.ID)
	v.Beside = "their replies beside each other"
	if len(beside) > maxCompared {
		v.Beside = "replies of this one and the best " + scoring.CountWord(maxCompared-1)
	}
	return nil
}

// ItemTexts are an item's own words.
type ItemTexts struct {
	Source     string          `json:"source,omitempty"`
	Shape      string          `json:"shape"`
	Question   string          `json:"question"`
	Candidates []candidateView `json:"candidates,omitempty"`
	Answer     string          `json:"answer,omitempty" jsonschema:"of a number: the right one"`
	Answered   *answeredView   `json:"answered,omitempty" jsonschema:"the answer that is judged"`
	Note       string          `json:"note,omitempty"`
}

// candidateView is a candidate with its label.
type candidateView struct {
	datasets.Candidate
	Labelled bool `json:"labelled" jsonschema:"as the right or better one"`
}

// answeredView is the answer of an agent that is judged, with its label.
type answeredView struct {
	datasets.Answered
	Right bool `json:"right"`
}

// JudgmentView is a judgment.
type JudgmentView struct {
	JudgmentBrief
	Presentations int                   `json:"showings"`
	Mode          string                `json:"mode,omitempty"`
	Order         []string              `json:"order" jsonschema:"candidates in the order shown; null where none were"`
	System        string                `json:"system,omitempty"`
	User          string                `json:"user"`
	Asked         string                `json:"asked" jsonschema:"whether the prompt is the one that was asked"`
	Turns         []TurnView            `json:"turns"`
	Label         string                `json:"label,omitempty"`
	Answer        string                `json:"answer,omitempty"`
	Rule          string                `json:"rule,omitempty"`
	Gold          string                `json:"gold,omitempty"`
	Recorded      string                `json:"recorded_as,omitempty" jsonschema:"the outcome, where today's is another"`
	Error         string                `json:"error,omitempty"`
	Probabilities []judging.Probability `json:"probabilities,omitempty" jsonschema:"label, logprob, p"`
	At            time.Time             `json:"at,omitzero"`
	Imported      *judging.Imported     `json:"imported,omitempty" jsonschema:"see records.jsonl"`

	Words      presented `json:"-"`
	FilePrompt string    `json:"-"` // of an imported record: the prompt that its file has
	side       string    // of several runs beside each other: which
}

// TurnView is a reply and what it was the reply to.
type TurnView struct {
	Said string `json:"said,omitempty" jsonschema:"by gavel, before the reply; of none for the prompt itself"`
	judging.Reply

	Raw []markup.Segment `json:"-"` // Text with the verdict marked
}

// How a prompt that was made again compares with the one that was asked.
const (
	askedSame    = "the same, to the byte"
	askedOther   = "differs"
	askedUnknown = "unknown" // of an imported run, whose own prompt it was not
)

func (s *Server) itemView(r *http.Request) (v ItemView, err error) {
	name, id := r.PathValue("run"), r.PathValue("item")
	if id == "" {
		id = r.URL.Query().Get("id")
	}
	f, err := itemsFilter(r)
	if err != nil {
		return v, err
	}
	x, err := s.runs.Index(r.Context(), name)
	if err != nil {
		return v, err
	}
	i, ok := x.Find(id)
	if !ok {
		return v, failure.NotFound("the run %q has no item %q", name, markup.Shortened(id, 100))
	}
	v, err = s.itemOf(x, i)
	if err != nil {
		return v, err
	}
	if !isAPI(r) {
		v.Row = s.row(r.Context(), store.Found{Name: name, Manifest: x.Manifest})
		if err := s.addOthers(r.Context(), &v); err != nil {
			return v, err
		}
	}
	v.Back = runURL(name) + "/items" + f.Query()
	all, err := s.matching(r, x, f)
	if err != nil {
		return v, err
	}
	if at := slices.Index(all, i); at >= 0 {
		v.Number, v.Total = at+1, len(all)
		if at > 0 {
			v.Previous = itemURL(name, x.ID(all[at-1]), f.Query())
		}
		if at+1 < len(all) {
			v.Next = itemURL(name, x.ID(all[at+1]), f.Query())
		}
	}
	return v, nil
}

// itemOf reads an item with all of its judgments.
func (s *Server) itemOf(x *store.Index, i int) (ItemView, error) {
	v := ItemView{
		Run:       headOf(x.Run, x.Manifest),
		ID:        x.ID(i),
		Group:     x.Group(i),
		Flags:     x.Flags(i).Names(),
		Judgments: []JudgmentView{},
		Number:    i + 1,
		Total:     x.Len(),
	}
	items := x.OpenItems()
	defer items.Close()
	var known *datasets.Item // nil without texts
	item, err := x.Item(items, i)
	if err != nil {
		v.Problem = err.Error()
	} else {
		known = &item
		v.Item = textsOf(item)
	}
	judgments := x.Judgments(i)
	v.Asked = questionAbout(x.Manifest, v.Item, nil)
	if len(judgments) == 0 {
		return v, nil
	}
	records, _, err := s.runs.Open(x.Run, judging.RecordsFile)
	if err != nil {
		return v, store.ErrChanged
	}
	defer records.Close()
	for _, g := range judgments {
		j, err := x.Record(records, g)
		if err != nil {
			return v, err
		}
		judgment, err := judgmentView(x, j, known)
		if err != nil {
			return v, failure.Unreadable("%w", err)
		}
		v.Judgments = append(v.Judgments, judgment)
		if len(v.Judgments) == 1 {
			v.Asked, v.ToName = questionAbout(x.Manifest, v.Item, j.Record), x.Manifest.ToName(j.Record)
		}
	}
	return v, nil
}

// textsOf returns the texts of an item with its labels.
func textsOf(item datasets.Item) *ItemTexts {
	t := &ItemTexts{
		Source:   item.Source,
		Shape:    string(item.Shape),
		Question: item.Question,
		Answer:   item.Answer,
		Note:     item.Note,
	}
	for i, c := range item.Candidates {
		if item.Answered != nil && c.Text == "" {
			continue // of a judgment the candidates are verdicts, which have no text
		}
		t.Candidates = append(t.Candidates, candidateView{Candidate: c, Labelled: i == item.Gold})
	}
	if item.Answered != nil {
		t.Answered = &answeredView{Answered: *item.Answered, Right: item.Gold == 0}
	}
	return t
}

// judgmentView returns the view of a record. Its prompt is made again from the item; without one it stays empty.
func judgmentView(x *store.Index, j store.Judged, item *datasets.Item) (JudgmentView, error) {
	m, r, v := x.Manifest, j.Record, j.Verdict
	g := JudgmentView{
		JudgmentBrief: brief(store.JudgmentOf(m, r, v)),
		Presentations: r.Presentations,
		Mode:          r.Mode,
		Order:         r.Order,
		Asked:         askedUnknown,
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
		g.FilePrompt = im.Prompt // JudgeBench's files have the judge's first reply there
	}
	g.Choice, g.Words = r.CandidateID(v.Choice), present(m, j)
	if v.Outcome != r.Outcome || g.Choice != r.Choice {
		g.Recorded = strings.TrimSpace(string(r.Outcome) + " " + r.Choice)
	}
	params := m.Spec.Parameters
	var prompt judging.Prompt
	if item != nil {
		var same bool
		var err error
		prompt, same, err = r.Asked(x.Asker, *item, params.SystemRole)
		if err != nil {
			return g, err
		}
		g.System, g.User = prompt.System, prompt.User
		if r.Imported == nil {
			g.Asked = askedOther
			if same {
				g.Asked = askedSame
			}
		}
	}
	turn, at, read := r.Turn(v.Span)
	for i, reply := range r.Replies {
		t := TurnView{Reply: reply}
		if i > 0 {
			t.Said = params.NextTurn(prompt)
			if r.Challenged && i == len(r.Replies)-1 {
				t.Said = prompt.Challenge
			}
		}
		t.Raw = markup.Segments(reply.Text, judging.Span{})
		if i == turn && read {
			t.Raw = markup.Segments(reply.Text, at)
		}
		g.Turns = append(g.Turns, t)
	}
	return g, nil
}

// presented is a judgment in words. Candidates have their own ids, whatever the prompt called them.
type presented struct {
	Says    string   // the verdict
	Names   []string // what its prompt calls each candidate, in the order shown; nil where it calls them by their ids
	Right   string   // the correct choice, as the prompt calls it; "" if unknown
	Swapped bool     // not in the item's own order
	Shown   []string // the candidates that the judge was shown, in their order
	Percent string   // the judge's confidence; "" if unknown
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

// verdictWords puts a verdict into words, by the goal of the run.
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

// itemQuestion has the question asked about an item, and the correct answer.
type itemQuestion struct {
	Question string
	Right    string // "" where nobody can say
}

// questionAbout returns the question of a run about an item; r is one of its records, or nil.
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

// Grid reports whether judgments are of more than two options: the page then shows them position by position.
func (v ItemView) Grid() bool {
	return len(v.Judgments) > 0 && !slices.ContainsFunc(v.Judgments, func(g JudgmentView) bool {
		return len(g.Order) < 3 || g.Presentations < 2
	})
}

// Place returns the id of the judgment's element on a page.
func (g JudgmentView) Place() string {
	return fmt.Sprintf("%sjudgment-%d-%d", g.side, g.Presentation, g.Repetition)
}

// Heading returns the beginning of the item's question, else its id.
func (v ItemView) Heading() string {
	if v.Item != nil && strings.TrimSpace(v.Item.Question) != "" {
		return v.Item.Question
	}
	return v.ID
}

// Says summarises the judgments of the item in a sentence.
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

// Confident reports whether a judgment has a confidence.
func (v ItemView) Confident() bool {
	return slices.ContainsFunc(v.Judgments, func(g JudgmentView) bool { return g.Words.Percent != "" })
}

// URL returns the address of the item's page in its run.
func (v ItemView) URL() string { return itemURL(v.Run.Name, v.ID, "") }

// itemMark shows a judgment as a sign.
type itemMark struct{ Kind, Sign, Words string }

// Mark returns the sign of a judgment.
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

// doubtful: if one in so many items or more is wrong every time, the judge is doubted rather than the labels.
const doubtful = 4

// everyTime returns the words for "in every judgment of an item", which depend on the run.
func everyTime(m *judging.Manifest) string {
	switch asked := m.Judgments / max(1, m.Spec.Dataset.Items*m.Spec.Parameters.Repetitions()); {
	case asked < 2:
		return ""
	case asked == 2 && report.CountItems(m.Spec.Protocol, 1) == "1 pair":
		return " in both orders"
	}
	return " every time"
}

// JudgmentBrief is a judgment in a list.
type JudgmentBrief struct {
	Presentation int    `json:"showing"`
	Repetition   int    `json:"repeat,omitempty"`
	Outcome      string `json:"outcome"`
	Choice       string `json:"choice,omitempty" jsonschema:"id of the candidate"`
	Position     int    `json:"place,omitempty" jsonschema:"where it was shown, from 1"`
	Right        *bool  `json:"right" jsonschema:"null where nobody can say"`
}

func brief(g store.Judgment) JudgmentBrief {
	return JudgmentBrief{
		Presentation: g.Presentation,
		Repetition:   g.Repetition,
		Outcome:      string(g.Outcome),
		Position:     g.Position + 1,
		Right:        g.Right.Pointer(),
	}
}
