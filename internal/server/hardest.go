package server

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"gavel/internal/report"
	"gavel/internal/server/failure"
	"gavel/internal/server/memo"
	"gavel/internal/server/store"
	"gavel/judging"
	"gavel/scoring"
)

func init() {
	addRoutes(route{pattern: "GET /hardest", template: "hardest", view: viewOf((*Server).hardestView)})
}

// hardest is the page of the items of a condition that most judges get wrong.
func (c *condition) hardest(more ...string) string {
	return "/hardest" + strings.TrimPrefix(c.link(more...), "/")
}

// maxHardest is how many judges the page of the hardest items compares.
const maxHardest = 100

// conditionOf returns what a run was asked about which items, with all runs that were, scored on the same items; nil
// where nothing is scored yet.
func (s *Server) conditionOf(ctx context.Context, run string) *condition {
	rows, err := s.rowsForPage(ctx)
	if err != nil {
		return nil // the list of runs says why
	}
	for _, c := range conditions(rows, false) {
		if slices.ContainsFunc(c.runs, func(r *RunRow) bool { return r.Name == run }) {
			if s.narrow(ctx, c) > 0 {
				return nil
			}
			return c
		}
	}
	return nil
}

// hardestURL is the page of the hardest items of those that a run is over; "" where no other judge is.
func (s *Server) hardestURL(ctx context.Context, run string) string {
	if c := s.conditionOf(ctx, run); c != nil && len(c.alone()) > 1 {
		return c.hardest()
	}
	return ""
}

// alone are the judges that are no juries, whose members stand there themselves, the best first.
func (c *condition) alone() []RunRow {
	return slices.DeleteFunc(c.best(), func(r RunRow) bool { return report.Jurors(r.manifest) != nil })
}

// compareItemURL is the page of an item as some runs judged it; "" where there are not two.
func compareItemURL(runs []RunRow, id string) string {
	names := namesOf(runs[:min(maxCompared, len(runs))])
	if len(names) < 2 {
		return ""
	}
	return "/compare/item" + compareFilter{Runs: names}.Query("item", id)
}

// tally is how the judges did on an item.
type tally struct {
	id, group             string
	right, wrong, certain int         // certain: of the wrong, those that are wrong every time
	runs                  int         // that have the item
	by                    []hardState // of each judge
}

// hardState is how a judge did on an item.
type hardState int

const (
	hardOpen hardState = iota // not judged, or nobody can say
	hardRight
	hardMixed // not right every time
	hardWrong // wrong every time
)

var hardMarks = []itemMark{
	{Kind: "open", Sign: "–", Words: "not scored"},
	{Kind: "right", Sign: "✓", Words: "right"},
	{Kind: "mixed", Sign: "~", Words: "not right every time"},
	{Kind: "wrong", Sign: "✗", Words: "wrong every time"},
}

func hardStateOf(f store.Flags) hardState {
	switch {
	case f.Right:
		return hardRight
	case f.Confident:
		return hardWrong
	case f.Wrong:
		return hardMixed
	}
	return hardOpen
}

// tallies are the items of a condition, the hardest first: those on which most judges are wrong.
func (s *Server) tallies(ctx context.Context, c *condition, judges []RunRow) ([]tally, error) {
	return memo.Get(ctx, s.memo, "tallies "+c.link(), s.state(namesOf(judges)...), func() ([]tally, error) {
		var ids judging.IDs
		var all []tally
		for k, run := range judges {
			x, err := s.runs.Index(s.runs.Closing, run.Name)
			if err != nil {
				return nil, err
			}
			for i := range x.Len() {
				n, added := ids.Add(x.ID(i))
				if added {
					all = append(all, tally{id: x.ID(i), group: x.Group(i), by: make([]hardState, len(judges))})
				}
				all[n].put(k, hardStateOf(x.Flags(i)))
			}
		}
		all = slices.DeleteFunc(all, func(t tally) bool { return t.wrong+t.right == 0 || t.runs < len(judges) })
		slices.SortStableFunc(all, func(a, b tally) int { // by the share that is wrong, then by how many say so
			return cmp.Or(cmp.Compare(b.wrong*(a.wrong+a.right), a.wrong*(b.wrong+b.right)),
				cmp.Compare(b.wrong, a.wrong), cmp.Compare(b.certain, a.certain), cmp.Compare(a.right, b.right))
		})
		return all, nil
	})
}

// put says how a judge did.
func (t *tally) put(judge int, state hardState) {
	t.by[judge] = state
	t.runs++
	switch state {
	case hardRight:
		t.right++
	case hardWrong:
		t.wrong++
		t.certain++
	case hardMixed:
		t.wrong++
	}
}

// hardRow is an item of the page.
type hardRow struct {
	ID, Group, Question, Link string
	Wrong, Judged             int
	Marks                     []itemMark // of each judge
}

// hardestFilter is what the page was asked to show.
type hardestFilter struct {
	of   *condition
	Page int
}

// At is the query of another page.
func (f hardestFilter) At(page int) string {
	return strings.TrimPrefix(f.of.link("page", strconv.Itoa(page)), "/")
}

// hardJudge is a judge above its column.
type hardJudge struct {
	Name string
	RunHead
}

// hardestView are the items of a condition.
type hardestView struct {
	Choices boardChoices
	Filter  hardestFilter
	Reading bool // the runs are being read
	Scoring int  // runs whose numbers are being made
	Says    string
	Replies string // whose replies a question leads to
	Board   string // the leaderboard of the same
	Dataset string
	Judges  []hardJudge
	Marks   []itemMark // what signs mean
	Items   []hardRow
	Total   int
	Pages   int
}

func (s *Server) hardestView(r *http.Request) (v hardestView, err error) {
	v = hardestView{Filter: hardestFilter{Page: 1}, Marks: hardMarks, Pages: 1}
	v.Filter.Page, err = counted(r.URL.Query(), "page", 1)
	if err != nil {
		return v, err
	}
	rows, err := s.rowsForPage(r.Context())
	if err != nil {
		return v, err
	}
	v.Reading = rows == nil
	v.Scoring = s.score(r.Context(), rows)
	all := slices.DeleteFunc(conditions(rows, false), func(c *condition) bool {
		return len(c.alone())+len(c.larger) < 2
	})
	filter := boardFilterOf(r)
	c := filter.chosen(all)
	if c == nil && !v.Reading && (filter != boardFilter{}) {
		return v, failure.NotFound("fewer than two judges of that have ended: the leaderboard is at /")
	}
	if c == nil {
		return v, nil
	}
	v.Filter.of = c
	v.Board = c.link()
	v.Dataset = c.dataset
	v.Choices = choicesOf(all, c, func(o *condition) string { return o.hardest() })
	v.Scoring += s.narrow(r.Context(), c)
	judges := c.alone()
	if len(judges) == 0 { // none is scored on these items yet
		return v, nil
	}
	judges = judges[:min(maxHardest, len(judges))]
	v.Replies = "the replies"
	if len(judges) > maxCompared {
		v.Replies += " of the best " + scoring.CountWord(maxCompared)
	}
	names, _ := report.NameJudges(judgesOf(judges))
	for i, run := range judges {
		v.Judges = append(v.Judges, hardJudge{Name: names[i], RunHead: run.RunHead})
	}
	tallies, err := s.tallies(r.Context(), c, judges)
	if err != nil {
		return v, err
	}
	v.Total = len(tallies)
	v.Says = hardestSays(tallies, judges)
	part, pages, err := pageOf(tallies, v.Filter.Page, perPage)
	v.Pages = pages
	if err != nil {
		return v, err
	}
	for _, t := range part {
		row := hardRow{
			ID:     t.id,
			Group:  t.group,
			Wrong:  t.wrong,
			Judged: t.wrong + t.right,
			Link:   compareItemURL(judges, t.id),
		}
		for _, state := range t.by {
			row.Marks = append(row.Marks, hardMarks[state])
		}
		v.Items = append(v.Items, row)
	}
	return v, s.addQuestions(r.Context(), judges, v.Items)
}

// hardestSays is what the judges come to on the items.
func hardestSays(all []tally, judges []RunRow) string {
	hopeless := 0 // no judge is right
	certain := 0  // every judge is wrong every time
	for _, t := range all {
		if t.right == 0 {
			hopeless++
		}
		if t.certain == len(judges) {
			certain++
		}
	}
	asked := 0 // judges that are no simulation: only what models get wrong can tell of labels
	for _, run := range judges {
		if !run.Simulated {
			asked++
		}
	}
	everyone := fmt.Sprintf("all %d judges", len(judges))
	none := fmt.Sprintf("None of %d judges", len(judges))
	if len(judges) == 2 {
		everyone = "both judges"
		none = "Neither judge"
	}
	items := report.CountItems(judges[0].Protocol, len(all))
	times := everyTime(judges[0].manifest)
	advice := ": their labels may be wrong"
	verb := "are"
	if certain == 1 {
		advice = ": its label may be wrong"
		verb = "is"
	}
	if certain*doubtful > len(all) || asked < 2 {
		advice = ""
	}
	switch {
	case len(all) == 0:
		return "Nothing is scored yet."
	case certain > 0:
		return fmt.Sprintf("%d of %s %s wrong%s for %s%s.", certain, items, verb, times, everyone, advice)
	case hopeless > 0:
		return fmt.Sprintf("%s is right%s on %d of %s.", none, times, hopeless, items)
	}
	return fmt.Sprintf("Each of %s is judged right by at least one of %d judges.", items, len(judges))
}

// addQuestions fills in the questions, each from the first run that has it.
func (s *Server) addQuestions(ctx context.Context, runs []RunRow, rows []hardRow) error {
	for _, run := range runs {
		if !slices.ContainsFunc(rows, func(r hardRow) bool { return r.Question == "" }) {
			return nil
		}
		x, err := s.runs.Index(ctx, run.Name)
		if err != nil {
			return err
		}
		texts := x.OpenItems()
		for i := range rows {
			if at, ok := x.Find(rows[i].ID); ok && rows[i].Question == "" {
				rows[i].Question = questionOf(x.ItemIfThere(texts, at))
			}
		}
		texts.Close()
	}
	return nil
}
