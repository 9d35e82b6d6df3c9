package server

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strconv"

	"gavel/internal/report"
	"gavel/internal/server/memo"
	"gavel/internal/server/store"
	"gavel/judging"
	"gavel/scoring"
)

func init() {
	addRoutes(route{pattern: "GET /hardest", template: "hardest", view: viewOf((*Server).hardestView)})
}

// hardest is the page of the items of a condition that most judges get wrong.
func (c *condition) hardest() string { return "/hardest" + c.query() }

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

// otherJudges returns the other judges of a run's leaderboard with their names, the best first.
func (s *Server) otherJudges(ctx context.Context, run string, m *judging.Manifest) iter.Seq2[RunRow, string] {
	return func(yield func(RunRow, string) bool) {
		c := s.conditionOf(ctx, run)
		if c == nil {
			return
		}
		judges := c.best()
		names, _ := report.NameJudges(judgesOf(judges))
		for i, row := range judges {
			if judgeOf(row.manifest) != judgeOf(m) && !yield(row, names[i]) {
				return
			}
		}
	}
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

// tally counts how the judges did on an item.
type tally struct {
	ID, Group string
	by        []hardState        // of each judge
	n         [hardWrong + 1]int // judges in each state
}

// hardState is how a judge did on an item.
type hardState int

const (
	hardAbsent hardState = iota // the judge's run does not have the item
	hardOpen                    // not judged, or without a label
	hardRight
	hardMixed // not right every time
	hardWrong // wrong every time
)

var hardMarks = [...]itemMark{
	hardOpen:  {Kind: "open", Sign: "–", Words: "not scored"},
	hardRight: {Kind: "right", Sign: "✓", Words: "right"},
	hardMixed: {Kind: "mixed", Sign: "~", Words: "not right every time"},
	hardWrong: {Kind: "wrong", Sign: "✗", Words: "wrong every time"},
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

// Wrong counts the judges that are not right every time.
func (t tally) Wrong() int { return t.n[hardMixed] + t.n[hardWrong] }

// Judged counts the judges that are scored on the item.
func (t tally) Judged() int { return t.Wrong() + t.n[hardRight] }

// Marks of the judges.
func (t tally) Marks() (marks []itemMark) {
	for _, state := range t.by {
		marks = append(marks, hardMarks[state])
	}
	return marks
}

// tallies returns the items of a condition that all judges have, those on which most judges are wrong first.
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
				at, added := ids.Add(x.ID(i))
				if added {
					all = append(all, tally{ID: x.ID(i), Group: x.Group(i), by: make([]hardState, len(judges))})
				}
				state := hardStateOf(x.Flags(i))
				all[at].by[k] = state
				all[at].n[state]++
			}
		}
		all = slices.DeleteFunc(all, func(t tally) bool { return t.Judged() == 0 || slices.Contains(t.by, hardAbsent) })
		slices.SortStableFunc(all, func(a, b tally) int { // by the share that is wrong, then by how many say so
			return cmp.Or(cmp.Compare(b.Wrong()*a.Judged(), a.Wrong()*b.Judged()), b.Wrong()-a.Wrong(),
				b.n[hardWrong]-a.n[hardWrong], a.n[hardRight]-b.n[hardRight])
		})
		return all, nil
	})
}

// hardRow is an item of the page.
type hardRow struct {
	tally
	Question, Link string
}

// hardestFilter is what the page was asked to show.
type hardestFilter struct {
	of   *condition
	Page int
}

// At is the query of another page.
func (f hardestFilter) At(page int) string {
	return f.of.query("page", strconv.Itoa(page))
}

// hardestView is the items of a leaderboard with the results of its judges.
type hardestView struct {
	leaderboardView
	Filter  hardestFilter
	Says    string
	Replies string // whose replies a question leads to
	Judges  []otherJudge
	Marks   []itemMark // what signs mean
	Items   []hardRow
	Pages   int
}

func (s *Server) hardestView(r *http.Request) (v hardestView, err error) {
	v.Marks = hardMarks[hardOpen:]
	v.Filter.Page, err = counted(r.URL.Query(), "page", 1)
	if err != nil {
		return v, err
	}
	v.leaderboardView, err = s.boardOf(r, (*condition).hardest, func(c *condition) bool {
		return len(c.alone())+len(c.larger) > 1
	})
	c := v.of
	if err != nil || c == nil {
		return v, err
	}
	v.Filter.of = c
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
		v.Judges = append(v.Judges, otherJudge{Name: names[i], Link: run.URL()})
	}
	tallies, err := s.tallies(r.Context(), c, judges)
	if err != nil {
		return v, err
	}
	v.Says = hardestSays(tallies, judges)
	part, pages, err := pageOf(tallies, v.Filter.Page, perPage)
	v.Pages = pages
	if err != nil {
		return v, err
	}
	for _, t := range part {
		v.Items = append(v.Items, hardRow{tally: t, Link: compareItemURL(judges, t.ID)})
	}
	return v, s.addQuestions(r.Context(), judges, v.Items)
}

// hardestSays returns what the judges come to on the items.
func hardestSays(all []tally, judges []RunRow) string {
	var hopeless, certain, simulated float64 // items, items and judges
	for _, t := range all {
		hopeless += scoring.One(t.n[hardRight] == 0)
		certain += scoring.One(t.n[hardWrong] == len(judges))
	}
	for _, run := range judges {
		simulated += scoring.One(run.Simulated)
	}
	everyone := fmt.Sprintf("All %d judges are", len(judges))
	none := fmt.Sprintf("None of %d judges is", len(judges))
	if len(judges) == 2 {
		everyone = "Both judges are"
		none = "Neither judge is"
	}
	items := report.CountItems(judges[0].Protocol, len(all))
	times := everyTime(judges[0].manifest)
	advice := ": the labels may be wrong"
	if certain*doubtful > float64(len(all)) || len(judges)-int(simulated) < 2 { // what simulations get wrong tells nothing
		advice = ""
	}
	switch {
	case len(all) == 0:
		return "Nothing is scored yet."
	case certain > 0:
		return fmt.Sprintf("%s wrong%s on %.0f of %s%s.", everyone, times, certain, items, advice)
	case hopeless > 0:
		return fmt.Sprintf("%s correct%s on %.0f of %s.", none, times, hopeless, items)
	}
	return fmt.Sprintf("At least one of %d judges is correct on each of %s.", len(judges), items)
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
