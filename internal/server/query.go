package server

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"gavel/internal/doc"
	"gavel/internal/server/failure"
	"gavel/internal/server/markup"
)

// runURL is the address of a run's page.
func runURL(name string) string { return "/runs/" + escaped(name) }

// escaped is a name as one segment of a URL's path.
func escaped(name string) string { return url.PathEscape(name) }

// query makes a link's query of pairs, leaving out what is empty; of two with a name the last counts.
func query(pairs ...string) string {
	q := url.Values{}
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

// itemURL is the page of an item. Ids that a browser would take for a way up go where they can do no harm.
func itemURL(run, id, query string) string {
	if id == "." || id == ".." {
		return runURL(run) + "/item?id=" + id + strings.Replace(query, "?", "&", 1)
	}
	return runURL(run) + "/items/" + escaped(id) + query
}

// jobURL is where a job is followed: it leads to the page of its run or suite once there is one.
func jobURL(id string) string { return "/jobs/" + escaped(id) }

// counted reads a number from 1 of a query.
func counted(q url.Values, name string, otherwise int) (int, error) {
	v := q.Get(name)
	if v == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 || n > 1e6 {
		return 0, failure.Bad("%s %q: expected a number from 1 to 1000000", name, markup.Visible(v))
	}
	return n, nil
}

// notOneOf is the failure of a parameter whose value is none of a few.
func notOneOf(parameter, value string, names []string) error {
	return failure.Bad("%s %q: it is one of %s", parameter, markup.Visible(value), strings.Join(names, ", "))
}

// pageOf is a page of a list, by its number from 1, and how many there are.
func pageOf[T any](all []T, page, per int) (part []T, pages int, err error) {
	pages = max(1, (len(all)+per-1)/per)
	if page > pages {
		return nil, pages, failure.NotFound("there is no page %d: there are %d", page, pages)
	}
	return all[(page-1)*per : min(page*per, len(all))], pages, nil
}

// Option is a choice of a form with how many it is of.
type Option struct {
	Value, Name string
	N           int
	Chosen      bool
}

// address returns the address of what a page refers to; "" where there is none.
func address(r doc.Ref) string {
	switch {
	case len(r.Runs) == 0:
		return r.Page
	case len(r.Runs) > maxCompared || slices.Contains(r.Runs[1:], r.Runs[0]):
		return ""
	case len(r.Runs) > 1:
		to := "/compare" + compareFilter{Runs: r.Runs}.Query("show", r.Show, "group", r.Group)
		if r.Show != "" {
			to += itemsAnchor
		}
		return to
	case r.Show+r.Group+r.Mode != "":
		return runURL(r.Runs[0]) + "/items" + query("show", r.Show, "group", r.Group, "mode", r.Mode)
	}
	return runURL(r.Runs[0])
}
