package server

import (
	"net/http"
	"reflect"
	"strings"

	"gavel/internal/server/failure"
)

// route is an address of the server: a page for people, or a call of the API for programs. All routes are in routes.go;
// the navigation of the pages, the description of the API and the tests walk them.
type route struct {
	pattern string  // method and path, as http.ServeMux reads them
	view    view    // what is shown there
	handle  handler // in place of a view, what answers
	// form, in place of a view, does what a form asks for and returns the address to show next.
	form func(*Server, *http.Request) (to string, err error)

	template   string // file of templates/pages that lays the view out
	navigation string // name in the head of all pages; "" for a page that others lead to

	summary string // what a call is for
	query   any    // struct with the parameters of a call
	body    any    // struct that is posted to a call
	status  int    // of a call that succeeds; 0 for 200

	needs   func(Options) bool // reports whether the server has something at the address; nil if it always has
	without error              // the answer of a server that has not
	free    bool               // needs no token
	stream  bool               // goes on for as long as it is listened to
}

type handler func(*Server, http.ResponseWriter, *http.Request) error

// view makes what a route shows.
type view struct {
	result reflect.Type
	make   func(*Server, *http.Request) (any, error)
}

// viewOf returns the view that show makes.
func viewOf[T any](show func(*Server, *http.Request) (T, error)) view {
	return view{result: reflect.TypeFor[T](), make: func(s *Server, r *http.Request) (any, error) { return show(s, r) }}
}

// allRoutes lists the routes of the server, as routes.go has them. Pages appear in the navigation in this order. An
// init function sets it, since the route that describes the API refers to all others.
var allRoutes []route

const apiPath = "/api/v1"

// isPage tells whether people are shown the route.
func (r route) isPage() bool { return r.template != "" }

// path of the route, without its method.
func (r route) path() string {
	_, path, _ := strings.Cut(r.pattern, " ")
	return strings.TrimSuffix(path, "{$}")
}

// Pages are the patterns of the server's pages, as http.ServeMux reads them.
func Pages() (patterns []string) {
	for _, r := range allRoutes {
		if r.isPage() {
			patterns = append(patterns, r.pattern)
		}
	}
	return patterns
}

// navigation lists the pages in the head of a page.
func (s *Server) navigation(template string) (list []Option) {
	for _, r := range allRoutes {
		if r.navigation != "" && (r.needs == nil || r.needs(s.opts)) {
			list = append(list, Option{Link: r.path(), Name: r.navigation, Chosen: r.template == template})
		}
	}
	return list
}

var errNoRunner = failure.New(http.StatusNotImplemented,
	"this server only shows runs: it cannot start, stop or delete them")

// Conditions of routes, see [needing].
func hasRunner(o Options) bool { return o.Runner != nil }
func hasDesk(o Options) bool   { return o.Desk != nil }
func hasLabels(o Options) bool { return o.Labels != "" }
