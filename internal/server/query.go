package server

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gavel/internal/doc"
	"gavel/internal/server/failure"
	"gavel/internal/server/markup"
)

// runURL returns the address of a run's page.
func runURL(name string) string { return "/runs/" + url.PathEscape(name) }

// query returns the query of a link from names and values, without empty values. If a name occurs twice, its last value
// counts.
func query(pairs ...string) string { return encodeQuery(url.Values{}, pairs) }

// encodeQuery sets parameters in q from pairs of names and values, and returns q as the query of a link; "" if q is
// empty.
func encodeQuery(q url.Values, pairs []string) string {
	for i := 0; i+1 < len(pairs); i += 2 {
		q.Del(pairs[i])
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	if len(q) == 0 {
		return ""
	}
	return "?" + q.Encode()
}

// itemURL returns the address of the page of an item of a run; query is added to it. The id ".." goes into the query,
// since browsers would take it in a path as the folder above.
func itemURL(run, id, query string) string {
	if id == "." || id == ".." {
		return runURL(run) + "/item?id=" + id + strings.Replace(query, "?", "&", 1)
	}
	return runURL(run) + "/items/" + url.PathEscape(id) + query
}

// jobURL returns the address of a job, which redirects to the job's run or suite once that exists.
func jobURL(id string) string { return "/jobs/" + url.PathEscape(id) }

// readQuery sets the fields of filter, a pointer to a struct, from the parameters that have the fields' JSON names.
// Fields are texts or numbers from 1; a field without a parameter keeps its value.
func readQuery(q url.Values, filter any) error {
	for field, value := range reflect.ValueOf(filter).Elem().Fields() {
		name := jsonName(field)
		text := q.Get(name)
		switch {
		case name == "" || text == "":
		case value.Kind() == reflect.String:
			value.SetString(text)
		default:
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 || n > 1e6 {
				return failure.BadRequest("%s %q: expected a number from 1 to 1000000", name, markup.MakeVisible(text))
			}
			value.SetInt(int64(n))
		}
	}
	return nil
}

// jsonName returns the key of a struct's field in JSON; "" if JSON leaves the field out.
func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return strings.TrimPrefix(name, "-")
}

// unknownValueError returns the error for a parameter whose value is none of names.
func unknownValueError(parameter, value string, names []string) error {
	return failure.BadRequest("%s %q: it is one of %s", parameter, markup.MakeVisible(value), strings.Join(names, ", "))
}

// pageSlice returns a page of a list and the number of its pages. page counts from 1; per is the number of entries on a
// page.
func pageSlice[T any](all []T, page, per int) (part []T, pages int, err error) {
	pages = max(1, (len(all)+per-1)/per)
	if page > pages {
		return nil, pages, failure.NotFound("there is no page %d: there are %d", page, pages)
	}
	return all[(page-1)*per : min(page*per, len(all))], pages, nil
}

// Choice holds an option of a form, or a link among several.
type Choice struct {
	Value, Link, Name string // value in the form, address of the link, text for people
	N                 int    // number of entries, such as items, that it leads to
	Chosen            bool
}

// refURL returns the URL of the page that a reference in a document points to; "" if there is no such page.
func refURL(r doc.Ref) string {
	switch {
	case len(r.Runs) == 0:
		return r.Address
	case len(r.Runs) > maxCompared || slices.Contains(r.Runs[1:], r.Runs[0]):
		return ""
	case len(r.Runs) > 1:
		to := "/compare" + compareFilter{Runs: r.Runs}.Query("show", r.Filter, "group", r.ItemGroup)
		if r.Filter != "" {
			to += itemsAnchor
		}
		return to
	case r.Filter+r.ItemGroup+r.Mode != "":
		return runURL(r.Runs[0]) + "/items" + query("show", r.Filter, "group", r.ItemGroup, "mode", r.Mode)
	}
	return runURL(r.Runs[0])
}

// maxCompared limits the runs of a comparison. The store keeps few more indexes in memory, and for more runs a
// leaderboard is clearer.
const maxCompared = 6

// compareFilter holds the parameters of a comparison of runs.
type compareFilter struct {
	A    string `json:"a" required:"true" jsonschema:"a run"`
	B    string `json:"b" required:"true" jsonschema:"another"`
	Show string `json:"show" jsonschema:"differ, a, b, both, neither, confident, none, verdicts or all"`
	Page int    `json:"page" jsonschema:"from 1"`

	Group string   `json:"group,omitempty" jsonschema:"of the items"`
	Runs  []string `json:"-"` // all compared runs: A, B and others
}

// Query returns the query of a link to the comparison of the same runs, with more parameters as names and values.
func (f compareFilter) Query(more ...string) string {
	if len(f.Runs) == 2 {
		return encodeQuery(url.Values{"a": f.Runs[:1], "b": f.Runs[1:]}, more)
	}
	return encodeQuery(url.Values{"run": f.Runs}, more)
}

// At returns the query of a link to another page of the comparison's items.
func (f compareFilter) At(page int) string {
	return f.Query("show", f.Show, "group", f.Group, "page", fmt.Sprint(page)) + itemsAnchor
}

// itemsAnchor leads to the list of items on a comparison's page.
const itemsAnchor = "#items-title"

// runsOf returns the names of the runs to compare that a query has: as a and b, or each as run.
func runsOf(q url.Values) (runs []string, err error) {
	repeats := !q.Has("run") // with a and b, a run may be compared with itself
	for _, name := range slices.Concat([]string{q.Get("a"), q.Get("b")}, q["run"]) {
		if name != "" && (repeats || !slices.Contains(runs, name)) {
			runs = append(runs, name)
		}
	}
	if len(runs) > maxCompared {
		return nil, failure.BadRequest("%d runs: compare at most %d at once", len(runs), maxCompared)
	}
	return runs, nil
}
