package server

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"gavel/internal/server/failure"
	"gavel/internal/server/jobs"
	"gavel/internal/server/markup"
)

// runsView holds a part of the list of runs.
type runsView struct {
	Runs    []RunRow   `json:"runs"`
	Total   int        `json:"total" jsonschema:"before filters"`
	Matches int        `json:"matches" jsonschema:"after filters, on all pages"`
	Pages   int        `json:"pages"`
	Filter  runsFilter `json:"filter"`
	Next    string     `json:"next,omitempty" jsonschema:"address of the runs after these; not for pages"`
	Ended   string     `json:"search_ended,omitempty" jsonschema:"why runs may be missing, and what to do"`

	Reading bool       `json:"-"` // the runs are being read
	Pending []jobs.Job `json:"-"` // jobs without a run yet
}

// runsFilter holds the parameters of the list of runs.
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

	Choices map[string][]string `json:"-"` // values to choose from, by parameter
	query   url.Values          // all parameters, with the chosen values
}

// choiceFilters names the parameters whose values are listed to choose from.
var choiceFilters = []string{"protocol", "model", "dataset", "status", "tag", "suite"}

// choices returns the values of a run by choice filter.
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

// orders lists the orders of the list of runs, with their words on the page and, if the page offers it, those of the
// reverse order. Headlines of one metric stay together, since those of different metrics cannot be compared.
var orders = []struct {
	name, words, reverse string
	compare              func(a, b RunRow) int
}{
	{
		name:    "when",
		words:   "newest first",
		reverse: "oldest first",
		compare: func(a, b RunRow) int { return b.Started.Compare(a.Started) },
	},
	{
		name:    "headline",
		words:   "headline, highest first",
		reverse: "headline, lowest first",
		compare: func(a, b RunRow) int {
			return cmp.Or(cmp.Compare(a.unit(), b.unit()), cmp.Compare(b.value(), a.value()))
		},
	},
	{
		name:    "name",
		words:   "run",
		compare: byText(RunRow.Title),
	},
	{
		name:    "model",
		words:   "model",
		compare: byText(func(r RunRow) string { return r.Model }),
	},
	{
		name:    "protocol",
		words:   "protocol and prompt",
		compare: byText(func(r RunRow) string { return r.Protocol + r.Prompt }),
	},
	{
		name:    "dataset",
		words:   "dataset",
		compare: byText(func(r RunRow) string { return r.Dataset }),
	},
	{
		name:    "status",
		words:   "status",
		compare: byText(func(r RunRow) string { return r.Status }),
	},
}

// byText returns a comparison of runs by a text of each.
func byText(text func(RunRow) string) func(a, b RunRow) int {
	return func(a, b RunRow) int { return strings.Compare(text(a), text(b)) }
}

// Orders returns the choices of the form's sort field; a value with - in front reverses the order.
func (runsFilter) Orders() (list []Choice) {
	for _, o := range orders {
		list = append(list, Choice{Value: o.name, Name: o.words})
		if o.reverse != "" {
			list = append(list, Choice{Value: "-" + o.name, Name: o.reverse})
		}
	}
	return list
}

// sort sorts runs by the parameter sort.
func (f runsFilter) sort(runs []RunRow) error {
	name, reverse := strings.CutPrefix(f.Sort, "-")
	var names []string
	for _, o := range orders {
		if o.name == name {
			slices.SortStableFunc(runs, o.compare)
			if reverse {
				slices.Reverse(runs)
			}
			return nil
		}
		names = append(names, o.name)
	}
	slices.Sort(names)
	return failure.BadRequest("sort %q: it is one of %s, with - in front for the reverse order",
		markup.Visible(f.Sort), strings.Join(names, ", "))
}

// Limits of the runs on a page, and in an answer of the API: about two megabytes.
const (
	runsPerPage = 100
	mostRuns    = 1000
)

func (s *Server) runsView(r *http.Request) (view runsView, err error) {
	f, err := filterOf(r)
	if err != nil {
		return view, err
	}
	all, err := s.requestedRows(r)
	if err != nil {
		return view, err
	}
	view = runsView{Runs: []RunRow{}, Total: len(all), Ended: s.runs.SearchEnded(), Reading: all == nil}
	makers := map[string]string{} // jobs by their runs
	for _, j := range s.activeJobs() {
		makers[j.Run()] = j.ID
	}
	for _, row := range all {
		row.Job = makers[row.Name]
		f.offer(row)
		if f.takes(row) {
			view.Runs = append(view.Runs, row)
		}
	}
	if !isAPI(r) {
		view.Pending = s.pendingJobs()
	}
	if err := f.sort(view.Runs); err != nil {
		return view, err
	}
	view.Filter = f
	return view, view.cut(r)
}

// cut keeps the requested part of the runs, and counts them before.
func (v *runsView) cut(r *http.Request) (err error) {
	f := v.Filter
	v.Matches = len(v.Runs)
	if f.Page > 0 {
		v.Runs, v.Pages, err = pageOf(v.Runs, f.Page, runsPerPage)
		return err
	}
	size := cmp.Or(f.Limit, mostRuns)
	end := f.Offset + size
	_, v.Pages, err = pageOf(v.Runs, 1, size)
	v.Runs = v.Runs[min(f.Offset, v.Matches):min(end, v.Matches)]
	if end < v.Matches {
		q := r.URL.Query()
		q.Set("limit", strconv.Itoa(size))
		q.Set("offset", strconv.Itoa(end))
		v.Next = r.URL.Path + "?" + q.Encode()
	}
	return err
}

// filterOf returns the filter of a request. People get pages of runsPerPage runs; programs ask for a page, or for a
// part by limit and offset.
func filterOf(r *http.Request) (f runsFilter, err error) {
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
	f.Limit = min(f.Limit, mostRuns)
	return f, err
}

// offer adds the values of a row to those to choose from.
func (f *runsFilter) offer(row RunRow) {
	for name, values := range row.choices() {
		for _, value := range values {
			if i, has := slices.BinarySearch(f.Choices[name], value); !has && value != "" {
				f.Choices[name] = slices.Insert(f.Choices[name], i, value)
			}
		}
	}
}

// takes reports whether a row has the chosen values and all words of the text.
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

// Link returns the address of the list with some parameters changed, from its first page unless they include page.
func (f runsFilter) Link(changes ...string) string {
	pairs := []string{"q", f.Text}
	if f.Sort != "when" {
		pairs = append(pairs, "sort", f.Sort)
	}
	for _, name := range choiceFilters {
		pairs = append(pairs, name, f.query.Get(name))
	}
	return "/runs" + query(append(pairs, changes...)...)
}

// Selects returns the form's choice filters that have values, without the suite.
func (f runsFilter) Selects() (list []filterSelect) {
	for _, name := range choiceFilters {
		if len(f.Choices[name]) > 0 && name != "suite" {
			field := filterSelect{Name: name, Label: capital(name)}
			for _, value := range f.Choices[name] {
				field.Options = append(field.Options, Choice{Value: value, Name: value, Chosen: value == f.query.Get(name)})
			}
			list = append(list, field)
		}
	}
	return list
}

// filterSelect holds a choice filter of the form.
type filterSelect struct {
	Name, Label string
	Options     []Choice
}

// At returns the address of another page.
func (f runsFilter) At(page int) string { return f.Link("page", strconv.Itoa(page)) }

// Folded reports whether all parameters have their defaults, so that the page folds its form.
func (f runsFilter) Folded() bool { return f.Link() == "/runs" }

// capital returns a name with its first letter in upper case.
func capital(name string) string { return strings.ToUpper(name[:1]) + name[1:] }
