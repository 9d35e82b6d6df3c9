package server

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"gavel/internal/phrases"
	"gavel/internal/report"
	"gavel/internal/server/failure"
	"gavel/internal/server/markup"
	"gavel/internal/server/store"
	"gavel/judging"
	"gavel/scoring"
)

// ItemsFilter holds the parameters of a list of a run's items: which items, in which order, and which page of them.
type ItemsFilter struct {
	Group   string `json:"group,omitempty"`
	Outcome string `json:"outcome,omitempty" jsonschema:"with a judgment of this outcome"`
	Show    string `json:"show,omitempty" jsonschema:"one of the filters of docs/server.md, such as wrong or tie"`
	Text    string `json:"q,omitempty" jsonschema:"text of question, candidates, replies"`
	Mode    string `json:"mode,omitempty" jsonschema:"mode in which an item gets another verdict than at first"`
	Page    int    `json:"page" jsonschema:"from 1"`
	Per     int    `json:"per" jsonschema:"items per page, at most 200"`
	By      string `json:"-"` // "judges": items that most judges get wrong first; "": items wrong every time first
}

// Query returns the query of a link with this filter and more parameters, given as names and values in turn.
func (f ItemsFilter) Query(more ...string) string {
	return query(append([]string{
		"group", f.Group, "outcome", f.Outcome, "show", f.Show, "mode", f.Mode, "q", f.Text, "by", f.By,
	}, more...)...)
}

// At returns the query of a link to another page of the same list.
func (f ItemsFilter) At(page int) string {
	per := ""
	if f.Per != perPage {
		per = strconv.Itoa(f.Per)
	}
	return f.Query("per", per, "page", strconv.Itoa(page))
}

const (
	perPage    = 50  // items of a page, unless the request has another number
	maxPerPage = 200 // largest number of items of a page that a request may ask for
	maxQuery   = 200 // bytes of a search text
)

// readItemsFilter reads the filter of a list of items from a request.
func readItemsFilter(r *http.Request) (f ItemsFilter, err error) {
	q := r.URL.Query()
	f = ItemsFilter{Page: 1, Per: perPage}
	if err := readQuery(q, &f); err != nil {
		return f, err
	}
	f.Text = strings.TrimSpace(f.Text)
	f.Per = min(f.Per, maxPerPage)
	if f.Outcome != "" && !slices.Contains(scoring.Outcomes, f.Outcome) {
		return f, failure.BadRequest("unknown outcome %q", markup.MakeVisible(f.Outcome))
	}
	if f.Show != "" && store.FindFilter(f.Show) == nil {
		var names []string
		for _, s := range store.Filters {
			names = append(names, s.Name)
		}
		return f, unknownValueError("show", f.Show, names)
	}
	if q.Get("by") == byJudges && !isAPI(r) {
		f.By = byJudges
	}
	if len(f.Text) > maxQuery || len(f.Mode) > maxQuery {
		return f, failure.BadRequest("a search text may have at most %d bytes", maxQuery)
	}
	return f, nil
}

// matchingItems returns the numbers of a run's items that match the filter of a request, with the run's index and the
// filter. For the API they are in the order of the run. For a page, items that are wrong every time come first, then
// other wrong ones; or, sorted by all judges, the hardest first, with the outcomes of these judges in m.
func (s *Server) matchingItems(r *http.Request) (x *store.Index, f ItemsFilter, all []int, m outcomeMatrix, err error) {
	f, err = readItemsFilter(r)
	if err == nil {
		x, err = s.runs.Index(r.Context(), r.PathValue("run"))
	}
	var matches func(int) bool
	if err == nil && f.Text != "" {
		matches, err = x.Search(r.Context(), f.Text)
	}
	if err != nil {
		return x, f, nil, m, err
	}
	ranks := f.sortedMatches(x, matches)
	all = slices.Concat(ranks[:]...)
	if isAPI(r) {
		slices.Sort(all)
	}
	if f.By != byJudges {
		return x, f, all, m, nil
	}
	m, err = s.outcomeMatrix(r.Context(), x.Run, false)
	rank := map[string]int{}
	for i, t := range m.items {
		if t.Judged() > 0 {
			rank[t.id] = i + 1
		}
	}
	all = slices.DeleteFunc(all, func(i int) bool { return rank[x.ItemID(i)] == 0 })
	slices.SortFunc(all, func(a, b int) int { return rank[x.ItemID(a)] - rank[x.ItemID(b)] })
	return x, f, all, m, err
}

// sortedMatches returns the numbers of the items that match the filter in three lists: items that are wrong every time,
// which people should read first, other wrong items, and the rest. contains reports whether an item contains the text
// that the filter searches for; nil without a text.
func (f ItemsFilter) sortedMatches(x *store.Index, contains func(int) bool) (ranks [3][]int) {
	for i := range x.Len() {
		flags := x.Flags(i)
		rank := 2
		switch {
		case f.Group != "" && x.Group(i) != f.Group,
			f.Outcome != "" && !x.Outcomes(i)[judging.Outcome(f.Outcome)],
			f.Show != "" && !flags.Has(f.Show),
			f.Mode != "" && !x.DiffersFromFirstVerdict(i, f.Mode),
			contains != nil && !contains(i):
			continue
		case flags.Has("confident"):
			rank = 0
		case flags.Has("wrong"):
			rank = 1
		}
		ranks[rank] = append(ranks[rank], i)
	}
	return ranks
}

// itemRow holds an item as a list of items shows it.
type itemRow struct {
	ID        string          `json:"item"`
	Group     string          `json:"group,omitempty"`
	Question  string          `json:"question" jsonschema:"beginning of the question"`
	Judgments []JudgmentBrief `json:"games"`
	Flags     []string        `json:"facts" jsonschema:"values of the filter show that match the item"`
	Link      string          `json:"-"` // to the item's page

	Beside *itemOutcomes `json:"-"` // outcomes of all judges, if the list is sorted by them
	Across string        `json:"-"` // link to the item as several judges judged it
}

// ItemsView holds a page of the list of a run's items.
type ItemsView struct {
	Run     RunHead     `json:"run"`
	Filter  ItemsFilter `json:"filter"`
	Total   int         `json:"total" jsonschema:"items of the run"`
	Matches int         `json:"matches" jsonschema:"items that match the filter"`
	Pages   int         `json:"pages"`
	Items   []itemRow   `json:"items"`

	Row            RunRow        `json:"-"` // the run, with its numbers
	Groups         []Choice      `json:"-"` // groups to choose from, with their numbers of items
	Outcomes       []Choice      `json:"-"` // outcomes to choose from, with the items that have such a judgment
	Shows          []Choice      `json:"-"` // filters to choose from, with the items that match
	HasOtherJudges bool          `json:"-"` // other judges were asked about the same items
	Matrix         outcomeMatrix `json:"-"` // outcomes of all judges, if the list is sorted by them
}

// itemsView returns the page of a run's items that a request asks for.
func (s *Server) itemsView(r *http.Request) (v ItemsView, err error) {
	x, f, all, outcomes, err := s.matchingItems(r)
	if err != nil {
		return v, err
	}
	v = ItemsView{
		Matrix:  outcomes,
		Run:     headOf(x.Run, x.Manifest),
		Filter:  f,
		Total:   x.Len(),
		Matches: len(all),
		Items:   []itemRow{},
	}
	part, pages, err := pageSlice(all, f.Page, f.Per)
	v.Pages = pages
	if err != nil {
		return v, err
	}
	v.fillChoices(x)
	if !isAPI(r) {
		v.Row = s.row(r.Context(), store.FoundRun{Name: x.Run, Manifest: x.Manifest})
		judges, _ := s.judgesOfItems(r.Context(), x.Run, false)
		v.HasOtherJudges = judges != nil
	}
	for _, i := range part {
		row := itemRowOf(x, i, f)
		if f.By != "" {
			row.Beside = v.Matrix.item(row.ID)
			row.Across = compareItemURL(v.Matrix.runs, row.ID)
		}
		v.Items = append(v.Items, row)
	}
	return v, err
}

// itemCountOfChoice returns the number of items of the choice with this value; 0 if there is no such choice.
func itemCountOfChoice(options []Choice, value string) int {
	for _, o := range options {
		if o.Value == value {
			return o.N
		}
	}
	return 0
}

// Says returns a sentence that summarizes the items that match the filter.
func (v ItemsView) Says() string {
	count := func(n int) string { return report.ItemCountText(v.Run.Protocol, n) }
	right := itemCountOfChoice(v.Shows, "right")
	wrong := itemCountOfChoice(v.Shows, "wrong")
	missing := itemCountOfChoice(v.Shows, "missing")
	confident := itemCountOfChoice(v.Shows, "confident")
	scored := right + wrong
	times := everyJudgmentWords(v.Row.manifest)
	switch f := v.Filter; {
	case v.Total == 0:
		return phrases.Sentence("items.none")
	case f.By != "" && v.Matrix.Pending:
		return phrases.Sentence("items.pending")
	case f.By != "" && v.Matrix.runs == nil:
		return phrases.Sentence("items.no-other")
	case f.By != "" && !f.Narrow() && f.Show == "":
		return v.Matrix.Says()
	case f.Mode != "" && f.Group == "" && f.Outcome == "" && f.Text == "" && f.Show == "":
		return phrases.Sentence("items.mode", v.Matches, count(v.Total), f.Mode)
	case f.Narrow() && (f.Outcome != "" || f.Text != "" || f.Show == ""):
		return phrases.Sentence("items.filter", v.Matches, count(v.Total))
	case f.Group != "":
		return phrases.Sentence("items.show-group", v.Matches, count(itemCountOfChoice(v.Groups, f.Group)), f.Group,
			store.FindFilter(f.Show).About)
	case f.Show != "" && f.Show != "confident":
		return phrases.Sentence("items.show", v.Matches, count(v.Total), store.FindFilter(f.Show).About)
	case missing == v.Total:
		return phrases.Sentence("items.unjudged")
	case scored == 0:
		return phrases.Sentence("items.unlabelled", count(v.Total-missing))
	case right == scored:
		return phrases.Sentence("items.all-correct", times, count(scored))
	case confident == 0:
		return phrases.Sentence("items.none-wrong", count(scored), times, wrong)
	}
	code := "items.wrong-read"
	if confident > 1 && confident*judgeFaultRatio > scored || v.Run.Simulated { // then errors say nothing of the labels
		code = "items.wrong"
	}
	return phrases.Sentence(code, times, confident, count(scored))
}

// Narrow reports whether the filter restricts the items by another parameter than show.
func (f ItemsFilter) Narrow() bool {
	return f.Group != "" || f.Outcome != "" || f.Text != "" || f.Mode != ""
}

// fillChoices fills in Groups, Outcomes and Shows from all items of the run.
func (v *ItemsView) fillChoices(x *store.Index) {
	groups := map[string]int{}
	outcomes := map[string]int{}
	kinds := map[string]int{}
	for i := range x.Len() {
		groups[x.Group(i)]++
		for _, name := range x.Flags(i) {
			kinds[name]++
		}
		for o := range x.Outcomes(i) {
			outcomes[string(o)]++
		}
	}
	for _, g := range slices.SortedFunc(maps.Keys(groups), judging.CompareGroups) {
		v.Groups = append(v.Groups, Choice{Value: g, Name: g, N: groups[g], Chosen: g == v.Filter.Group})
	}
	for _, name := range scoring.Outcomes {
		if n := outcomes[name]; n > 0 {
			v.Outcomes = append(v.Outcomes, Choice{Value: name, Name: name, N: n, Chosen: name == v.Filter.Outcome})
		}
	}
	for _, s := range store.Filters {
		if !s.Part || s.Name == v.Filter.Show {
			v.Shows = append(v.Shows, Choice{Value: s.Name, Name: s.Words, N: kinds[s.Name]})
		}
	}
}

// itemRowOf returns item i of a run as a row of a list. Its link keeps the list's filter.
func itemRowOf(x *store.Index, i int, f ItemsFilter) itemRow {
	row := itemRow{ID: x.ItemID(i), Group: x.Group(i), Flags: x.Flags(i).Names()}
	row.Link = itemURL(x.Run, row.ID, f.Query())
	item, _ := x.Item(i) // its own page shows the error
	row.Question, row.Judgments = questionExcerpt(item), briefs(x, i, item)
	return row
}
