package server

import (
	"net/http"
	"reflect"
	"strings"

	"gavel/internal/server/failure"
)

// route describes an address of the server: a page for people, or a call of the API for programs. All routes are in
// routes.go; the navigation of the pages, the description of the API and the tests go through them.
type route struct {
	pattern string  // method and path, as http.ServeMux reads them
	view    view    // returns what to show
	handle  handler // answers, in place of a view
	// form, in place of a view, does what a form asks for and returns the address to show next.
	form func(*Server, *http.Request) (to string, err error)

	template   string // file of templates/pages that lays the view out
	navigation string // name in the head of all pages; "" for other pages

	summary string // purpose of a call
	query   any    // struct with the parameters of a call
	body    any    // struct that is posted to a call
	status  int    // of a successful call; 0 for 200

	needs   func(Options) bool // reports whether this server has the route; nil if every server has
	without error              // answer of a server that has not
	free    bool               // needs no token
	stream  bool               // has no time limit
}

type handler func(*Server, http.ResponseWriter, *http.Request) error

// view returns what a route shows, a value of type result.
type view struct {
	result reflect.Type
	make   func(*Server, *http.Request) (any, error)
}

// viewOf returns a view of what show returns.
func viewOf[T any](show func(*Server, *http.Request) (T, error)) view {
	return view{result: reflect.TypeFor[T](), make: func(s *Server, r *http.Request) (any, error) { return show(s, r) }}
}

// allRoutes lists the routes of the server, as routes.go has them. Pages appear in the navigation in this order. An
// init function sets it, since the route that describes the API refers to all others.
var allRoutes []route

const apiPath = "/api/v1"

// isPage reports whether the route is a page for people.
func (r route) isPage() bool { return r.template != "" }

// path returns the route's pattern without the method.
func (r route) path() string {
	_, path, _ := strings.Cut(r.pattern, " ")
	return strings.TrimSuffix(path, "{$}")
}

// Pages returns the patterns of the server's pages, as http.ServeMux reads them.
func Pages() (patterns []string) {
	for _, r := range allRoutes {
		if r.isPage() {
			patterns = append(patterns, r.pattern)
		}
	}
	return patterns
}

// navigation returns the links in the head of a page.
func (s *Server) navigation(template string) (list []Choice) {
	for _, r := range allRoutes {
		if r.navigation != "" && (r.needs == nil || r.needs(s.opts)) {
			list = append(list, Choice{Link: r.path(), Name: r.navigation, Chosen: r.template == template})
		}
	}
	return list
}

var errNoRunner = failure.New(http.StatusNotImplemented,
	"this server only shows runs: it cannot start, stop or delete them")

// Conditions of routes, see [require].
func hasRunner(o Options) bool { return o.Runner != nil }
func hasDesk(o Options) bool   { return o.Desk != nil }
func hasLabels(o Options) bool { return o.Labels != "" }
