package server

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"gavel/internal/server/failure"
	"gavel/internal/server/jobs"
	"gavel/internal/server/markup"
)

// runsView holds a page of the list of runs, or the part that a call of the API asks for.
type runsView struct {
	Runs    []RunRow   `json:"runs"`
	Total   int        `json:"total" jsonschema:"before filters"`
	Matches int        `json:"matches" jsonschema:"after filters, on all pages"`
	Pages   int        `json:"pages"`
	Filter  runsFilter `json:"filter"`
	Next    string     `json:"next,omitempty" jsonschema:"address of the runs after these; not for pages"`
	Ended   string     `json:"search_ended,omitempty" jsonschema:"why runs may be missing, and what to do"`

	Reading bool       `json:"-"` // the folder of runs is being read for the first time
	Pending []jobs.Job `json:"-"` // jobs without a run yet
}

// runsFilter holds the parameters of the list of runs: which runs, in which order, and which part of them.
type runsFilter struct {
	Text     string `json:"q,omitempty" jsonschema:"words"`
	Protocol string `json:"protocol,omitempty"`
	Model    string `json:"model,omitempty"`
	Dataset  string `json:"dataset,omitempty"`
	Status   string `json:"status,omitempty"`
	Tag      string `json:"tag,omitempty" jsonschema:"a tag that people gave the run"`
	Suite    string `json:"suite,omitempty" jsonschema:"folder of a suite"`
	Sort     string `json:"sort" jsonschema:"when, name, model, protocol, dataset, status, headline; - in front: reversed"`
	Page     int    `json:"page,omitempty" jsonschema:"page of 100 runs; limit and offset are then ignored"`
	Limit    int    `json:"limit,omitempty" jsonschema:"number of runs, at most 1000, the default"`
	Offset   int    `json:"offset,omitempty" jsonschema:"number of runs to skip"`

	Choices map[string][]string `json:"-"` // values that occur in the runs, by parameter; the form offers them
	query   url.Values          // all parameters of the request
}

// choiceParameters names the parameters of the list of runs for which the form offers the values that occur.
var choiceParameters = strings.Fields("protocol model dataset status tag suite")

// choices returns the run's values for each parameter in choiceParameters.
func (r RunRow) choices() map[string][]string {
	return map[string][]string{
		"protocol": {r.Protocol},
		"model":    {r.Model},
		"dataset":  {r.Dataset},
		"status":   {r.Status},
		"tag":      r.About.Tags,
		"suite":    {r.Suite},
	}
}

// orders holds the orders in which runs can be listed; the page of the list has their words. Headline scores of one
// metric stay together, since those of different metrics cannot be compared.
var orders = map[string]func(a, b RunRow) int{
	"when": func(a, b RunRow) int { return b.Started.Compare(a.Started) },
	"headline": func(a, b RunRow) int {
		return cmp.Or(cmp.Compare(a.metricKey(), b.metricKey()), cmp.Compare(b.headlineScore(), a.headlineScore()))
	},
	"name":     byText(RunRow.Title),
	"model":    byText(func(r RunRow) string { return r.Model }),
	"protocol": byText(func(r RunRow) string { return r.Protocol + r.Prompt }),
	"dataset":  byText(func(r RunRow) string { return r.Dataset }),
	"status":   byText(func(r RunRow) string { return r.Status }),
}

// byText returns a comparison of runs by a text that text returns for each.
func byText(text func(RunRow) string) func(a, b RunRow) int {
	return func(a, b RunRow) int { return strings.Compare(text(a), text(b)) }
}

// sortRuns sorts runs as the parameter sort says. A name of orders with - in front stands for the reverse order.
func (f runsFilter) sortRuns(runs []RunRow) error {
	name, reverse := strings.CutPrefix(f.Sort, "-")
	compare, ok := orders[name]
	if !ok {
		return failure.BadRequest("sort %q: it is one of %s, with - in front for the reverse order",
			markup.MakeVisible(f.Sort), strings.Join(slices.Sorted(maps.Keys(orders)), ", "))
	}
	slices.SortStableFunc(runs, compare)
	if reverse {
		slices.Reverse(runs)
	}
	return nil
}

// Limits of the list of runs.
const (
	runsPerPage = 100  // runs on a page
	maxAPIRuns  = 1000 // runs in an answer of the API: about two megabytes
)

// runsView returns the list of runs that a request asks for.
func (s *Server) runsView(r *http.Request) (view runsView, err error) {
	f, err := readRunsFilter(r)
	if err != nil {
		return view, err
	}
	all, err := s.requestedRunRows(r)
	if err != nil {
		return view, err
	}
	view = runsView{Runs: []RunRow{}, Total: len(all), Ended: s.runs.ListingWarning(), Reading: all == nil}
	makers := map[string]string{} // jobs by their runs
	for _, j := range s.activeJobs() {
		makers[j.Run()] = j.ID
	}
	for _, row := range all {
		row.Job = makers[row.Name]
		f.addChoices(row)
		if f.takes(row) {
			view.Runs = append(view.Runs, row)
		}
	}
	if !isAPI(r) {
		view.Pending = s.jobsWithoutRun()
	}
	if err := f.sortRuns(view.Runs); err != nil {
		return view, err
	}
	view.Filter = f
	return view, view.paginate(r)
}

// paginate counts the runs that match the filter, and keeps those of the requested page or within the requested limits.
func (v *runsView) paginate(r *http.Request) (err error) {
	f := v.Filter
	v.Matches = len(v.Runs)
	if f.Page > 0 {
		v.Runs, v.Pages, err = pageSlice(v.Runs, f.Page, runsPerPage)
		return err
	}
	size := cmp.Or(f.Limit, maxAPIRuns)
	end := f.Offset + size
	_, v.Pages, err = pageSlice(v.Runs, 1, size)
	v.Runs = v.Runs[min(f.Offset, v.Matches):min(end, v.Matches)]
	if end < v.Matches {
		q := r.URL.Query()
		q.Set("limit", strconv.Itoa(size))
		q.Set("offset", strconv.Itoa(end))
		v.Next = r.URL.Path + "?" + q.Encode()
	}
	return err
}

// readRunsFilter reads the filter of the list of runs from a request. People get pages of runsPerPage runs; calls of
// the API ask for such a page, or for a part by limit and offset.
func readRunsFilter(r *http.Request) (f runsFilter, err error) {
	q := r.URL.Query()
	f = runsFilter{Sort: "when", Choices: map[string][]string{}, query: q}
	if !isAPI(r) || q.Has("page") {
		f.Page = 1
		q.Del("limit")
	}
	if f.Page > 0 || q.Get("offset") == "0" {
		q.Del("offset")
	}
	err = readQuery(q, &f)
	f.Limit = min(f.Limit, maxAPIRuns)
	return f, err
}

// addChoices adds the values of a run to those that the form offers.
func (f *runsFilter) addChoices(row RunRow) {
	for name, values := range row.choices() {
		for _, value := range values {
			if i, has := slices.BinarySearch(f.Choices[name], value); !has && value != "" {
				f.Choices[name] = slices.Insert(f.Choices[name], i, value)
			}
		}
	}
}

// takes reports whether a run has the chosen values, and contains all words of the search text.
func (f *runsFilter) takes(row RunRow) bool {
	for name, values := range row.choices() {
		if want := f.query.Get(name); want != "" && !slices.Contains(values, want) {
			return false
		}
	}
	all := strings.ToLower(strings.Join([]string{
		row.Name, row.Title(), row.Model, row.Protocol, row.Prompt, row.Dataset, row.Settings, row.Status,
		strings.Join(row.About.Tags, "\n"), row.About.Note,
	}, "\n"))
	for word := range strings.FieldsSeq(strings.ToLower(f.Text)) {
		if !strings.Contains(all, word) {
			return false
		}
	}
	return true
}

// Link returns the address of this list with some parameters changed, given as names and values. Without a page among
// them it leads to the first page.
func (f runsFilter) Link(changes ...string) string {
	pairs := []string{"q", f.Text}
	if f.Sort != "when" {
		pairs = append(pairs, "sort", f.Sort)
	}
	for _, name := range choiceParameters {
		pairs = append(pairs, name, f.query.Get(name))
	}
	return "/runs" + query(append(pairs, changes...)...)
}

// Parameters returns the names of the parameters for which a person chooses a value.
func (runsFilter) Parameters() []string { return choiceParameters }

// Options returns the values that a person can choose for a parameter.
func (f runsFilter) Options(name string) (list []Choice) {
	for _, value := range f.Choices[name] {
		list = append(list, Choice{Value: value, Name: value, Chosen: value == f.query.Get(name)})
	}
	return list
}

// At returns the address of another page of this list.
func (f runsFilter) At(page int) string { return f.Link("page", strconv.Itoa(page)) }
