package server

import (
	"cmp"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"gavel/internal/report"
	"gavel/internal/server/failure"
	"gavel/internal/server/markup"
	"gavel/internal/server/store"
	"gavel/scoring"
)

// RunRow is a run in the list.
type RunRow struct {
	RunHead
	Headline *scoring.Result `json:"headline"` // null where there is none yet
	// Diagnosis says what the judge is good for; null where there are no numbers yet.
	Diagnosis *scoring.Diagnosis `json:"diagnosis"`
	Outcomes  map[string]int     `json:"outcomes,omitempty"`
	Records   int                `json:"records"`
	Warnings  int                `json:"warnings"` // how many
	Suite     string             `json:"suite,omitempty"`
	Job       string             `json:"job,omitempty"`
	Error     string             `json:"error,omitempty"` // why the folder is no run

	numbers []report.Number // that stand for it
	data    string          // SHA-256 of its dataset
	of      store.Stamps
}

// runsView is the list of runs, and the leaderboard above it.
type runsView struct {
	Runs    []RunRow   `json:"runs"`
	Total   int        `json:"total"`   // before filters
	Matches int        `json:"matches"` // after them, on all pages
	Pages   int        `json:"pages"`
	Filter  runsFilter `json:"filter"`
	Next    string     `json:"next,omitempty"`         // address of the runs after these
	Ended   string     `json:"search_ended,omitempty"` // why not all runs of the folder may be here

	Groups []runGroup    `json:"-"` // the runs of this page
	Board  *board        `json:"-"`
	Mine   template.HTML `json:"-"` // judges by agreement with the labels at hand
}

// runGroup are the runs of a page that belong together.
type runGroup struct {
	Name, Link string
	Runs       []RunRow
}

// runsFilter is what the list of runs was asked to show.
type runsFilter struct {
	Text     string `json:"q,omitempty"`
	Protocol string `json:"protocol,omitempty"`
	Model    string `json:"model,omitempty"`
	Dataset  string `json:"dataset,omitempty"`
	Status   string `json:"status,omitempty"`
	Tag      string `json:"tag,omitempty"`
	Suite    string `json:"suite,omitempty"`
	Sort     string `json:"sort"`
	Group    string `json:"group,omitempty"`
	Page     int    `json:"page,omitempty"`  // of runsPerPage runs; 0 where the API is asked for a part in another way
	Limit    int    `json:"limit,omitempty"` // at most so many runs
	Offset   int    `json:"offset,omitempty"`

	// Of the leaderboard: the number in its cells, the column that it is sorted by, whether all judges are in it.
	Metric string `json:"metric,omitempty"`
	By     string `json:"by,omitempty"`
	All    bool   `json:"-"`

	Protocols []string `json:"-"` // on offer
	Models    []string `json:"-"`
	Datasets  []string `json:"-"`
	Statuses  []string `json:"-"`
	Tags      []string `json:"-"`
	Suites    []string `json:"-"`
}

// orders are what the list may be sorted by; each begins with what one mostly looks for. Headlines of one metric stand
// together, since those of two cannot be compared.
var orders = map[string]func(a, b RunRow) int{
	"when":     func(a, b RunRow) int { return b.Started.Compare(a.Started) },
	"name":     func(a, b RunRow) int { return strings.Compare(a.Title(), b.Title()) },
	"model":    func(a, b RunRow) int { return strings.Compare(a.Model, b.Model) },
	"protocol": func(a, b RunRow) int { return strings.Compare(a.Protocol+a.Prompt, b.Protocol+b.Prompt) },
	"dataset":  func(a, b RunRow) int { return strings.Compare(a.Dataset, b.Dataset) },
	"status":   func(a, b RunRow) int { return strings.Compare(a.Status, b.Status) },
	"headline": func(a, b RunRow) int {
		return cmp.Or(cmp.Compare(a.unit(), b.unit()), cmp.Compare(b.value(), a.value()))
	},
}

// sorts are the orders by name, and the other way round.
var sorts = []Option{
	{Value: "when", Name: "newest first", N: -1},
	{Value: "-when", Name: "oldest first", N: -1},
	{Value: "headline", Name: "headline, highest first", N: -1},
	{Value: "-headline", Name: "headline, lowest first", N: -1},
	{Value: "name", Name: "run", N: -1},
	{Value: "-name", Name: "run, Z to A", N: -1},
	{Value: "model", Name: "model", N: -1},
	{Value: "-model", Name: "model, Z to A", N: -1},
	{Value: "protocol", Name: "protocol and prompt", N: -1},
	{Value: "-protocol", Name: "protocol and prompt, Z to A", N: -1},
	{Value: "dataset", Name: "dataset", N: -1},
	{Value: "-dataset", Name: "dataset, Z to A", N: -1},
	{Value: "status", Name: "status", N: -1},
	{Value: "-status", Name: "status, Z to A", N: -1},
}

// groupings are what runs can be grouped by.
var groupings = map[string]func(RunRow) string{
	"suite":   func(r RunRow) string { return r.Suite },
	"model":   func(r RunRow) string { return r.Model },
	"dataset": func(r RunRow) string { return r.Dataset },
}

// Orders are what the list can be sorted by, and Groupings what its runs can be grouped by.
func (f runsFilter) Orders() []Option    { return sorts }
func (f runsFilter) Groupings() []string { return slices.Sorted(maps.Keys(groupings)) }

// unit is what the headline is, below all others where there is none.
func (r RunRow) unit() string {
	if r.Headline == nil || r.Headline.Value == nil {
		return "\uffff"
	}
	return r.Headline.Unit + "\x00" + r.Headline.Metric + "\x00" + r.Headline.Mode
}

func (r RunRow) value() float64 {
	if r.Headline == nil || r.Headline.Value == nil {
		return 0
	}
	return *r.Headline.Value
}

// runsPerPage is how many runs a page has, and mostRuns how many the API gives at once: some two megabytes.
const (
	runsPerPage = 100
	mostRuns    = 1000
)

func (s *Server) runsView(r *http.Request) (runsView, error) {
	f, err := filterOf(r)
	if err != nil {
		return runsView{}, err
	}
	all, err := s.rows(r.Context())
	if err != nil {
		return runsView{}, err
	}
	view := runsView{Runs: []RunRow{}, Total: len(all), Ended: s.runs.SearchEnded()}
	at := map[string]string{}
	for _, j := range s.activeJobs() {
		at[j.Run()] = j.ID
	}
	for _, row := range all {
		row.Job = at[row.Name]
		f.offer(row)
		if f.takes(row) {
			view.Runs = append(view.Runs, row)
		}
	}
	if !isAPI(r) {
		laid := f // with what the leaderboard takes where nothing is asked for
		view.Board = s.board(r.Context(), all, view.Runs, &laid)
		if s.opts.Labels != "" {
			view.Mine, _ = s.mine()
		}
	}
	f.sort(view.Runs)
	if err := view.cut(r, f); err != nil {
		return view, err
	}
	view.Filter, view.Groups = f, f.groups(view.Runs)
	return view, nil
}

// cut leaves the runs of the part that was asked for.
func (v *runsView) cut(r *http.Request, f runsFilter) error {
	size := cmp.Or(f.Limit, mostRuns)
	from := f.Offset
	if f.Page > 0 {
		size = runsPerPage
		from = (f.Page - 1) * size
	}
	v.Matches = len(v.Runs)
	v.Pages = max(1, (v.Matches+size-1)/size)
	if f.Page > v.Pages {
		return failure.New(http.StatusNotFound, "there is no page %d: there are %d", f.Page, v.Pages)
	}
	v.Runs = v.Runs[min(from, v.Matches):min(from+size, v.Matches)]
	if isAPI(r) && f.Page == 0 && from+size < v.Matches {
		q := r.URL.Query()
		q.Set("limit", strconv.Itoa(size))
		q.Set("offset", strconv.Itoa(from+size))
		v.Next = r.URL.Path + "?" + q.Encode()
	}
	return nil
}

// filterOf reads what a request asks for. Pages are of one hundred runs; the API is asked for a page, or for a part by
// limit and offset.
func filterOf(r *http.Request) (f runsFilter, err error) {
	q := r.URL.Query()
	f = runsFilter{
		Text:     q.Get("q"),
		Protocol: q.Get("protocol"),
		Model:    q.Get("model"),
		Dataset:  q.Get("dataset"),
		Status:   q.Get("status"),
		Tag:      q.Get("tag"),
		Suite:    q.Get("suite"),
		Sort:     cmp.Or(q.Get("sort"), "when"),
		Group:    q.Get("group"),
		Metric:   q.Get("metric"),
		By:       q.Get("by"),
		All:      q.Get("rows") == "all",
	}
	if _, ok := orders[strings.TrimPrefix(f.Sort, "-")]; !ok {
		return f, failure.Bad("sort %q: it is one of %s, with - in front for the reverse order",
			markup.Visible(f.Sort), strings.Join(slices.Sorted(maps.Keys(orders)), ", "))
	}
	if _, ok := groupings[f.Group]; !ok && f.Group != "" {
		return f, failure.Bad("group %q: it is one of %s", markup.Visible(f.Group), strings.Join(f.Groupings(), ", "))
	}
	if !isAPI(r) || q.Has("page") {
		f.Page, err = counted(q, "page", 1)
		return f, err
	}
	f.Limit, err = counted(q, "limit", 0)
	if err != nil {
		return f, err
	}
	f.Limit = min(f.Limit, mostRuns)
	if q.Get("offset") != "0" {
		f.Offset, err = counted(q, "offset", 0)
	}
	return f, err
}

// offer adds what a row can be filtered by.
func (f *runsFilter) offer(row RunRow) {
	add := func(list *[]string, value string) {
		if i, has := slices.BinarySearch(*list, value); !has && value != "" {
			*list = slices.Insert(*list, i, value)
		}
	}
	add(&f.Protocols, row.Protocol)
	add(&f.Models, row.Model)
	add(&f.Datasets, row.Dataset)
	add(&f.Statuses, row.Status)
	add(&f.Suites, row.Suite)
	for _, tag := range row.Tags() {
		add(&f.Tags, tag)
	}
}

func (f *runsFilter) takes(row RunRow) bool {
	is := func(want, value string) bool { return want == "" || want == value }
	if !is(f.Protocol, row.Protocol) || !is(f.Model, row.Model) || !is(f.Dataset, row.Dataset) ||
		!is(f.Status, row.Status) || !is(f.Suite, row.Suite) {
		return false
	}
	if f.Tag != "" && !slices.Contains(row.Tags(), f.Tag) {
		return false
	}
	all := strings.ToLower(strings.Join([]string{
		row.Name, row.Title(), row.Model, row.Protocol, row.Prompt, row.Dataset, row.Settings, row.Status,
		strings.Join(row.Tags(), "\n"), row.Note(),
	}, "\n"))
	for word := range strings.FieldsSeq(strings.ToLower(f.Text)) {
		if !strings.Contains(all, word) {
			return false
		}
	}
	return true
}

// sort sorts runs, those of a group together; runs of none come last.
func (f *runsFilter) sort(runs []RunRow) {
	order := orders[strings.TrimPrefix(f.Sort, "-")]
	slices.SortStableFunc(runs, order)
	if strings.HasPrefix(f.Sort, "-") {
		slices.Reverse(runs)
	}
	if key := groupings[f.Group]; key != nil {
		last := func(name string) int { return int(scoring.One(name == "")) }
		slices.SortStableFunc(runs, func(a, b RunRow) int {
			return cmp.Or(last(key(a))-last(key(b)), strings.Compare(key(a), key(b)))
		})
	}
}

// groups parts the runs of a page.
func (f *runsFilter) groups(runs []RunRow) (all []runGroup) {
	key := groupings[f.Group]
	if key == nil {
		return []runGroup{{Runs: runs}}
	}
	for i, r := range runs {
		if name := key(r); i == 0 || name != all[len(all)-1].Name {
			link := ""
			if f.Group == "suite" && name != "" {
				link = SuiteHead{Folder: name}.URL()
			}
			all = append(all, runGroup{Name: name, Link: link})
		}
		all[len(all)-1].Runs = append(all[len(all)-1].Runs, r)
	}
	for i := range all {
		if all[i].Name == "" {
			all[i].Name = "none"
		}
	}
	return all
}

// link is the list with some of its parameters changed; a page is kept only where it is among them.
func (f runsFilter) link(changes ...string) string {
	q := url.Values{}
	set := func(name, value string) {
		if q.Del(name); value != "" {
			q.Set(name, value)
		}
	}
	all := ""
	if f.All {
		all = "all"
	}
	given := []string{"q", f.Text, "protocol", f.Protocol, "model", f.Model, "dataset", f.Dataset, "status",
		f.Status, "tag", f.Tag, "suite", f.Suite,
		"sort", f.Sort, "group", f.Group, "metric", f.Metric, "by", f.By, "rows", all}
	for pairs := append(given, changes...); len(pairs) > 1; pairs = pairs[2:] {
		set(pairs[0], pairs[1])
	}
	if q.Get("sort") == "when" {
		q.Del("sort")
	}
	if len(q) == 0 {
		return "/"
	}
	return "/?" + q.Encode()
}

// At is another page of the list.
func (f runsFilter) At(page int) string { return f.link("page", strconv.Itoa(page)) + "#runs" }

// Tagged is the list of the runs with a tag.
func (f runsFilter) Tagged(tag string) string { return f.link("tag", tag) }

// day is a time for a narrow column.
func day(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }
