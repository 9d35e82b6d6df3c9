package server

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"gavel/datasets"
	"gavel/internal/phrases"
	"gavel/internal/server/failure"
	"gavel/internal/server/markup"
	"gavel/internal/server/store"
	"gavel/judging"
	"gavel/scoring"
)

// ItemView holds what an item's page shows, and what the API returns for the item.
type ItemView struct {
	Run       RunHead        `json:"run"`
	Item      *ItemTexts     `json:"item" jsonschema:"null if the run has no texts"`
	ID        string         `json:"id"`
	Group     string         `json:"group,omitempty"`
	Flags     []string       `json:"facts" jsonschema:"values of the filter show that match the item"`
	Problem   string         `json:"problem,omitempty" jsonschema:"why the texts are missing"`
	Judgments []JudgmentView `json:"games"`
	Number    int            `json:"number" jsonschema:"of the item in the run, from 1"`
	Total     int            `json:"total"`
	Previous  string         `json:"-"` // link to the previous item that matches the filter
	Next      string         `json:"-"` // link to the next item
	Back      string         `json:"-"` // link to the list of items

	Row        RunRow       `json:"-"` // the run, with its numbers
	Asked      itemQuestion `json:"-"` // question that the judge was asked, with the correct answer
	CorrectIDs []string     `json:"-"` // ids of the candidates that are correct to choose
	Others     []otherJudge `json:"-"` // other judges of the same items, with their outcome on this one
	Across     string       `json:"-"` // link to the item as several judges judged it; "" without other judges
	Beside     string       `json:"-"` // text of the link Across
	JudgeName  string       `json:"-"` // name of the judge on a page that compares several

	Pending bool `json:"-"` // the other judges' outcomes are still being read
}

// mostOthers limits the other judges that an item's page lists.
const mostOthers = 20

// addOthers adds to an item's page the outcomes of other judges on the item, the best judge first.
func (s *Server) addOthers(ctx context.Context, v *ItemView) error {
	m, err := s.outcomeMatrix(ctx, v.Run.Name, true)
	v.Pending = m.Pending
	item := m.item(v.ID)
	if item == nil {
		return err
	}
	runs := []RunRow{v.Row}
	for k, run := range m.runs {
		if len(v.Others) < mostOthers && judgeOf(run.manifest) != judgeOf(v.Row.manifest) {
			runs = append(runs, run)
			v.Others = append(v.Others, otherJudge{
				Name: m.Judges[k].Name, Link: itemURL(run.Name, v.ID, ""), itemMark: item.Marks[k],
			})
		}
	}
	v.Across = compareItemURL(runs, v.ID)
	v.Beside = phrases.Sentence("item.side-by-side")
	if len(runs) > maxCompared {
		v.Beside = phrases.Sentence("item.side-by-side-best", scoring.NumberWord(maxCompared-1))
	}
	return nil
}

// ItemTexts holds the texts of an item: its question, and the candidates that the judge chooses among.
type ItemTexts struct {
	Source     string          `json:"source,omitempty"` // origin of the question, as the dataset names it
	Shape      string          `json:"shape"`            // kind of item, such as a pair
	Question   string          `json:"question"`
	Candidates []candidateView `json:"candidates,omitempty"`
	Answer     string          `json:"answer,omitempty" jsonschema:"correct answer of an item that asks for a number"`
	Answered   *answeredView   `json:"answered,omitempty" jsonschema:"the judged answer"`
	Note       string          `json:"note,omitempty"` // warning about the item's line in the dataset
}

// candidateView holds a candidate of an item, and whether the item's label names it.
type candidateView struct {
	datasets.Candidate
	Labelled bool `json:"labelled" jsonschema:"labelled as the right or better one"`
}

// answeredView holds an agent's answer that is to be judged, and whether it is correct by the label.
type answeredView struct {
	datasets.AgentAnswer
	Right bool `json:"right"`
}

// itemView returns the item that a request names, with its place in the list of items that match the request's filter.
func (s *Server) itemView(r *http.Request) (v ItemView, err error) {
	x, f, all, _, err := s.matchingItems(r)
	if err != nil {
		return v, err
	}
	name, id := x.Run, cmp.Or(r.PathValue("item"), r.URL.Query().Get("id"))
	i, ok := x.FindItem(id)
	if !ok {
		return v, failure.NotFound("the run %q has no item %q", name, markup.Shorten(id, 100))
	}
	v, err = itemViewOf(x, i)
	if err != nil {
		return v, err
	}
	if !isAPI(r) {
		v.Row = s.row(r.Context(), store.FoundRun{Name: name, Manifest: x.Manifest})
		if err := s.addOthers(r.Context(), &v); err != nil {
			return v, err
		}
	}
	v.Back = runURL(name) + "/items" + f.Query()
	if position := slices.Index(all, i); position >= 0 {
		v.Number, v.Total = position+1, len(all)
		if position > 0 {
			v.Previous = itemURL(name, x.ItemID(all[position-1]), f.Query())
		}
		if position+1 < len(all) {
			v.Next = itemURL(name, x.ItemID(all[position+1]), f.Query())
		}
	}
	return v, nil
}

// itemViewOf reads the item with number i of a run, with all of its judgments.
func itemViewOf(x *store.Index, i int) (ItemView, error) {
	v := ItemView{
		Run:       headOf(x.Run, x.Manifest),
		ID:        x.ItemID(i),
		Group:     x.Group(i),
		Flags:     x.Flags(i).Names(),
		Judgments: []JudgmentView{},
		Number:    i + 1,
		Total:     x.Len(),
		Row:       RunRow{manifest: x.Manifest},
	}
	var source *datasets.Item // the item as it was judged; nil if its texts cannot be read
	item, err := x.Item(i)
	if err != nil {
		v.Problem = err.Error()
	} else {
		source = &item
		v.Item = textsOf(item)
	}
	var first *judging.Record
	for _, g := range x.Judgments(i) {
		j, err := x.Record(g)
		if err != nil {
			return v, err
		}
		judgment, err := judgmentView(x, g, j, source)
		if err != nil {
			return v, failure.Unreadable("%w", err)
		}
		v.Judgments = append(v.Judgments, judgment)
		first = cmp.Or(first, j.Record)
	}
	if first != nil {
		v.CorrectIDs = x.Manifest.CorrectCandidateIDs(first)
	}
	v.Asked = questionAbout(x.Manifest, v.Item, first, v.CorrectIDs)
	return v, nil
}

// textsOf returns the texts of an item, each candidate with its label.
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
			continue // here candidates are verdicts, which have no text
		}
		t.Candidates = append(t.Candidates, candidateView{Candidate: c, Labelled: i == item.Gold})
	}
	if item.Answered != nil {
		t.Answered = &answeredView{AgentAnswer: *item.Answered, Right: item.Gold == 0}
	}
	return t
}

// itemQuestion holds the question that a run asks about an item, and the correct answer.
type itemQuestion struct {
	Question string
	Right    string // "" if unknown
}

// questionAbout returns the question of a run about an item. The correct answer comes from the item, or else from ids,
// the correct candidates, in the words for the order of r, one of the item's records.
func questionAbout(m *judging.Manifest, item *ItemTexts, r *judging.Record, ids []string) (a itemQuestion) {
	p, _ := judging.ProtocolNamed(m.Spec.Protocol)
	a.Question = p.Question(m.Spec.Goal)
	if item != nil {
		a.Right = item.Answer
	}
	if a.Right == "" {
		a.Right = strings.Join(ids, " or ")
		if len(ids) > 0 && p.CorrectAnswerText != nil {
			a.Right = p.CorrectAnswerText(m.Spec.Goal, ids, r.Order)
		}
	}
	return a
}

// Grid reports whether all judgments chose among three or more candidates in several orders. The page then shows them
// as a table of orders and positions.
func (v ItemView) Grid() bool {
	return len(v.Judgments) > 0 && !slices.ContainsFunc(v.Judgments, func(g JudgmentView) bool {
		return len(g.Order) < 3 || g.Presentations < 2
	})
}

// Heading returns the title of the item's page: its question, or its id without one.
func (v ItemView) Heading() string {
	if v.Item != nil && strings.TrimSpace(v.Item.Question) != "" {
		return v.Item.Question
	}
	return v.ID
}

// Says returns a sentence that summarizes the judgments of the item.
func (v ItemView) Says() string {
	var once []JudgmentView
	for _, g := range v.Judgments {
		if g.Repetition == 0 {
			once = append(once, g)
		}
	}
	if len(once) == 0 {
		return phrases.Sentence("item.nothing")
	}
	has := func(flag string) bool { return slices.Contains(v.Flags, flag) }
	first := once[0].Words.Says
	times := everyJudgmentWords(v.Row.manifest)
	if p, _ := judging.ProtocolNamed(v.Run.Protocol); p.ScoresCandidates {
		for _, g := range once[1:] {
			first += " and " + g.Words.Says
		}
	}
	switch {
	case has("missing"):
		return phrases.Sentence("item.missing")
	case has("right"):
		return phrases.Sentence("item.correct", times, first)
	case has("confident") && !has("inconsistent"):
		return phrases.Sentence("item.wrong", times, first)
	case has("confident"):
		return phrases.Sentence("item.wrong-differently", times)
	case has("inconsistent") && len(once) == 2 && once[0].Mode == "":
		return phrases.Sentence("item.flips", first, once[1].Words.Says)
	case has("inconsistent"):
		return phrases.Sentence("item.disagree")
	case has("open"):
		return phrases.Sentence("item.open")
	case has("tie"):
		return phrases.Sentence("item.tie")
	case has("wrong"):
		return phrases.Sentence("item.not-always", times)
	}
	return phrases.Sentence("item.verdict", first)
}
