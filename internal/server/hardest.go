package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"gavel/internal/jury"
	"gavel/internal/phrases"
	"gavel/internal/report"
	"gavel/internal/server/failure"
	"gavel/internal/server/memo"
	"gavel/internal/server/store"
)

// redirectToHardest leads to the list of the items of the requested leaderboard, sorted by the number of judges that
// get them wrong.
func (s *Server) redirectToHardest(r *http.Request) (to string, err error) {
	var filter boardFilter
	if err := readQuery(r.URL.Query(), &filter); err != nil {
		return "", err
	}
	rows, err := s.requestedRunRows(r)
	if err != nil {
		return "", err
	}
	s.scoreMissing(r.Context(), rows)
	c := filter.firstMatch(slices.DeleteFunc(conditions(rows), func(c *comparableRuns) bool {
		return len(c.best()) < max(1, 2-len(c.largerRuns))
	}))
	if c == nil {
		return "", failure.NotFound("no two judges were asked that of the same items yet: the leaderboard is at /")
	}
	return hardestURL(c.best()[0].Name), nil
}

// otherJudge holds another judge of the same items, with its outcome on one of them.
type otherJudge struct {
	Name, Link string
	itemMark
}

// outcomeMatrix holds the outcomes of all judges of a leaderboard on its items: a row per item, a column per judge.
type outcomeMatrix struct {
	Judges  []otherJudge   // the columns, the best judge first
	Pending bool           // the outcomes are still being computed; the rest is then empty
	runs    []RunRow       // the run that stands for each judge
	items   []itemOutcomes // the rows, the hardest item first, items without a scored judge last
}

// itemOutcomes holds the outcomes of all judges on an item.
type itemOutcomes struct {
	id                  string     // id of the item
	Marks               []itemMark // sign of each judge's outcome; zero if its run does not have the item
	right, mixed, wrong int        // judges that are right in every judgment, not in every one, wrong in every one
}

// Wrong counts the judges that are not right every time.
func (t itemOutcomes) Wrong() int { return t.mixed + t.wrong }

// Judged counts the judges that are scored on the item.
func (t itemOutcomes) Judged() int { return t.Wrong() + t.right }

// mostInMatrix limits the judges whose outcomes on items are compared.
const mostInMatrix = 100

// judgesOfItems returns a run of each judge that judged a run's items, the best first; nil if there is only one judge.
// If juries is false, it leaves juries out: where judges are counted, their members count already. pending is true
// while runs are still being scored in the background.
func (s *Server) judgesOfItems(ctx context.Context, run string, juries bool) (judges []RunRow, pending bool) {
	rows, _ := s.listRunsForPages(ctx) // the list of runs shows the error
	if s.scoreMissing(ctx, rows) > 0 {
		return nil, true
	}
	all := conditions(rows)
	i := slices.IndexFunc(all, func(c *comparableRuns) bool { return c.has(run) })
	switch {
	case i < 0:
		return nil, false
	case s.scoreOnCommonItems(ctx, all[i]) > 0:
		return nil, true
	}
	judges = slices.DeleteFunc(all[i].best(), func(r RunRow) bool { return !juries && jury.MemberRuns(r.manifest) != nil })
	if len(judges) < 2 {
		return nil, false
	}
	return judges[:min(mostInMatrix, len(judges))], false
}

// outcomeMatrix returns the outcomes of all judges on the items of a run. If juries is false, it leaves juries out.
func (s *Server) outcomeMatrix(ctx context.Context, run string, juries bool) (m outcomeMatrix, err error) {
	judges, pending := s.judgesOfItems(ctx, run, juries)
	if judges == nil {
		return outcomeMatrix{Pending: pending}, nil
	}
	ctx, cancel := s.pageWaitContext(ctx)
	defer cancel()
	state := s.filesState(namesOf(judges)...)
	key := fmt.Sprintf("tallies %d %s", len(judges), run) // without juries, the key is the same for both values of juries
	m.items, err = memo.Get(ctx, s.backgroundMemo, key, state, func() ([]itemOutcomes, error) {
		return s.outcomesByItem(judges)
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return outcomeMatrix{Pending: true}, nil
	}
	m.runs = judges
	for i, name := range judgeNames(judges) {
		m.Judges = append(m.Judges, otherJudge{Name: name, Link: judges[i].URL()})
	}
	return m, err
}

// item returns the outcomes on the item with this id; nil unless all judges have the item.
func (m outcomeMatrix) item(id string) *itemOutcomes {
	for i, t := range m.items {
		if t.id == id {
			return &m.items[i]
		}
	}
	return nil
}

// outcomesByItem returns the outcomes on the items that all judges have, the hardest item first, items without a score
// last.
func (s *Server) outcomesByItem(judges []RunRow) (all []itemOutcomes, err error) {
	places := map[string]int{} // positions in all, by item
	for k, run := range judges {
		x, err := s.runs.Index(s.runs.Closing, run.Name)
		if err != nil {
			return nil, err
		}
		for i := range x.Len() {
			position, ok := places[x.ItemID(i)]
			if !ok {
				position = len(all)
				places[x.ItemID(i)] = position
				all = append(all, itemOutcomes{id: x.ItemID(i), Marks: make([]itemMark, len(judges))})
			}
			all[position].add(k, x.Flags(i))
		}
	}
	all = slices.DeleteFunc(all, func(t itemOutcomes) bool { return slices.Contains(t.Marks, itemMark{}) })
	slices.SortStableFunc(all, func(a, b itemOutcomes) int { // by the share of wrong judges, then by their number
		return cmp.Or(min(1, b.Judged())-min(1, a.Judged()), cmp.Compare(b.Wrong()*a.Judged(), a.Wrong()*b.Judged()),
			b.Wrong()-a.Wrong(), b.wrong-a.wrong, a.right-b.right)
	})
	return all, nil
}

// add sets the outcome of a judge, given by its column, from the flags of its judgments of the item.
func (t *itemOutcomes) add(judge int, f store.ItemFlags) {
	mark := &t.Marks[judge]
	switch {
	case f.Has("right"):
		t.right++
		*mark = itemMark{Kind: "right", Sign: "✓", Words: "right"}
	case f.Has("confident"):
		t.wrong++
		*mark = itemMark{Kind: "wrong", Sign: "✗", Words: "wrong every time"}
	case f.Has("wrong"):
		t.mixed++
		*mark = itemMark{Kind: "mixed", Sign: "~", Words: "not right every time"}
	default: // not judged, or without a label
		*mark = itemMark{Kind: "open", Sign: "–", Words: "not scored"}
	}
}

// Says returns a sentence with the number of items on which all judges are wrong, or on which none is correct.
func (m outcomeMatrix) Says() string {
	var scored, hopeless, certain, simulated int // items, items, items and judges
	for _, t := range m.items {
		if t.Judged() == 0 {
			break
		}
		scored++
		if t.right == 0 {
			hopeless++
		}
		if t.wrong == len(m.runs) {
			certain++
		}
	}
	for _, run := range m.runs {
		if run.Simulated {
			simulated++
		}
	}
	items := report.ItemCountText(m.runs[0].Protocol, scored)
	times := everyJudgmentWords(m.runs[0].manifest)
	wrong := "hardest.all-wrong-labels"
	// Errors of simulated judges say nothing of the labels.
	if certain*judgeFaultRatio > scored || len(m.runs)-simulated < 2 {
		wrong = "hardest.all-wrong"
	}
	switch {
	case scored == 0:
		return phrases.Sentence("hardest.nothing")
	case certain > 0:
		return phrases.Sentence(wrong, times, certain, items)
	case hopeless > 0:
		return phrases.Sentence("hardest.none-correct", times, hopeless, items)
	}
	return phrases.Sentence("hardest.some-correct", len(m.runs), items)
}

// compareItemURL returns the address of the page that shows an item as the first maxCompared of these runs judged it;
// "" for fewer than two runs.
func compareItemURL(runs []RunRow, id string) string {
	names := namesOf(runs[:min(maxCompared, len(runs))])
	if len(names) < 2 {
		return ""
	}
	return "/compare/item" + compareFilter{Runs: names}.Query("item", id)
}
